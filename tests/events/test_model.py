# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import math

import msgspec
import pytest
from msgspec import UNSET

from otel_health.events.model import DEFAULT_SEVERITY, NAME_LIMIT, Category, HealthEvent, Severity, event
from tests.events.kit import NOON_S

SEED_CATEGORIES = {
    "context_overflow",
    "context_compaction",
    "tool_error",
    "tool_success",
    "spoke_failure",
    "spoke_success",
    "llm_error",
    "turn_completed",
    "turn_timeout",
    "retry",
    "budget_exhausted",
}


def test_the_json_keys_are_the_promised_ones() -> None:
    bare = json.loads(msgspec.json.encode(event("retry", timestamp=NOON_S)))
    assert list(bare) == ["category", "severity", "component", "details", "timestamp", "latency_ms", "tokens", "extra"]
    full = event("retry", timestamp=NOON_S, trace_id="t", span_id="s", agent="a", session="c")
    known = json.loads(msgspec.json.encode(msgspec.structs.replace(full, seq=7)))
    assert set(known) - set(bare) == {"trace_id", "span_id", "agent", "session", "seq"}


def test_the_categories_and_severities_of_the_seed_keep_their_names() -> None:
    assert set(Category) >= SEED_CATEGORIES
    assert set(Severity) == {"info", "warning", "error"}


@pytest.mark.parametrize(
    ("category", "severity"),
    [
        (Category.TOOL_SUCCESS, "info"),
        (Category.TOOL_ERROR, "warning"),
        (Category.SPOKE_FAILURE, "warning"),
        (Category.LLM_ERROR, "error"),
        (Category.CONTEXT_OVERFLOW, "warning"),
        (Category.CONTEXT_COMPACTION, "info"),
        (Category.TOOL_CANCELLED, "info"),
        (Category.LLM_REJECTED, "info"),
        (Category.TURN_COMPLETED, "info"),
        (Category.TURN_FAILED, "error"),
        (Category.TURN_TIMEOUT, "error"),
        (Category.RETRY, "warning"),
        (Category.BUDGET_EXHAUSTED, "warning"),
        (Category.LOOP_DETECTED, "warning"),
        (Category.BREAKER_OPENED, "error"),
        (Category.BREAKER_CLOSED, "info"),
    ],
)
def test_an_event_takes_the_severity_of_its_category(category: Category, severity: str) -> None:
    assert event(category, timestamp=NOON_S).severity == severity
    assert event(category, timestamp=NOON_S, severity="error").severity is Severity.ERROR


def test_no_category_is_info_by_being_listed() -> None:
    assert Severity.INFO not in DEFAULT_SEVERITY.values()


@pytest.mark.parametrize("category", ["", "tool", "TOOL_ERROR"])
def test_an_unknown_category_or_severity_is_refused(category: str) -> None:
    with pytest.raises(ValueError, match="not a valid Category"):
        event(category, timestamp=NOON_S)
    with pytest.raises(ValueError, match="not a valid Severity"):
        event("retry", timestamp=NOON_S, severity=category)


@pytest.mark.parametrize("latency", [math.nan, math.inf, -math.inf, -0.5])
def test_a_number_that_cannot_be_is_unknown(latency: float) -> None:
    odd = event("turn_completed", timestamp=NOON_S, latency_ms=latency, tokens=-1)
    assert (odd.latency_ms, odd.tokens) == (None, None)


def test_numbers_that_can_be_are_kept_zero_included() -> None:
    plain = event("turn_completed", timestamp=NOON_S, latency_ms=0, tokens=0, extra={"model": "m"})
    assert (plain.latency_ms, plain.tokens, plain.extra) == (0, 0, {"model": "m"})


def test_foreign_text_is_made_safe() -> None:
    foreign = event(
        "tool_error",
        "web\nsearch" + "h" * 300,
        timestamp=NOON_S,
        details="Bearer abcdefgh\x00\u202e" + "d" * 600,
        agent="pr\ud800ax",
        session="s" * 300,
    )
    assert foreign.component == "web search" + "h" * (NAME_LIMIT - 10)
    assert foreign.details.startswith("Bearer *** ddd")
    assert len(foreign.details) == 500
    assert (foreign.agent, foreign.session) == ("pr ax", "s" * NAME_LIMIT)


def test_details_may_be_anything() -> None:
    assert event("retry", timestamp=NOON_S, details=None).details == ""
    assert event("retry", timestamp=NOON_S, details=TimeoutError("slow")).details == "slow"


def test_what_is_unknown_is_unset() -> None:
    bare = event("retry", timestamp=NOON_S)
    assert {bare.trace_id, bare.span_id, bare.agent, bare.session, bare.seq} == {UNSET}


def test_an_event_is_a_value() -> None:
    assert event("retry", "prax", timestamp=NOON_S) == event(Category.RETRY, "prax", timestamp=NOON_S)
    with pytest.raises(AttributeError):
        event("retry", timestamp=NOON_S).component = "other"  # type: ignore[misc]
    assert isinstance(event("retry", timestamp=NOON_S), HealthEvent)
