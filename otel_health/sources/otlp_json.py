# SPDX-License-Identifier: Apache-2.0
"""OTLP/JSON to spans: requests by the line, pretty-printed, joined or in an array, of any size.

There are two ways through. The *fast* one takes a whole line with one typed decode, and only if everything in it is as
the specification writes it. Whatever it declines goes the *slow* way: a walk that lifts out one span at a time, knows
the older and snake_case keys, and passes over what is broken, so a bad span costs itself alone. The slow way holds one
span at a time, so it also reads a single document of many gigabytes; in such a document a resource or scope must be
written before its spans, as every exporter does.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO, TypeVar

import msgspec

from otel_health.dialects.span import Resource, Span
from otel_health.sources.json_cursor import BrokenJsonError, JsonCursor
from otel_health.sources.otlp_wire import (
    WireRequest,
    WireResource,
    WireScope,
    WireSpan,
    to_attributes,
    to_resource,
    to_span,
)
from otel_health.sources.stats import ReadStats, quoted

LINE_LIMIT_BYTES = 4 * 1024 * 1024
"""A longer line (receivers take no larger request unless told to) is read the slow way, by its spans."""

_TRACES = ("resourceSpans", "resource_spans")
_OTHER_SIGNALS = ("resourceMetrics", "resource_metrics", "resourceLogs", "resource_logs", "resourceProfiles")
_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans")
_SCOPE = ("scope", "instrumentationLibrary", "instrumentation_library")

_PRINTED_ID = b'"0x'
_PRINTED = (
    "what ConsoleSpanExporter prints, which is no OTLP; "
    "export by opentelemetry-exporter-otlp-json-file, or through a Collector to a file"
)

_SHOWN_KEYS = 5
_SHOWN_KEY_CHARACTERS = 40

_REQUEST = msgspec.json.Decoder(WireRequest)
_SPAN = msgspec.json.Decoder(WireSpan)
_SNAKE = re.compile(r"_([a-z])")

T = TypeVar("T")


def read_lines(stream: BinaryIO, stats: ReadStats) -> Iterator[Span]:
    """Read one request a line. A line that makes no sense is counted and costs no other."""
    number = 0
    while line := stream.readline(LINE_LIMIT_BYTES):
        number += 1
        if line.isspace():
            continue
        spans = _read_plain(line) if line.endswith(b"\n") or len(line) < LINE_LIMIT_BYTES else None
        if spans is None:
            begun = _Line(line, stream)
            pieces = begun.pieces()
            yield from _documents(pieces, stats, f"line {number}, ", begun.has_end)
            deque(pieces, maxlen=0)
        else:
            stats.documents += 1
            stats.spans += len(spans)
            yield from spans


def read_documents(pieces: Iterable[bytes], stats: ReadStats) -> Iterator[Span]:
    """Read requests that follow each other in any layout, given as pieces of text.

    Where the text makes no sense, that is counted, and reading goes on at the next line that begins with a bracket.
    """
    return _documents(pieces, stats, "", lambda: False)


def _documents(pieces: Iterable[bytes], stats: ReadStats, prefix: str, goes_on: Callable[[], bool]) -> Iterator[Span]:
    """Read documents; `prefix` stands before offsets in messages, `goes_on` tells whether more follows the pieces."""
    walk = _Walk(JsonCursor(pieces), stats, prefix)
    going = True
    while going:
        try:
            yield from walk.documents()
            going = False
        except BrokenJsonError as error:
            going = walk.cursor.restart()
            cut_short = error.at_end and not going and not goes_on()
            stats.reject(f"{prefix}byte {error.offset}", str(error), cut_short=cut_short)


def _read_plain(line: bytes) -> list[Span] | None:
    """Return the spans of a request that is entirely as the specification writes it, else None."""
    try:
        request = _REQUEST.decode(line)
    except (msgspec.MsgspecError, RecursionError):
        return None
    spans: list[Span] = []
    for group in request.resource_spans or ():
        resource = _resource(group.resource)
        for scoped in group.scope_spans or ():
            scope = _scope_name(scoped.scope)
            for wire in scoped.spans or ():
                span = to_span(wire, scope, resource)
                if span is None:
                    return None
                spans.append(span)
    return spans or None


class _Line:
    """A line in pieces, of which the first has been read."""

    def __init__(self, begun: bytes, stream: BinaryIO) -> None:
        self._piece = begun
        self._stream = stream

    def pieces(self) -> Iterator[bytes]:
        while self._piece:
            yield self._piece
            if self.has_end():
                return
            self._piece = self._stream.readline(LINE_LIMIT_BYTES)

    def has_end(self) -> bool:
        """Tell whether the last piece taken ends the line. The last line of a file that was cut has no end."""
        return self._piece.endswith(b"\n")


class _Walk:
    """The slow way: steps down to the spans and decodes each alone."""

    def __init__(self, cursor: JsonCursor, stats: ReadStats, prefix: str) -> None:
        self.cursor = cursor
        self._stats = stats
        self._prefix = prefix
        self._has_printed = False

    def documents(self) -> Iterator[Span]:
        """Read what stands at the top level. Commas between, and the brackets of an array around, do not matter."""
        while sign := self.cursor.peek():
            if sign in b"[,]":
                self.cursor.take(sign)
            else:
                yield from self._document()

    def reject(self, offset: int, what: str) -> None:
        """Count a malformed place."""
        self._stats.reject(f"{self._prefix}byte {offset}", what)

    def _document(self) -> Iterator[Span]:
        start = self.cursor.offset
        keys = []
        printed = False
        for key in self.cursor.members():
            keys.append(key)
            if key in _TRACES:
                yield from self._resources()
            elif key == "context":
                printed = _PRINTED_ID in self.cursor.value()
            else:
                self.cursor.skip()
                self._stats.skipped += key in _OTHER_SIGNALS
        if printed:
            self._reject_printed(start)
        elif keys and not {*keys}.intersection(_TRACES + _OTHER_SIGNALS):
            shown = ", ".join(repr(key[:_SHOWN_KEY_CHARACTERS]) for key in keys[:_SHOWN_KEYS])
            self.reject(start, f"an object with the keys {shown}, and without 'resourceSpans'")
        else:
            self._stats.documents += 1

    def _reject_printed(self, offset: int) -> None:
        """Count a span printed for people. That says more of the source than whatever was printed before it."""
        if not self._has_printed:
            self._has_printed = True
            self._stats.source_error = ""
        self.reject(offset, _PRINTED)

    def _resources(self) -> Iterator[Span]:
        for _ in self.cursor.elements():
            resource = Resource()
            for key in self.cursor.members():
                if key == "resource":
                    resource = _resource(_decode_leniently(self.cursor.value(), WireResource))
                elif key in _SCOPES:
                    yield from self._scopes(resource)
                else:
                    self.cursor.skip()

    def _scopes(self, resource: Resource) -> Iterator[Span]:
        for _ in self.cursor.elements():
            scope = ""
            for key in self.cursor.members():
                if key in _SCOPE:
                    scope = _scope_name(_decode_leniently(self.cursor.value(), WireScope))
                elif key == "spans":
                    yield from self._spans(scope, resource)
                else:
                    self.cursor.skip()

    def _spans(self, scope: str, resource: Resource) -> Iterator[Span]:
        for _ in self.cursor.elements():
            raw = self.cursor.value()
            wire = _decode_strictly(raw)
            span = to_span(wire, scope, resource) if wire else None
            if span is None and (wire := _decode_leniently(raw, WireSpan)):
                span = to_span(wire, scope, resource)
            if span is None:
                self.reject(self.cursor.offset - len(raw), f"a span without valid ids, found {quoted(raw)}")
            else:
                self._stats.spans += 1
                yield span


def _resource(wire: WireResource | None) -> Resource:
    return to_resource(to_attributes(wire.attributes)) if wire else Resource()


def _scope_name(wire: WireScope | None) -> str:
    return (wire.name or "") if wire else ""


def _decode_strictly(raw: bytes) -> WireSpan | None:
    try:
        return _SPAN.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return None


def _decode_leniently(raw: bytes, kind: type[T]) -> T | None:
    """Decode what is not quite OTLP/JSON: keys in snake_case, bare NaN, halves of surrogate pairs, broken UTF-8."""
    try:
        return msgspec.convert(_tidy(json.loads(raw.decode("utf-8", "replace"))), kind)
    except (ValueError, msgspec.MsgspecError, RecursionError):
        return None


def _tidy(value: Any) -> Any:
    if isinstance(value, dict):
        return {_SNAKE.sub(_capital, key): _tidy(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_tidy(each) for each in value]
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _capital(found: re.Match[str]) -> str:
    return found.group(1).upper()
