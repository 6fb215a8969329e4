# SPDX-License-Identifier: Apache-2.0
"""The report for people: overall, each subsystem with the guilty, the key numbers, what changed, what was not read.

Every text of foreign origin is put in as plain text, never as markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from otel_health.checks.base import Evidence, Status
from otel_health.cli.words import counted, dollars, milliseconds, moment, shortened
from otel_health.monitor.report import Change, Overall, Report, SubsystemStatus
from otel_health.signals.base import Number
from otel_health.signals.culprits import Culprit

Stats = Mapping[str, Number]

_MARKS = {Status.HEALTHY: ("✓", "green"), Status.WARNING: ("!", "yellow"), Status.ERROR: ("✗", "red")}
_COLOURS = {Overall.HEALTHY: "green", Overall.DEGRADED: "yellow", Overall.UNHEALTHY: "red"}
_CHANGES_SHOWN = 10
_WIDE = 120
_COMPONENT_WIDTH = 26
_NO_EVIDENCE = "no evidence"


def report_text(report: Report, width: int, *, first_loss: str = "", explained: bool = False) -> RenderableType:
    """Lay the whole report out.

    Args:
        report: The report; of one without evidence only that is said, and what was not understood.
        width: Columns there are. Below 120 trace ids are cut.
        first_loss: The first place that could not be read.
        explained: Whether every span was explained already, so that nobody need be told that this can be had.
    """
    hint = "" if explained else "; --explain shows what they are"
    parts: list[RenderableType] = [_banner(report, hint)]
    if has_evidence(report):
        parts += (_subsystems(report, width), _section("Numbers", _facts(_numbers(report.stats))))
    if report.changes:
        parts.append(_section("Status changes", _changes(report)))
    unread = dict(_unread(report, first_loss, hint))
    if unread:
        parts.append(_section("Not understood, or lost", _facts(unread)))
    return Group(*parts)


def report_line(file: str, report: Report | None) -> str:
    """Return what `report` says of `file` in one line: the state, and what tripped; None for one that is unreadable."""
    state, said = "unreadable" if report is None else _NO_EVIDENCE, ""
    if report is not None and has_evidence(report):
        state = report.check.overall
        said = "; ".join(report.check.alerts) or counted(report.stats.get("turns"), "turn")
    return f"{state.upper():<{len(_NO_EVIDENCE)}}  {file}  {said}".rstrip()


def has_evidence(report: Report) -> bool:
    """Tell whether anything at all happened in the window."""
    return bool(report.stats.get("total_events"))


def _banner(report: Report, hint: str) -> Text:
    if not has_evidence(report):
        return Text.assemble((f" {_NO_EVIDENCE.upper()} ", "bold reverse"), f"  {_why_no_evidence(report, hint)}")
    overall, window = report.check.overall, f"{report.window_minutes:g} minutes up to {moment(report.check.timestamp)}"
    return Text.assemble(
        (f" {overall.upper()} ", f"bold reverse {_COLOURS[overall]}"),
        f"  {counted(report.stats.get('turns'), 'turn')} in the {window}",
    )


def _why_no_evidence(report: Report, hint: str) -> str:
    spans = report.self_.get("spans_read")
    if not spans:
        return "nothing happened"
    none = "none understood" if report.stats.get("unclassified_spans") else "none from an agent"
    return f"{counted(spans, 'span')} read, {none}{hint}"


def _section(title: str, body: RenderableType) -> RenderableType:
    return Padding(Group(Text(title, style="bold"), Padding(body, (0, 0, 0, 2))), (1, 0, 0, 1))


def _grid(*, expand: bool = False) -> Table:
    return Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0), expand=expand)


def _subsystems(report: Report, width: int) -> RenderableType:
    subsystems = report.check.subsystems.values()
    name_width = max((len(one.name) for one in subsystems), default=0)
    rows: list[RenderableType] = []
    for subsystem in subsystems:
        rows.append(_verdict(subsystem, report.check.timestamp, name_width, width))
        if subsystem.status is not Status.HEALTHY:
            below = _guilty(subsystem.top, trace_digits=32 if width >= _WIDE else 8)
            rows.append(Padding(Group(*below, *_advice(subsystem)), (0, 0, 0, 4)))
    return Padding(Group(*rows), (1, 0, 0, 1))


def _verdict(subsystem: SubsystemStatus, now: float, name_width: int, width: int) -> RenderableType:
    mark, colour = _MARKS[subsystem.status]
    word = Text(subsystem.status, style=colour)
    if subsystem.evidence is Evidence.NONE:
        mark, colour, word = "·", "", Text(_NO_EVIDENCE)
    fixed = (1, name_width, len(_NO_EVIDENCE))
    row = _grid(expand=True)
    for columns in fixed:
        row.add_column(no_wrap=True, width=columns)
    row.add_column(ratio=1)
    row.add_row(
        Text(mark, style=f"bold {colour}"),
        Text(subsystem.name, style="bold" if colour else ""),
        word,
        _message(subsystem, now, room=width - sum(fixed) - 2 * len(fixed) - 1),
        style="" if colour else "dim",
    )
    return row


def _message(subsystem: SubsystemStatus, now: float, room: int) -> Text:
    """What a check says, and since when where that is bad news: beside it where there is `room`, else below it."""
    if subsystem.status is Status.HEALTHY:
        return Text(subsystem.message)
    since = f"since {moment(subsystem.since, now)}"
    between = " · " if len(f"{subsystem.message} · {since}") <= room else "\n"
    return Text.assemble(subsystem.message, (f"{between}{since}", "dim"))


def _guilty(culprits: Iterable[Culprit], trace_digits: int) -> Iterator[RenderableType]:
    """Yield a grid of the guilty, if there are any."""
    grid = _grid(expand=True)
    grid.add_column(no_wrap=True, style="cyan")
    grid.add_column(no_wrap=True, ratio=1)
    grid.add_column(no_wrap=True, style="dim")
    for culprit in culprits:
        who = f"{shortened(culprit.component, _COMPONENT_WIDTH)} x {culprit.count}"
        last = Text(f"last: {culprit.last_error}") if culprit.last_error else Text("(no error text)", style="dim")
        trace = f"trace {_trace(culprit.trace_id, trace_digits)}" if culprit.trace_id else ""
        grid.add_row(Text(who), last, Text(trace))
    if grid.row_count:
        yield grid


def _advice(subsystem: SubsystemStatus) -> Iterator[RenderableType]:
    """Yield what can be done, if there is anything."""
    grid = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1, 0, 0))
    if subsystem.advice:
        grid.add_row("→", Text(subsystem.advice), style="dim")
        yield grid


def _trace(trace_id: str, digits: int) -> str:
    return trace_id if len(trace_id) <= digits else f"{trace_id[:digits]}…"


def _facts(facts: Mapping[str, str]) -> RenderableType:
    grid = _grid()
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column(ratio=1, overflow="fold")
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
        **_cost(stats),
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


def _cost(stats: Stats) -> dict[str, str]:
    cost = stats.get("cost_usd")
    incomplete = ", incomplete" if stats.get("cost_incomplete") else ""
    return {} if cost is None else {"Cost": f"{dollars(cost)}{incomplete}"}


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


def _unread(report: Report, first_loss: str, hint: str) -> Iterator[tuple[str, str]]:
    counts = {key: report.stats.get(key) for key in ("unclassified_spans", "unattributed_spans")} | dict(report.self_)
    more = {
        "unclassified_spans": f" with GenAI attributes that no dialect reads{hint}",
        "malformed_places": f", the first: {first_loss}" if first_loss else "",
    }
    for key, count in counts.items():
        if count and key != "spans_read":
            yield key.replace("_", " "), f"{count:,}{more.get(key, '')}"


def _number(stats: Stats, key: str) -> str:
    return f"{stats.get(key) or 0:,}"
