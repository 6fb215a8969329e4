# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_health.events.journal_lines import Header, encode_events, encode_header
from otel_health.events.model import SCHEMA_VERSION, Category, event
from otel_health.sources.sniff import HEAD_BYTES, Format, sniff
from otel_health.testing import make_span, otlp_json

REQUEST = otlp_json(make_span("a"))
PRETTY = json.dumps(json.loads(REQUEST), indent=2).encode()
HEADER = encode_header(Header(journal_schema=SCHEMA_VERSION))
EVENT = encode_events([event(Category.TOOL_SUCCESS, "search", timestamp=1.0)])


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (REQUEST, Format.JSON_LINES),
        (REQUEST * 3, Format.JSON_LINES),
        (REQUEST.strip(), Format.JSON_LINES),
        (b"\n \n" + REQUEST, Format.JSON_LINES),
        (b"{}", Format.JSON_LINES),
        (b"[]", Format.JSON_LINES),
        (b"[" + REQUEST.strip() + b"]", Format.JSON_LINES),
        (b'{"resourceMetrics":[]}\n', Format.JSON_LINES),
        (b'{"resource_spans":[]}\n', Format.JSON_LINES),
        (REQUEST[100:] + REQUEST, Format.JSON_LINES),
        (REQUEST[:100] + b"\n" + REQUEST, Format.JSON_LINES),
        (b"garbage\n" + REQUEST, Format.JSON_LINES),
        (REQUEST[:20] + b" " * HEAD_BYTES, Format.JSON_LINES),
        (PRETTY, Format.JSON_DOCUMENTS),
        (PRETTY + b"\n" + PRETTY, Format.JSON_DOCUMENTS),
        (PRETTY + b"\n" + REQUEST, Format.JSON_DOCUMENTS),
        (b"[\n" + REQUEST.strip() + b",\n" + REQUEST + b"]", Format.JSON_DOCUMENTS),
        (b"[" + REQUEST.strip() + b",\n" + REQUEST.strip() + b"]", Format.JSON_DOCUMENTS),
        (REQUEST.strip() + REQUEST + REQUEST.strip() + REQUEST, Format.JSON_DOCUMENTS),
        (HEADER + EVENT, Format.JOURNAL),
        (EVENT, Format.JOURNAL),
        (EVENT[20:] + EVENT, Format.JOURNAL),
        (b"hello", None),
        (b'"text"', None),
        (b"\x00" * 100, None),
        (b"\xff" * 100, None),
        (b"", None),
    ],
)
def test_a_format_is_told_by_its_beginning(head: bytes, expected: Format | None) -> None:
    assert sniff(head) is expected


def spans_with_size(size: int) -> bytes:
    """Return a ResourceSpans of `size` bytes that begins with a resource of 34."""
    resource = b"\x0a\x22" + b"\x0a\x20" + b"x" * 32
    return resource + b"\x1a" + bytes([size - len(resource) - 2]) + b"u" * (size - len(resource) - 2)


@pytest.mark.parametrize("size", [*range(40, 128)])
def test_protobuf_is_told_whatever_its_length_byte_looks_like(size: int) -> None:
    """A message of 123 bytes begins with a line feed and a curly bracket."""
    group = b"\x0a" + bytes([size]) + spans_with_size(size)
    assert sniff(group) is Format.PROTO
    assert sniff(len(group).to_bytes(4, "big") + group) is Format.PROTO_FIXED32
    if size < 126:
        assert sniff(bytes([len(group)]) + group) is Format.PROTO_VARINT


def test_empty_groups_are_protobuf_too() -> None:
    assert sniff(b"\x0a\x00\x0a\x00") is Format.PROTO
    assert sniff(b"\x02\x0a\x00") is Format.PROTO_VARINT
    assert sniff(b"\x00\x00\x00\x02\x0a\x00") is Format.PROTO_FIXED32


def test_a_line_cut_by_the_end_of_the_head_is_not_judged() -> None:
    head = b'{"a": 1\n' + b'{"resourceSpans": [' + b" " * HEAD_BYTES
    assert sniff(head) is Format.JSON_DOCUMENTS


@settings(deadline=None, max_examples=100)
@given(st.binary(max_size=50))
def test_any_beginning_has_a_format_or_none(head: bytes) -> None:
    assert sniff(head) in (None, *Format)
