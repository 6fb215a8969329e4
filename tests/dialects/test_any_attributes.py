# SPDX-License-Identifier: Apache-2.0
"""Every dialect reads any span whatever its attributes hold: instrumentations err, and the SDK lets them."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_health import semconv
from otel_health.dialects import interpreter, registry
from otel_health.dialects.base import Dialect
from otel_health.dialects.reading import Fault, Kind, Outcome, Reading
from otel_health.dialects.span import Span, SpanEvent, SpanStatus

NAMES = sorted(value for key, value in vars(semconv).items() if key.isupper() and isinstance(value, str))
SCOPES = [
    "",
    "pydantic-ai",
    "openinference.instrumentation.langchain",
    "openinference.instrumentation.openai_agents",
    "openinference.instrumentation.smolagents",
    "openinference.instrumentation.crewai",
    "openinference.instrumentation.openai",
    "opentelemetry.instrumentation.genai.langchain",
    "opentelemetry.instrumentation.genai.openai_agents",
    "com.anthropic.sdk.python",
]
WORDS = ["chat", "invoke_agent", "invoke_workflow", "execute_tool", "embeddings", "tools/call"]
WORDS += [
    "AGENT",
    "LLM",
    "TOOL",
    "CHAIN",
    "EMBEDDING",
    "error",
    "failure",
    "[]",
    "{}",
    '["stop"]',
    '{"a": NaN}',
    "-5",
    "12",
]
SPAN_NAMES = [
    "",
    "agent run",
    "running tool",
    "Step 1",
    "handoff to x",
    "invoke_agent a",
    "Crew_1.kickoff",
    "a.run",
    "\ud800",
]

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.sampled_from(WORDS)
anything = scalars | st.recursive(
    scalars | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
attributes = st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=8), anything, max_size=12)
kinds = st.fixed_dictionaries(
    {},
    optional={
        semconv.GEN_AI_OPERATION_NAME: st.sampled_from(WORDS),
        semconv.OPENINFERENCE_SPAN_KIND: st.sampled_from(WORDS),
        semconv.MCP_METHOD_NAME: st.sampled_from(WORDS),
    },
)
spans = st.builds(
    Span,
    trace_id=st.just("0" * 31 + "1"),
    span_id=st.just("0" * 15 + "1"),
    name=st.sampled_from(SPAN_NAMES) | st.text(max_size=20),
    scope=st.sampled_from(SCOPES),
    start_ns=st.integers(0, 10),
    end_ns=st.integers(0, 10),
    status=st.sampled_from(SpanStatus),
    status_message=st.text(max_size=30),
    attributes=st.builds(lambda some, kind: some | kind, attributes, kinds),
    events=st.lists(st.builds(SpanEvent, st.sampled_from(["exception", "log"]), attributes), max_size=2).map(tuple),
)


@pytest.mark.parametrize("dialect", list(registry()), ids=lambda dialect: dialect.name)
@settings(deadline=None, max_examples=50)
@given(span=spans)
def test_a_dialect_never_raises_and_never_makes_up_a_number(dialect: Dialect, span: Span) -> None:
    assert dialect.speaks(span) in (True, False)
    reading = dialect.read(span)

    if reading is not None:
        _assert_sound(reading)


@settings(deadline=None, max_examples=100)
@given(span=spans)
def test_every_span_finds_at_most_one_reader_and_none_that_fails(span: Span) -> None:
    reader = interpreter()

    name, reading = reader.read(span)

    assert reader.failures == 0
    assert name or reading is None


def _assert_sound(reading: Reading) -> None:
    assert isinstance(reading.kind, Kind)
    assert isinstance(reading.outcome, Outcome)
    assert reading.fault is None or isinstance(reading.fault, Fault)
    assert reading.malformed >= 0
    _assert_counts(reading)
    cost = reading.cost_usd
    assert cost is None or (cost >= 0 and math.isfinite(cost))
    assert isinstance(reading.name, str)  # made one bounded line where the event is built
    for text in (reading.error, reading.error_type, reading.model, reading.session, reading.agent):
        assert isinstance(text, str)
        assert len(text) <= 2000
        assert "\n" not in text


def _assert_counts(reading: Reading) -> None:
    counts: list[Any] = []
    if reading.usage is not None:
        counts += [getattr(reading.usage, name) for name in reading.usage.__struct_fields__]
    if reading.compaction is not None:
        counts += [reading.compaction.tokens_before, reading.compaction.tokens_after]
    if reading.retry is not None:
        counts.append(reading.retry.times)
    assert all(count is None or (type(count) is int and count >= 0) for count in counts)
