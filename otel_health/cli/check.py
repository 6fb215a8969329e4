# SPDX-License-Identifier: Apache-2.0
"""`otel-health check`: judge what lies in files, on the files' own time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click
import msgspec

from otel_health.cli import NO_VERDICT
from otel_health.cli.console import Output
from otel_health.cli.explain_text import TextExplainer, say_json
from otel_health.cli.options import Minutes, format_option
from otel_health.cli.progress import progress
from otel_health.cli.report_text import has_evidence, report_text
from otel_health.config import Settings, load
from otel_health.dialects.span import Span
from otel_health.errors import OtelHealthError
from otel_health.events.model import HealthEvent
from otel_health.health import judge
from otel_health.monitor.report import Report
from otel_health.monitor.wire import report_json, report_object
from otel_health.sources.assembly import Explain
from otel_health.sources.files import read
from otel_health.sources.stats import ReadStats
from otel_health.sources.unpack import OnBytes


@click.command(short_help="Judge what an agent exported.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--per-file", is_flag=True, help="Judge each file by itself: one JSON object a line.")
@click.option("--window", type=Minutes(1, 1440), help="How far to look back from the last event.")
@format_option
@click.option("--explain", is_flag=True, help="First say of every span what it was taken for, and why.")
def check(*, files: tuple[str, ...], per_file: bool, window: float | None, form: str, explain: bool) -> int:
    """Judge what is in FILEs: OTLP/JSON, OTLP/protobuf or journals, plain or gzipped, `-` for standard input.

    Exits with 0 healthy, 1 degraded, 2 unhealthy, 3 no evidence or bad input; of several files, with the highest.
    """
    if per_file and explain:
        raise click.UsageError("--per-file and --explain do not go together; choose one")
    settings = load()
    if window is not None:
        settings = msgspec.structs.replace(settings, window_minutes=window)
    with progress(files, wanted=not explain) as on_bytes:
        if per_file:
            return max(_judge_alone(file, on_bytes, settings) for file in files)
        inputs = Inputs(on_bytes)
        report = judge(inputs.items(files), settings, explain=_explainer(form) if explain else None)
    if form == "json":
        click.echo(report_json(report))
    else:
        click.echo("\n" * explain, nl=False)
        output = Output()
        output.show(report_text(report, output.width))
    return inputs.exit_code(report)


class Inputs:
    """Reads files one after the other; one that is no good is complained of and costs no other."""

    def __init__(self, on_bytes: OnBytes | None) -> None:
        self._on_bytes = on_bytes
        self.bad = 0
        """Files that gave nothing because they are missing or hold something else."""

    def items(self, files: Sequence[str]) -> Iterator[Span | HealthEvent]:
        """Yield what lies in `files`."""
        for file in files:
            stats = ReadStats()
            try:
                yield from read(file, stats, self._on_bytes)
            except OtelHealthError as error:
                self.bad += 1
                _complain(str(error))
            else:
                if stats.malformed:
                    places = (
                        "1 place made no sense and was"
                        if stats.malformed == 1
                        else (f"{stats.malformed} places made no sense and were")
                    )
                    _complain(f"{places} passed over; the first: {stats.first_error}")

    def exit_code(self, report: Report) -> int:
        """Return the code for `report`, which was made of all that was read."""
        return NO_VERDICT if self.bad or not has_evidence(report) else report.check.overall.exit_code


def _judge_alone(file: str, on_bytes: OnBytes | None, settings: Settings) -> int:
    inputs = Inputs(on_bytes)
    report = judge(inputs.items([file]), settings)
    if inputs.bad:
        return NO_VERDICT
    plain = report_object(report)
    click.echo(msgspec.json.encode({"file": file, "check": plain["check"], "stats": plain["stats"]}))
    return inputs.exit_code(report)


def _explainer(form: str) -> Explain:
    return say_json if form == "json" else TextExplainer().say


def _complain(message: str) -> None:
    click.echo(f"otel-health: {message}", err=True)
