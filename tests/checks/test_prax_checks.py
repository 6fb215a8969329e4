# SPDX-License-Identifier: Apache-2.0
"""Prax's own acceptance cases for statistics and checks (P9 to P23), which ours pass too."""

from __future__ import annotations

import pytest

from otel_health.checks.base import Evidence, Status, Verdict
from otel_health.checks.judge import worst
from otel_health.events.model import HealthEvent
from tests.checks.given_stats import verdicts
from tests.signals.occurrences import NOW_S, board_after, happening, many


def tripped(found: dict[str, Verdict]) -> dict[str, Status]:
    return {key: one.status for key, one in found.items() if one.status is not Status.HEALTHY}


def overall(*events: HealthEvent) -> Status:
    return worst(one.status for one in verdicts(*events).values())


def test_an_empty_window_counts_nothing() -> None:
    """P9."""
    stats = board_after().read()
    assert not any(number for key, number in stats.items() if key != "window_minutes")


def test_rates_of_tools_and_spokes() -> None:
    """P10."""
    stats = board_after(
        *many(8, "tool_success"), *many(2, "tool_error"), *many(4, "spoke_success"), *many(1, "spoke_failure")
    ).read()
    assert (stats["tool_calls"], stats["tool_errors"], stats["tool_error_rate"]) == (10, 2, 0.2)
    assert stats["spoke_failure_rate"] == 0.2


def test_the_average_latency_of_turns() -> None:
    """P11."""
    stats = board_after(*(happening("turn_completed", latency_ms=ms) for ms in (100, 200, 300, 400, 500))).read()
    assert (stats["turns"], stats["avg_latency_ms"]) == (5, 300.0)


@pytest.mark.parametrize(
    ("category", "key"),
    [
        ("context_overflow", "context_overflows"),
        ("context_compaction", "compactions"),
        ("llm_error", "llm_errors"),
        ("turn_timeout", "timeouts"),
        ("retry", "retries"),
        ("budget_exhausted", "budget_exhaustions"),
    ],
)
def test_each_mishap_has_its_counter(category: str, key: str) -> None:
    """P12."""
    assert board_after(*many(3, category)).read()[key] == 3


def test_recorded_rows_older_than_the_window_are_left_out() -> None:
    """P13. A row out of a record; what happens live counts at arrival instead."""
    board = board_after()
    board.restore(happening("tool_error", at=NOW_S - 2 * 3600))
    board.restore(happening("tool_success"))
    assert (board.read()["tool_calls"], board.read()["tool_errors"]) == (1, 0)


def test_no_events_are_healthy_without_evidence() -> None:
    """P15. Healthy, no alerts, `tools` present; ours says besides that nothing proves it."""
    found = verdicts()
    assert "tools" in found
    assert tripped(found) == {}
    assert {one.evidence for one in found.values()} == {Evidence.NONE}


def test_successes_alone_are_healthy() -> None:
    """P15."""
    assert overall(*many(20, "tool_success"), *many(20, "spoke_success"), *many(5, "turn_completed")) is Status.HEALTHY


def test_tools_warn_at_exactly_15_percent() -> None:
    """P16."""
    found = verdicts(*many(17, "tool_success"), *many(3, "tool_error"))
    assert tripped(found) == {"tools": Status.WARNING}
    assert "tool calls failed" in found["tools"].message
    assert tripped(verdicts(*many(19, "tool_success"), *many(1, "tool_error"))) == {}


def test_spokes_warn_at_20_percent() -> None:
    """P17."""
    found = verdicts(*many(8, "spoke_success"), *many(2, "spoke_failure"))
    assert tripped(found) == {"spokes": Status.WARNING}
    assert "spoke delegations failed" in found["spokes"].message
    assert tripped(verdicts(*many(9, "spoke_success"), *many(1, "spoke_failure"))) == {}


def test_context_warns_at_three_overflows_or_five_compactions() -> None:
    """P18."""
    assert tripped(verdicts(*many(3, "context_overflow"))) == {"context": Status.WARNING}
    assert tripped(verdicts(*many(2, "context_overflow"))) == {}
    assert tripped(verdicts(*many(5, "context_compaction"))) == {"context": Status.WARNING}
    assert tripped(verdicts(*many(4, "context_compaction"))) == {}


def test_overflow_is_spoken_of_before_compaction() -> None:
    """P19."""
    found = verdicts(*many(3, "context_overflow"), *many(9, "context_compaction"))["context"]
    assert "overflow" in found.message
    assert (found.metric_value, found.threshold) == (3, 3)


def test_three_provider_errors_are_an_error() -> None:
    """P20."""
    found = verdicts(*many(3, "llm_error"))
    assert tripped(found) == {"llm": Status.ERROR}
    assert "LLM errors" in found["llm"].message
    assert tripped(verdicts(*many(2, "llm_error"))) == {}


def test_two_timeouts_are_an_error() -> None:
    """P21."""
    assert tripped(verdicts(*many(2, "turn_timeout"))) == {"reliability": Status.ERROR}
    assert tripped(verdicts(*many(1, "turn_timeout"))) == {}
    assert overall(*many(2, "turn_timeout")) is Status.ERROR


def test_six_retries_three_exhaustions_and_slow_turns_warn() -> None:
    """P22."""
    assert tripped(verdicts(*many(6, "retry"))) == {"reliability": Status.WARNING}
    assert tripped(verdicts(*many(4, "turn_completed", latency_ms=70_000.0))) == {"latency": Status.WARNING}
    found = verdicts(*many(3, "budget_exhausted"))
    assert tripped(found) == {"budget": Status.WARNING}
    assert "budget" in found["budget"].message


def test_an_error_outranks_a_warning() -> None:
    """P23."""
    assert overall(*many(3, "budget_exhausted")) is Status.WARNING
    assert overall(*many(3, "llm_error")) is Status.ERROR
    assert overall(*many(3, "budget_exhausted"), *many(3, "llm_error")) is Status.ERROR
