# SPDX-License-Identifier: Apache-2.0
"""Typed values from attribute maps that may hold anything."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_health.dialects import fields
from otel_health.dialects.reading import Usage
from otel_health.dialects.span import SpanEvent
from otel_health.testing import make_span

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40) | st.binary(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)
SENSELESS = [{"a": 1}, math.nan, math.inf, -math.inf, -5, -0.5, 2.5, True, False, [], [1], b"1", object(), 2**53 + 1]
SENSELESS += ["", "ten", "nan", "inf", "-5", "2.5", "9" * 40, 10**400]

thorough = settings(deadline=None, max_examples=150)


# text ---------------------------------------------------------------------------------------------------------------


def test_the_first_name_that_holds_text_wins() -> None:
    attrs = {"old": "older", "new": "newer"}

    assert fields.text(attrs, "new", "old") == "newer"
    assert fields.text(attrs, "missing", "old") == "older"


@pytest.mark.parametrize("value", [None, "", " \n\t", 5, 1.5, True, ["a"], {"a": "b"}, b"bytes", object()])
def test_what_is_no_text_is_passed_over(value: object) -> None:
    assert fields.text({"key": value, "old": "older"}, "key", "old") == "older"
    assert fields.text({"key": value}, "key") == ""


def test_text_is_one_bounded_line_without_secrets() -> None:
    assert fields.text({"key": "two\nlines\x00here"}, "key") == "two lines here"
    assert len(fields.text({"key": "x" * 5000}, "key", limit=30)) == 30
    assert "sk-" not in fields.text({"key": "bad key sk-proj-4b1cD2eF3gH4iJ5kL6m"}, "key")


# count and usage ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "number"),
    [(0, 0), (12, 12), (12.0, 12), ("12", 12), (" 12 ", 12), ("12.0", 12), (2**53, 2**53)],
)
def test_whole_numbers_are_counts_however_they_are_written(value: object, number: int) -> None:
    found, malformed = fields.count({"key": value}, "key")

    assert (found, malformed) == (number, 0)
    assert type(found) is int


@pytest.mark.parametrize("value", SENSELESS)
def test_a_senseless_count_is_unknown_and_reported(value: object) -> None:
    assert fields.count({"key": value}, "key") == (None, 1)


def test_an_absent_count_is_not_malformed() -> None:
    assert fields.count({}, "key") == (None, 0)
    assert fields.count({"key": None}, "key") == (None, 0)


def test_an_older_name_stands_in_for_a_senseless_value() -> None:
    assert fields.count({"new": -1, "old": 7}, "new", "old") == (7, 1)


@pytest.mark.parametrize(
    "attrs",
    [
        {"gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 20},
        {"gen_ai.usage.prompt_tokens": 100, "gen_ai.usage.completion_tokens": 20},
        {"llm.usage.prompt_tokens": 100, "llm.usage.completion_tokens": 20},
    ],
)
def test_older_names_of_the_same_counts_read_the_same(attrs: Mapping[str, Any]) -> None:
    assert fields.usage(attrs, fields.GEN_AI_USAGE) == (Usage(input=100, output=20), 0)


def test_old_and_new_names_on_one_span_count_once() -> None:
    attrs = {
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.prompt_tokens": 100,
        "gen_ai.usage.output_tokens": 20,
        "gen_ai.usage.completion_tokens": 20,
        "gen_ai.usage.cache_read.input_tokens": 30,
        "gen_ai.usage.cache_read_input_tokens": 30,
    }

    assert fields.usage(attrs, fields.GEN_AI_USAGE)[0] == Usage(input=100, output=20, cached_input=30)


@pytest.mark.parametrize(
    ("keys", "attrs"),
    [
        (
            fields.OPENINFERENCE_USAGE,
            {
                "llm.token_count.prompt": 100,
                "llm.token_count.completion": 20,
                "llm.token_count.prompt_details.cache_read": 40,
                "llm.token_count.prompt_details.cache_write": 5,
                "llm.token_count.completion_details.reasoning": 8,
            },
        ),
        (
            fields.AGGREGATED_USAGE,
            {
                "gen_ai.aggregated_usage.input_tokens": 100,
                "gen_ai.aggregated_usage.output_tokens": 20,
                "gen_ai.aggregated_usage.cache_read.input_tokens": 40,
                "gen_ai.aggregated_usage.cache_write.input_tokens": 5,
                "gen_ai.aggregated_usage.details.reasoning_tokens": 8,
            },
        ),
        (
            fields.GEN_AI_USAGE,
            {
                "gen_ai.usage.input_tokens": 100,
                "gen_ai.usage.output_tokens": 20,
                "gen_ai.usage.cache_read.input_tokens": 40,
                "gen_ai.usage.cache_creation.input_tokens": 5,
                "gen_ai.usage.details.reasoning_tokens": 8,
            },
        ),
    ],
    ids=["openinference", "aggregated", "genai"],
)
def test_every_family_gives_all_five_counts(keys: fields.UsageKeys, attrs: Mapping[str, Any]) -> None:
    assert fields.usage(attrs, keys) == (Usage(input=100, output=20, cached_input=40, cache_write=5, reasoning=8), 0)


def _usage(**counts: int) -> tuple[Usage, int]:
    keys = fields.UsageKeys(input=("i",), output=("o",), cached_input=("c",), cache_write=("w",), reasoning=("r",))
    return fields.usage(counts, keys)


def test_an_inclusive_input_stays_as_it_is() -> None:
    assert _usage(i=17_111, c=17_102)[0].input == 17_111


def test_cached_tokens_beyond_the_input_stand_beside_it() -> None:
    assert _usage(i=3, w=109_075, o=81)[0] == Usage(input=109_078, output=81, cache_write=109_075)
    assert _usage(i=10, c=6, w=6)[0].input == 22


def test_a_source_known_to_be_exclusive_has_its_parts_added() -> None:
    attrs = {"llm.token_count.prompt": 100, "llm.token_count.prompt_details.cache_read": 40}

    assert fields.usage(attrs, fields.OPENINFERENCE_USAGE, inclusive=False)[0].input == 140


def test_reasoning_is_part_of_the_output_unless_it_exceeds_it() -> None:
    assert _usage(o=1970, r=956)[0].output == 1970
    assert _usage(o=20, r=956)[0].output == 976


def test_parts_without_their_whole_leave_the_whole_unknown() -> None:
    assert _usage(c=5, w=5, r=5)[0] == Usage(cached_input=5, cache_write=5, reasoning=5)


def test_usage_reports_each_senseless_count() -> None:
    attrs = {"gen_ai.usage.input_tokens": math.nan, "gen_ai.usage.output_tokens": "12"}
    attrs |= {"gen_ai.usage.cache_read.input_tokens": {"a": 1}}

    assert fields.usage(attrs, fields.GEN_AI_USAGE) == (Usage(output=12), 2)


@thorough
@given(
    st.dictionaries(st.sampled_from([*fields.GEN_AI_USAGE.input, *fields.GEN_AI_USAGE.cached_input, "x"]), ANYTHING),
    st.booleans(),
)
def test_no_attributes_give_a_negative_or_fractional_count(attrs: dict[str, Any], inclusive: bool) -> None:
    tokens, malformed = fields.usage(attrs, fields.GEN_AI_USAGE, inclusive=inclusive)

    found = [n for n in (tokens.input, tokens.output, tokens.cached_input, tokens.cache_write) if n is not None]
    assert all(type(n) is int and n >= 0 for n in found)
    assert malformed >= 0
    assert tokens.input is None or tokens.input >= (tokens.cached_input or 0) + (tokens.cache_write or 0)


# strings, money, JSON -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (("stop",), ("stop",)),
        (["stop", "tool_calls"], ("stop", "tool_calls")),
        ('["stop", "length"]', ("stop", "length")),
        (' ["stop"]', ("stop",)),
        ('"stop"', ("stop",)),
        ("tool_calls", ("tool_calls",)),
        (["stop", None, 3, ""], ("stop",)),
        ("[broken", ()),
        ("", ()),
        ("[1, 2]", ()),
        (None, ()),
        (3, ()),
        ({"stop": 1}, ()),
        ('{"stop": 1}', ('{"stop": 1}',)),
    ],
)
def test_strings_come_as_a_list_as_json_or_alone(value: object, found: tuple[str, ...]) -> None:
    assert fields.strings({"key": value}, "key") == found


def test_strings_are_bounded_in_number_and_length() -> None:
    found = fields.strings({"key": ["x" * 1000] * 1000}, "key")

    assert len(found) == 16
    assert {len(word) for word in found} == {100}


def test_strings_fall_back_to_the_next_name() -> None:
    assert fields.strings({"new": [], "old": "stop"}, "new", "old") == ("stop",)


@pytest.mark.parametrize(("value", "amount"), [(0, 0.0), (0.25, 0.25), ("0.25", 0.25), (3, 3.0)])
def test_an_amount_is_a_number_or_a_numeral(value: object, amount: float) -> None:
    assert fields.money({"key": value}, "key") == amount


@pytest.mark.parametrize("value", [None, -0.1, math.nan, math.inf, True, "free", "nan", {}, [], 10**400])
def test_what_is_no_amount_is_unknown(value: object) -> None:
    assert fields.money({"key": value}, "key") is None
    assert fields.money({"key": value, "old": 1}, "key", "old") == 1.0


def test_a_json_object_is_taken_as_it_is_or_parsed() -> None:
    mapping = MappingProxyType({"a": 1})

    assert fields.json_object(mapping) is mapping
    assert fields.json_object('{"a": [1, null]}') == {"a": [1, None]}


@pytest.mark.parametrize(
    "value", [None, "", "[1]", "3", "{", "{'a': 1}", "\ud800{}", '{"a": NaN}', "[" * 5000, 5, ["{}"], b"{}"]
)
def test_what_is_no_json_object_is_an_empty_one(value: object) -> None:
    assert fields.json_object(value) == {}


def test_json_beyond_the_limit_is_not_parsed() -> None:
    assert fields.json_object(json.dumps({"a": "x" * 100}), limit=100) == {}
    assert fields.json_object(json.dumps({"a": "x" * 100}), limit=200) == {"a": "x" * 100}


# exceptions ---------------------------------------------------------------------------------------------------------


def test_the_last_recorded_exception_is_the_one_that_counts() -> None:
    span = make_span(
        events=[
            SpanEvent("exception", {"exception.type": "KeyError", "exception.message": "first"}),
            SpanEvent("exception", {"exception.type": "ValueError", "exception.message": "second\nline"}),
            SpanEvent("gen_ai.choice", {"exception.type": "no exception"}),
        ]
    )

    assert fields.exception(span) == ("ValueError", "second line")


def test_a_span_without_exception_has_none() -> None:
    assert fields.exception(make_span(events=[SpanEvent("log")])) is None


def test_an_exception_with_attributes_of_other_types_is_still_one() -> None:
    span = make_span(events=[SpanEvent("exception", {"exception.type": 5, "exception.message": {"a": 1}})])

    assert fields.exception(span) == ("", "")


# anything -----------------------------------------------------------------------------------------------------------


@thorough
@given(ANYTHING)
def test_no_value_makes_any_reader_raise(value: object) -> None:
    attrs = {"key": value}

    assert isinstance(fields.text(attrs, "key"), str)
    assert all(isinstance(word, str) for word in fields.strings(attrs, "key"))
    assert isinstance(fields.json_object(value), Mapping)
    amount = fields.money(attrs, "key")
    assert amount is None or (amount >= 0 and math.isfinite(amount))
    fields.exception(make_span(events=[SpanEvent("exception", {"exception.message": value})]))
