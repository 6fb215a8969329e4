# SPDX-License-Identifier: Apache-2.0
"""From a node whose fate is decided to the events that count it: the table between readings and categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from otel_health.dialects.reading import Fault, Kind, Outcome, Reading, Usage
from otel_health.events.model import Category, HealthEvent, Severity, event
from otel_health.sources.conclusion import Conclusion
from otel_health.sources.trace import Node

_MAX_RETRIES = 10
"""Most retry events one span may give, whatever number it claims."""

_TOOL = {Outcome.OK: Category.TOOL_SUCCESS, Outcome.REJECTED: Category.TOOL_REJECTED}
_SPOKE = {Outcome.OK: Category.SPOKE_SUCCESS, Outcome.REJECTED: Category.SPOKE_REJECTED}
_LLM = {Outcome.OK: Category.LLM_SUCCESS, Outcome.REJECTED: Category.LLM_REJECTED}
_TURN = {Outcome.OK: Category.TURN_COMPLETED, Outcome.REJECTED: Category.TURN_CANCELLED}


def _category(outcome: Outcome, table: Mapping[Outcome, Category], failed: Category, withdrawn: Category) -> Category:
    if outcome.failed:
        return failed
    return withdrawn if outcome.withdrawn else table[outcome]


def usage_extra(usage: Usage) -> dict[str, int]:
    """Return the known counts of `usage` under the keys an event's `extra` carries."""
    named = {
        "input": usage.input,
        "output": usage.output,
        "cached_input": usage.cached_input,
        "cache_write": usage.cache_write,
        "reasoning": usage.reasoning,
    }
    return {key: value for key, value in named.items() if value is not None}


def _agent_of(node: Node) -> str:
    """The turn's agent, as far as it is known by now."""
    agent = ""
    for ancestor in (node, *node.ancestors()):
        if ancestor.is_a(Kind.AGENT) and ancestor.reading is not None and ancestor.reading.name:
            agent = ancestor.reading.name
    if agent:
        return agent
    return node.reading.agent if node.reading is not None else ""


def _session_of(node: Node) -> str:
    """The conversation: the outermost span that names one, for sub-agents often have their own."""
    for place in (*reversed(list(node.ancestors())), node):
        if place.reading is not None and place.reading.session:
            return place.reading.session
    return ""


def _event(node: Node, category: Category, component: str, extra: Mapping[str, Any], **fields: Any) -> HealthEvent:
    return event(
        category,
        component,
        timestamp=node.end_ns / 1e9,
        extra=extra,
        trace_id=node.trace.trace_id,
        span_id=node.span_id,
        agent=_agent_of(node),
        session=_session_of(node),
        **fields,
    )


def _ending(node: Node, end: Conclusion) -> dict[str, Any]:
    """What `extra` says of how it ended."""
    extra: dict[str, Any] = {}
    if end.outcome is Outcome.REJECTED:
        extra["by"] = end.reason or "unknown"
    elif end.reason or end.outcome is Outcome.TIMEOUT or end.outcome.withdrawn:
        extra["reason"] = end.reason or end.outcome.value
    if end.outcome.failed:
        extra["cause_id"] = end.cause.span_id if end.cause is not None else node.span_id
        if end.error_type:
            extra["error_type"] = end.error_type
    return extra


def _text(end: Conclusion) -> str:
    if not end.outcome.failed:
        return ""
    if end.error_type and end.error and not end.error.startswith(end.error_type):
        return f"{end.error_type}: {end.error}"
    return end.error or end.error_type


def tool_event(node: Node, reading: Reading, end: Conclusion, *, attributed: bool) -> HealthEvent:
    """Count a tool call."""
    extra = _ending(node, end)
    if end.outcome is Outcome.TIMEOUT:
        extra["timeout"] = True
    if not attributed:
        extra["unattributed"] = True
    category = _category(end.outcome, _TOOL, Category.TOOL_ERROR, Category.TOOL_CANCELLED)
    return _event(node, category, reading.name, extra, details=_text(end), latency_ms=node.duration_ms)


def spoke_event(node: Node, name: str, end: Conclusion, usage: Usage | None) -> HealthEvent:
    """Count a delegation; `usage` only where nothing below reported any."""
    extra = _ending(node, end) | (usage_extra(usage) if usage is not None else {})
    return _event(
        node,
        _category(end.outcome, _SPOKE, Category.SPOKE_FAILURE, Category.SPOKE_CANCELLED),
        name,
        extra,
        details=_text(end),
        latency_ms=node.duration_ms,
        tokens=usage.total if usage is not None else None,
    )


def turn_event(node: Node, name: str, end: Conclusion, usage: Usage | None) -> HealthEvent:
    """Count a turn; `usage` only where nothing below reported any."""
    extra = _ending(node, end) | (usage_extra(usage) if usage is not None else {})
    failed = Category.TURN_TIMEOUT if end.outcome is Outcome.TIMEOUT else Category.TURN_FAILED
    if end.outcome is Outcome.ERROR:
        extra["reason"] = end.reason if end.reason == "turn_limit" else "error"
    return _event(
        node,
        _category(end.outcome, _TURN, failed, Category.TURN_CANCELLED),
        name,
        extra,
        details=_text(end),
        latency_ms=node.duration_ms,
        tokens=usage.total if usage is not None else None,
    )


def llm_event(node: Node, reading: Reading, end: Conclusion, spoke: str = "") -> HealthEvent:
    """Count a model call or an embedding; `spoke` is the sub-agent that made it, "" where the orchestrator did."""
    usage = reading.usage or Usage()
    if end.outcome is Outcome.OK and not usage.total:
        usage = Usage()  # an answer without a token is one whose tokens nobody counted
    extra: dict[str, Any] = {"model": reading.model, **usage_extra(usage), "cost_usd": reading.cost_usd}
    extra |= _ending(node, end)
    if reading.kind is Kind.EMBEDDING:
        extra["operation"] = "embeddings"
    if end.outcome is Outcome.OK and not usage.known:
        extra["usage_missing"] = True
    severity = None
    if end.outcome.failed:
        fault = reading.fault or Fault.PROVIDER
        if fault is Fault.OVERFLOW:
            return _overflow_event(node, extra, end, usage, spoke)
        extra["fault"] = fault.value
        if end.outcome is Outcome.TIMEOUT:
            extra["timeout"] = True
        if fault is Fault.CALLER:
            severity = Severity.WARNING
    return _event(
        node,
        _category(end.outcome, _LLM, Category.LLM_ERROR, Category.LLM_CANCELLED),
        reading.name,
        extra,
        severity=severity,
        details=_text(end),
        latency_ms=node.duration_ms,
        tokens=usage.total,
    )


def _overflow_event(node: Node, extra: Mapping[str, Any], end: Conclusion, usage: Usage, spoke: str) -> HealthEvent:
    return _event(
        node,
        Category.CONTEXT_OVERFLOW,
        f"spoke:{spoke}" if spoke else "orchestrator",
        extra,
        details=_text(end),
        latency_ms=node.duration_ms,
        tokens=usage.total,
    )


def retry_events(node: Node, reason: str, times: int) -> list[HealthEvent]:
    """Count that something was tried again, `times` times (at most ten are believed of one span)."""
    one = _event(node, Category.RETRY, _agent_of(node), {"reason": reason})
    return [one] * max(0, min(times, _MAX_RETRIES))


def budget_event(node: Node, agent: str, end: Conclusion) -> HealthEvent:
    """Count that a step, turn or usage limit ended a run."""
    return _event(node, Category.BUDGET_EXHAUSTED, agent, {"budget": "steps"}, details=_text(end))


def lost_llm_event(node: Node, reading: Reading, end: Conclusion) -> HealthEvent:
    """Count a failed model call that left no span, from the run it ended."""
    lost = Reading(kind=Kind.LLM, why=reading.why, name="unknown", model=reading.model, fault=reading.fault)
    outcome = Outcome.TIMEOUT if end.reason == "timeout" else end.outcome
    return llm_event(node, lost, Conclusion(outcome, "seen_in_run", end.error, end.error_type, node))


def compaction_events(node: Node, reading: Reading) -> list[HealthEvent]:
    """Count that history was summarised; [] where the span does not show it."""
    seen = reading.compaction
    if seen is None:
        return []
    before, after = seen.tokens_before, seen.tokens_after
    known = {"tokens_before": before, "tokens_after": after}
    useless = before is not None and after is not None and after >= before
    return [
        _event(
            node,
            Category.CONTEXT_COMPACTION,
            "context_manager",
            {key: value for key, value in known.items() if value is not None},
            severity=Severity.WARNING if useless else None,
        )
    ]


def with_one_origin(events: Sequence[HealthEvent]) -> list[HealthEvent]:
    """Return `events` of one span, of which only the first is the origin of the span's failure."""
    marked: list[HealthEvent] = []
    origin: HealthEvent | None = None
    for each in events:
        if each.extra.get("cause_id") != each.span_id:
            marked.append(each)
        elif origin is None:
            origin = each
            marked.append(each)
        else:
            extra = {**each.extra, "same_as": origin.category.value}
            marked.append(msgspec.structs.replace(each, extra=extra))
    return marked
