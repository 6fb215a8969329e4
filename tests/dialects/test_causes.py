# SPDX-License-Identifier: Apache-2.0
"""What the names and wordings of providers, clients and frameworks mean."""

from __future__ import annotations

from typing import Any

import pytest

from otel_health.dialects import taxonomy
from otel_health.dialects.causes import cause_of, short_type
from otel_health.dialects.faults import Judgement, judge_error
from otel_health.dialects.reading import Fault, Outcome

OVERFLOWS = [
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
    "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    "prompt is too long: 210000 tokens > 200000 maximum",
    "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length",
    "Input is too long for requested model.",
    "Prompt too large for this model",
    "Prompt exceeds max length",
    "tokens in request more than max tokens allowed",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).",
    "Unable to submit request because the input token count is 70000 but the model only supports up to 32768",
    "Input length 301574 exceeds the maximum allowed input length of 262112 tokens.",
    "Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).",
    "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.",
    "Your input exceeds the context window of this model.",
    "Your input exceeds the model's context window",
    "Please reduce the length of the messages or completion.",
    "the request exceeds the available context size, try increasing it",
    "tokens to keep from the initial prompt is greater than the context length",
    "invalid params, context window exceeds limit",
    "prompt token count of 140000 exceeds the limit of 128000",
    "Your request exceeded model token limit: 131072 (requested: 200000)",
    "Too many input tokens. Max input tokens: 8000, request input token count: 9000",
    "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000",
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000",
    "Range of input length should be [1, 30720]",
    "Unable to trim conversation context!",
    "context window exceeded: requested 12000 tokens",
    "{'error': {'message': 'no', 'type': 'invalid_request_error', 'code': 'context_length_exceeded'}}",
    '{"error": {"type": "exceed_context_size_error"}}',
]
NO_OVERFLOWS = [
    ("Too many tokens, please wait", Fault.PROVIDER),
    ("Too many tokens per day, please wait before trying again.", Fault.PROVIDER),
    ("Tokens per minute limit exceeded - too many tokens processed", Fault.PROVIDER),
    ("request reached organization TPD rate limit, current: 1506556, limit: 1500000", Fault.PROVIDER),
    ("Throttling error: input is too long, please wait", Fault.PROVIDER),
    ("token count exceeds your organization quota", Fault.PROVIDER),
    ("Error code: 429 - This request exceeds the context limit of 30000 tokens", Fault.PROVIDER),
    ("max_tokens must be \u2264 4096", Fault.CALLER),
    ("max_tokens is too large: 100000. This model supports at most 16384 completion tokens", Fault.CALLER),
    ("schema is too long", Fault.CALLER),
    ("tool name is too long", Fault.CALLER),
    ("Invalid 'messages[1].content': string too long. Expected a string with maximum length 1048576", Fault.CALLER),
    ("Model context window too small (minimum is 128k tokens)", Fault.PROVIDER),
]


def _llm(**evidence: Any) -> Judgement:
    return judge_error(call="llm", **evidence)


@pytest.mark.parametrize("message", OVERFLOWS)
def test_an_overflow_is_recognised_by_its_wording(message: str) -> None:
    assert _llm(message=message).fault is Fault.OVERFLOW
    assert _llm(message=message.upper(), error_type="openai.BadRequestError", http_status=400).fault is Fault.OVERFLOW


@pytest.mark.parametrize(("message", "fault"), NO_OVERFLOWS)
def test_rations_and_settings_are_no_overflow(message: str, fault: Fault) -> None:
    assert _llm(message=message).fault is fault


@pytest.mark.parametrize(
    "name",
    [
        "pydantic_ai.exceptions.ModelContextWindowExceededError",
        "litellm.exceptions.ContextWindowExceededError",
        "strands.types.exceptions.ContextWindowOverflowException",
        "langchain_openai.chat_models.base.OpenAIContextOverflowError",
        "context_length_exceeded",
        "prompt_too_long",
    ],
)
def test_an_overflow_is_recognised_by_its_name(name: str) -> None:
    assert _llm(exception_type=name, http_status=400).fault is Fault.OVERFLOW
    assert _llm(error_type=name, message="anything").fault is Fault.OVERFLOW


@pytest.mark.parametrize(
    "name",
    [
        "openai.RateLimitError",
        "RateLimitError",
        "rate_limit_error",
        "rate_limit",
        "langchain_openai.chat_models.base.OpenAIRateLimitError",
        "pydantic_ai.exceptions.ModelRateLimitError",
        "<class 'openai.RateLimitError'>",
        "google.api_core.exceptions.ResourceExhausted",
        "RESOURCE_EXHAUSTED",
        "StatusCode.RESOURCE_EXHAUSTED",
        "ThrottlingException",
        "insufficient_quota",
        "overloaded_error",
        "anthropic.OverloadedError",
        "strands.types.exceptions.ModelThrottledException",
        "openai.InternalServerError",
        "pydantic_ai.exceptions.ModelServerError",
        "ModelErrorException",
        "UNAVAILABLE",
        "authentication_error",
        "openai.AuthenticationError",
        "permission_error",
        "AccessDeniedException",
        "openai.APIConnectionError",
        "openai.APIResponseValidationError",
        "httpx.ConnectError",
        "httpx.RemoteProtocolError",
        "requests.exceptions.ConnectionError",
        "aiohttp.client_exceptions.ClientConnectorError",
        "aiohttp.ServerDisconnectedError",
        "urllib3.exceptions.MaxRetryError",
        "ConnectionResetError",
        "socket.gaierror",
        "ECONNREFUSED",
        "botocore.exceptions.EndpointConnectionError",
        "something.NobodyKnows",
    ],
)
def test_rate_outage_credentials_network_and_the_unknown_are_the_providers(name: str) -> None:
    assert _llm(error_type=name) == Judgement(
        outcome=Outcome.ERROR, fault=Fault.PROVIDER, error_type=short_type(name), reason=""
    )
    assert _llm(exception_type=name).fault is Fault.PROVIDER


@pytest.mark.parametrize(
    "name",
    [
        "openai.BadRequestError",
        "invalid_request_error",
        "langchain_openai.chat_models.base.OpenAIInvalidRequestError",
        "request_too_large",
        "not_found_error",
        "INVALID_ARGUMENT",
        "google.api_core.exceptions.InvalidArgument",
        "FAILED_PRECONDITION",
        "ValidationException",
        "pydantic_core._pydantic_core.ValidationError",
        "content_filter",
        "openai.ContentFilterFinishReasonError",
        "litellm.exceptions.ContentPolicyViolationError",
        "openai.UnprocessableEntityError",
        "pydantic_ai.exceptions.UserError",
    ],
)
def test_bad_requests_and_refusals_are_the_callers(name: str) -> None:
    assert _llm(error_type=name).fault is Fault.CALLER
    assert _llm(exception_type=name, message="whatever").fault is Fault.CALLER


@pytest.mark.parametrize(
    "name",
    [
        "openai.APITimeoutError",
        "langchain_openai.chat_models.base.OpenAITimeoutError",
        "client_timeout_error",
        "litellm.exceptions.Timeout",
        "httpx2.ReadTimeout",
        "httpx.ConnectTimeout",
        "requests.exceptions.Timeout",
        "asyncio.TimeoutError",
        "builtins.TimeoutError",
        "DEADLINE_EXCEEDED",
        "google.api_core.exceptions.DeadlineExceeded",
        "GatewayTimeout",
        "ModelTimeoutException",
        "ETIMEDOUT",
        "urllib3.exceptions.ReadTimeoutError",
    ],
)
def test_a_time_out_is_the_providers_and_told_apart(name: str) -> None:
    judgement = _llm(exception_type=name)

    assert (judgement.outcome, judgement.fault, judgement.reason) == (Outcome.TIMEOUT, Fault.PROVIDER, "timeout")


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("openai.RateLimitError", "RateLimitError"),
        ("langchain_openai.chat_models.base.OpenAIRateLimitError", "OpenAIRateLimitError"),
        ("<class 'a.b.C'>", "C"),
        ("reqwest::Error", "Error"),
        ("rate_limit_error", "rate_limit_error"),
        ("-32001", "-32001"),
        ("AI_APICallError", "AI_APICallError"),
        ("it failed. Badly.", "it failed. Badly."),
        ("x" * 500, "x" * 100),
        ("", ""),
    ],
)
def test_a_short_type_is_the_class_without_its_module(name: str, short: str) -> None:
    assert short_type(name) == short


def test_every_row_of_the_tables_can_be_reached() -> None:
    unreachable = [stem for stem, cause in taxonomy.STEMS.items() if cause_of(stem) is not cause]
    shadowed = [ending for ending, cause in taxonomy.ENDINGS if cause_of(f"xy{ending}") is not cause]

    assert unreachable == shadowed == []
