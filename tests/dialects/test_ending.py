# SPDX-License-Identifier: Apache-2.0
"""The signs of failure."""

from __future__ import annotations

from typing import Any

import pytest

from otel_health.dialects.ending import FINE, ending, finished, marked_failed
from otel_health.dialects.reading import Fault, Kind, Outcome, Reading
from otel_health.dialects.span import SpanEvent
from otel_health.testing import make_span


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        ({"error": ""}, True),
        ({"attributes": {"error.type": "timeout"}}, True),
        ({"attributes": {"error.type": ""}}, False),
        ({"attributes": {"error.type": 500}}, False),
        ({"attributes": {"gen_ai.tool.status": "error"}}, True),
        ({"attributes": {"gen_ai.task.status": "failure"}}, True),
        ({"events": [SpanEvent("exception", {"exception.type": "ValueError"})]}, False),
        ({}, False),
    ],
)
def test_a_span_is_marked_failed_by_status_type_or_a_frameworks_own_word(
    span: dict[str, Any], *, expected: bool
) -> None:
    assert marked_failed(make_span("x", **span)) is expected


def test_the_exceptions_message_is_preferred_and_the_status_still_judged() -> None:
    event = SpanEvent("exception", {"exception.type": "BadRequestError", "exception.message": "refused"})
    how = ending(make_span("x", error="Error code: 503", events=[event]), "llm")
    assert (how.outcome, how.error, how.error_type) == (Outcome.ERROR, "refused", "BadRequestError")


def test_a_pause_leaves_no_error_text() -> None:
    event = SpanEvent("exception", {"exception.type": "langgraph.errors.GraphInterrupt", "exception.message": "wait"})
    how = ending(make_span("x", error="wait", events=[event]), "agent")
    assert (how.outcome, how.error, how.reason) == (Outcome.OK, "", "paused")


def test_the_status_of_an_http_response_decides_the_fault() -> None:
    refused = make_span("x", {"http.response.status_code": 422}, error="no")
    assert ending(refused, "llm").fault is Fault.CALLER
    answered = make_span("x", {"http.response.status_code": 200, "error.type": "client_timeout_error"})
    assert ending(answered, "llm").outcome is Outcome.TIMEOUT


def test_ordinary_finish_reasons_mean_nothing() -> None:
    assert finished(("stop", "tool_calls"), "llm") is FINE


def test_an_ending_is_put_on_a_reading_without_touching_the_rest() -> None:
    reading = Reading(kind=Kind.TOOL, why="because", name="search")
    put = ending(make_span("x", error="boom"), "tool").put_on(reading)
    assert (put.name, put.why, put.outcome, put.error) == ("search", "because", Outcome.ERROR, "boom")
