# SPDX-License-Identifier: Apache-2.0
"""The monitor's behaviours that Prax's own tests ask for (ids as in docs/coming-from-prax-and-missy.md)."""

from __future__ import annotations

import msgspec
import pytest

from otel_health.checks import CHECKS
from otel_health.checks.base import Check, Rule, at_least
from otel_health.events.model import Category
from otel_health.monitor.history import MOST_ALERTS
from otel_health.monitor.report import Overall
from otel_health.monitor.wire import report_object
from tests.monitor.rig import Rig


def _turn(rig: Rig, times: int = 1) -> list[str | None]:
    """End `times` turns a second apart."""
    said = []
    for _ in range(times):
        rig.happen(Category.TURN_COMPLETED)
        rig.clock.advance(1)
        said.append(rig.turns.on_turn_end())
    return said


def test_the_turn_hook_says_nothing_while_all_is_well() -> None:
    """P24, first part."""
    rig = Rig()
    rig.happen(Category.TOOL_SUCCESS, 20)
    assert _turn(rig, 20) == [None] * 20


def test_the_turn_hook_warns_when_degraded() -> None:
    """P24; headed "Health Advisory" instead of "HEALTH MONITOR"."""
    rig = Rig()
    rig.happen(Category.TOOL_SUCCESS, 17)
    rig.happen(Category.TOOL_ERROR, 3)
    advisory = _turn(rig, 10)[-1]
    assert advisory is not None
    assert "Health Advisory" in advisory
    assert "WARNING" in advisory
    assert "CRITICAL" not in advisory


def test_the_turn_hook_calls_it_critical_when_unhealthy() -> None:
    """P24, last part."""
    rig = Rig()
    rig.happen(Category.LLM_ERROR, 3)
    assert "CRITICAL" in str(_turn(rig, 10)[-1])


def test_the_advisory_carries_the_alert_and_the_history_gains_a_line() -> None:
    """P25; it suggests to diagnose, instead of naming Prax's own tool for that."""
    rig = Rig()
    rig.happen(Category.TOOL_ERROR, 6)
    advisory = str(_turn(rig, 10)[-1])
    report = rig.engine.report()
    assert report.check.alerts
    assert all(alert in advisory for alert in report.check.alerts)
    assert "Diagnose" in advisory
    assert [alert.message for alert in report.alert_history] == list(report.check.alerts)


def test_turns_one_to_nine_say_nothing_and_the_tenth_and_twentieth_do() -> None:
    """P26; a report exists from the first event on, not from the tenth turn."""
    rig = Rig()
    rig.happen(Category.LLM_ERROR, 3)
    said = []
    for turn in range(1, 21):
        said += _turn(rig)
        assert rig.turns.turns == turn
    assert [turn for turn, advisory in enumerate(said, 1) if advisory] == [10, 20]


def test_a_report_exists_from_the_first_event_on() -> None:
    """P26 and P29, the difference."""
    rig = Rig()
    rig.later()
    assert rig.engine.last_report is None
    rig.happen(Category.TOOL_SUCCESS)
    rig.later()
    assert rig.engine.last_report is not None
    assert rig.engine.last_report.stats["tool_calls"] == 1


def test_a_check_that_raises_costs_its_own_verdict_and_nothing_else() -> None:
    """P27: the hook returns None when the failing check is all there is."""
    rule = Rule(stat="no_such_number", unit="", warning=at_least(1), tripped="")
    broken = Check(key="broken", name="Broken", summary="", rules=(rule,), observed=(), healthy="", unobserved="")
    rig = Rig(checks=[broken])
    rig.happen(Category.TOOL_ERROR, 20)
    assert _turn(rig, 10) == [None] * 10
    assert rig.mishaps.count > 0

    beside = Rig(checks=[broken, *CHECKS])
    beside.happen(Category.LLM_ERROR, 3)
    assert "CRITICAL" in str(_turn(beside, 10)[-1])


def test_the_hook_returns_none_when_judging_itself_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """P27, the rest of it."""
    rig = Rig(interval=1)

    def fail() -> bool:
        raise RuntimeError("broken")

    monkeypatch.setattr(rig.engine, "refresh", fail)
    assert rig.turns.on_turn_end() is None
    assert rig.mishaps.count == 1


def test_the_status_has_its_keys() -> None:
    """P28."""
    status = report_object(Rig().engine.report())
    assert set(status) >= {
        "enabled",
        "check",
        "stats",
        "alert_history",
        "check_interval_turns",
        "window_minutes",
        "circuit_breakers",
        "loop_detector",
    }
    assert status["enabled"] is True
    assert (status["check_interval_turns"], status["window_minutes"]) == (10, 60)
    assert set(status["check"]) == {"timestamp", "overall", "subsystems", "alerts"}
    assert set(status["check"]["subsystems"]["tools"]) == {
        "name", "status", "message", "metric_value", "threshold", "since", "evidence", "top", "advice",
    }  # fmt: skip


def test_a_status_that_is_asked_for_makes_the_first_report() -> None:
    """P28: creates a check if there is none."""
    rig = Rig()
    rig.clock.advance(7)
    report = rig.engine.report()
    assert report.check.timestamp == rig.clock.wall()
    assert rig.engine.last_report is report


@pytest.mark.parametrize(("age_s", "renewed"), [(60, False), (300, False), (300.5, True), (400, True)])
def test_a_status_older_than_five_minutes_is_made_anew(age_s: float, renewed: bool) -> None:
    """P28: creates a check if the last one is 400 s old, reuses one 60 s old."""
    rig = Rig()
    first = rig.engine.report()
    rig.clock.advance(age_s)
    assert (rig.engine.report() is not first) is renewed


def test_a_status_has_live_stats() -> None:
    """P28, last part: within a second of the event."""
    rig = Rig()
    rig.engine.report()
    rig.happen(Category.TOOL_ERROR, 2)
    rig.later()
    assert rig.engine.report().stats["tool_errors"] == 2


def test_the_history_never_exceeds_fifty_and_is_a_copy() -> None:
    """P29."""
    rig = Rig(window_s=60)
    for _ in range(MOST_ALERTS + 5):
        rig.happen(Category.LLM_ERROR, 3)
        rig.later()
        rig.later(62)
    history = rig.engine.report().alert_history
    assert len(history) == MOST_ALERTS
    assert isinstance(history, tuple)
    rig.happen(Category.LLM_ERROR, 3)
    rig.later()
    assert rig.engine.report().alert_history != history


def test_the_overall_status_follows_the_worst_subsystem() -> None:
    """P23, through the whole engine."""
    rig = Rig()
    rig.happen(Category.BUDGET_EXHAUSTED, 3)
    rig.later()
    assert rig.engine.report().check.overall is Overall.DEGRADED
    rig.happen(Category.TURN_TIMEOUT, 2)
    rig.later()
    assert rig.engine.report().check.overall is Overall.UNHEALTHY
    assert msgspec.structs.asdict(rig.engine.report().check)["overall"] == "unhealthy"
