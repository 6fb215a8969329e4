# SPDX-License-Identifier: Apache-2.0
"""The journal's lines: one JSON object each, a header first and events after it."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto
from itertools import islice
from typing import Any

import msgspec

from otel_health.events.kinship import Kin
from otel_health.events.model import SCHEMA_VERSION, Extra, HealthEvent
from otel_health.events.text import DETAILS_LIMIT, one_line

LINE_LIMIT = 1024 * 1024
"""Most bytes of a line, end included: a writer writes none that is longer, a reader takes a longer one for torn."""

_BIG = 64 * 1024
"""An event whose line is longer than this loses what is big in its `extra`."""

_MOST_EXTRAS = 100

_CALENDAR_ENDS_S = 253_402_300_800.0
"""Unix seconds at the end of the year 9999: whatever is stamped later counts milliseconds, or nothing at all."""


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """The first line of a segment: how to read what follows, and who wrote it."""

    journal_schema: int
    """Version of the events' JSON form."""
    pid: int = 0
    instance_id: str = ""
    """The writer's own id, new for every process; not the resource's, which a successor may share."""
    service_name: str = ""
    program: str = ""
    """Which program it is, where the service has no name."""
    started: float = 0.0
    """Unix seconds at which the segment was begun."""
    predecessor: str = ""
    """Instance id of the dead process whose events this one took over, "" if none."""
    standing: tuple[HealthEvent, ...] = ()
    """The changes of status that still held when the segment was begun: an illness may be older than all segments."""

    @property
    def kin(self) -> Kin:
        """Whose health it is."""
        return Kin(service_name=self.service_name, program=self.program)


class Flaw(Enum):
    """Why a line is skipped."""

    TORN = auto()
    """No JSON: cut off, run together, or garbage."""
    FOREIGN = auto()
    """JSON, but no event of ours."""


_encoder = msgspec.json.Encoder(enc_hook=one_line)
_events = msgspec.json.Decoder(HealthEvent)
_headers = msgspec.json.Decoder(Header)


def encode_header(header: Header) -> bytes:
    """Return the header's line; without `standing` where JSON cannot say that."""
    try:
        return _encoder.encode(header) + b"\n"
    except Exception:
        return _encoder.encode(msgspec.structs.replace(header, standing=())) + b"\n"


def encode_events(events: list[HealthEvent]) -> bytes:
    """Return the events' lines, in order. Never raises: an event that JSON cannot say has no line.

    Of an event that is too big, or whose `extra` JSON cannot say, the fixed fields and the plain part of `extra` stay.
    """
    try:
        lines = _encoder.encode_lines(events)
    except Exception:
        lines = b""
    if 0 < len(lines) <= LINE_LIMIT:
        return lines
    return b"".join(_line(event) for event in events)


def decode_line(line: bytes) -> HealthEvent | Header | Flaw:
    """Return what stands on `line`, with or without its end. Never raises. Keys unknown to this version are let be."""
    try:
        event = _events.decode(line)
    except msgspec.ValidationError:
        return _header(line)
    except Exception:
        return Flaw.TORN
    return event if 0 < event.timestamp < _CALENDAR_ENDS_S else Flaw.FOREIGN


def is_known(header: Header) -> bool:
    """Tell whether this version can read the events that follow `header`."""
    return header.journal_schema == SCHEMA_VERSION


def _header(line: bytes) -> Header | Flaw:
    try:
        return _headers.decode(line)
    except msgspec.ValidationError:
        return Flaw.FOREIGN
    except Exception:  # the first decoder stopped before it came to what is broken
        return Flaw.TORN


def _line(event: HealthEvent) -> bytes:
    for extra in _ever_plainer(event.extra):
        try:
            line = _encoder.encode(msgspec.structs.replace(event, extra=extra)) + b"\n"
        except Exception:  # noqa: S112 - the plainer form is the answer
            continue
        if len(line) <= _BIG:
            return line
    return b""


def _ever_plainer(extra: Extra) -> Iterator[Extra]:
    yield extra
    yield {key: value for key, value in islice(extra.items(), _MOST_EXTRAS) if _is_plain(key) and _is_plain(value)}
    yield {}


def _is_plain(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= DETAILS_LIMIT and value.isprintable()
    return value is None or isinstance(value, bool | float) or (isinstance(value, int) and abs(value) < 2**63)
