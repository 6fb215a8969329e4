# SPDX-License-Identifier: Apache-2.0
"""The report for people: overall, each subsystem with the guilty, the key numbers, what changed, what was not read.

Every text of foreign origin is put in as plain text, never as markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from otel_health.checks.base import Evidence, Status
from otel_health.cli.words import counted, milliseconds, moment
from otel_health.monitor.report import Change, Overall, Report, SubsystemStatus
from otel_health.signals.base import Number
from otel_health.signals.culprits import Culprit

Stats = Mapping[str, Number]

_MARKS = {Status.HEALTHY: ("✓", "green"), Status.WARNING: ("!", "yellow"), Status.ERROR: ("✗", "red")}
_COLOURS = {Overall.HEALTHY: "green", Overall.DEGRADED: "yellow", Overall.UNHEALTHY: "red"}
_CHANGES_SHOWN = 10
_WIDE = 100


def report_text(report: Report, width: int) -> RenderableType:
    """Lay the whole report out for `width` columns; where those are few, trace ids are cut."""
    trace_digits = 32 if width >= _WIDE else 8
    parts = [_banner(report), _subsystems(report, trace_digits), _section("Numbers", _facts(_numbers(report.stats)))]
    if report.changes:
        parts.append(_section("Status changes", _changes(report)))
    unread = dict(_unread(report))
    if unread:
        parts.append(_section("Dropped or not understood", _facts(unread)))
    return Group(*parts)


def has_evidence(report: Report) -> bool:
    """Tell whether anything at all happened in the window."""
    return bool(report.stats.get("total_events"))


def _banner(report: Report) -> RenderableType:
    overall = report.check.overall
    seen = has_evidence(report)
    colour = _COLOURS[overall] if seen else "bright_black"
    headline = Text(f" {overall.upper() if seen else 'NO EVIDENCE'} ", style=f"bold reverse {colour}")
    what = counted(report.stats.get("turns"), "turn") if seen else "nothing happened"
    headline.append(f"  {what} in the {report.window_minutes:g} minutes up to ", style="not bold not reverse default")
    headline.append(moment(report.check.timestamp), style="not bold not reverse default")
    return Panel(headline, box=box.ROUNDED, border_style=colour, padding=(0, 1))


def _section(title: str, body: RenderableType) -> RenderableType:
    return Padding(Group(Text(title, style="bold"), Padding(body, (0, 0, 0, 2))), (1, 0, 0, 1))


def _grid(*, expand: bool = False) -> Table:
    return Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0), expand=expand)


def _subsystems(report: Report, trace_digits: int) -> RenderableType:
    subsystems = report.check.subsystems.values()
    name_width = max((len(one.name) for one in subsystems), default=0)
    rows: list[RenderableType] = []
    for subsystem in subsystems:
        rows.append(_verdict(subsystem, report.check.timestamp, name_width))
        if subsystem.status is not Status.HEALTHY and subsystem.top:
            rows.append(Padding(_guilty(subsystem.top, trace_digits), (0, 0, 0, 4)))
    return Padding(Group(*rows), (1, 0, 0, 1))


def _verdict(subsystem: SubsystemStatus, now: float, name_width: int) -> RenderableType:
    mark, colour = _MARKS[subsystem.status]
    message = Text(subsystem.message)
    if subsystem.status is not Status.HEALTHY:
        message.append(f" · since {moment(subsystem.since, now)}", style="dim")
    word = Text(subsystem.status, style=colour)
    if subsystem.evidence is Evidence.NONE:
        mark, colour, word = "·", "", Text("no evidence")
    row = _grid(expand=True)
    row.add_column(no_wrap=True, width=1)
    row.add_column(no_wrap=True, width=name_width)
    row.add_column(no_wrap=True, width=len("no evidence"))
    row.add_column(ratio=1)
    row.add_row(
        Text(mark, style=f"bold {colour}"), Text(subsystem.name, style="bold" if colour else ""), word, message,
        style="" if colour else "dim",
    )  # fmt: skip
    return row


def _guilty(culprits: Iterable[Culprit], trace_digits: int) -> RenderableType:
    grid = _grid(expand=True)
    grid.add_column(no_wrap=True, max_width=30, style="cyan")
    grid.add_column(no_wrap=True, ratio=1)
    grid.add_column(no_wrap=True, style="dim")
    for culprit in culprits:
        trace = f"trace {culprit.trace_id[:trace_digits]}" if culprit.trace_id else ""
        grid.add_row(Text(f"{culprit.component} x {culprit.count}"), Text(culprit.last_error), Text(trace))
    return grid


def _facts(facts: Mapping[str, str]) -> RenderableType:
    grid = _grid()
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column(ratio=1)
    for name, value in facts.items():
        grid.add_row(name, Text(value))
    return grid


_TURNS = {
    "turns_completed": "completed",
    "turn_failures": "failed",
    "timeouts": "timed out",
    "turn_cancellations": "cancelled",
}
_MODEL_CALLS = {
    "llm_errors": "failed at the provider",
    "llm_caller_errors": "refused as faulty",
    "context_overflows": "too long",
    "llm_cancellations": "cancelled",
}


def _numbers(stats: Stats) -> dict[str, str]:
    return {
        "Turns": _split(stats, "turns", _TURNS),
        "Model calls": _split(stats, "llm_calls", _MODEL_CALLS),
        "Tool calls": _split(stats, "tool_calls", {"tool_errors": "failed"}),
        "Delegations": _split(stats, "spoke_calls", {"spoke_failures": "failed"}),
        "Tokens": f"{_number(stats, 'input_tokens')} in, {_number(stats, 'output_tokens')} out{_missing(stats)}",
        "Latency": _latency(stats),
        "Besides": ", ".join(_besides(stats)) or "no retry, compaction or exhausted budget",
    }


def _besides(stats: Stats) -> Iterator[str]:
    for key, word in (("retries", "retry"), ("compactions", "compaction"), ("budget_exhaustions", "exhausted budget")):
        if stats.get(key):
            yield counted(stats[key], word)


def _split(stats: Stats, whole: str, parts: Mapping[str, str]) -> str:
    """Write a count and, where any is not 0, what it is made of: `12 (8 completed, 4 failed)`."""
    made_of = ", ".join(f"{_number(stats, key)} {word}" for key, word in parts.items() if stats.get(key))
    return _number(stats, whole) + (f" ({made_of})" if made_of else "")


def _missing(stats: Stats) -> str:
    missing = stats.get("usage_missing")
    return f" (without {counted(missing, 'call')} that did not say)" if missing else ""


def _latency(stats: Stats) -> str:
    if not stats.get("avg_latency_ms"):
        return "unknown: no completed turn"
    return f"{milliseconds(stats['avg_latency_ms'])} mean, {milliseconds(stats['p95_latency_ms'])} p95"


def _changes(report: Report) -> RenderableType:
    shown = report.changes[-_CHANGES_SHOWN:]
    grid = _grid()
    for _ in range(3):
        grid.add_column(no_wrap=True)
    if len(report.changes) > len(shown):
        grid.add_row("", Text(f"{len(report.changes) - len(shown)} earlier ones", style="dim"), "")
    for change in shown:
        grid.add_row(*_change(change, report))
    return grid


def _change(change: Change, report: Report) -> tuple[Text, Text, Text]:
    known = report.check.subsystems.get(change.subsystem)
    return (
        Text(moment(change.time, report.check.timestamp), style="dim"),
        Text(known.name if known else change.subsystem),
        Text.assemble(f"{change.from_} → ", (str(change.to), _MARKS[change.to][1])),
    )


def _unread(report: Report) -> Iterator[tuple[str, str]]:
    counts = {key: report.stats.get(key) for key in ("unclassified_spans", "unattributed_spans")} | dict(report.self_)
    for key, count in counts.items():
        if count:
            yield key.replace("_", " "), f"{count:,}"


def _number(stats: Stats, key: str) -> str:
    return f"{stats.get(key) or 0:,}"
