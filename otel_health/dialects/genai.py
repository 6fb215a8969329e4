# SPDX-License-Identifier: Apache-2.0
"""The OpenTelemetry GenAI conventions, current and older: the reader of everybody who follows them.

Source: https://github.com/open-telemetry/semantic-conventions-genai (spans, agent spans, MCP).
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from otel_health import semconv
from otel_health.dialects import fields
from otel_health.dialects.ending import FINE, Ending, ending, finished
from otel_health.dialects.reading import Compaction, Kind, Outcome, Reading, Retry, Team, Usage
from otel_health.dialects.span import Span
from otel_health.events.text import one_line

KINDS: Mapping[str, Kind] = {
    "chat": Kind.LLM,
    "generate_content": Kind.LLM,
    "text_completion": Kind.LLM,
    "embeddings": Kind.EMBEDDING,
    "execute_tool": Kind.TOOL,
    "invoke_agent": Kind.AGENT,
    "invoke_workflow": Kind.WORKFLOW,
}
"""`gen_ai.operation.name` → what the span is; other operations (`create_agent`, `plan`, `retrieval`) are steps."""


class GenAI:
    """Any span with a `gen_ai.operation.name`, or an MCP tool call, from an instrumentation nobody knows better.

    It takes a model call without any sign of an answer for a success whose usage is missing, because an unknown
    instrumentation may never report either.
    """

    name = "genai"

    def speaks(self, span: Span) -> bool:
        """Tell whether the span names its GenAI operation, or is an MCP tool call."""
        return bool(operation(span))

    def read(self, span: Span) -> Reading | None:
        """Read the span by the conventions."""
        return read_genai(span)


class OtelGenAI:
    """The official instrumentations (`opentelemetry-instrumentation-genai-*`).

    They always leave a finish reason or usage on a model call that was answered, so one without either was withdrawn.
    """

    name = "otel_genai"
    scope = "opentelemetry.instrumentation.genai."

    def speaks(self, span: Span) -> bool:
        """Tell by the scope."""
        return span.scope.startswith(self.scope)

    def read(self, span: Span) -> Reading | None:
        """Read the span by the conventions, knowing how these instrumentations nest agents."""
        if span.scope.endswith("openai_agents"):
            reading = read_genai(span, answers_leave_signs=True, team=Team.SEQUENCE)
            return reading and msgspec.structs.replace(reading, hides_model_calls=True)
        return read_genai(span, answers_leave_signs=True, team=Team.PEERS)


def operation(span: Span) -> str:
    """Return the GenAI operation of a span, "" if it has none.

    An MCP `tools/call` is `execute_tool`; a span from before operations had names is told by what else it names.
    """
    attrs = span.attributes
    if name := fields.text(attrs, semconv.GEN_AI_OPERATION_NAME):
        return name
    if attrs.get(semconv.MCP_METHOD_NAME) == "tools/call" or semconv.GEN_AI_TOOL_NAME in attrs:
        return "execute_tool"
    if semconv.GEN_AI_REQUEST_MODEL in attrs and (
        semconv.GEN_AI_SYSTEM in attrs or semconv.GEN_AI_PROVIDER_NAME in attrs
    ):
        return "chat"
    return ""


def read_genai(span: Span, *, answers_leave_signs: bool = False, team: Team | None = None) -> Reading | None:
    """Read a span by the conventions.

    Args:
        span: The span.
        answers_leave_signs: Whether a model call that was answered always carries usage or a finish reason.
        team: How to judge the agents of a workflow; without a rule none of them is a spoke.
    """
    op = operation(span)
    if not op:
        return None
    kind = KINDS.get(op, Kind.STEP)
    why = f"its GenAI operation is {op!r}"
    if kind in (Kind.LLM, Kind.EMBEDDING):
        return model_call(span, kind, why, answers_leave_signs=answers_leave_signs)
    if kind is Kind.TOOL:
        return tool_call(span, why)
    if kind is Kind.STEP:
        return Reading(kind=kind, why=why, name=op)
    return run(span, kind, why, team if kind is Kind.WORKFLOW else None)


def model_call(span: Span, kind: Kind, why: str, *, answers_leave_signs: bool) -> Reading:
    """Read a model call or an embedding."""
    attrs = span.attributes
    usage, malformed = fields.usage(attrs, fields.GEN_AI_USAGE)
    finishes = fields.strings(attrs, semconv.GEN_AI_RESPONSE_FINISH_REASONS)
    how = ending(span, "llm")
    if how is FINE and kind is Kind.LLM:
        how = _finish(usage, finishes, answers_leave_signs=answers_leave_signs)
    resent, bad = fields.count(attrs, semconv.HTTP_RESEND_COUNT)
    compacted = attrs.get(semconv.GEN_AI_CONVERSATION_COMPACTED) is True
    return how.put_on(
        Reading(
            kind=kind,
            why=why,
            name=fields.text(attrs, semconv.GEN_AI_PROVIDER_NAME, semconv.GEN_AI_SYSTEM) or "unknown",
            usage=usage,
            cost_usd=fields.money(attrs, semconv.GEN_AI_USAGE_COST, semconv.GEN_AI_COST_TOTAL),
            model=fields.text(attrs, semconv.GEN_AI_RESPONSE_MODEL, semconv.GEN_AI_REQUEST_MODEL),
            response_id=fields.text(attrs, semconv.GEN_AI_RESPONSE_ID),
            session=session(span),
            agent=fields.text(attrs, semconv.GEN_AI_AGENT_NAME),
            retry=Retry("resent", resent) if resent else None,
            compaction=Compaction() if compacted else None,
            malformed=malformed + bad,
        )
    )


def _finish(usage: Usage, finishes: tuple[str, ...], *, answers_leave_signs: bool) -> Ending:
    """What a finish reason, or the absence of an answer, means on a span that reports no error."""
    if finishes and all(finish == "error" for finish in finishes):
        return Ending(Outcome.ABANDONED, reason="stream_abandoned")
    if answers_leave_signs and not usage.known and not finishes:
        return Ending(Outcome.CANCELLED, reason="incomplete")
    return finished(finishes, "llm")


def tool_call(span: Span, why: str) -> Reading:
    """Read the execution of a tool."""
    attrs = span.attributes
    return ending(span, "tool").put_on(
        Reading(
            kind=Kind.TOOL,
            why=why,
            name=fields.text(attrs, semconv.GEN_AI_TOOL_NAME)
            or one_line(span.name.rpartition(" ")[2], 200)
            or "unknown",
            session=session(span),
            agent=fields.text(attrs, semconv.GEN_AI_AGENT_NAME),
        )
    )


def run(span: Span, kind: Kind, why: str, team: Team | None) -> Reading:
    """Read the run of an agent or of a workflow."""
    attrs = span.attributes
    usage, malformed = fields.usage(attrs, fields.GEN_AI_USAGE)
    named = semconv.GEN_AI_WORKFLOW_NAME if kind is Kind.WORKFLOW else semconv.GEN_AI_AGENT_NAME
    how = ending(span, "agent")
    if how is FINE:
        how = finished(fields.strings(attrs, semconv.GEN_AI_RESPONSE_FINISH_REASONS), "agent")
    return how.put_on(
        Reading(
            kind=kind,
            why=why,
            name=fields.text(attrs, named) or one_line(span.name.partition(" ")[2], 200) or kind.value,
            usage=usage,
            model=fields.text(attrs, semconv.GEN_AI_RESPONSE_MODEL, semconv.GEN_AI_REQUEST_MODEL),
            session=session(span),
            team=team,
            malformed=malformed,
        )
    )


def session(span: Span) -> str:
    """Return the conversation a span belongs to, "" where it names none."""
    return fields.text(span.attributes, semconv.GEN_AI_CONVERSATION_ID, semconv.SESSION_ID)
