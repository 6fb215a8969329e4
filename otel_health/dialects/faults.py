# SPDX-License-Identifier: Apache-2.0
"""Judge an error: whether it is one at all, whose fault it is, and what kind.

The same refusal of a provider reaches us under eight different names, so the evidence is taken in the order of how far
it can be trusted: HTTP status, `error.type`, class of the exception, and only then the wording of the message. What
the names and words mean is in `otel_health.dialects.taxonomy`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal

import msgspec

from otel_health.dialects.causes import (
    by_status,
    cause_in,
    cause_of,
    leading_class,
    says_overflow,
    says_timeout,
    short_type,
    tells,
)
from otel_health.dialects.reading import Fault, Outcome
from otel_health.dialects.taxonomy import LIMIT_TEXT, MODEL_TEXT, Cause

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


def judge_finish(finishes: Iterable[str], call: Call) -> Judgement | None:
    """Judge the finish reasons of a call that reports no error: None unless one means an overflow or a limit.

    `model_context_window_exceeded` is an overflow though the provider answered 200; `max_turns` is how a run ends.
    """
    ends = {Cause.OVERFLOW, Cause.LIMIT} if call == "agent" else {Cause.OVERFLOW}
    for finish in finishes:
        if (cause := cause_of(finish)) in ends:
            return _judgement(cause, short_type(finish), call)
    return None


@lru_cache(maxsize=_REMEMBERED)
def _judge(error_type: str, exception_type: str, message: str, http_status: int | None, call: Call) -> Judgement:
    names = tuple(name for name in (error_type, exception_type, leading_class(message)) if tells(name))
    said = message.lower()
    cause = _cause(names, said, http_status, call)
    if call == "agent" and cause in _PEERS and MODEL_TEXT.search(said):
        cause = _PEERS[cause]
    return _judgement(cause, short_type(names[0]) if names else str(http_status or ""), call)


_PEERS: Mapping[Cause | None, Cause] = {Cause.PEER: Cause.PROVIDER, Cause.PEER_TIMEOUT: Cause.TIMEOUT}


def _cause(names: tuple[str, ...], said: str, http_status: int | None, call: Call) -> Cause | None:
    named = next((cause for name in names if (cause := cause_of(name))), None)
    if named in _DECIDED:
        return named
    if call == "agent" and LIMIT_TEXT.search(said):
        return Cause.LIMIT
    if call != "tool" and http_status not in _NO_OVERFLOW_STATUS and says_overflow(said):
        return Cause.OVERFLOW
    if (coded := by_status(http_status or 0)) is not None or call == "tool":
        return coded or named
    if named is None:
        return cause_in(said)
    return Cause.PEER_TIMEOUT if named is Cause.PEER and says_timeout(said) else named


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

_NO_OVERFLOW_STATUS = frozenset({401, 403, 408, 429, 504})


def _judgement(cause: Cause | None, error_type: str, call: Call) -> Judgement:
    outcome, fault, reason = _MEANING[cause]
    if call == "agent":
        outcome = _AGENT_OUTCOME.get(cause, outcome)
        fault = fault if cause in _OF_A_MODEL_CALL else None
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
    Cause.BREAKER: (Outcome.REJECTED, None, "breaker"),
    Cause.LOOP: (Outcome.REJECTED, None, "loop"),
    Cause.BUDGET: (Outcome.REJECTED, None, "budget"),
    Cause.OVERFLOW: (Outcome.ERROR, Fault.OVERFLOW, ""),
    Cause.DEADLINE: (Outcome.TIMEOUT, Fault.PROVIDER, "timeout"),
    Cause.TIMEOUT: (Outcome.TIMEOUT, Fault.PROVIDER, "timeout"),
    Cause.PEER_TIMEOUT: (Outcome.TIMEOUT, Fault.PROVIDER, "timeout"),
    Cause.PROVIDER: (Outcome.ERROR, Fault.PROVIDER, ""),
    Cause.PEER: (Outcome.ERROR, Fault.PROVIDER, ""),
    Cause.CALLER: (Outcome.ERROR, Fault.CALLER, ""),
    None: (Outcome.ERROR, Fault.PROVIDER, ""),
}

_AGENT_OUTCOME: Mapping[Cause | None, Outcome] = {
    # One of the run's calls timed out or was rejected, and nobody caught it: the run itself failed.
    Cause.TIMEOUT: Outcome.ERROR,
    Cause.PEER_TIMEOUT: Outcome.ERROR,
    Cause.BREAKER: Outcome.ERROR,
    Cause.LOOP: Outcome.ERROR,
    Cause.BUDGET: Outcome.ERROR,
}

_OF_A_MODEL_CALL = frozenset({Cause.OVERFLOW, Cause.TIMEOUT, Cause.PROVIDER, Cause.CALLER})
"""Causes that on a run are evidence of a failed model call below it."""
