# SPDX-License-Identifier: Apache-2.0
"""Look one piece of evidence up in the taxonomy: a name, a status or a text of an error gives a `Cause` or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from opentelemetry.semconv.attributes.error_attributes import ErrorTypeValues

from otel_health.dialects.taxonomy import (
    DEADLINES,
    ENDINGS,
    NO_OVERFLOW_TEXT,
    OVERFLOW_TEXT,
    OVERFLOW_WORDS,
    STEMS,
    TEXTS,
    Cause,
)
from otel_health.events.text import one_line


def cause_of(name: str) -> Cause | None:
    """Return what a class or code means (`openai.RateLimitError`, `rate_limit`, `429`), None when it tells nothing."""
    short = short_type(name)
    if short in DEADLINES:
        return Cause.DEADLINE
    stem = _stem(short)
    if (cause := STEMS.get(stem)) is not None:
        return cause
    if len(stem) == 3 and stem.isdecimal():
        return by_status(int(stem))
    return next((cause for ending, cause in ENDINGS if stem.endswith(ending)), None)


def by_status(status: int) -> Cause | None:
    """Return what the HTTP status of a model provider says, None for one that is no error."""
    if status in (408, 504, 524):  # 524: Cloudflare waited in vain for the origin
        return Cause.TIMEOUT
    if status == 499:  # nginx, Google: the client closed the request
        return Cause.CANCELLED
    if status in _REFUSED_TO_SERVE or 500 <= status <= 599:
        return Cause.PROVIDER
    return Cause.CALLER if 400 <= status <= 499 else None


_REFUSED_TO_SERVE = frozenset({401, 402, 403, 424, 429})
"""Credentials, credit (402: DeepSeek, Anthropic's billing_error), rate, and Bedrock's ModelErrorException (424)."""


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


def tells(name: str) -> bool:
    """Tell whether an error's name says more than that there was an error (`Exception`, `_OTHER`)."""
    return bool(name) and name != ErrorTypeValues.OTHER.value and bool(_stem(short_type(name)))


def leading_class(message: str) -> str:
    """Return the class that an error text begins with, "" where it begins with none."""
    found = _LEADING_CLASS.match(message)
    return found[0] if found else ""


_LEADING_CLASS = re.compile(
    r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exceeded|Timeout|Interrupt|Exit|Cancelled|Command)(?=[(:]|$)"
)
"""`CancelledError()`, `ValueError('...')Traceback ...`, `litellm.Timeout: ...`: some put it into the text only."""


def says_overflow(said: str) -> bool:
    """Tell whether an error text in lower case means the model's context, and not a ration or a setting."""
    if not any(word in said for word in OVERFLOW_WORDS):
        return False
    return bool(OVERFLOW_TEXT.search(said)) and not NO_OVERFLOW_TEXT.search(said)


def says_timeout(said: str) -> bool:
    """Tell whether an error text in lower case speaks of a time-out: a connection is often lost to one."""
    return cause_in(said) in (Cause.TIMEOUT, Cause.PEER_TIMEOUT)


def cause_in(said: str) -> Cause | None:
    """Return what an error text in lower case means, by the status, code or wording in it."""
    if found := _PROVIDER_STATUS.search(said):
        return by_status(int(found[1]))
    if cause := next(filter(None, map(cause_of, _codes_in(said))), None):
        return cause
    if found := _ANY_STATUS.search(said):
        return _ANY_PEER.get(cause := by_status(int(found[1] or found[2])), cause)
    return next((cause for pattern, cause in TEXTS if pattern.search(said)), None)


_ANY_PEER: Mapping[Cause | None, Cause] = {Cause.PROVIDER: Cause.PEER, Cause.TIMEOUT: Cause.PEER_TIMEOUT}

_PROVIDER_STATUS = re.compile(r"\b(?:error code|status_code): ([45]\d\d)\b")
"""As OpenAI's and Anthropic's clients and pydantic-ai write it."""
_ANY_STATUS = re.compile(
    r"""\b(?:status code|status|http|code|client error|server error)["']?\s?[:=]?\s?["']?([45]\d\d)\b|^([45]\d\d)\b"""
)
"""As httpx, requests, google-genai, Mistral's client and others do, some of them for tools as well."""


def _codes_in(said: str) -> Iterator[str]:
    """Yield codes quoted in a body (JSON or the repr of a dict), the finer `code` before the coarser `type`."""
    for pattern in _CODED:
        for found in pattern.finditer(said):
            yield found[1]


_CODED = (
    re.compile(r"""["']code["']: ?["'](\w{3,60})["']"""),
    re.compile(r"""["']status["']: ?["'](\w{3,60})["']"""),
    re.compile(r"""["']type["']: ?["'](\w{3,60})["']"""),
    re.compile(r"an error occurred \((\w{3,60})\)"),  # botocore
    re.compile(r"statuscode\.(\w{3,60})"),  # gRPC
)
