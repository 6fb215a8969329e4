# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_health.events.model import Category, HealthEvent
from otel_health.signals.meaning import COST_PICO_USD, LATENCY_NS, MOST_TOKENS, PRICED, UNPRICED, amounts, callers_fault
from tests.signals.occurrences import happening

USAGE = {"input", "output", "cached_input", "cost_usd", "usage_missing"}


def counted(category: str, **fields: Any) -> set[str]:
    """Return which counts an event adds one to, beside total_events."""
    added = amounts(happening(category, **fields))
    assert added.pop("total_events") == 1
    assert set(added.values()) <= {1}
    return set(added)


@pytest.mark.parametrize(
    ("category", "extra", "expected"),
    [
        ("tool_success", {}, "tool_calls"),
        ("tool_error", {"cause_id": "above"}, "tool_calls tool_errors"),
        ("tool_error", {}, "tool_calls tool_errors distinct_failures"),
        ("tool_error", {"timeout": True}, "tool_calls tool_errors tool_timeouts distinct_failures"),
        ("tool_error", {"reason": "timeout"}, "tool_calls tool_errors tool_timeouts distinct_failures"),
        ("tool_cancelled", {}, ""),
        ("tool_rejected", {}, "rejections"),
        ("spoke_success", {}, "spoke_calls"),
        ("spoke_failure", {}, "spoke_calls spoke_failures distinct_failures"),
        ("spoke_cancelled", {}, ""),
        ("spoke_rejected", {}, "rejections"),
        ("llm_success", {}, "llm_calls"),
        ("llm_error", {}, "llm_calls llm_errors distinct_failures"),
        ("llm_error", {"fault": "provider"}, "llm_calls llm_errors distinct_failures"),
        ("llm_error", {"fault": "provider", "timeout": True}, "llm_calls llm_errors llm_timeouts distinct_failures"),
        ("llm_error", {"fault": "caller"}, "llm_calls llm_caller_errors distinct_failures"),
        ("llm_error", {"fault": "caller", "timeout": True}, "llm_calls llm_caller_errors distinct_failures"),
        ("llm_cancelled", {}, "llm_calls llm_cancellations"),
        ("llm_rejected", {}, "rejections"),
        ("llm_success", {"operation": "embeddings"}, "embedding_calls"),
        ("llm_success", {"operation": "chat"}, "llm_calls"),
        ("llm_error", {"operation": "embeddings"}, "embedding_calls llm_errors distinct_failures"),
        (
            "llm_error",
            {"operation": "embeddings", "fault": "caller"},
            "embedding_calls llm_caller_errors distinct_failures",
        ),
        ("context_overflow", {}, "llm_calls context_overflows distinct_failures"),
        ("context_compaction", {}, "compactions"),
        ("turn_completed", {}, "turns turns_completed"),
        ("turn_failed", {}, "turns turn_failures distinct_failures"),
        ("turn_timeout", {}, "turns timeouts distinct_failures"),
        ("turn_cancelled", {}, "turns turn_cancellations"),
        ("retry", {}, "retries"),
        ("budget_exhausted", {}, "budget_exhaustions"),
        ("loop_detected", {"level": "warn"}, ""),
        ("loop_detected", {"level": "block"}, "loop_blocks"),
        ("breaker_opened", {}, ""),
        ("breaker_closed", {}, ""),
    ],
)
def test_each_category_adds_one_to_its_counts(category: str, extra: dict[str, Any], expected: str) -> None:
    assert counted(category, extra=extra) == set(expected.split())


@pytest.mark.parametrize("extra", [{}, {"input": 5, "output": 5, "cost_usd": 1.0, "usage_missing": True}])
def test_our_own_verdict_is_nothing_that_happened_to_the_agent(extra: dict[str, Any]) -> None:
    assert amounts(happening("health_changed", extra=extra)) == {}


@pytest.mark.parametrize("category", ["tool_error", "spoke_failure", "llm_error", "turn_failed", "turn_timeout"])
def test_a_failure_is_distinct_where_it_began_only(category: str) -> None:
    def distinct(cause_id: object) -> bool:
        return "distinct_failures" in amounts(happening(category, span_id="aa", extra={"cause_id": cause_id}))

    assert distinct("aa")
    assert distinct(None)
    assert distinct("")
    assert not distinct("bb")
    assert not distinct(["aa"])


def test_a_latency_is_counted_to_the_nanosecond() -> None:
    added = amounts(happening("turn_completed", latency_ms=1234.5678915))
    assert (added["turns_measured"], added[LATENCY_NS]) == (1, 1_234_567_892)


@pytest.mark.parametrize("latency_ms", [None, 0.0, -1.0, math.nan, math.inf, 1e9 + 1])
def test_a_turn_without_a_believable_latency_is_counted_but_not_measured(latency_ms: float | None) -> None:
    raw = HealthEvent(category=Category.TURN_COMPLETED, severity=happening("retry").severity, latency_ms=latency_ms)
    assert amounts(raw) == {"total_events": 1, "turns": 1, "turns_completed": 1}


@pytest.mark.parametrize("category", [one for one in Category if one is not Category.TURN_COMPLETED])
def test_only_completed_turns_are_measured(category: Category) -> None:
    assert "turns_measured" not in amounts(happening(category, latency_ms=100.0))


@pytest.mark.parametrize("category", ["llm_success", "llm_error", "llm_cancelled", "turn_completed", "spoke_success"])
def test_tokens_count_on_whatever_event_carries_them(category: str) -> None:
    added = amounts(happening(category, extra={"input": 900, "output": 40, "cached_input": 100}))
    assert (added["input_tokens"], added["output_tokens"], added["cached_input_tokens"]) == (900, 40, 100)


@pytest.mark.parametrize("bad", [-1, 1.5, math.nan, math.inf, True, "12", None, [3], MOST_TOKENS + 1, 10**40])
def test_a_count_of_tokens_that_makes_no_sense_is_not_counted(bad: object) -> None:
    added = amounts(happening("llm_success", extra={"input": bad, "output": bad, "cached_input": bad}))
    assert added == {"total_events": 1, "llm_calls": 1}


@pytest.mark.parametrize(("cost", "pico"), [(0.25, 250_000_000_000), (0, 0), (0.0, 0), (1e-12, 1)])
def test_a_known_cost_is_counted_even_when_it_is_nothing(cost: float, pico: int) -> None:
    added = amounts(happening("llm_success", extra={"input": 5, "cost_usd": cost}))
    assert (added[PRICED], added[COST_PICO_USD]) == (1, pico)
    assert UNPRICED not in added


@pytest.mark.parametrize("bad", [-0.1, math.nan, math.inf, True, "1", None, 1e12])
def test_tokens_whose_cost_is_not_known_are_unpriced(bad: object) -> None:
    added = amounts(happening("llm_success", extra={"input": 5, "cost_usd": bad}))
    assert added[UNPRICED] == 1
    assert PRICED not in added


def test_a_call_that_hides_its_usage_is_counted_as_such_and_as_unpriced() -> None:
    added = amounts(happening("llm_success", extra={"usage_missing": True}))
    assert (added["usage_missing"], added[UNPRICED]) == (1, 1)
    assert "usage_missing" not in amounts(happening("llm_success", extra={"usage_missing": "yes"}))


def test_an_event_that_used_nothing_is_not_unpriced() -> None:
    assert UNPRICED not in amounts(happening("tool_error", extra={"reason": "boom"}))


@pytest.mark.parametrize(
    ("category", "fault", "expected"),
    [("llm_error", "caller", True), ("llm_error", "provider", False), ("tool_error", "caller", False)],
)
def test_only_a_model_call_can_fail_by_its_callers_fault(category: str, fault: str, expected: bool) -> None:
    assert callers_fault(happening(category, extra={"fault": fault})) is expected


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@settings(deadline=None)
@given(st.sampled_from(Category), st.dictionaries(st.sampled_from(sorted(USAGE | {"fault", "operation"})), ANYTHING))
def test_whatever_an_event_carries_nothing_negative_is_counted(category: Category, extra: dict[str, Any]) -> None:
    added = amounts(happening(category, extra=extra))
    assert all(type(amount) is int and amount >= 0 for amount in added.values())
