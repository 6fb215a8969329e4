# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Iterable

from otel_health.checks import CHECKS, ORDER
from otel_health.checks.base import Check, Evidence, Rule, Status, at_least
from otel_health.clock import ManualClock
from otel_health.events.model import Category, event
from otel_health.monitor.mishaps import Mishaps
from otel_health.monitor.monitor import Monitor
from otel_health.monitor.report import Overall
from otel_health.signals.board import Board


class _Watched:
    """A monitor and what it watches."""

    def __init__(self, checks: Iterable[Check] = CHECKS) -> None:
        self.clock = ManualClock()
        self.board = Board(self.clock, 3600)
        self.mishaps = Mishaps(self.clock)
        self.monitor = Monitor(self.board, checks, clock=self.clock, mishaps=self.mishaps)

    def happen(self, category: Category, times: int = 1, component: str = "x", details: str = "") -> None:
        for _ in range(times):
            self.board.fold(event(category, component, timestamp=self.clock.wall(), details=details))


def test_with_nothing_seen_all_is_healthy_and_rests_on_nothing() -> None:
    watched = _Watched()
    check = watched.monitor.report({}).check
    assert check.overall is Overall.HEALTHY
    assert check.alerts == ()
    assert list(check.subsystems) == list(ORDER)
    assert {status.evidence for status in check.subsystems.values()} == {Evidence.NONE}
    assert {status.since for status in check.subsystems.values()} == {watched.clock.wall()}


def test_a_subsystem_tells_its_number_its_threshold_since_when_and_who_is_guilty() -> None:
    watched = _Watched()
    watched.happen(Category.TOOL_SUCCESS, 4, "search")
    watched.happen(Category.TOOL_ERROR, 2, "search", "TimeoutError")
    watched.happen(Category.TOOL_ERROR, 1, "calc", "ZeroDivisionError")
    watched.clock.advance(5)
    watched.monitor.judge()
    tools = watched.monitor.report({}).check.subsystems["tools"]
    assert (tools.name, tools.status, tools.evidence) == ("Tool Execution", Status.WARNING, Evidence.OK)
    assert (tools.metric_value, tools.threshold) == (0.4286, 0.15)
    assert tools.since == watched.clock.wall()
    assert [(c.component, c.count, c.last_error) for c in tools.top] == [
        ("search", 2, "TimeoutError"),
        ("calc", 1, "ZeroDivisionError"),
    ]


def test_the_guilty_belong_to_the_rule_that_tripped() -> None:
    watched = _Watched()
    watched.happen(Category.RETRY, 9, "impatient")
    watched.happen(Category.TURN_TIMEOUT, 2, "slow")
    watched.monitor.judge()
    reliability = watched.monitor.report({}).check.subsystems["reliability"]
    assert reliability.status is Status.ERROR
    assert [culprit.component for culprit in reliability.top] == ["slow"]


def test_a_healthy_subsystem_names_whoever_failed_at_all() -> None:
    watched = _Watched()
    watched.happen(Category.TOOL_SUCCESS, 20)
    watched.happen(Category.TOOL_ERROR, 1, "calc")
    watched.monitor.judge()
    tools = watched.monitor.report({}).check.subsystems["tools"]
    assert tools.status is Status.HEALTHY
    assert [culprit.component for culprit in tools.top] == ["calc"]


def test_alerts_stand_in_the_order_of_the_checks_and_advice_is_for_the_ill_alone() -> None:
    watched = _Watched()
    watched.happen(Category.BUDGET_EXHAUSTED, 3)
    watched.happen(Category.TOOL_ERROR, 5)
    watched.monitor.judge()
    check = watched.monitor.report({}).check
    assert check.alerts == (check.subsystems["tools"].message, check.subsystems["budget"].message)
    advised = {key: status.advice for key, status in check.subsystems.items() if status.advice}
    assert advised == {check.key: check.rules[0].advice for check in CHECKS if check.key in ("tools", "budget")}
    assert watched.monitor.message("budget") == check.alerts[1]


def test_an_illness_keeps_its_age_while_it_lasts_even_as_it_worsens_and_eases() -> None:
    rule = Rule(stat="tool_errors", unit="", warning=at_least(1), error=at_least(3), tripped="{tool_errors}")
    check = Check(
        key="t", name="T", summary="", rules=(rule,), observed=("tool_errors",), healthy="fine", unobserved="none"
    )
    watched = _Watched([check])
    since, first = [], 0.0
    for errors in (1, 1, 1, 1):
        watched.clock.advance(10)
        watched.happen(Category.TOOL_ERROR, errors)
        watched.monitor.judge()
        report = watched.monitor.report({})
        since.append((report.check.subsystems["t"].status, report.check.subsystems["t"].since - watched.clock.wall()))
        first = first or report.alert_history[0].timestamp
        assert len(report.alert_history) == 1
        assert report.alert_history[0].timestamp == first
    assert since == [(Status.WARNING, 0), (Status.WARNING, -10), (Status.ERROR, 0), (Status.ERROR, -10)]


def test_a_check_that_fails_keeps_its_status_and_says_that_it_rests_on_nothing() -> None:
    watched = _Watched()
    watched.happen(Category.LLM_ERROR, 3)
    watched.monitor.judge()
    numbers = watched.board.read()
    del numbers["llm_errors"]
    watched.board.read = lambda: numbers  # type: ignore[method-assign]
    assert watched.monitor.judge() == ()
    check = watched.monitor.report({}).check
    llm = check.subsystems["llm"]
    assert (llm.status, llm.evidence, llm.message, llm.metric_value) == (
        Status.ERROR,
        Evidence.NONE,
        "Could not be judged",
        None,
    )
    assert check.overall is Overall.UNHEALTHY
    assert watched.mishaps.count == 1


def test_counts_that_no_event_carries_are_added_and_foreign_ones_let_be() -> None:
    watched = _Watched()
    watched.monitor.judge({"unclassified_spans": 2, "unattributed_spans": 0, "malformed_values": 9})
    watched.monitor.judge({"unclassified_spans": 1})
    stats = watched.monitor.report({}).stats
    assert (stats["unclassified_spans"], stats["unattributed_spans"]) == (3, 0)


def test_counting_nothing_does_not_keep_the_window_busy() -> None:
    watched = _Watched()
    watched.monitor.judge({"unclassified_spans": 0})
    assert watched.board.expires_at() is None


def test_the_report_carries_agents_and_what_is_known_about_ourselves() -> None:
    watched = _Watched()
    watched.happen(Category.TURN_COMPLETED, 2, "bot")
    watched.monitor.judge()
    report = watched.monitor.report({"inbox_dropped": 3}, check_interval_turns=7)
    assert report.agents["bot"]["turns"] == 2
    assert report.self_["inbox_dropped"] == 3
    assert report.self_["events_restamped"] == 0
    assert (report.check_interval_turns, report.window_minutes) == (7, 60)
