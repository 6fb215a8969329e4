# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import io

import pytest
from rich.console import Console

from otel_health.checks.base import Evidence, Status
from otel_health.cli.report_text import has_evidence, report_text
from otel_health.monitor.report import Change, HealthCheck, Overall, Report, SubsystemStatus
from otel_health.signals.base import Number
from otel_health.signals.culprits import Culprit

NOW = 1_796_025_400.0
TRACE = "9b0217cb0ccfd123fa383255e5173a2d"


def _report(*subsystems: SubsystemStatus, overall: Overall = Overall.UNHEALTHY, **more: object) -> Report:
    stats: dict[str, Number] = {"total_events": 9, "turns": 2}
    check = HealthCheck(timestamp=NOW, overall=overall, subsystems={one.name.lower(): one for one in subsystems})
    return Report(**{"check": check, "stats": stats} | more)  # type: ignore[arg-type]


def _text(report: Report, width: int = 100) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(report_text(report, width))
    return out.getvalue()


ILL = SubsystemStatus(
    name="Tools",
    status=Status.ERROR,
    message="3 of 9 failed",
    since=NOW - 60,
    evidence=Evidence.OK,
    top=(Culprit("search", 3, "ValueError: [red]no[/red] :boom: index", TRACE), Culprit("add", 1)),
)


def test_the_banner_says_how_ill_and_over_which_time() -> None:
    assert "UNHEALTHY   2 turns in the 60 minutes up to 2026-11-30 07:56:40 UTC" in _text(_report(ILL))


def test_a_subsystem_has_its_status_message_and_the_guilty_below() -> None:
    text = _text(_report(ILL))
    assert "✗  Tools  error        3 of 9 failed · since 07:55:40" in text
    assert "search x 3  ValueError: [red]no[/red] :boom: index" in text
    assert f"trace {TRACE}" in text
    assert "add x 1" in text


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
    assert "NO EVIDENCE   nothing happened in the 60 minutes up to" in _text(empty)
    assert "HEALTHY" not in _text(empty)


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
    assert "Dropped or not understood" not in _text(_report())


def test_only_the_latest_changes_are_shown() -> None:
    changes = tuple(Change(NOW + i, "tools", Status.HEALTHY, Status.WARNING) for i in range(14))
    text = _text(_report(ILL, changes=changes))
    assert "4 earlier ones" in text
    assert text.count("→") == 10


@pytest.mark.parametrize("width", [40, 80, 160])
def test_it_fits_any_width(width: int) -> None:
    text = _text(_report(ILL), width)
    assert max(len(line) for line in text.splitlines()) <= width
    assert (TRACE in text) == (width >= 100)
    assert f"trace {TRACE[:8]}" in text
