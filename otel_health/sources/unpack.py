# SPDX-License-Identifier: Apache-2.0
"""Bytes as they lie on disk to bytes as they were written: read in pieces, unpacked if gzipped, never held whole."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, BinaryIO

from otel_health.sources.stats import ReadStats

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

PIECE_BYTES = 256 * 1024
"""Size of the pieces in which everything is read and unpacked."""

GZIP_MAGIC = b"\x1f\x8b"

_GZIP_WINDOW = 31  # zlib's way of asking for a gzip header and the largest window
_PADDING = b"\0"  # allowed between and after members

OnBytes = Callable[[int], None]
"""Told how many bytes were read since it was last told, for a progress bar."""


def pieces_of(file: BinaryIO, stats: ReadStats, on_bytes: OnBytes | None = None) -> Iterator[bytes]:
    """Read `file` to its end or until it fails, which is counted as a malformed place."""
    try:
        while piece := file.read(PIECE_BYTES):
            stats.bytes_read += len(piece)
            if on_bytes is not None:
                on_bytes(len(piece))
            yield piece
    except OSError as error:
        stats.reject(f"byte {stats.bytes_read}", f"reading failed: {error.strerror or error}")


def gunzip(pieces: Iterable[bytes], stats: ReadStats) -> Iterator[bytes]:
    """Unpack gzip, of any number of members, in pieces of bounded size however well they were packed.

    Everything before a cut or a damage is delivered; then the fault is counted.
    """
    member = zlib.decompressobj(wbits=_GZIP_WINDOW)
    try:
        for piece in pieces:
            packed = piece
            while packed:
                if member.eof:
                    packed = packed.lstrip(_PADDING)
                    if not packed:
                        break
                    member = zlib.decompressobj(wbits=_GZIP_WINDOW)
                if unpacked := member.decompress(packed, PIECE_BYTES):
                    yield unpacked
                packed = member.unused_data or member.unconsumed_tail
    except zlib.error as error:
        stats.reject(f"byte {stats.bytes_read} or before", f"damaged gzip ({error})")
    else:
        if not member.eof:
            stats.reject(f"byte {stats.bytes_read}", "the gzip ends before its end: it was cut short", cut_short=True)


def open_pieces(pieces: Iterable[bytes]) -> io.BufferedReader:
    """Return the joined `pieces` as a buffered binary stream."""
    return io.BufferedReader(_Pieces(pieces), PIECE_BYTES)


class _Pieces(io.RawIOBase):
    """The raw stream under `open_pieces`. Pieces must not be empty."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        self._rest = self._rest or memoryview(next(self._pieces, b""))
        target = memoryview(buffer)
        size = min(len(target), len(self._rest))
        target[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size
