# SPDX-License-Identifier: Apache-2.0
"""What an error means: outcome, fault and reason, from whatever a span gives away."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_health.dialects import taxonomy
from otel_health.dialects.causes import short_type
from otel_health.dialects.faults import Call, Judgement, judge_error, judge_finish
from otel_health.dialects.reading import Fault, Outcome

CALLS: tuple[Call, ...] = get_args(Call)
OVERFLOW = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."


def _llm(**evidence: Any) -> Judgement:
    return judge_error(call="llm", **evidence)


# the context ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [401, 403, 408, 429, 504])
def test_a_status_that_cannot_be_an_overflow_is_none(status: int) -> None:
    assert _llm(http_status=status, message="maximum context length").fault is Fault.PROVIDER


def test_an_overflow_is_an_error_and_no_limit_of_the_run() -> None:
    judgement = _llm(message=OVERFLOW)

    assert (judgement.outcome, judgement.reason, judgement.limit_reached) == (Outcome.ERROR, "", False)


@pytest.mark.parametrize("finish", ["model_context_window_exceeded", "model_length", "context_length_exceeded"])
def test_a_finish_reason_can_mean_an_overflow(finish: str) -> None:
    judgement = judge_finish(("stop", finish), "llm")

    assert judgement is not None
    assert (judgement.outcome, judgement.fault, judgement.error_type) == (Outcome.ERROR, Fault.OVERFLOW, finish)


@pytest.mark.parametrize("finish", ["stop", "length", "max_tokens", "tool_calls", "FinishReason.STOP", "error", ""])
def test_other_finish_reasons_mean_no_failure(finish: str) -> None:
    assert all(judge_finish((finish,), call) is None for call in CALLS)


def test_a_finish_reason_can_end_a_run_at_its_limit_but_not_a_model_call() -> None:
    judgement = judge_finish(("max_turns",), "agent")

    assert judgement is not None
    assert judgement.limit_reached
    assert judge_finish(("max_turns",), "llm") is None


# whose fault ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "outcome", "fault"),
    [
        (400, Outcome.ERROR, Fault.CALLER),
        (401, Outcome.ERROR, Fault.PROVIDER),
        (402, Outcome.ERROR, Fault.PROVIDER),
        (403, Outcome.ERROR, Fault.PROVIDER),
        (404, Outcome.ERROR, Fault.CALLER),
        (408, Outcome.TIMEOUT, Fault.PROVIDER),
        (413, Outcome.ERROR, Fault.CALLER),
        (422, Outcome.ERROR, Fault.CALLER),
        (424, Outcome.ERROR, Fault.PROVIDER),
        (429, Outcome.ERROR, Fault.PROVIDER),
        (499, Outcome.CANCELLED, None),
        (500, Outcome.ERROR, Fault.PROVIDER),
        (503, Outcome.ERROR, Fault.PROVIDER),
        (504, Outcome.TIMEOUT, Fault.PROVIDER),
        (529, Outcome.ERROR, Fault.PROVIDER),
    ],
)
def test_the_status_decides_however_it_comes(status: int, outcome: Outcome, fault: Fault | None) -> None:
    told = [
        _llm(http_status=status, error_type="ValueError", message="Rate limit reached"),
        _llm(error_type=str(status)),
        _llm(error_type="_OTHER", message=f"Error code: {status} - no"),
        _llm(exception_type="AgentGenerationError", message=f"status_code: {status}, model_name: m, body: {{}}"),
        _llm(exception_type="ClientError", message=f"{status} WHATEVER. {{}}"),
        _llm(exception_type="SDKError", message=f"API error occurred: Status {status}"),
    ]

    assert {(j.outcome, j.fault) for j in told} == {(outcome, fault)}


@pytest.mark.parametrize("status", [0, 200, 302, 600, -1, 2**53])
def test_a_status_that_is_no_error_decides_nothing(status: int) -> None:
    assert _llm(http_status=status, error_type="invalid_request_error").fault is Fault.CALLER


@pytest.mark.parametrize(
    ("message", "outcome", "fault"),
    [
        ("Request timed out.", Outcome.TIMEOUT, Fault.PROVIDER),
        ("Error getting response: {'error': 'Request timed out.'}", Outcome.TIMEOUT, Fault.PROVIDER),
        (
            "{'message': 'Error getting response', 'data': {'error': 'Error code: 500 - no'}}",
            Outcome.ERROR,
            Fault.PROVIDER,
        ),
        ("Rate limit reached for gpt-4o-mini", Outcome.ERROR, Fault.PROVIDER),
        ("The server had an error while processing your request.", Outcome.ERROR, Fault.PROVIDER),
        ("Client error '404 Not Found' for url 'http://x'", Outcome.ERROR, Fault.CALLER),
        ("Server error '502 Bad Gateway' for url 'http://x'", Outcome.ERROR, Fault.PROVIDER),
        ("An error occurred (ThrottlingException) when calling the Converse operation", Outcome.ERROR, Fault.PROVIDER),
        ("An error occurred (ValidationException) when calling the Converse operation", Outcome.ERROR, Fault.CALLER),
        ("<_InactiveRpcError of RPC with: status = StatusCode.INVALID_ARGUMENT", Outcome.ERROR, Fault.CALLER),
        ("{'error': {'type': 'invalid_request_error', 'code': 'invalid_api_key'}}", Outcome.ERROR, Fault.PROVIDER),
        ("{'error': {'type': 'invalid_request_error', 'code': 'odd'}}", Outcome.ERROR, Fault.CALLER),
        ("{'type': 'error', 'error': {'type': 'overloaded_error'}}", Outcome.ERROR, Fault.PROVIDER),
        ("The response was filtered due to the content management policy", Outcome.ERROR, Fault.CALLER),
        ("Incorrect API key provided", Outcome.ERROR, Fault.PROVIDER),
        ("create() got an unexpected keyword argument 'x'", Outcome.ERROR, Fault.CALLER),
        ("no idea", Outcome.ERROR, Fault.PROVIDER),
        ("", Outcome.ERROR, Fault.PROVIDER),
    ],
)
def test_the_message_decides_where_nothing_else_tells(message: str, outcome: Outcome, fault: Fault) -> None:
    for vague in ("", "_OTHER", "Exception", "openai.APIError", "agent_framework.ChatClientException"):
        judgement = _llm(error_type=vague, message=message)
        assert (judgement.outcome, judgement.fault) == (outcome, fault)


def test_the_status_goes_before_the_class_and_the_class_before_the_message() -> None:
    assert _llm(http_status=400, error_type="rate_limit_error").fault is Fault.CALLER
    assert _llm(error_type="invalid_request_error", exception_type="RateLimitError").fault is Fault.CALLER
    assert _llm(exception_type="RateLimitError", message="invalid request").fault is Fault.PROVIDER


def test_authentication_reported_as_a_bad_request_is_still_authentication() -> None:
    message = "Error code: 401 - {'error': {'type': 'invalid_request_error', 'code': None}}"

    assert _llm(exception_type="openai.APIStatusError", message=message).fault is Fault.PROVIDER


# nobody's fault -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    "evidence",
    [
        {"error_type": "asyncio.exceptions.CancelledError"},
        {"error_type": "CancelledError", "message": "<object object at 0x7ff6f26357a0>"},
        {"exception_type": "concurrent.futures._base.CancelledError"},
        {"exception_type": "KeyboardInterrupt"},
        {"exception_type": "trio.Cancelled"},
        {"exception_type": "AbortError"},
        {"exception_type": "APIUserAbortError", "http_status": 500},
        {"exception_type": "agno.exceptions.RunCancelledException"},
        {"message": "CancelledError()"},
        {"exception_type": "Exception", "message": "CancelledError(<object object at 0x7f>)Traceback (most recent"},
        {"message": "CancelledError: "},
        {"error_type": "CANCELLED"},
    ],
)
def test_a_cancellation_is_no_failure(evidence: dict[str, Any], call: Call) -> None:
    judgement = judge_error(call=call, **evidence)

    assert (judgement.outcome, judgement.fault) == (Outcome.CANCELLED, None)


def test_a_time_out_is_no_cancellation() -> None:
    for call in CALLS:
        judged = judge_error(error_type="TimeoutError", exception_type="asyncio.CancelledError", call=call)
        assert judged.outcome is Outcome.TIMEOUT


def test_a_stream_nobody_read_to_the_end_is_abandoned() -> None:
    judgement = _llm(exception_type="GeneratorExit")

    assert (judgement.outcome, judgement.fault, judgement.reason) == (Outcome.ABANDONED, None, "stream_abandoned")


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("langgraph.errors.GraphInterrupt", "paused"),
        ("langgraph.errors.NodeInterrupt", "paused"),
        ("langgraph.errors.GraphBubbleUp", "paused"),
        ("pydantic_ai.exceptions.CallDeferred", "paused"),
        ("pydantic_ai.exceptions.ApprovalRequired", "paused"),
        ("langgraph.errors.ParentCommand", "handoff"),
        ("StopIteration", ""),
        ("StopAsyncIteration", ""),
        ("agno.exceptions.StopAgentRun", ""),
    ],
)
def test_control_flow_of_frameworks_is_no_error(name: str, reason: str, call: Call) -> None:
    judgement = judge_error(exception_type=name, message="(Interrupt(value='Approve?'),)", call=call)

    assert judgement == Judgement(outcome=Outcome.OK, error_type=short_type(name), reason=reason)


@pytest.mark.parametrize(
    ("name", "reason"), [("CircuitOpen", "breaker"), ("ToolCallBlocked", "loop"), ("BudgetExhausted", "budget")]
)
def test_what_a_guard_refused_is_rejected_not_failed(name: str, reason: str) -> None:
    for call in ("llm", "tool"):
        judgement = judge_error(exception_type=f"otel_health.control.{name}", call=call)
        assert (judgement.outcome, judgement.fault, judgement.reason) == (Outcome.REJECTED, None, reason)
    assert judge_error(exception_type=name, call="agent").outcome is Outcome.ERROR


# runs and tools -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "evidence",
    [
        {"exception_type": "pydantic_ai.exceptions.UsageLimitExceeded"},
        {"exception_type": "langgraph.errors.GraphRecursionError"},
        {"exception_type": "agents.exceptions.MaxTurnsExceeded"},
        {"exception_type": "smolagents.utils.AgentMaxStepsError"},
        {"exception_type": "google.adk.agents.invocation_context.LlmCallsLimitExceededError"},
        {"error_type": "error_max_turns"},
        {"error_type": "_OTHER", "message": "{'message': 'Max turns exceeded', 'data': {'max_turns': 3}}"},
        {"message": "Max turns exceeded: {'max_turns': 3}"},
        {"message": "Max turns (3) exceeded"},
        {"message": "Recursion limit of 6 reached without hitting a stop condition."},
        {"message": "Max iterations of 20 reached! Either something went wrong or you can increase it."},
        {"message": "Reached max steps."},
        {"message": "The next request would exceed the request_limit of 3."},
    ],
)
def test_a_run_that_hits_its_limit_failed_at_the_limit(evidence: dict[str, Any]) -> None:
    judgement = judge_error(call="agent", **evidence)

    assert judgement.outcome is Outcome.ERROR
    assert judgement.fault is None
    assert judgement.reason == "turn_limit"
    assert judgement.limit_reached


def test_a_budget_that_nobody_caught_ends_the_run_at_a_limit() -> None:
    judgement = judge_error(exception_type="BudgetExhausted", call="agent")

    assert (judgement.outcome, judgement.reason, judgement.limit_reached) == (Outcome.ERROR, "budget", True)


def test_only_a_limit_set_around_the_run_times_the_run_out() -> None:
    given_up = judge_error(exception_type="TimeoutError", call="agent")
    call_timed_out = judge_error(exception_type="openai.APITimeoutError", message="Request timed out.", call="agent")

    assert (given_up.outcome, given_up.fault) == (Outcome.TIMEOUT, None)
    assert (call_timed_out.outcome, call_timed_out.fault) == (Outcome.ERROR, Fault.PROVIDER)


@pytest.mark.parametrize(
    ("evidence", "fault"),
    [
        ({"error_type": "openai.RateLimitError"}, Fault.PROVIDER),
        ({"message": "Error in agent run: {'error': 'Error code: 500 - The server had an error'}"}, Fault.PROVIDER),
        ({"message": "Error in agent run: {'error': 'Request timed out.'}"}, Fault.PROVIDER),
        ({"exception_type": "ConnectionError", "message": "Failed to connect to OpenAI API: no"}, Fault.PROVIDER),
        ({"message": OVERFLOW}, Fault.OVERFLOW),
        ({"exception_type": "openai.BadRequestError"}, Fault.CALLER),
        ({"exception_type": "ConnectionError", "message": "no route to the weather station"}, None),
        ({"exception_type": "httpx.ReadTimeout", "message": "timed out"}, None),
        ({"exception_type": "HTTPError", "message": "503 Server Error: Busy for url: http://weather"}, None),
        ({"exception_type": "PermissionError", "message": "[Errno 13] Permission denied: '/etc/shadow'"}, None),
        ({"exception_type": "KeyError", "message": "'boom'"}, None),
        ({"message": "Error running tool boom_hard: boom hard failed for 1"}, None),
    ],
)
def test_a_failed_run_blames_a_model_call_only_on_evidence(evidence: dict[str, Any], fault: Fault | None) -> None:
    judgement = judge_error(call="agent", **evidence)

    assert (judgement.outcome, judgement.fault) == (Outcome.ERROR, fault)


@pytest.mark.parametrize(
    ("evidence", "outcome"),
    [
        ({"error_type": "tool_error", "message": "Error calling tool 'boom'"}, Outcome.ERROR),
        ({"exception_type": "ValueError", "message": "the job timed out"}, Outcome.ERROR),
        ({"exception_type": "KeyError", "message": "maximum context length"}, Outcome.ERROR),
        ({"exception_type": "openai.RateLimitError"}, Outcome.ERROR),
        ({"http_status": 503}, Outcome.ERROR),
        ({"exception_type": "TimeoutError"}, Outcome.TIMEOUT),
        ({"exception_type": "httpx.ReadTimeout"}, Outcome.TIMEOUT),
        ({"error_type": "-32001", "exception_type": "mcp.shared.exceptions.MCPError"}, Outcome.TIMEOUT),
        ({"error_type": "-32602"}, Outcome.ERROR),
        ({}, Outcome.ERROR),
    ],
)
def test_a_failed_tool_is_nobodys_model_fault(evidence: dict[str, Any], outcome: Outcome) -> None:
    judgement = judge_error(call="tool", **evidence)

    assert (judgement.outcome, judgement.fault) == (outcome, None)


# names ----------------------------------------------------------------------------------------------------------------


def test_the_most_telling_name_is_shown() -> None:
    assert _llm(error_type="_OTHER", exception_type="a.ValueError").error_type == "ValueError"
    assert (
        _llm(exception_type="Exception", message="OpenAITimeoutError('no')Traceback").error_type == "OpenAITimeoutError"
    )
    assert _llm(http_status=503).error_type == "503"
    assert _llm(message="no class: here").error_type == ""


# anything -------------------------------------------------------------------------------------------------------------

words = st.text(max_size=60) | st.sampled_from(sorted(taxonomy.STEMS)) | st.just(OVERFLOW)


@settings(deadline=None, max_examples=200)
@given(words, words, words | st.text(min_size=3000, max_size=3000), st.none() | st.integers(), st.sampled_from(CALLS))
def test_no_evidence_makes_the_judge_raise_or_contradict_itself(
    error_type: str, exception_type: str, message: str, http_status: int | None, call: Call
) -> None:
    judgement = judge_error(
        error_type=error_type, exception_type=exception_type, message=message, http_status=http_status, call=call
    )

    assert (judgement.fault is not None) <= judgement.outcome.failed
    assert (judgement.fault is None) or call != "tool"
    assert (judgement.fault is not None) or call != "llm" or not judgement.outcome.failed
    assert len(judgement.error_type) <= 100


@pytest.mark.parametrize(
    "unit", ["a", "A", "a.", "A.", "exceed a b c ", "input token count ", "max turns ", "'type': '"]
)
def test_a_long_message_is_judged_by_its_beginning_alone(unit: str) -> None:
    long = unit * (20_000 // len(unit))

    assert judge_error(message=long + OVERFLOW, call="llm") == judge_error(message=long[:2000], call="llm")


def test_a_connection_lost_to_a_time_out_is_a_time_out() -> None:
    message = "Failed to connect to OpenAI API: Request timed out."
    assert judge_error(exception_type="ConnectionError", message=message, call="llm").outcome is Outcome.TIMEOUT
    assert judge_error(exception_type="ConnectionError", message="refused", call="llm").outcome is Outcome.ERROR
