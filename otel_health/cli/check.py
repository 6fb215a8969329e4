# SPDX-License-Identifier: Apache-2.0
"""`otel-health check`: judge what lies in files, on the files' own time."""

from __future__ import annotations

import click
import msgspec

from otel_health.cli import NO_VERDICT
from otel_health.cli.console import Output
from otel_health.cli.explain_text import TextExplainer, say_json
from otel_health.cli.inputs import Inputs, complain, each_file
from otel_health.cli.options import Minutes, format_option
from otel_health.cli.progress import progress
from otel_health.cli.report_text import report_line, report_text
from otel_health.config import Settings, load
from otel_health.health import judge
from otel_health.monitor.report import Report
from otel_health.monitor.wire import report_json, report_object
from otel_health.sources.assembly import Explain
from otel_health.sources.unpack import OnBytes


@click.command(short_help="Judge what an agent exported.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--per-file", is_flag=True, help="Judge each file by itself, those of a folder too: one line a file.")
@click.option(
    "--window",
    type=Minutes(1, 1440),
    show_default="60, or window_minutes as set",
    help="How far to look back from the last event.",
)
@format_option("text, with --per-file json", "For people or for programs. With --explain, json is one object a line.")
@click.option("--explain", is_flag=True, help="First say of every span what it was taken for, and why.")
def check(*, files: tuple[str, ...], per_file: bool, window: float | None, form: str | None, explain: bool) -> int:
    """Judge what is in FILEs: OTLP/JSON, OTLP/protobuf or journals, plain or gzipped, `-` for standard input.

    Of a folder, every file in it that is named like data is read.

    Exits with 0 healthy, 1 degraded, 2 unhealthy, 3 no evidence or bad input; of several files, with the highest.
    """
    if per_file and explain:
        raise click.UsageError("--per-file and --explain do not go together; choose one")
    settings = load()
    if window is not None:
        settings = msgspec.structs.replace(settings, window_minutes=window)
    with progress(files, wanted=not explain) as on_bytes:
        if per_file:
            return _judge_each(files, on_bytes, settings, form)
        inputs = Inputs(on_bytes)
        report = judge(inputs.items(files), settings, explain=_explainer(form) if explain else None)
    report = inputs.noted_in(report)
    if form == "json":
        inputs.complain_of_losses()
        click.echo(report_json(report))
    elif inputs.understood:
        _show(report, inputs.first_loss, explained=explain)
    return inputs.exit_code(report)


def _show(report: Report, first_loss: str, *, explained: bool) -> None:
    click.echo("\n" * explained, nl=False)
    output = Output()
    output.show(report_text(report, output.width, first_loss=first_loss, explained=explained))


def _explainer(form: str | None) -> Explain:
    return say_json if form == "json" else TextExplainer().say


def _judge_each(files: tuple[str, ...], on_bytes: OnBytes | None, settings: Settings, form: str | None) -> int:
    """Judge every file by itself; return the highest exit code."""
    say = _say_text if form == "text" else _say_json
    codes = []
    for file in each_file(files):
        inputs = Inputs(on_bytes)
        report = judge(inputs.items([file]), settings)
        inputs.complain_of_losses()
        say(file, inputs, inputs.noted_in(report))
        codes.append(inputs.exit_code(report))
    if not codes:
        complain("there is no file named like data in what was named")
    return max(codes, default=NO_VERDICT)


def _say_json(file: str, inputs: Inputs, report: Report) -> None:
    row: dict[str, object] = {"file": file}
    plain = report_object(report)
    if inputs.errors:
        row["error"] = inputs.errors[0]
    else:
        row |= {"check": plain["check"], "stats": plain["stats"]}
    if inputs.malformed:
        row["self"] = plain["self"]
    click.echo(msgspec.json.encode(row))


def _say_text(file: str, inputs: Inputs, report: Report) -> None:
    click.echo(report_line(file, None if inputs.errors else report))
