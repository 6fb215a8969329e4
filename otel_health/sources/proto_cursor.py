# SPDX-License-Identifier: Apache-2.0
"""A walk over the protobuf wire format of a stream, holding no more of it than the one field in hand.

Source: https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from enum import Enum, auto
from io import BufferedReader

FIELD_LIMIT_BYTES = 64 * 1024 * 1024
"""Largest single field that is lifted out; a larger one is no span but an accident."""

_VARINT_BYTES = 10
_SKIP_BYTES = 256 * 1024
_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_FIXED_BYTES = {_FIXED64: 8, _FIXED32: 4}


class Framing(Enum):
    """How messages follow each other."""

    NONE = auto()
    """There is one, to the end of the stream."""
    VARINT = auto()
    """Each has its length as a varint before it."""
    FIXED32 = auto()
    """Each has its length in four bytes, big-endian, before it."""


class BrokenProtoError(ValueError):
    """The bytes stop making sense at byte `offset` of the stream."""

    def __init__(self, offset: int, what: str, *, at_end: bool = False) -> None:
        """Remember where and what, and whether the stream ended there."""
        super().__init__(what)
        self.offset = offset
        self.at_end = at_end


class ProtoCursor:
    """A position in a stream of protobuf. Not thread-safe."""

    def __init__(self, stream: BufferedReader) -> None:
        """Stand at the position of `stream`, which is called byte 0."""
        self._stream = stream
        self.offset = 0
        """Bytes passed so far."""
        self._end = math.inf
        """Where the present message ends, if that is known; nothing is taken from beyond."""

    def begin_message(self, framing: Framing) -> float:
        """Pass what stands before a message and return the message's size, infinite if it ends with the stream.

        Raises:
            BrokenProtoError: the length is cut short.
        """
        if framing is Framing.NONE:
            return math.inf
        size = self.varint() if framing is Framing.VARINT else int.from_bytes(self.take(_FIXED_BYTES[_FIXED32]), "big")
        self._end = self.offset + size
        return size

    def end_message(self) -> None:
        """Pass what is left of the present message, if anything."""
        while self.offset < self._end and (passed := self._stream.read(int(min(_SKIP_BYTES, self._end - self.offset)))):
            self.offset += len(passed)
        self._end = math.inf

    def fields(self, size: float) -> Iterator[tuple[int, int]]:
        """Give number and size of each length-delimited field of the message here, and stand before its content.

        Whoever is shown a field must pass over its content before going on. Other fields are passed over.

        Args:
            size: Bytes of the message; infinite for one that ends with the stream.

        Raises:
            BrokenProtoError: this is no protobuf, it is cut short, or a field reaches beyond its message.
        """
        end = self.offset + size
        while self.offset < end and not (end == math.inf and self.at_end()):
            tag = self.varint()
            number, kind = tag >> 3, tag & 7
            if kind == _LENGTH:
                length = self.varint()
                if self.offset + length > end:
                    raise self._broken(f"field {number} of {length:,} bytes reaches beyond its message")
                yield number, length
            elif kind == _VARINT:
                self.varint()
            elif kind in _FIXED_BYTES:
                self.skip(_FIXED_BYTES[kind])
            else:
                raise self._broken(f"wire type {kind} found; allowed: 0, 1, 2, 5")

    def at_end(self) -> bool:
        """Tell whether the stream is used up."""
        return not self._stream.peek(1)

    def varint(self) -> int:
        """Pass a number of variable length.

        Raises:
            BrokenProtoError: it is cut short or too long.
        """
        number = 0
        for place in range(_VARINT_BYTES):
            byte = self.take(1)[0]
            number |= (byte & 0x7F) << (7 * place)
            if byte < 0x80:
                return number
        raise self._broken(f"a number of more than {_VARINT_BYTES} bytes")

    def take(self, size: int) -> bytes:
        """Lift out `size` bytes and pass them.

        Raises:
            BrokenProtoError: there are fewer, or they are more than the limit.
        """
        if size > FIELD_LIMIT_BYTES:
            raise self._broken(f"a field of {size:,} bytes; allowed: at most {FIELD_LIMIT_BYTES:,}")
        if self.offset + size > self._end:
            raise self._broken(f"{size:,} bytes reach beyond their message")
        taken = self._stream.read(size)
        self.offset += len(taken)
        if len(taken) < size:
            missing = f"cut short: {size - len(taken):,} of {size:,} bytes are missing"
            raise BrokenProtoError(self.offset, missing, at_end=True)
        return taken

    def skip(self, size: int) -> None:
        """Pass `size` bytes, however many.

        Raises:
            BrokenProtoError: there are fewer.
        """
        end = self.offset + size
        while self.offset < end:
            self.take(min(_SKIP_BYTES, end - self.offset))

    def _broken(self, what: str) -> BrokenProtoError:
        return BrokenProtoError(self.offset, what)
