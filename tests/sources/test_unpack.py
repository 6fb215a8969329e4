# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import gzip
import io
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_health.sources.stats import ReadStats
from otel_health.sources.unpack import PIECE_BYTES, gunzip, open_pieces, pieces_of

MODEST = settings(deadline=None, max_examples=50)


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


@MODEST
@given(st.lists(st.binary(max_size=300), max_size=4), st.integers(1, 20), st.integers(0, 5))
def test_members_are_unpacked_one_after_another_however_they_are_cut(
    members: list[bytes], size: int, padding: int
) -> None:
    packed = b"".join(gzip.compress(member) + b"\0" * padding for member in members) or gzip.compress(b"")
    stats = ReadStats()
    assert b"".join(gunzip(cut(packed, size), stats)) == b"".join(members)
    assert stats.malformed == 0


@MODEST
@given(st.integers(0, 400), st.integers(1, 100))
def test_everything_before_a_cut_is_delivered_and_the_cut_is_counted(kept: int, size: int) -> None:
    text = bytes(range(256)) * 2
    packed = gzip.compress(text)
    stats = ReadStats()
    unpacked = b"".join(gunzip(cut(packed[: min(kept, len(packed) - 1)], size), stats))
    assert text.startswith(unpacked)
    assert stats.malformed == 1
    assert "cut short" in stats.first_error


def test_damage_is_counted_and_what_came_before_is_kept() -> None:
    packed = bytearray(gzip.compress(b"first")) + gzip.compress(b"second")
    packed[-5] ^= 0xFF
    stats = ReadStats()
    assert b"".join(gunzip([bytes(packed)], stats)).startswith(b"first")
    assert stats.malformed == 1
    assert "damaged gzip (Error -3 while decompressing data: incorrect" in stats.first_error


def test_garbage_after_the_last_member_is_counted() -> None:
    stats = ReadStats()
    assert b"".join(gunzip([gzip.compress(b"text") + b"garbage"], stats)) == b"text"
    assert stats.malformed == 1


def test_a_bomb_comes_out_in_pieces_of_bounded_size() -> None:
    bomb = gzip.compress(bytes(64 * 1024 * 1024))
    tracemalloc.start()
    size = 0
    for piece in gunzip([bomb], ReadStats()):
        assert len(piece) <= PIECE_BYTES
        size += len(piece)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size == 64 * 1024 * 1024
    assert peak < 4 * 1024 * 1024


def test_bytes_are_counted_and_told_as_they_are_read() -> None:
    told: list[int] = []
    stats = ReadStats()
    pieces = list(pieces_of(io.BytesIO(bytes(PIECE_BYTES + 10)), stats, told.append))
    assert [len(piece) for piece in pieces] == told == [PIECE_BYTES, 10]
    assert stats.bytes_read == PIECE_BYTES + 10


def test_a_file_that_fails_midway_gives_what_it_gave_before() -> None:
    class Failing(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if piece := super().read(size):
                return piece
            raise OSError(5, "Input/output error")

    stats = ReadStats()
    assert b"".join(pieces_of(Failing(b"text"), stats)) == b"text"
    assert stats.first_error == "byte 4: reading failed: Input/output error"


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_pieces_read_like_a_file(size: int) -> None:
    text = b"first line\nsecond\n\nlast"
    assert open_pieces(cut(text, size)).readlines() == io.BytesIO(text).readlines()
    assert open_pieces([]).read() == b""
