# SPDX-License-Identifier: Apache-2.0
"""Judge an error: whether it is one at all, whose fault it is, and what kind.

The same refusal of a provider reaches us under eight different names, so the evidence is taken in the order of how far
it can be trusted: HTTP status, `error.type`, class of the exception, and only then the wording of the message. What
the names and words mean is in `otel_health.dialects.taxonomy`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Literal

import msgspec
from opentelemetry.semconv.attributes.error_attributes import ErrorTypeValues

from otel_health.dialects.reading import Fault, Outcome
from otel_health.dialects.taxonomy import (
    DEADLINES,
    ENDINGS,
    LIMIT_TEXT,
    NO_OVERFLOW_TEXT,
    OVERFLOW_TEXT,
    STEMS,
    TEXTS,
    Cause,
    by_status,
)
from otel_health.events.text import one_line

Call = Literal["llm", "tool", "agent"]

MESSAGE_LIMIT = 2000
"""Characters of a message that are looked at."""

_REMEMBERED = 256
"""Errors whose judgement is remembered: one crosses several spans of a trace unchanged."""


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """What an error means."""

    outcome: Outcome
    fault: Fault | None = None
    """Whose fault: always set on a failed model call, never on a tool; on an agent where the evidence names it."""
    error_type: str = ""
    """Short class or code, "" when none was given."""
    reason: str = ""
    """`timeout`, `turn_limit`, `budget`, `breaker`, `loop`, `paused`, `handoff`, `stream_abandoned` or ""."""
    limit_reached: bool = False
    """The run's own limit on turns, steps, calls or tokens ended it."""


def judge_error(
    *,
    error_type: str = "",
    exception_type: str = "",
    message: str = "",
    http_status: int | None = None,
    call: Call,
) -> Judgement:
    """Judge what a span says about its error. Never raises; cheap when asked the same again.

    Args:
        error_type: Value of `error.type`: a class, a provider's code or an HTTP status; "" when absent.
        exception_type: Class of the recorded exception, with or without its module; "" when absent.
        message: Status description or the exception's message; only its first 2 000 characters count.
        http_status: Status of the response, where the span has it.
        call: What failed.

    Returns:
        For a model call: the provider's fault for 429, 5xx, time-outs, authentication, the network and whatever cannot
        be told; the caller's for other 4xx, validation and refusals; overflow for a request that exceeds the context.
        Cancellations, pauses and hand-offs are no failures, limits of the run are.
    """
    return _judge(error_type, exception_type, message[:MESSAGE_LIMIT], http_status, call)


@lru_cache(maxsize=_REMEMBERED)
def _judge(error_type: str, exception_type: str, message: str, http_status: int | None, call: Call) -> Judgement:
    names = tuple(name for name in (error_type, exception_type, _leading_class(message)) if _tells(name))
    shown = short_type(names[0]) if names else str(http_status or "")
    return _judgement(_cause(names, message, http_status, call), shown, call)


def _cause(names: tuple[str, ...], message: str, http_status: int | None, call: Call) -> Cause | None:
    named = next((cause for name in names if (cause := cause_of(name))), None)
    if named in _DECIDED:
        return named
    if call == "agent" and LIMIT_TEXT.search(message):
        return Cause.LIMIT
    if call != "tool" and http_status not in _NO_OVERFLOW_STATUS and says_overflow(message):
        return Cause.OVERFLOW
    if (by_code := by_status(http_status or 0)) is not None or call == "tool":
        return by_code or named
    worded = _cause_in(message) if named in (None, Cause.PROVIDER) else None
    return worded if named is None or worded is Cause.TIMEOUT else named  # a lost connection may be a time-out


_DECIDED = frozenset(
    {
        Cause.PAUSED,
        Cause.HANDOFF,
        Cause.ENDED,
        Cause.CANCELLED,
        Cause.ABANDONED,
        Cause.LIMIT,
        Cause.BREAKER,
        Cause.LOOP,
        Cause.BUDGET,
        Cause.OVERFLOW,
    }
)
"""Causes that a class alone settles: no status or wording makes them anything else."""

_WIRE = frozenset({Cause.OVERFLOW, Cause.TIMEOUT, Cause.PROVIDER, Cause.CALLER})
"""Causes that only a call across the wire can have."""

_NO_OVERFLOW_STATUS = frozenset({401, 403, 408, 429, 504})


def _judgement(cause: Cause | None, error_type: str, call: Call) -> Judgement:
    outcome, fault, reason = _MEANING[cause]
    if call == "agent":
        outcome = _AGENT_OUTCOME.get(cause, outcome)
        fault = fault if cause in _WIRE else None
    return Judgement(
        outcome=outcome,
        fault=fault if outcome.failed and call != "tool" else None,
        error_type=error_type,
        reason=reason,
        limit_reached=cause is Cause.LIMIT or (cause is Cause.BUDGET and call == "agent"),
    )


_MEANING: Mapping[Cause | None, tuple[Outcome, Fault | None, str]] = {
    Cause.PAUSED: (Outcome.OK, None, "paused"),
    Cause.HANDOFF: (Outcome.OK, None, "handoff"),
    Cause.ENDED: (Outcome.OK, None, ""),
    Cause.CANCELLED: (Outcome.CANCELLED, None, ""),
    Cause.ABANDONED: (Outcome.ABANDONED, None, "stream_abandoned"),
    Cause.LIMIT: (Outcome.ERROR, Fault.CALLER, "turn_limit"),
    Cause.BREAKER: (Outcome.REJECTED, Fault.CALLER, "breaker"),
    Cause.LOOP: (Outcome.REJECTED, Fault.CALLER, "loop"),
    Cause.BUDGET: (Outcome.REJECTED, Fault.CALLER, "budget"),
    Cause.OVERFLOW: (Outcome.ERROR, Fault.OVERFLOW, ""),
    Cause.DEADLINE: (Outcome.TIMEOUT, Fault.PROVIDER, "timeout"),
    Cause.TIMEOUT: (Outcome.TIMEOUT, Fault.PROVIDER, "timeout"),
    Cause.PROVIDER: (Outcome.ERROR, Fault.PROVIDER, ""),
    Cause.CALLER: (Outcome.ERROR, Fault.CALLER, ""),
    None: (Outcome.ERROR, Fault.PROVIDER, ""),
}

_AGENT_OUTCOME: Mapping[Cause | None, Outcome] = {
    Cause.TIMEOUT: Outcome.ERROR,  # one of its calls timed out, not the run
    Cause.BREAKER: Outcome.ERROR,  # one of its calls was rejected, and nobody caught it
    Cause.LOOP: Outcome.ERROR,
    Cause.BUDGET: Outcome.ERROR,
}


def cause_of(name: str) -> Cause | None:
    """Return what a class or code means (`openai.RateLimitError`, `rate_limit`, `429`), None when it tells nothing."""
    short = short_type(name)
    if short in DEADLINES:
        return Cause.DEADLINE
    stem = _stem(short)
    if (cause := STEMS.get(stem)) is not None:
        return cause
    if stem.isdecimal() and len(stem) == 3:
        return by_status(int(stem))
    return next((cause for ending, cause in ENDINGS if stem.endswith(ending)), None)


def short_type(name: str) -> str:
    """Return a class without its module (`openai.RateLimitError` gives `RateLimitError`); codes stay as they are."""
    line = one_line(name, 200)
    if line.startswith("<class '"):
        line = line[8:].partition("'")[0]
    return _QUALIFIER.sub("", line)[:100]


_QUALIFIER = re.compile(r"^(?:[A-Za-z_]\w*(?:\.|::))+(?=\w+$)")


def _stem(short: str) -> str:
    return _CLOSING.sub("", _JOINTS.sub("", short).lower())


_JOINTS = re.compile(r"(?<=\w)[-_ ]+|^_+")
_CLOSING = re.compile(r"(?:error|exception)+$")


def _tells(name: str) -> bool:
    """Tell whether a name says more than that there was an error (`Exception`, `_OTHER`)."""
    return bool(name) and name != ErrorTypeValues.OTHER.value and bool(_stem(short_type(name)))


def _leading_class(message: str) -> str:
    found = _LEADING_CLASS.match(message)
    return found[0] if found else ""


_LEADING_CLASS = re.compile(
    r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exceeded|Timeout|Interrupt|Exit|Cancelled|Command)(?=[(:]|$)"
)
"""`CancelledError()`, `ValueError('...')Traceback ...`, `litellm.Timeout: ...`: some put it into the text only."""


def says_overflow(message: str) -> bool:
    """Tell whether an error text says that a request exceeded the model's context, not a ration or a setting."""
    return bool(OVERFLOW_TEXT.search(message)) and not NO_OVERFLOW_TEXT.search(message)


def _cause_in(message: str) -> Cause | None:
    if found := _STATUS.search(message):
        return by_status(int(found[1] or found[2]))
    coded = (cause_of(code) for code in _codes_in(message))
    if cause := next((cause for cause in coded if cause), None):
        return cause
    return next((cause for pattern, cause in TEXTS if pattern.search(message)), None)


_STATUS = re.compile(
    r"(?i)(?:error code|status[_ ]code|status|\bhttp(?:/[\d.]{1,3})?|\bcode|client error|server error)"
    r"""["']?\s?[:=]?\s?["']?([45]\d\d)\b|^([45]\d\d)\b"""
)


def _codes_in(message: str) -> Iterator[str]:
    """Yield codes quoted in a body (JSON or the repr of a dict), the finer `code` before the coarser `type`."""
    for key in ("code", "status", "type"):
        for found in re.finditer(rf"""["']{key}["']: ?["'](\w{{3,60}})["']""", message):
            yield found[1]
    yield from (found[1] or found[2] for found in _CODED.finditer(message))


_CODED = re.compile(r"An error occurred \((\w+)\)|StatusCode\.(\w+)")
"""botocore's `An error occurred (ThrottlingException) when calling ...`, gRPC's `status = StatusCode.UNAVAILABLE`."""
