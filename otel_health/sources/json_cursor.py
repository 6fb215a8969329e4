# SPDX-License-Identifier: Apache-2.0
"""A walk over JSON that arrives in pieces, holding no more of it than the one value in hand.

`elements` and `members` step into arrays and objects, `value` lifts a whole value out as bytes (for a real JSON decoder
to read) and `skip` passes over one. So a document of any size is read by its small parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from otel_health.sources.stats import quoted

VALUE_LIMIT_BYTES = 64 * 1024 * 1024
"""Largest single value that is lifted out; a larger one is no span but an accident."""

_SIGNIFICANT = re.compile(rb"[^ \t\r\n]")
_SCALAR = re.compile(rb'[^\s,:"\[\]{}]+')
_STRING = re.compile(rb'"(?:[^"\\\x00-\x1f]++|\\[^\x00-\x1f])*+("?)')
_UP_TO_BRACKET = re.compile(rb'(?:[^"\[\]{}]++|"(?:[^"\\\x00-\x1f]++|\\[^\x00-\x1f])*+")*+')
_OPENING = re.compile(rb'\{\s*"[^"\\]*"')
_FRESH_LINE = re.compile(rb"\n(?=[\[{])")

_WHOLE = msgspec.json.Decoder(msgspec.Raw)
_GUESS_BYTES = 64 * 1024


class BrokenJsonError(ValueError):
    """The JSON stops making sense at byte `offset` of what the cursor was given."""

    def __init__(self, offset: int, what: str, *, at_end: bool) -> None:
        """Remember where and what, and whether that was found at the end of all there is."""
        super().__init__(what)
        self.offset = offset
        self.at_end = at_end


class JsonCursor:
    """A position in JSON text given as pieces of bytes. Not thread-safe.

    Whoever steps into an array or object must pass over (or step into) each value it is shown before going on.
    """

    def __init__(self, pieces: Iterable[bytes], limit_bytes: int = VALUE_LIMIT_BYTES) -> None:
        """Stand at the start of the joined `pieces`; no value larger than `limit_bytes` will be held."""
        self._pieces = iter(pieces)
        self._limit_bytes = limit_bytes
        self._buffer = b""
        self._at = 0
        self._passed = 0
        self._at_end = False

    @property
    def offset(self) -> int:
        """Bytes passed so far."""
        return self._passed + self._at

    def peek(self) -> bytes:
        """Return the next byte that is no white space, without passing it; b"" at the end."""
        while (found := _SIGNIFICANT.search(self._buffer, self._at)) is None:
            self._at = len(self._buffer)
            if not self._fill():
                return b""
        self._at = found.start()
        return found.group()

    def take(self, sign: bytes) -> bool:
        """Pass the next significant byte if it is `sign`; tell whether it was."""
        matches = self.peek() == sign
        self._at += matches
        return matches

    def elements(self) -> Iterator[None]:
        """Stand before each element of the array here, in turn. `null` is an empty array.

        Raises:
            BrokenJsonError: there is no well-formed array here.
        """
        if self._null_instead_of(b"[") or self.take(b"]"):
            return
        yield
        while self._more(b"]"):
            yield

    def members(self) -> Iterator[str]:
        """Give each key of the object here, as it is written, and stand before its value. `null` is an empty object.

        Raises:
            BrokenJsonError: there is no well-formed object here.
        """
        if self._null_instead_of(b"{") or self.take(b"}"):
            return
        yield self._key()
        while self._more(b"}"):
            yield self._key()

    def value(self) -> bytes:
        """Lift out the value here and pass it. Its inside is not checked beyond brackets and strings.

        Raises:
            BrokenJsonError: there is no value here, it is cut short, or it is larger than the limit.
        """
        first = self.peek()
        if first == b'"':
            size = self._string()
        elif first in (b"{", b"["):
            size = self._guess() or self._nested()
        else:
            size = self._scalar()
        lifted = self._buffer[self._at : self._at + size]
        self._at += size
        return lifted

    def skip(self) -> None:
        """Pass over the value here."""
        self.value()

    def restart(self) -> bool:
        """After an error: go to the next line that begins with a bracket (this one included), as a document may.

        Returns:
            False if there is none.
        """
        while (found := _FRESH_LINE.search(self._buffer, max(self._at - 1, 0))) is None:
            self._at = len(self._buffer)
            if not self._fill():
                return False
        self._at = found.end()
        return True

    def _null_instead_of(self, bracket: bytes) -> bool:
        if self.take(bracket):
            return False
        size = self._scalar() if self.peek() == b"n" else 0
        if self._buffer[self._at : self._at + size] != b"null":
            raise self._broken(f"{bracket.decode()!r} expected")
        self._at += size
        return True

    def _more(self, closing: bytes) -> bool:
        if self.take(b","):
            return True
        if self.take(closing):
            return False
        raise self._broken(f"',' or {closing.decode()!r} expected")

    def _key(self) -> str:
        if self.peek() != b'"':
            raise self._broken("a key in double quotes expected")
        key = self.value()[1:-1].decode("utf-8", "replace")
        if not self.take(b":"):
            raise self._broken(f"':' expected after the key {key[:40]!r}")
        return key

    def _scalar(self) -> int:
        while (found := _SCALAR.match(self._buffer, self._at)) is None or found.end() == len(self._buffer):
            if not self._fill():
                break
        if found is None:
            raise self._broken("a value expected")
        return found.end() - found.start()

    def _string(self) -> int:
        while not (found := _STRING.match(self._buffer, self._at)) or not found.group(1):
            self._mend_string(self._at)
        return found.end() - self._at

    def _guess(self) -> int:
        """Guess that this object ends where the next that begins alike does; return its size, or 0 if it does not.

        Spans in a list begin alike. A guess costs a fortieth of counting brackets, and cannot be wrong: an object that
        decodes whole is whole.
        """
        opening = _OPENING.match(self._buffer, self._at)
        if opening is None:
            return 0
        following = self._buffer.find(opening.group(), opening.end(), opening.end() + _GUESS_BYTES)
        guess = self._buffer[self._at : max(following, 0)].rstrip(b" \t\r\n,")
        try:
            _WHOLE.decode(guess)
        except (msgspec.MsgspecError, RecursionError):
            return 0
        return len(guess)

    def _nested(self) -> int:
        """Return the size of the array or object here, once all of it is in the buffer."""
        depth = 0
        size = 0
        while True:
            here = _end(_UP_TO_BRACKET, self._buffer, self._at + size)
            sign = self._buffer[here : here + 1]
            size = here - self._at
            if sign == b'"':
                self._mend_string(here)
            elif sign:
                size += 1
                depth += 1 if sign in b"[{" else -1
                if depth == 0:
                    return size
            elif not self._fill():
                raise self._broken("a value is cut short")

    def _mend_string(self, start: int) -> None:
        """Get more of the string that begins at `start` and does not end in the buffer."""
        if _end(_STRING, self._buffer, start) < len(self._buffer) - 1:
            raise self._broken("a string holds a control character")
        if not self._fill():
            raise self._broken("a string is cut short")

    def _fill(self) -> bool:
        """Drop what was passed, but for a byte, and get as much again as is kept, so that rescanning stays linear."""
        passed = max(self._at - 1, 0)
        kept = self._buffer[passed:]
        if len(kept) > self._limit_bytes:
            raise self._broken(f"a value is larger than {self._limit_bytes:,} bytes")
        parts = [kept]
        size = 0
        for piece in self._pieces:
            parts.append(piece)
            size += len(piece)
            if size >= len(kept):
                break
        self._passed += passed
        self._at -= passed
        self._buffer = b"".join(parts)
        self._at_end = size == 0
        return size > 0

    def _broken(self, what: str) -> BrokenJsonError:
        found = self._buffer[self._at : self._at + 100]
        what = f"{what}, found {quoted(found) if found else 'the end'}"
        return BrokenJsonError(self.offset, what, at_end=self._at_end)


def _end(pattern: re.Pattern[bytes], text: bytes, start: int) -> int:
    found = pattern.match(text, start)
    return found.end() if found else start
