# SPDX-License-Identifier: Apache-2.0
"""Pull typed values out of attribute maps that may hold anything.

Every function takes the first of several names that has a usable value, so a list of names is a history: the current
name first, its predecessors after it. A value of the wrong type is never an error; it is absent, and where a count was
expected it is reported as malformed besides. These run for every span: the usual case is one look-up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from otel_health import semconv
from otel_health.dialects.reading import Usage
from otel_health.dialects.span import Span
from otel_health.events.text import one_line

Attributes = Mapping[str, Any]

COUNT_LIMIT = 2**53
"""No real count is greater: beyond it JSON and floats lose whole numbers."""
JSON_LIMIT = 8192
"""Characters of JSON in an attribute that are worth parsing; longer text is content, not data for health."""
ERROR_TEXT_LIMIT = 2000
"""Most characters of an exception's message; provider errors carry what matters within them."""
_LIST_LIMIT = 16
_NUMERAL_LIMIT = 32


def text(attrs: Attributes, *keys: str, limit: int = 200) -> str:
    """Return the first value that is a non-empty string, as one line of at most `limit` characters; else ""."""
    for key in keys:
        value = attrs.get(key)
        if value and isinstance(value, str) and (line := one_line(value, limit)):
            return line
    return ""


def count(attrs: Attributes, *keys: str) -> tuple[int | None, int]:
    """Return the first sensible count and how many senseless values stood before it.

    A count is a whole number in 0..2**53, also as a float (`12.0`) or a numeral (`"12"`). `None` is absent. Booleans,
    negative numbers, NaN, infinities and all other types are senseless.
    """
    malformed = 0
    for key in keys:
        value = attrs.get(key)
        if value is None:
            continue
        if (number := _whole(value)) is not None:
            return number, malformed
        malformed += 1
    return None, malformed


def _whole(value: object) -> int | None:
    if type(value) is int:
        return value if 0 <= value <= COUNT_LIMIT else None
    if isinstance(value, str):
        value = _numeral(value)
    if isinstance(value, float) and 0 <= value <= COUNT_LIMIT and value.is_integer():  # false for NaN
        return int(value)
    return None


def _numeral(value: str) -> float | None:
    try:
        return float(value) if len(value) <= _NUMERAL_LIMIT else None
    except ValueError:
        return None


class UsageKeys(msgspec.Struct, frozen=True, kw_only=True):
    """Where a family of instrumentations puts its token counts: alternative names, the current one first."""

    input: tuple[str, ...]
    output: tuple[str, ...]
    cached_input: tuple[str, ...] = ()
    cache_write: tuple[str, ...] = ()
    reasoning: tuple[str, ...] = ()


GEN_AI_USAGE = UsageKeys(
    input=(
        semconv.GEN_AI_USAGE_INPUT_TOKENS,
        semconv.GEN_AI_USAGE_PROMPT_TOKENS,
        semconv.LLM_USAGE_PROMPT_TOKENS,
    ),
    output=(
        semconv.GEN_AI_USAGE_OUTPUT_TOKENS,
        semconv.GEN_AI_USAGE_COMPLETION_TOKENS,
        semconv.LLM_USAGE_COMPLETION_TOKENS,
    ),
    cached_input=(
        semconv.GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
        semconv.GEN_AI_USAGE_CACHE_READ_FLAT,
        semconv.PYDANTIC_AI_CACHE_READ_TOKENS,
    ),
    cache_write=(
        semconv.GEN_AI_USAGE_CACHE_WRITE_INPUT_TOKENS,
        semconv.GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS,
        semconv.GEN_AI_USAGE_CACHE_WRITE_FLAT,
        semconv.GEN_AI_USAGE_CACHE_CREATION_FLAT,
        semconv.PYDANTIC_AI_CACHE_WRITE_TOKENS,
    ),
    reasoning=(
        semconv.GEN_AI_USAGE_REASONING_OUTPUT_TOKENS,
        semconv.GEN_AI_USAGE_REASONING_TOKENS,
        semconv.PYDANTIC_AI_REASONING_TOKENS,
    ),
)
"""The GenAI conventions, current and older, and what instrumentations that follow them add."""

AGGREGATED_USAGE = UsageKeys(
    input=(semconv.PYDANTIC_AI_AGGREGATED_INPUT_TOKENS,),
    output=(semconv.PYDANTIC_AI_AGGREGATED_OUTPUT_TOKENS,),
    cached_input=(semconv.PYDANTIC_AI_AGGREGATED_CACHE_READ_TOKENS,),
    cache_write=(semconv.PYDANTIC_AI_AGGREGATED_CACHE_WRITE_TOKENS,),
    reasoning=(semconv.PYDANTIC_AI_AGGREGATED_REASONING_TOKENS,),
)
"""pydantic-ai's sums on an agent span, which repeat what its model calls said."""

OPENINFERENCE_USAGE = UsageKeys(
    input=(semconv.OPENINFERENCE_PROMPT_TOKENS,),
    output=(semconv.OPENINFERENCE_COMPLETION_TOKENS,),
    cached_input=(semconv.OPENINFERENCE_CACHE_READ_TOKENS,),
    cache_write=(semconv.OPENINFERENCE_CACHE_WRITE_TOKENS,),
    reasoning=(semconv.OPENINFERENCE_REASONING_TOKENS,),
)
"""OpenInference."""


def usage(attrs: Attributes, keys: UsageKeys, *, inclusive: bool = True) -> tuple[Usage, int]:
    """Return the tokens of a span and how many of its counts were senseless.

    By the conventions the input includes cached and cache-write tokens and the output includes reasoning tokens. Not
    everybody keeps to them, so a part greater than its whole is taken as standing beside it, and added; nothing is ever
    subtracted.

    Args:
        attrs: The span's attributes.
        keys: Where the counts are.
        inclusive: False where the source is known to leave cached and cache-write tokens out of the input.
    """
    plain, bad_input = count(attrs, *keys.input)
    output, bad_output = count(attrs, *keys.output)
    cached, bad_cached = count(attrs, *keys.cached_input)
    written, bad_written = count(attrs, *keys.cache_write)
    reasoning, bad_reasoning = count(attrs, *keys.reasoning)
    tokens = Usage(
        input=_with_parts(plain, (cached or 0) + (written or 0), inclusive=inclusive),
        output=_with_parts(output, reasoning or 0, inclusive=True),
        cached_input=cached,
        cache_write=written,
        reasoning=reasoning,
    )
    return tokens, bad_input + bad_output + bad_cached + bad_written + bad_reasoning


def _with_parts(whole: int | None, parts: int, *, inclusive: bool) -> int | None:
    if whole is None or (inclusive and parts <= whole):
        return whole
    return whole + parts


def strings(attrs: Attributes, *keys: str) -> tuple[str, ...]:
    """Return the first value that holds strings: a list of them, such a list as JSON, or one string by itself.

    At most 16, each one line of at most 100 characters; members of other types are left out.
    """
    for key in keys:
        if found := _strings(attrs.get(key)):
            return found
    return ()


def _strings(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        value = _list_of(value)
    if not isinstance(value, list | tuple):
        return ()
    lines = (one_line(item, 100) for item in value[:_LIST_LIMIT] if isinstance(item, str))
    return tuple(line for line in lines if line)


def _list_of(value: str) -> object:
    parsed = _parsed(value) if value.lstrip()[:1] in ("[", '"') else value
    return [parsed] if isinstance(parsed, str) else parsed


def money(attrs: Attributes, *keys: str) -> float | None:
    """Return the first amount in 0..2**53 (also as a numeral), else None."""
    for key in keys:
        value = attrs.get(key)
        if isinstance(value, str):
            value = _numeral(value)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= COUNT_LIMIT:
            return float(value)
    return None


def json_object(value: object, limit: int = JSON_LIMIT) -> Mapping[str, Any]:
    """Return `value` if it is a mapping, or the object it is JSON of; else, or beyond `limit` characters, `{}`."""
    if isinstance(value, Mapping):
        return value
    parsed = _parsed(value, limit) if isinstance(value, str) else None
    return parsed if isinstance(parsed, dict) else {}


def _parsed(value: str, limit: int = JSON_LIMIT) -> object:
    if len(value) > limit:
        return None
    try:
        return msgspec.json.decode(value)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):  # lone surrogates are no UTF-8
        return None


def exception(span: Span) -> tuple[str, str] | None:
    """Return type and message of the last exception the span recorded, or None; either may be ""."""
    for event in reversed(span.events):
        if event.name == semconv.EXCEPTION_EVENT:
            attrs = event.attributes
            message = text(attrs, semconv.EXCEPTION_MESSAGE, limit=ERROR_TEXT_LIMIT)
            return text(attrs, semconv.EXCEPTION_TYPE), message
    return None
