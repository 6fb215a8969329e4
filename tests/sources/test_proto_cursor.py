# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import io
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_health.sources.proto_cursor import BrokenProtoError, Framing, ProtoCursor

MODEST = settings(deadline=None, max_examples=50)


def cursor(data: bytes) -> ProtoCursor:
    return ProtoCursor(io.BufferedReader(io.BytesIO(data)))


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def contents(at: ProtoCursor, size: float) -> list[tuple[int, bytes]]:
    return [(number, at.take(length)) for number, length in at.fields(size)]


@MODEST
@given(st.integers(0, 2**64 - 1))
def test_numbers_of_every_size_are_read(number: int) -> None:
    at = cursor(varint(number) + b"rest")
    assert at.varint() == number
    assert at.take(4) == b"rest"
    assert at.at_end()


@MODEST
@given(st.lists(st.tuples(st.integers(1, 2000), st.binary(max_size=200)), max_size=5))
def test_fields_are_given_in_order_and_others_are_passed_over(fields: list[tuple[int, bytes]]) -> None:
    other = varint(7 << 3) + varint(300) + varint(8 << 3 | 1) + b"8 bytes." + varint(9 << 3 | 5) + b"four"
    message = other.join(field(*each) for each in fields) + other
    assert contents(cursor(message), math.inf) == fields
    assert contents(cursor(message + b"\xff\xff"), len(message)) == fields


@pytest.mark.parametrize(
    ("data", "size", "offset", "what"),
    [
        (b"\x0a\x05abc", math.inf, 5, "cut short: 2 of 5 bytes are missing"),
        (b"\x0a\x05abc", 4, 2, "field 1 of 5 bytes reaches beyond its message"),
        (b"\x0b", math.inf, 1, "wire type 3 found; allowed: 0, 1, 2, 5"),
        (b"\xff" * 11, math.inf, 10, "a number of more than 10 bytes"),
        (b"\x08", math.inf, 1, "cut short: 1 of 1 bytes are missing"),
        (b"\x08\x01", 5, 2, "cut short: 1 of 1 bytes are missing"),
        (b"\x09\x01", math.inf, 2, "cut short: 7 of 8 bytes are missing"),
        (b"\x0a\xff\xff\xff\xff\x7f", math.inf, 6, "a field of 34,359,738,367 bytes; allowed: at most 67,108,864"),
    ],
)
def test_a_broken_place_is_named_exactly(data: bytes, size: float, offset: int, what: str) -> None:
    with pytest.raises(BrokenProtoError) as caught:
        contents(cursor(data), size)
    assert (caught.value.offset, str(caught.value)) == (offset, what)


@pytest.mark.parametrize(("framing", "before"), [(Framing.VARINT, b"\x80\x04"), (Framing.FIXED32, b"\x00\x00\x02\x00")])
def test_nothing_is_taken_from_beyond_a_message(framing: Framing, before: bytes) -> None:
    at = cursor(before + bytes(512) + b"next")
    assert at.begin_message(framing) == 512
    at.skip(500)
    with pytest.raises(BrokenProtoError, match="20 bytes reach beyond their message"):
        at.take(20)
    at.end_message()
    assert at.take(4) == b"next"


def test_a_message_without_a_length_ends_with_the_stream() -> None:
    at = cursor(bytes(300_000))
    assert at.begin_message(Framing.NONE) == math.inf
    at.end_message()
    assert at.at_end()
    assert at.offset == 300_000
