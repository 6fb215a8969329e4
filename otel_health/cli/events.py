# SPDX-License-Identifier: Apache-2.0
"""`otel-health events`: look into a journal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import msgspec
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from otel_health.cli.console import Output
from otel_health.cli.options import Minutes, format_option
from otel_health.cli.words import milliseconds, moment, shortened
from otel_health.clock import SystemClock
from otel_health.config import load
from otel_health.events.journal_reader import ReadTally, query
from otel_health.events.model import Category, HealthEvent, Severity
from otel_health.events.segments import list_segments

_WIDE = 100
_COLOURS = {Severity.INFO: "green", Severity.WARNING: "yellow", Severity.ERROR: "red"}


@click.command(short_help="Look into a journal.")
@click.option("--path", type=click.Path(path_type=Path), help="The journal: a folder, or one file of it.")
@click.option("--minutes", type=Minutes(min=0), default=60, show_default=True, help="How far to look back.")
@click.option(
    "--category", type=click.Choice([one.value for one in Category]), metavar="NAME", help="Only this category."
)
@click.option("--severity", type=click.Choice([one.value for one in Severity]), help="Only this severity.")
@click.option("--limit", type=click.IntRange(min=1), default=100, show_default=True, help="Most events shown.")
@format_option()
def events(
    *, path: Path | None, minutes: float, category: str | None, severity: str | None, limit: int, form: str
) -> int:
    """Show what a journal remembers, the newest first; without --path the journal that is configured.

    Exits with 3 when there is no journal.
    """
    path = path or load().journal.path
    if not path.is_file() and not list_segments(path):
        raise click.ClickException(f"no journal in {path}; name a journal's folder, or one file of it, with --path")
    now, tally = SystemClock().wall(), ReadTally()
    found = query(
        path,
        now=now,
        minutes=minutes,
        category=category,
        severity=severity,
        limit=limit,
        tally=tally,
    )
    if form == "json":
        click.echo(msgspec.json.encode({"events": found}))
    elif found:
        output = Output()
        output.show(_listing(found, now, component_width=24 if output.width >= _WIDE else 12))
    else:
        click.echo(f"no such event within {minutes:g} minutes in {path}")
    _report_damage(tally, path)
    return 0


def _report_damage(tally: ReadTally, path: Path) -> None:
    if tally.skipped or tally.unreadable:
        click.echo(
            f"otel-health: {path}: skipped {tally.torn} torn and {tally.foreign} foreign lines, "
            f"{tally.unreadable} unreadable segments",
            err=True,
        )


def _listing(found: Sequence[HealthEvent], now: float, component_width: int) -> RenderableType:
    table = Table(box=None, expand=True, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("time (UTC)", no_wrap=True)
    table.add_column("severity", no_wrap=True)
    table.add_column("category", no_wrap=True)
    table.add_column("component", no_wrap=True)
    table.add_column("took", no_wrap=True, justify="right")
    table.add_column("details", no_wrap=True, ratio=1)
    for time, event in zip(_times(found, now), found, strict=True):
        took = "" if event.latency_ms is None else milliseconds(event.latency_ms)
        table.add_row(
            Text(time, style="dim"),
            Text(event.severity, style=_COLOURS[event.severity]),
            Text(event.category),
            Text(shortened(event.component, component_width)),
            Text(took),
            Text(event.details),
        )
    return table


def _times(found: Sequence[HealthEvent], now: float) -> list[str]:
    """Write when each happened; with the day, all of them, where one is not of today."""
    times = [moment(event.timestamp, beside=now) for event in found]
    if {len(time) for time in times} == {len("00:00:00")}:
        return times
    return [moment(event.timestamp).removesuffix(" UTC") for event in found]
