# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_health.sources.json_cursor import BrokenJsonError, JsonCursor

MODEST = settings(deadline=None, max_examples=50)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab-{[ ,:", max_size=3), inner, max_size=4),
    max_leaves=20,
)


def cut(text: bytes, size: int) -> Iterator[bytes]:
    return (text[start : start + size] for start in range(0, len(text), size))


def rebuilt(cursor: JsonCursor) -> Any:
    """Step into everything there is, and lift out only what has no inside."""
    match cursor.peek():
        case b"[":
            return [rebuilt(cursor) for _ in cursor.elements()]
        case b"{":
            return {key: rebuilt(cursor) for key in cursor.members()}
        case _:
            return json.loads(cursor.value())


def values(cursor: JsonCursor) -> dict[str, bytes]:
    return {key: cursor.value() for key in cursor.members()}


@MODEST
@given(JSON, st.integers(1, 9), st.sampled_from([None, 2]))
def test_a_value_is_lifted_out_whole_however_the_text_is_cut(value: Any, size: int, indent: int | None) -> None:
    text = json.dumps(value, indent=indent).encode()
    cursor = JsonCursor(cut(text + b" \n", size))
    assert json.loads(cursor.value()) == value
    assert cursor.peek() == b""


@MODEST
@given(st.lists(JSON, max_size=4) | st.dictionaries(st.sampled_from(["a", "bc", "d-e"]), JSON), st.integers(1, 9))
def test_stepping_through_gives_what_a_decoder_gives(value: Any, size: int) -> None:
    text = json.dumps(value).encode()
    assert rebuilt(JsonCursor(cut(text, size))) == json.loads(text)


@MODEST
@given(st.lists(st.fixed_dictionaries({"id": JSON, "links": st.lists(st.fixed_dictionaries({"id": JSON}))})))
def test_elements_that_begin_alike_are_told_apart_from_what_is_in_them(value: list[Any]) -> None:
    cursor = JsonCursor([json.dumps(value).encode()])
    assert [json.loads(cursor.value()) for _ in cursor.elements()] == value


@MODEST
@given(st.binary(max_size=60), st.integers(1, 9))
def test_any_bytes_give_values_or_a_broken_json_error(text: bytes, size: int) -> None:
    cursor = JsonCursor(cut(text, size))
    with suppress(BrokenJsonError):
        while cursor.peek():
            cursor.value()
    assert 0 <= cursor.offset <= len(text)


@pytest.mark.parametrize(
    ("text", "offset", "what"),
    [
        (b'{"a" 1}', 5, "':' expected after the key 'a', found '1}'"),
        (b'{"a": 1 "b"', 8, "',' or '}' expected, found '\"b\"'"),
        (b"{a: 1}", 1, "a key in double quotes expected, found 'a: 1}'"),
        (b'{"a":', 5, "a value expected, found the end"),
        (b'{"a": ]', 6, "a value expected, found ']'"),
        (b'{"a": "b', 6, "a string is cut short, found '\"b'"),
        (b'{"a": [{"b": "c', 6, 'a string is cut short, found \'[{"b": "c\''),
        (b'{"a": [1, 2', 6, "a value is cut short, found '[1, 2'"),
        (b'{"a": ["b\nc"]}', 6, "a string holds a control character, found '[\"b\\nc\"]}'"),
        (b'{"a": "b\nc"}', 6, "a string holds a control character, found '\"b\\nc\"}'"),
        (b" nul", 1, "'{' expected, found 'nul'"),
        (b"7", 0, "'{' expected, found '7'"),
    ],
)
def test_a_broken_place_is_named_exactly(text: bytes, offset: int, what: str) -> None:
    cursor = JsonCursor([text])
    with pytest.raises(BrokenJsonError) as caught:
        values(cursor)
    assert str(caught.value) == what
    assert caught.value.offset == offset


def test_null_stands_for_an_empty_array_and_an_empty_object() -> None:
    assert list(JsonCursor([b"null"]).elements()) == []
    assert list(JsonCursor([b" null "]).members()) == []
    assert list(JsonCursor([b" ", b"n", b"u", b"ll"]).members()) == []


def test_reading_goes_on_at_the_next_line_that_begins_with_a_bracket() -> None:
    cursor = JsonCursor(cut(b'x {\n  {"no": 1}\n{"yes": 2}\n', 3))
    assert cursor.restart()
    assert cursor.value() == b'{"yes": 2}'
    assert not cursor.restart()


def test_a_value_beyond_the_limit_is_refused_with_the_limit() -> None:
    cursor = JsonCursor(cut(b'["' + b"a" * 5000, 100), limit_bytes=1000)
    with pytest.raises(BrokenJsonError, match="a value is larger than 1,000 bytes"):
        cursor.value()


def test_no_more_is_held_than_the_value_in_hand() -> None:
    asked = 0

    def pieces() -> Iterator[bytes]:
        nonlocal asked
        yield b"["
        while True:
            asked += 1
            yield b'{"id": "' + b"a" * 1000 + b'"},'

    cursor = JsonCursor(pieces())
    for number, _ in zip(range(100), cursor.elements(), strict=False):
        assert len(cursor.value()) == 1010
        assert asked <= 2 * number + 4
