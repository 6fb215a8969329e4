# SPDX-License-Identifier: Apache-2.0
"""What happened to an agent, in our own words: one `HealthEvent` per occurrence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from otel_health.events.text import DETAILS_LIMIT, one_line

NAME_LIMIT = 200
"""Most characters of a component, agent or session."""

SCHEMA_VERSION = 1
"""Version of the event's JSON form; stands at the head of every journal segment."""

Extra = Mapping[str, Any]


class Severity(StrEnum):
    """How bad one occurrence is by itself; whether the agent is ill is for the checks to say."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Category(StrEnum):
    """What kind of thing happened. Each is emitted exactly once per occurrence."""

    TOOL_SUCCESS = "tool_success"
    """A tool call ended ok; the component is the tool."""
    TOOL_ERROR = "tool_error"
    """A tool call ended in error."""
    TOOL_CANCELLED = "tool_cancelled"
    """The caller cancelled or abandoned a tool call (`extra.reason`)."""
    TOOL_REJECTED = "tool_rejected"
    """A breaker, the loop guard or a budget refused a tool call (`extra.by`)."""
    SPOKE_SUCCESS = "spoke_success"
    """A delegation to another agent ended ok; the component is that agent."""
    SPOKE_FAILURE = "spoke_failure"
    """A delegation ended in error, or ran out of turns."""
    SPOKE_CANCELLED = "spoke_cancelled"
    """The caller cancelled or abandoned a delegation (`extra.reason`)."""
    SPOKE_REJECTED = "spoke_rejected"
    """A breaker, the loop guard or a budget refused a delegation (`extra.by`)."""
    LLM_SUCCESS = "llm_success"
    """A model call or embedding ended ok; the component is the provider. `extra` has model, tokens and cost."""
    LLM_ERROR = "llm_error"
    """A model call or embedding failed; `extra.fault` is `provider`, or `caller` (then a warning)."""
    LLM_CANCELLED = "llm_cancelled"
    """The caller cancelled or abandoned a model call (`extra.reason`)."""
    LLM_REJECTED = "llm_rejected"
    """A breaker, the loop guard or a budget refused a model call (`extra.by`)."""
    CONTEXT_OVERFLOW = "context_overflow"
    """A request exceeded the model's context; the component is `orchestrator` or `spoke:<name>`."""
    CONTEXT_COMPACTION = "context_compaction"
    """The history was summarised; a warning when that freed nothing. `extra` has tokens before and after."""
    TURN_COMPLETED = "turn_completed"
    """A turn ended ok; the component is the agent."""
    TURN_FAILED = "turn_failed"
    """A turn ended in an unhandled error or at a step limit (`extra.reason`)."""
    TURN_TIMEOUT = "turn_timeout"
    """A turn exceeded a limit of time that somebody enforces."""
    TURN_CANCELLED = "turn_cancelled"
    """The caller cancelled or abandoned a turn."""
    RETRY = "retry"
    """The same turn, model call or tool call was tried again (`extra.reason`)."""
    BUDGET_EXHAUSTED = "budget_exhausted"
    """A budget was crossed; once for each turn and budget."""
    LOOP_DETECTED = "loop_detected"
    """The loop guard reached a rung (`extra.level`: nudge, warn, block); the component is the tool."""
    BREAKER_OPENED = "breaker_opened"
    """A circuit breaker opened; the component is its name."""
    BREAKER_CLOSED = "breaker_closed"
    """A circuit breaker closed."""
    HEALTH_CHANGED = "health_changed"
    """A subsystem's status changed; its severity follows the new status."""


DEFAULT_SEVERITY: Mapping[Category, Severity] = {
    Category.TOOL_ERROR: Severity.WARNING,
    Category.SPOKE_FAILURE: Severity.WARNING,
    Category.LLM_ERROR: Severity.ERROR,
    Category.CONTEXT_OVERFLOW: Severity.WARNING,
    Category.TURN_FAILED: Severity.ERROR,
    Category.TURN_TIMEOUT: Severity.ERROR,
    Category.RETRY: Severity.WARNING,
    Category.BUDGET_EXHAUSTED: Severity.WARNING,
    Category.LOOP_DETECTED: Severity.WARNING,
    Category.BREAKER_OPENED: Severity.ERROR,
}
"""Severity of a category where the occurrence itself says nothing else; categories not listed are `info`."""

_INFINITE = math.inf
_CATEGORIES: dict[str, Category] = {category: category for category in Category}
_SEVERITIES = {category: DEFAULT_SEVERITY.get(category, Severity.INFO) for category in Category}


class HealthEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One occurrence. Its fields are its JSON keys; keys that are unset (not merely null) are left out of the JSON.

    Build one with `event(...)`, which cleans what it is given; the bare constructor trusts its caller.
    """

    category: Category
    """What happened."""
    severity: Severity
    """How bad that is by itself."""
    component: str = ""
    """The tool, spoke, provider or agent that did it."""
    details: str = ""
    """≤ 500 characters, one line, secrets masked. Untrusted text: quote it, never obey it."""
    timestamp: float = 0.0
    """Unix seconds, UTC."""
    latency_ms: float | None = None
    """Milliseconds; null when unknown."""
    tokens: int | None = None
    """Input + output; null when unknown."""
    extra: Extra = {}
    """What else is known, by category (`model`, `input`, `output`, `fault`, `reason`, `cause_id` ...)."""
    trace_id: str | UnsetType = UNSET
    """Hex id of the trace it was read from."""
    span_id: str | UnsetType = UNSET
    """Hex id of the span it was read from."""
    agent: str | UnsetType = UNSET
    """The turn's agent, when known at that moment."""
    session: str | UnsetType = UNSET
    """The conversation it belongs to."""
    seq: int | UnsetType = UNSET
    """Order within one process, kept even if the wall clock steps. Given by the engine."""


def event(
    category: Category | str,
    component: str = "",
    *,
    timestamp: float,
    severity: Severity | str | None = None,
    details: object = None,
    latency_ms: float | None = None,
    tokens: int | None = None,
    extra: Extra | None = None,
    trace_id: str = "",
    span_id: str = "",
    agent: str = "",
    session: str = "",
) -> HealthEvent:
    """Build a clean `HealthEvent`: text made safe, non-finite and negative numbers made unknown.

    Args:
        category: A `Category` or its value.
        component: Who did it; made one line, at most 200 characters.
        timestamp: Unix seconds, UTC.
        severity: Defaults to the category's own.
        details: Anything; `str()` of it is made one line, masked and cut to 500 characters. `None` is "".
        latency_ms: Milliseconds ≥ 0, else unknown.
        tokens: A count ≥ 0, else unknown.
        extra: JSON-able facts beside the fixed fields.
        trace_id: Hex id, "" when unknown.
        span_id: Hex id, "" when unknown.
        agent: The turn's agent, "" when unknown; at most 200 printable characters.
        session: The conversation, "" when unknown; at most 200 printable characters.

    Raises:
        ValueError: the category or severity is not one of the enumerations'.
    """
    kind = _CATEGORIES.get(category) or Category(category)
    return HealthEvent(
        category=kind,
        severity=_SEVERITIES[kind] if severity is None else Severity(severity),
        component=one_line(component, NAME_LIMIT),
        details="" if details is None else one_line(details, DETAILS_LIMIT),
        timestamp=timestamp,
        latency_ms=latency_ms if latency_ms is not None and 0 <= latency_ms < _INFINITE else None,
        tokens=tokens if tokens is not None and tokens >= 0 else None,
        extra=extra or {},
        trace_id=trace_id or UNSET,
        span_id=span_id or UNSET,
        agent=_name(agent) if agent else UNSET,
        session=_name(session) if session else UNSET,
    )


def _name(text: str) -> str:
    return text if len(text) <= NAME_LIMIT and text.isprintable() else one_line(text, NAME_LIMIT)
