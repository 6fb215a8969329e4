# SPDX-License-Identifier: Apache-2.0
"""Reads journals: lazily, line by line, in bounded memory, and no bad line costs its neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from otel_health.events.journal_lines import LINE_LIMIT, Flaw, Header, decode_line, is_known
from otel_health.events.model import Category, HealthEvent, Severity
from otel_health.events.segments import Segment, list_segments
from otel_health.events.selection import newest

_SLACK_S = 300.0
"""How far an event's stamp may lie ahead of the last write of its segment: clocks differ a little."""


@dataclass(slots=True)
class ReadTally:
    """What a reader met. Handed in by who wants to know; one thread."""

    events: int = 0
    torn: int = 0
    """Lines that are no JSON, or longer than 1 MiB."""
    foreign: int = 0
    """JSON lines that are no events, or are of a schema this version does not know."""
    cut_short: int = 0
    """Of the torn lines, those that end a file without a line end: whoever wrote it was stopped, or writes on."""
    unreadable: int = 0
    """Segments that could not be opened or read to their end."""

    @property
    def skipped(self) -> int:
        """Lines that gave no event."""
        return self.torn + self.foreign


class LineSource(Protocol):
    """A binary stream: a file, a decompressor, standard input."""

    def readline(self, size: int, /) -> bytes:
        """Return the next line, or its first `size` bytes; b"" at the end."""
        ...


def read_stream(stream: LineSource, tally: ReadTally | None = None) -> Iterator[HealthEvent]:
    """Yield the events of an open journal, in the order written.

    A header speaks for the lines up to the next one, so segments may have been put together in one file. Without a
    header the lines are taken for this version's.

    Raises:
        OSError: the stream broke.
    """
    tally = tally or ReadTally()
    readable = True
    for line in _lines(stream, tally):
        match decode_line(line):
            case HealthEvent() as event if readable:
                tally.events += 1
                yield event
            case Header() as header:
                readable = is_known(header)
            case Flaw.TORN:
                tally.torn += 1
                tally.cut_short += not line.endswith(b"\n")
            case _:
                tally.foreign += 1


def read_events(path: Path, *, since: float = 0, tally: ReadTally | None = None) -> Iterator[HealthEvent]:
    """Yield the events stamped at or after `since` (Unix seconds), segment after segment, the oldest segment first.

    Args:
        path: A journal's folder, or one file of it. A folder that is not there has no events.
        since: Segments last written before it are not even opened.
        tally: Counts what was met.
    """
    tally = tally or ReadTally()
    for segment in [path] if path.is_file() else _written_since(path, since):
        yield from read_segment(segment, since=since, tally=tally)


def read_segment(path: Path, *, since: float = 0, tally: ReadTally | None = None) -> Iterator[HealthEvent]:
    """Yield the events of one file that are stamped at or after `since`. One that vanishes or breaks ends there."""
    tally = tally or ReadTally()
    try:
        with path.open("rb") as stream:
            for event in read_stream(stream, tally):
                if event.timestamp >= since:
                    yield event
    except FileNotFoundError:  # its time was up
        return
    except OSError:
        tally.unreadable += 1


def query(
    path: Path,
    *,
    now: float,
    minutes: float = 60,
    category: Category | str | None = None,
    severity: Severity | str | None = None,
    limit: int = 100,
    tally: ReadTally | None = None,
) -> list[HealthEvent]:
    """Return the newest events of all segments that fit, the newest first: `selection.newest` over a journal."""
    events = read_events(path, since=now - minutes * 60, tally=tally)
    return newest(events, now=now, minutes=minutes, category=category, severity=severity, limit=limit)


def is_recent(segment: Segment, since: float) -> bool:
    """Tell whether `segment` can hold events stamped at or after `since`."""
    return segment.modified >= since - _SLACK_S


def _written_since(folder: Path, since: float) -> list[Path]:
    return [segment.path for segment in list_segments(folder) if is_recent(segment, since)]


def _lines(stream: LineSource, tally: ReadTally) -> Iterator[bytes]:
    while line := stream.readline(LINE_LIMIT):
        if len(line) == LINE_LIMIT and not line.endswith(b"\n"):
            tally.torn += 1
            _skip_rest(stream)
        elif not line.isspace():
            yield line


def _skip_rest(stream: LineSource) -> None:
    while (rest := stream.readline(LINE_LIMIT)) and not rest.endswith(b"\n"):
        continue
