# SPDX-License-Identifier: Apache-2.0
"""What others met in the field, and what must come out here."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any, ClassVar

import pytest

from otel_health.dialects.span import Span, SpanEvent, SpanStatus
from otel_health.testing import EPOCH_S, events_of, make_span
from tests.rivers import counts, stats_of


def agent(name: str, parent: Span | None = None, **kwargs: Any) -> Span:
    attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name} | kwargs.pop("attributes", {})
    return make_span(f"invoke_agent {name}", attributes, parent=parent, **kwargs)


def tool(name: str, parent: Span | None = None, **kwargs: Any) -> Span:
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name} | kwargs.pop("attributes", {})
    return make_span(f"execute_tool {name}", attributes, parent=parent, **kwargs)


def chat(parent: Span | None = None, usage: tuple[int, int] | None = (100, 20), **kwargs: Any) -> Span:
    attributes: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-5",
        "gen_ai.response.finish_reasons": ["stop"],
    }
    if usage is not None:
        attributes |= {"gen_ai.usage.input_tokens": usage[0], "gen_ai.usage.output_tokens": usage[1]}
    return make_span("chat gpt-5", attributes | kwargs.pop("attributes", {}), parent=parent, **kwargs)


def raised(name: str, message: str) -> dict[str, Any]:
    exception = SpanEvent("exception", {"exception.type": name, "exception.message": message})
    return {"error": f"{name}: {message}", "events": [exception]}


class TestOneFailureCountedOncePerAncestor:
    """Traces in which one exception crosses tool, sub-agent and turn."""

    def test_an_exception_that_nobody_catches_is_one_event_a_level_and_one_distinct_failure(self) -> None:
        turn = agent("hub", **raised("KeyError", "'x'"), duration_ms=90)
        spoke = agent("spoke", turn, **raised("KeyError", "'x'"), duration_ms=60)
        call = tool("lookup", spoke, **raised("KeyError", "'x'"), duration_ms=30)
        found = stats_of(call, spoke, turn)
        assert {k: found[k] for k in ("tool_errors", "spoke_failures", "turn_failures", "llm_errors")} == {
            "tool_errors": 1,
            "spoke_failures": 1,
            "turn_failures": 1,
            "llm_errors": 0,
        }
        assert found["distinct_failures"] == 1
        assert {event.extra["cause_id"] for event in events_of(call, spoke, turn)} == {call.span_id}

    def test_a_sub_agent_that_catches_it_and_answers_succeeded(self) -> None:
        turn = agent("hub", duration_ms=90)
        spoke = agent("spoke", turn, duration_ms=60)
        call = tool("lookup", spoke, **raised("KeyError", "'x'"), duration_ms=30)
        answer = chat(spoke, start_s=EPOCH_S + 0.04, duration_ms=10)
        found = stats_of(call, answer, spoke, turn)
        assert (found["tool_errors"], found["spoke_failures"], found["turns_completed"]) == (1, 0, 1)

    def test_a_later_failure_of_another_kind_is_a_second_distinct_failure(self) -> None:
        turn = agent("hub", **raised("RuntimeError", "no budget left"), duration_ms=90)
        call = tool("lookup", turn, **raised("KeyError", "'x'"), duration_ms=30)
        answer = chat(turn, start_s=EPOCH_S + 0.04, duration_ms=10)
        assert stats_of(call, answer, turn)["distinct_failures"] == 2


class TestFailedToolShownAsOk:
    """Frameworks that return a failure instead of raising it."""

    @pytest.mark.parametrize("status", [SpanStatus.UNSET, SpanStatus.OK])
    @pytest.mark.parametrize("mark", [{"error.type": "tool_error"}, {"gen_ai.tool.status": "error"}])
    def test_any_mark_of_failure_makes_it_a_tool_error(self, status: SpanStatus, mark: dict[str, str]) -> None:
        call = _with_status(tool("search", attributes=mark), status)
        assert counts(events_of(call)) == {"tool_error": 1}

    def test_a_result_that_only_reads_like_an_error_is_a_success(self) -> None:
        result = {"gen_ai.tool.call.result": "Error: 0 rows found in log search"}
        assert counts(events_of(tool("search", attributes=result))) == {"tool_success": 1}


def _with_status(span: Span, status: SpanStatus) -> Span:
    return Span(**{name: getattr(span, name) for name in span.__struct_fields__} | {"status": status})


class TestAttributeDialects:
    """Old names, new names, and values of any type."""

    SPELLINGS = (
        {"gen_ai.provider.name": "openai", "gen_ai.usage.input_tokens": 12, "gen_ai.usage.output_tokens": 3},
        {"gen_ai.system": "openai", "gen_ai.usage.prompt_tokens": 12, "gen_ai.usage.completion_tokens": 3},
        {"gen_ai.system": "openai", "llm.usage.prompt_tokens": 12, "llm.usage.completion_tokens": 3},
    )

    @pytest.mark.parametrize("spelling", SPELLINGS)
    def test_every_spelling_gives_the_same_event(self, spelling: dict[str, Any]) -> None:
        operation = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5"}
        self.check(make_span("chat gpt-5", operation | spelling))

    def test_openinference_gives_the_same_event(self) -> None:
        names = {"openinference.span.kind": "LLM", "llm.provider": "openai", "llm.model_name": "gpt-5"}
        tokens = {"llm.token_count.prompt": 12, "llm.token_count.completion": 3}
        self.check(make_span("ChatCompletion", names | tokens))

    def test_a_span_from_before_operations_had_names_gives_the_same_event(self) -> None:
        self.check(make_span("openai.chat", {"gen_ai.request.model": "gpt-5"} | self.SPELLINGS[1]))

    @staticmethod
    def check(span: Span) -> None:
        (event,) = events_of(span)
        assert (event.category.value, event.component, event.tokens) == ("llm_success", "openai", 15)
        assert (event.extra["model"], event.extra["input"], event.extra["output"]) == ("gpt-5", 12, 3)

    def test_old_and_new_names_on_one_span_count_once(self) -> None:
        both = self.SPELLINGS[0] | self.SPELLINGS[1] | {"gen_ai.operation.name": "chat"}
        assert stats_of(make_span("chat", both))["input_tokens"] == 12

    @pytest.mark.parametrize("value", [None, {"a": 1}, math.nan, -5, True, "many", [1]])
    def test_a_senseless_count_is_unknown_and_never_an_error(self, value: object) -> None:
        (event,) = events_of(chat(usage=None, attributes={"gen_ai.usage.input_tokens": value}))
        assert event.category.value == "llm_success"
        assert event.tokens is None
        assert event.extra["usage_missing"] is True

    def test_a_numeral_is_a_count(self) -> None:
        (event,) = events_of(chat(usage=None, attributes={"gen_ai.usage.input_tokens": "12"}))
        assert event.extra["input"] == 12


class TestUsageOfAParent:
    """Agent spans that repeat the sum of their children's tokens."""

    SUM: ClassVar = {"gen_ai.usage.input_tokens": 113, "gen_ai.usage.output_tokens": 11}

    def test_the_sum_on_the_agent_is_not_counted_again(self) -> None:
        turn = agent("hub", attributes=self.SUM)
        calls = chat(turn, (56, 5)), chat(turn, (57, 6), start_s=EPOCH_S + 0.05)
        for order in permutations([turn, *calls]):
            found = stats_of(*order)
            assert (found["input_tokens"], found["output_tokens"]) == (113, 11)

    def test_nested_sums_are_not_counted_again(self) -> None:
        turn = agent("root", attributes={"gen_ai.usage.input_tokens": 300})
        spoke = agent("spoke", turn, attributes={"gen_ai.usage.input_tokens": 200}, duration_ms=50)
        assert stats_of(chat(spoke, (200, 0)), spoke, chat(turn, (100, 0)), turn)["input_tokens"] == 300

    def test_a_parent_counts_where_no_child_tells_its_tokens(self) -> None:
        turn = agent("hub", attributes=self.SUM)
        found = stats_of(chat(turn, None), turn)
        assert (found["input_tokens"], found["output_tokens"], found["usage_missing"]) == (113, 11, 1)


class TestTwoInstrumentationsOfOneCall:
    """A framework's span around the provider's."""

    OUTER: ClassVar = {"gen_ai.usage.input_tokens": 1000, "gen_ai.usage.output_tokens": 50}
    INNER: ClassVar = OUTER | {"gen_ai.usage.cache_read.input_tokens": 900, "gen_ai.provider.name": "anthropic"}

    def test_one_call_is_counted_with_the_details_that_only_the_inner_span_has(self) -> None:
        outer = chat(None, None, attributes=self.OUTER, scope="langchain")
        inner = chat(outer, None, attributes=self.INNER, scope="anthropic", duration_ms=90)
        for order in permutations([outer, inner]):
            found = stats_of(*order)
            assert (found["llm_calls"], found["input_tokens"], found["output_tokens"]) == (1, 1000, 50)
            assert found["cached_input_tokens"] == 900

    def test_one_failure_is_counted_once(self) -> None:
        outer = chat(None, None, scope="langchain", **raised("openai.RateLimitError", "429"))
        inner = chat(outer, None, scope="openai", duration_ms=90, **raised("openai.RateLimitError", "429"))
        assert stats_of(inner, outer)["llm_errors"] == 1

    def test_a_call_made_by_a_tool_of_the_call_is_another_call(self) -> None:
        outer = chat(None, (1000, 50), scope="langchain")
        between = tool("summarise", outer, duration_ms=80)
        inner = chat(between, (70, 7), scope="openai", duration_ms=60, attributes={"gen_ai.request.model": "gpt-mini"})
        found = stats_of(inner, between, outer)
        assert (found["llm_calls"], found["input_tokens"]) == (2, 1070)

    def test_one_tool_call_seen_by_framework_client_and_server_is_one_error(self) -> None:
        turn = agent("hub")
        framework = tool("search", turn, scope="framework", duration_ms=90)
        client = tool("search", framework, scope="fastmcp", duration_ms=80, attributes={"error.type": "tool_error"})
        wire = make_span("MCP send tools/call search", {"mcp.method.name": "tools/call"}, parent=client, duration_ms=70)
        server = tool("search", wire, scope="fastmcp", duration_ms=60, attributes={"error.type": "ToolError"})
        for order in permutations([framework, client, wire, server]):
            found = stats_of(*order, turn)
            assert (found["tool_calls"], found["tool_errors"]) == (1, 1)


class TestCachedAndReasoningTokens:
    """Two conventions for what the input includes."""

    def test_an_inclusive_input_is_taken_as_it_is(self) -> None:
        cached = {"gen_ai.usage.cache_read.input_tokens": 17_102}
        found = stats_of(chat(None, (17_111, 5), attributes=cached))
        assert (found["input_tokens"], found["cached_input_tokens"]) == (17_111, 17_102)

    def test_an_exclusive_input_gets_its_cached_part_added(self) -> None:
        written = {"gen_ai.usage.cache_creation.input_tokens": 109_075}
        (event,) = events_of(chat(None, (3, 81), attributes=written))
        assert (event.extra["input"], event.extra["cache_write"], event.extra["output"]) == (109_078, 109_075, 81)

    def test_reasoning_is_part_of_the_output(self) -> None:
        reasoning = {"gen_ai.usage.reasoning.output_tokens": 956}
        assert stats_of(chat(None, (10, 1970), attributes=reasoning))["output_tokens"] == 1970


class TestStreamedCallWithoutUsage:
    """Unknown is not zero."""

    @pytest.mark.parametrize("usage", [None, (0, 0)])
    def test_tokens_are_unknown_and_the_gap_is_counted(self, usage: tuple[int, int] | None) -> None:
        call = chat(None, usage, attributes={"gen_ai.request.stream": True})
        (event,) = events_of(call)
        assert event.tokens is None
        assert "input" not in event.extra
        assert stats_of(call)["usage_missing"] == 1


def test_a_span_that_ends_before_it_begins_has_no_duration() -> None:
    (event,) = events_of(tool("search", duration_ms=-500))
    assert event.latency_ms == 0
