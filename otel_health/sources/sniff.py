# SPDX-License-Identifier: Apache-2.0
"""Tell what a file holds by its first bytes, never by its name."""

from __future__ import annotations

import math
import re
from enum import StrEnum

import msgspec

from otel_health.events.journal_lines import Flaw, decode_line

HEAD_BYTES = 64 * 1024
"""How much of the beginning is looked at."""


class Format(StrEnum):
    """What can be read."""

    JSON_LINES = "OTLP/JSON, a request a line"
    JSON_DOCUMENTS = "OTLP/JSON in any layout"
    PROTO = "OTLP/protobuf, one message"
    PROTO_VARINT = "OTLP/protobuf, lengths as varints"
    PROTO_FIXED32 = "OTLP/protobuf, lengths as four bytes"
    JOURNAL = "a journal"


_JSON = re.compile(rb'\s*(?:(?:\[\s*)*\{\s*(?:\}|"[^"\x00-\x1f]*"\s*:)|\[\s*\])')
"""Strict, because a message of 123 bytes begins with a line feed and a curly bracket, too."""

_JSON_LINE = re.compile(rb'^\{\s*"', re.MULTILINE)
_KNOWN_LINE = re.compile(rb'\{\s*"resource_?(?:[Ss]pans|[Mm]etrics|[Ll]ogs)"')
_WHOLE = msgspec.json.Decoder(msgspec.Raw)

_RESOURCE_SPANS = b"\x0a"
_IN_RESOURCE_SPANS = (b"\x0a", b"\x12", b"\x1a")  # resource, scope_spans, schema_url
_FIXED32_BYTES = 4
_VARINT_BYTES = 10


def sniff(head: bytes) -> Format | None:
    """Return the format of what begins with `head` (all of it, or at least the first 64 KiB); None if it is none."""
    if _JSON.match(head):
        return _layout(head)
    return _framing(head) or (_layout(head) if _JSON_LINE.search(head) else None)


def _layout(head: bytes) -> Format:
    """Tell a journal, requests by the line, and any other layout apart."""
    lines = head[:HEAD_BYTES].split(b"\n")
    whole = [line for line in lines[: -1 if len(head) >= HEAD_BYTES else None] if line and not line.isspace()]
    if any(not isinstance(decode_line(line), Flaw) for line in whole):
        return Format.JOURNAL
    if not whole or _is_json(whole[0]):
        return Format.JSON_LINES
    if whole[0].strip() in (b"{", b"["):
        return Format.JSON_DOCUMENTS
    by_line = len(lines) == 1 or any(_KNOWN_LINE.match(line) and _is_json(line) for line in whole)
    return Format.JSON_LINES if by_line else Format.JSON_DOCUMENTS


def _is_json(line: bytes) -> bool:
    try:
        _WHOLE.decode(line)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True


def _framing(head: bytes) -> Format | None:
    """Tell by the first three levels of a request whether this is protobuf, and how messages follow each other.

    The order matters: a plain message may pass for one after a length of four bytes, not the other way round.
    """
    if _is_request(head, 0, math.inf):
        return Format.PROTO
    size, start = _varint(head, 0)
    if _is_request(head, start, start + size):
        return Format.PROTO_VARINT
    size = int.from_bytes(head[:_FIXED32_BYTES], "big")
    return Format.PROTO_FIXED32 if _is_request(head, _FIXED32_BYTES, _FIXED32_BYTES + size) else None


def _is_request(head: bytes, start: int, end: float) -> bool:
    if head[start : start + 1] != _RESOURCE_SPANS:
        return False
    size, inside = _varint(head, start + 1)
    return inside + size <= end and (size == 0 or head[inside : inside + 1] in _IN_RESOURCE_SPANS)


def _varint(head: bytes, start: int) -> tuple[int, int]:
    """Return the number at `start` and where it ends. What is no number gives one that fits nothing."""
    number = 0
    for place, byte in enumerate(head[start : start + _VARINT_BYTES]):
        number |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return number, start + place + 1
    return -1, len(head)
