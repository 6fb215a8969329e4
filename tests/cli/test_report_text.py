# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import io

import pytest
from rich.console import Console

from otel_health.checks.base import Evidence, Status
from otel_health.cli.report_text import has_evidence, report_line, report_text
from otel_health.monitor.report import Change, HealthCheck, Overall, Report, SubsystemStatus
from otel_health.signals.base import Number
from otel_health.signals.culprits import Culprit

NOW = 1_796_025_400.0
TRACE = "9b0217cb0ccfd123fa383255e5173a2d"


def _report(*subsystems: SubsystemStatus, overall: Overall = Overall.UNHEALTHY, **more: object) -> Report:
    stats: dict[str, Number] = {"total_events": 9, "turns": 2}
    check = HealthCheck(timestamp=NOW, overall=overall, subsystems={one.name.lower(): one for one in subsystems})
    return Report(**{"check": check, "stats": stats} | more)  # type: ignore[arg-type]


def _text(report: Report, width: int = 100, **more: object) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(report_text(report, width, **more))  # type: ignore[arg-type]
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


ILL = SubsystemStatus(
    name="Tools",
    status=Status.ERROR,
    message="3 of 9 failed",
    since=NOW - 60,
    evidence=Evidence.OK,
    top=(Culprit("search", 3, "ValueError: [red]no[/red] :boom: index", TRACE), Culprit("add", 1)),
    advice="Look at the last error of the failing tool, and try another tool or other arguments.",
)


def test_the_banner_says_how_ill_and_over_which_time() -> None:
    assert "UNHEALTHY   2 turns in the 60 minutes up to 2026-11-30 07:56:40 UTC" in _text(_report(ILL))


def test_a_subsystem_has_its_status_message_and_the_guilty_below() -> None:
    text = _text(_report(ILL), 130)
    assert "✗  Tools  error        3 of 9 failed · since 07:55:40" in text
    assert "search x 3  last: ValueError: [red]no[/red] :boom: index" in text
    assert f"trace {TRACE}\n" in text
    assert "add x 1     (no error text)\n" in text


def test_what_can_be_done_stands_below_the_guilty_of_what_is_ill() -> None:
    well = SubsystemStatus(name="Tools", message="fine", evidence=Evidence.OK, advice="Never said.")
    assert "add x 1     (no error text)\n     → Look at the last error of" in _text(_report(ILL))
    assert "→" not in _text(_report(well, overall=Overall.HEALTHY))
    unadvised = SubsystemStatus(name="Tools", status=Status.WARNING, message="bad", evidence=Evidence.OK)
    assert "→" not in _text(_report(unadvised))


def test_a_long_name_of_the_guilty_does_not_cost_its_count() -> None:
    ill = SubsystemStatus(name="T", status=Status.ERROR, evidence=Evidence.OK, top=(Culprit("n" * 90, 7, "boom"),))
    assert f"{'n' * 25}… x 7  last: boom" in _text(_report(ill))


def test_the_healthy_accuse_nobody() -> None:
    well = SubsystemStatus(name="Tools", message="fine", evidence=Evidence.OK, top=(Culprit("search", 1),))
    text = _text(_report(well, overall=Overall.HEALTHY))
    assert "✓  Tools  healthy      fine" in text
    assert "search" not in text
    assert "since" not in text


def test_missing_evidence_is_said_in_place_of_a_status() -> None:
    none = SubsystemStatus(name="Llm", message="no calls", evidence=Evidence.NONE)
    assert "·  Llm  no evidence  no calls" in _text(_report(none, overall=Overall.HEALTHY))


def test_nothing_at_all_is_not_called_healthy() -> None:
    empty = _report(overall=Overall.HEALTHY, stats={"total_events": 0})
    assert not has_evidence(empty)
    assert _text(empty) == " NO EVIDENCE   nothing happened\n"


def test_spans_that_say_nothing_of_an_agent_are_counted_and_their_explanation_is_offered() -> None:
    def empty(**stats: int) -> Report:
        return _report(overall=Overall.HEALTHY, stats={"total_events": 0} | stats, self_={"spans_read": 5})

    assert _text(empty()) == " NO EVIDENCE   5 spans read, none from an agent; --explain shows what they are\n"
    assert _text(empty(), explained=True) == " NO EVIDENCE   5 spans read, none from an agent\n"
    odd = _text(empty(unclassified_spans=3))
    assert "5 spans read, none understood; --explain shows what they are\n" in odd
    assert "3 with GenAI attributes that no dialect reads; --explain shows what they are\n" in odd


def test_what_was_lost_is_told_with_the_first_place() -> None:
    report = _report(ILL, self_={"malformed_places": 2, "sources_cut_short": 1, "spans_read": 9})
    text = _text(report, first_loss="a.jsonl: line 3: no JSON")
    assert " Not understood, or lost\n" in text
    assert "malformed places   2, the first: a.jsonl: line 3: no JSON\n" in text
    assert "sources cut short  1\n" in text
    assert "spans read" not in text


def test_a_file_in_one_line() -> None:
    assert report_line("a.jsonl", _report(ILL)) == "UNHEALTHY    a.jsonl  2 turns"
    check = HealthCheck(timestamp=NOW, overall=Overall.DEGRADED, alerts=("4 of 9 failed", "6 retries"))
    assert report_line("b", _report(check=check)) == "DEGRADED     b  4 of 9 failed; 6 retries"
    assert report_line("c", _report(overall=Overall.HEALTHY, stats={})) == "NO EVIDENCE  c"
    assert report_line("d", None) == "UNREADABLE   d"


def test_numbers_say_what_they_are_made_of() -> None:
    stats: dict[str, Number] = {
        "total_events": 9,
        "turns": 1200,
        "turns_completed": 1199,
        "turn_failures": 1,
        "llm_calls": 4,
        "llm_errors": 1,
        "tool_calls": 2,
        "spoke_calls": 0,
        "input_tokens": 12345,
        "output_tokens": 67,
        "usage_missing": 2,
        "avg_latency_ms": 812.3,
        "p95_latency_ms": 5012.0,
        "retries": 1,
        "compactions": 2,
    }
    text = _text(_report(stats=stats))
    for line in (
        "Turns        1,200 (1,199 completed, 1 failed)",
        "Model calls  4 (1 failed at the provider)",
        "Tool calls   2\n",
        "Tokens       12,345 in, 67 out (without 2 calls that did not say)",
        "Latency      812 ms mean, 5.0 s p95",
        "Besides      1 retry, 2 compactions",
    ):
        assert line.rstrip("\n") in text


def test_what_is_unknown_is_called_unknown() -> None:
    text = _text(_report())
    assert "Latency      unknown: no completed turn" in text
    assert "Besides      no retry, compaction or exhausted budget" in text


def test_changes_and_what_was_not_understood_are_listed_when_there_are_any() -> None:
    changes = (
        Change(NOW - 90_000, "tools", Status.HEALTHY, Status.WARNING),
        Change(NOW, "x", Status.WARNING, Status.ERROR),
    )
    text = _text(_report(ILL, changes=changes, self_={"malformed_values": 2, "dropped": 0}))
    assert "2026-11-29 06:56:40 UTC  Tools  healthy → warning" in text
    assert "07:56:40                 x      warning → error" in text
    assert "malformed values  2" in text
    assert "dropped" not in text
    assert "Status changes" not in _text(_report())
    assert "Not understood" not in _text(_report())


def test_only_the_latest_changes_are_shown() -> None:
    changes = tuple(Change(NOW + i, "tools", Status.HEALTHY, Status.WARNING) for i in range(14))
    text = _text(_report(ILL, changes=changes))
    assert "4 earlier ones" in text
    assert text.count("healthy → warning") == 10


@pytest.mark.parametrize("width", [40, 80, 160])
def test_it_fits_any_width(width: int) -> None:
    text = _text(_report(ILL), width)
    assert max(len(line) for line in text.splitlines()) <= width
    assert f"trace {TRACE if width == 160 else f'{TRACE[:8]}…'}\n" in text


def test_since_goes_below_what_it_belongs_to_where_it_does_not_fit_beside_it() -> None:
    def ill(message: str) -> str:
        status = SubsystemStatus(
            name="T", status=Status.ERROR, message=message, since=NOW - 90_000, evidence=Evidence.OK
        )
        return _text(_report(status), 80)

    beside, below = "x" * 28, "x" * 29
    assert f" ✗  T  error        {beside} · since 2026-11-29 06:56:40 UTC\n" in ill(beside)
    assert f" ✗  T  error        {below}\n{' ' * 20}since 2026-11-29 06:56:40 UTC\n" in ill(below)


@pytest.mark.parametrize(
    ("cost", "incomplete", "line"),
    [(0.42, True, "Cost         $0.42, incomplete\n"), (12.0, False, "Cost         $12.00\n"), (None, True, None)],
)
def test_the_cost_is_told_where_it_is_known(cost: float | None, line: str | None, *, incomplete: bool) -> None:
    text = _text(_report(stats={"total_events": 1, "cost_usd": cost, "cost_incomplete": incomplete}))
    assert line in text if line else "Cost" not in text
