# SPDX-License-Identifier: Apache-2.0
"""pydantic-ai's own spans, in all its format versions: the conventions, with older span names and sums of its own."""

from __future__ import annotations

import msgspec

from otel_health import semconv
from otel_health.dialects import fields, genai
from otel_health.dialects.reading import Kind, Reading, Retry
from otel_health.dialects.span import Span
from otel_health.events.text import one_line

_OLD_NAMES = {"agent run": Kind.AGENT, "running tool": Kind.TOOL}
"""Span names of formats that did not yet name the operation."""


class PydanticAI:
    """Scope `pydantic-ai`. A cancelled model call shows only by having neither usage nor finish reason."""

    name = "pydantic_ai"

    def speaks(self, span: Span) -> bool:
        """Tell by the scope."""
        return span.scope == "pydantic-ai"

    def read(self, span: Span) -> Reading | None:
        """Read by the conventions, then add what is pydantic-ai's own."""
        reading = genai.read_genai(span, answers_leave_signs=True) or _by_old_name(span)
        if reading.kind is Kind.TOOL:
            return _tool(span, reading)
        if reading.kind is Kind.AGENT:
            return _agent(span, reading)
        cost = fields.money(span.attributes, semconv.PYDANTIC_AI_COST)
        return reading if cost is None else msgspec.structs.replace(reading, cost_usd=cost)


def _by_old_name(span: Span) -> Reading:
    kind = _OLD_NAMES.get(span.name)
    why = f"span name is {span.name!r}"
    if kind is Kind.AGENT:
        return genai.run(span, kind, why, None)
    if kind is Kind.TOOL:
        return genai.tool_call(span, why)
    return Reading(kind=Kind.STEP, why="a wrapper of pydantic-ai", name=one_line(span.name, 200))


def _tool(span: Span, reading: Reading) -> Reading:
    cause = fields.text(span.attributes, semconv.PYDANTIC_AI_TOOL_RETRY_CAUSE)
    return msgspec.structs.replace(reading, retry=Retry(cause)) if cause else reading


def _agent(span: Span, reading: Reading) -> Reading:
    """Take the sums that newer formats keep under names of their own where the usual names are empty."""
    name = fields.text(span.attributes, semconv.GEN_AI_AGENT_NAME, semconv.PYDANTIC_AI_AGENT_NAME) or reading.name
    usage, malformed = reading.usage, 0
    if usage is None or not usage.known:
        usage, malformed = fields.usage(span.attributes, fields.AGGREGATED_USAGE)
    return msgspec.structs.replace(reading, name=name, usage=usage, malformed=reading.malformed + malformed)
