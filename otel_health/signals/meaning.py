# SPDX-License-Identifier: Apache-2.0
"""What each event adds to which count. The one place that says what the numbers mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from otel_health.events.model import Category, Extra, HealthEvent
from otel_health.signals.quantile import MOST_MS

LATENCY_NS = "latency_ns"
"""Sum of measured latencies; whole nanoseconds, so that sliding it never loses a digit."""

COST_PICO_USD = "cost_pico_usd"
"""Sum of known costs; whole 10⁻¹² dollars, for the same reason."""

PRICED = "priced"
"""Events with a known cost."""

UNPRICED = "unpriced"
"""Events that must have cost something, nobody knows what."""

MOST_TOKENS = 10**12
MOST_USD = 1e9
"""Greater amounts in one event are no measurement but a mistake."""

_ADDS: Mapping[Category, tuple[str, ...]] = {
    Category.TOOL_SUCCESS: ("tool_calls",),
    Category.TOOL_ERROR: ("tool_calls", "tool_errors"),
    Category.TOOL_REJECTED: ("rejections",),
    Category.SPOKE_SUCCESS: ("spoke_calls",),
    Category.SPOKE_FAILURE: ("spoke_calls", "spoke_failures"),
    Category.SPOKE_REJECTED: ("rejections",),
    Category.LLM_CANCELLED: ("llm_cancellations",),
    Category.LLM_REJECTED: ("rejections",),
    Category.CONTEXT_OVERFLOW: ("context_overflows",),
    Category.CONTEXT_COMPACTION: ("compactions",),
    Category.TURN_COMPLETED: ("turns", "turns_completed"),
    Category.TURN_FAILED: ("turns", "turn_failures"),
    Category.TURN_TIMEOUT: ("turns", "timeouts"),
    Category.TURN_CANCELLED: ("turns", "turn_cancellations"),
    Category.RETRY: ("retries",),
    Category.BUDGET_EXHAUSTED: ("budget_exhaustions",),
}
"""The counts that follow from the category alone, besides total_events."""

_MODEL_CALLS = frozenset(
    (Category.LLM_SUCCESS, Category.LLM_ERROR, Category.LLM_CANCELLED, Category.CONTEXT_OVERFLOW),
)
_FAILURES = frozenset(
    (
        Category.TOOL_ERROR,
        Category.SPOKE_FAILURE,
        Category.LLM_ERROR,
        Category.CONTEXT_OVERFLOW,
        Category.TURN_FAILED,
        Category.TURN_TIMEOUT,
    ),
)
_TOKENS = (("input_tokens", "input"), ("output_tokens", "output"), ("cached_input_tokens", "cached_input"))


def amounts(event: HealthEvent) -> dict[str, int]:
    """Return what `event` adds to each count.

    A `health_changed` adds nothing: it is our own verdict, and nothing that happened to the agent.
    """
    category, extra = event.category, event.extra
    found = _ONES[category].copy()
    finer = _FINER.get(category)
    if finer:
        found |= finer(event)
    if category in _MODEL_CALLS:
        found["embedding_calls" if extra.get("operation") == "embeddings" else "llm_calls"] = 1
    if category in _FAILURES and _is_origin(event):
        found["distinct_failures"] = 1
    if extra and found:
        found |= _usage(extra)
    return found


def _is_origin(event: HealthEvent) -> bool:
    """Tell whether a failure began here: not passed on from below, nor told by another event of the same span."""
    return event.extra.get("cause_id") in (None, "", event.span_id) and "same_as" not in event.extra


def callers_fault(event: HealthEvent) -> bool:
    """Tell whether a failed model call is the caller's own fault and so says nothing of the provider."""
    return event.extra.get("fault") == "caller" and event.category is Category.LLM_ERROR


def _llm_error(event: HealthEvent) -> dict[str, int]:
    if callers_fault(event):
        return {"llm_caller_errors": 1}
    return {"llm_errors": 1, "llm_timeouts": 1} if _timed_out(event.extra) else {"llm_errors": 1}


def _tool_error(event: HealthEvent) -> dict[str, int]:
    return {"tool_timeouts": 1} if _timed_out(event.extra) else {}


def _timed_out(extra: Extra) -> bool:
    return extra.get("timeout") is True or extra.get("reason") == "timeout"


def _loop(event: HealthEvent) -> dict[str, int]:
    return {"loop_blocks": 1} if event.extra.get("level") == "block" else {}


def _latency(event: HealthEvent) -> dict[str, int]:
    """Count a latency that was measured. Zero was not: no turn takes no time, but many a span lacks its end."""
    latency_ms = event.latency_ms
    if latency_ms is None or not 0 < latency_ms <= MOST_MS:
        return {}
    return {"turns_measured": 1, LATENCY_NS: round(latency_ms * 1e6)}


def _usage(extra: Extra) -> dict[str, int]:
    found = {stat: n for stat, key in _TOKENS if (n := _tokens(extra.get(key)))}
    missing = extra.get("usage_missing") is True
    cost_usd = _dollars(extra.get("cost_usd"))
    if cost_usd is not None:
        found |= {PRICED: 1, COST_PICO_USD: round(cost_usd * 1e12)}
    elif found or missing:
        found[UNPRICED] = 1
    if missing:
        found["usage_missing"] = 1
    return found


def _tokens(value: object) -> int:
    """Return a believable count, 0 for anything else."""
    return value if type(value) is int and 0 < value <= MOST_TOKENS else 0


def _dollars(value: object) -> float | None:
    """Return a believable amount, None for anything else."""
    if type(value) is float or type(value) is int:
        return value if 0 <= value <= MOST_USD else None
    return None


_ONES = {category: dict.fromkeys(("total_events", *_ADDS.get(category, ())), 1) for category in Category}
_ONES[Category.HEALTH_CHANGED] = {}

_FINER: Mapping[Category, Callable[[HealthEvent], dict[str, int]]] = {
    Category.LLM_ERROR: _llm_error,
    Category.TOOL_ERROR: _tool_error,
    Category.LOOP_DETECTED: _loop,
    Category.TURN_COMPLETED: _latency,
}
"""What follows from more than the category."""
