# SPDX-License-Identifier: Apache-2.0
"""OpenInference: what all its instrumentations share, and the reader for those without peculiarities.

Source: https://github.com/Arize-ai/openinference/blob/main/spec/semantic_conventions.md. The kind of a span is in
`openinference.span.kind`; graph nodes and loop steps are CHAIN and are seen through.
"""

from __future__ import annotations

import re

from otel_health import semconv
from otel_health.dialects import fields
from otel_health.dialects.ending import FINE, Ending, ending
from otel_health.dialects.reading import Kind, Outcome, Reading
from otel_health.dialects.span import Span, SpanStatus
from otel_health.events.text import one_line

SCOPE = "openinference.instrumentation."

_RESPONSE_ID = re.compile(r'"id"\s*:\s*"((?:chatcmpl|resp|msg)[-_][A-Za-z0-9_-]{1,100})"')
"""Ids as the providers write them; OpenInference has them nowhere but inside the captured output."""
_OUTPUT_LIMIT = 8192
_MODEL = (
    semconv.OPENINFERENCE_LLM_MODEL_NAME,
    semconv.OPENINFERENCE_LLM_RESPONSE_MODEL_NAME,
    semconv.OPENINFERENCE_LLM_REQUEST_MODEL_NAME,
    semconv.OPENINFERENCE_EMBEDDING_MODEL_NAME,
)


class OpenInference:
    """Any span with an OpenInference kind, from an instrumentation that needs no more than that."""

    name = "openinference"

    def speaks(self, span: Span) -> bool:
        """Tell by the span kind attribute."""
        return bool(kind_of(span))

    def read(self, span: Span) -> Reading | None:
        """Read by the span kind: AGENT, LLM, EMBEDDING and TOOL are what they say, all others are steps."""
        kind = kind_of(span)
        why = f"{semconv.OPENINFERENCE_SPAN_KIND} is {kind!r}"
        if kind == "AGENT":
            return run(span, Kind.AGENT, why, agent_name(span) or span.name)
        return plain(span, kind, why)


def kind_of(span: Span) -> str:
    """Return the span's OpenInference kind in upper case, "" if it has none."""
    return fields.text(span.attributes, semconv.OPENINFERENCE_SPAN_KIND, limit=40).upper()


def plain(span: Span, kind: str, why: str) -> Reading:
    """Read a span whose kind means what it says in every framework; anything else is a step."""
    if kind == "LLM":
        return model_call(span, Kind.LLM, why)
    if kind == "EMBEDDING":
        return model_call(span, Kind.EMBEDDING, why)
    if kind == "TOOL":
        return tool_call(span, why)
    return step(span, why)


def model_call(span: Span, kind: Kind, why: str, *, ok_says_answered: bool = True) -> Reading:
    """Read a model call; one without status, tokens, finish reason (and output, where OK says nothing) was withdrawn.

    Args:
        span: The span.
        kind: LLM or EMBEDDING.
        why: The rule that decided.
        ok_says_answered: Whether the framework sets status OK only on calls that were answered.
    """
    attrs = span.attributes
    usage, malformed = fields.usage(attrs, fields.OPENINFERENCE_USAGE)
    how = ending(span, "llm")
    if how is FINE and kind is Kind.LLM and not usage.known:
        answered = ok_says_answered and span.status is SpanStatus.OK
        if not (answered or fields.text(attrs, semconv.OPENINFERENCE_LLM_FINISH_REASON) or _has_output(span, how)):
            how = Ending(Outcome.CANCELLED, reason="incomplete")
    provider = fields.text(attrs, semconv.OPENINFERENCE_LLM_PROVIDER, semconv.OPENINFERENCE_LLM_SYSTEM)
    return how.put_on(
        Reading(
            kind=kind,
            why=why,
            name=provider or "unknown",
            usage=usage,
            cost_usd=fields.money(attrs, semconv.OPENINFERENCE_LLM_COST_TOTAL),
            model=fields.text(attrs, *_MODEL),
            response_id=response_id(span),
            session=session(span),
            malformed=malformed,
        )
    )


def _has_output(span: Span, how: Ending) -> bool:
    """Whether the span ended with status OK and kept an output: an answer whose tokens nobody counted."""
    return how is FINE and span.status is SpanStatus.OK and semconv.OPENINFERENCE_OUTPUT_VALUE in span.attributes


def tool_call(span: Span, why: str) -> Reading:
    """Read a tool call, named by `tool.name` before the span."""
    name = fields.text(span.attributes, semconv.OPENINFERENCE_TOOL_NAME) or one_line(span.name, 200)
    return ending(span, "tool").put_on(Reading(kind=Kind.TOOL, why=why, name=name or "unknown", session=session(span)))


def run(span: Span, kind: Kind, why: str, name: str) -> Reading:
    """Read the run of an agent or of a workflow."""
    usage, malformed = fields.usage(span.attributes, fields.OPENINFERENCE_USAGE)
    return ending(span, "agent").put_on(
        Reading(
            kind=kind,
            why=why,
            name=one_line(name, 200) or kind.value,
            usage=usage,
            session=session(span),
            malformed=malformed,
        )
    )


def step(span: Span, why: str) -> Reading:
    """Read a wrapper."""
    return Reading(kind=Kind.STEP, why=why, name=one_line(span.name, 200), session=session(span))


def agent_name(span: Span) -> str:
    """Return the agent's name where the span has it."""
    return fields.text(
        span.attributes,
        semconv.OPENINFERENCE_AGENT_NAME,
        semconv.OPENINFERENCE_GRAPH_NODE_NAME,
        semconv.OPENINFERENCE_GRAPH_NODE_ID,
    )


def session(span: Span) -> str:
    """Return the conversation, "" where the span names none."""
    return fields.text(span.attributes, semconv.SESSION_ID)


def response_id(span: Span) -> str:
    """Return the provider's response id from the captured output's first 8 192 characters, "" if it is not there."""
    output = span.attributes.get(semconv.OPENINFERENCE_OUTPUT_VALUE)
    found = _RESPONSE_ID.search(output, 0, _OUTPUT_LIMIT) if isinstance(output, str) else None
    return found.group(1) if found else ""
