# SPDX-License-Identifier: Apache-2.0
"""Puts lines on the disk: group by group, segment after segment, for one process."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from otel_health.clock import Clock
from otel_health.events.journal_lines import Header, encode_header
from otel_health.events.model import SCHEMA_VERSION
from otel_health.events.segments import OpenSegment, Write, segment_name

GROUP_BYTES = 64 * 1024
"""Most bytes written in one go, unless a single line is longer."""

SEGMENT_AGE_S = 3600.0
"""Seconds after which a new segment is begun."""


class Writer(msgspec.Struct, frozen=True, kw_only=True):
    """Who writes: what the headers of all its segments say."""

    pid: int
    instance_id: str
    service_name: str = ""
    predecessor: str = ""


class SegmentWriter:
    """Writes whole lines into segments of its own. Opens nothing before the first line. Only one thread uses it."""

    def __init__(
        self, folder: Path, writer: Writer, *, clock: Clock, segment_bytes: int, write: Write = os.write
    ) -> None:
        """Write to `folder` as `writer`, in segments of about `segment_bytes` bytes; `write` is `os.write`."""
        self.writer = writer
        self._folder = folder
        self._clock = clock
        self._segment_bytes = segment_bytes
        self._write = write
        self._segment: OpenSegment | None = None
        self._number = 0

    @property
    def has_begun(self) -> bool:
        """Whether a segment is open, and with it the header on the disk."""
        return self._segment is not None

    def write(self, lines: bytes) -> int:
        """Write the first group of `lines` (whole lines, at least one); return the bytes that are on the disk now.

        Raises:
            OSError: the disk refuses. Nothing of `lines` is there, and trying again is right.
        """
        group = lines[: _group_end(lines)]
        return self._segment_for(len(group)).append(group)

    def close(self) -> None:
        """Close the open segment, if any. In a forked child this leaves the parent's segment and lock alone."""
        segment, self._segment = self._segment, None
        if segment:
            segment.close()

    def _segment_for(self, size: int) -> OpenSegment:
        old = self._segment
        if old and self._has_room(old, size) and old.is_there():
            return old
        self._segment = self._begin()
        if old:  # only now: a process that writes is never without a lock
            old.close()
        return self._segment

    def _has_room(self, segment: OpenSegment, size: int) -> bool:
        age_s = self._clock.monotonic() - segment.opened_at
        return segment.size + size <= self._segment_bytes and age_s < SEGMENT_AGE_S

    def _begin(self) -> OpenSegment:
        started = self._clock.wall()
        self._number += 1
        name = segment_name(started, self.writer.pid, self.writer.instance_id, self._number)
        header = Header(journal_schema=SCHEMA_VERSION, started=started, **msgspec.structs.asdict(self.writer))
        return OpenSegment(
            self._folder / name, encode_header(header), opened_at=self._clock.monotonic(), write=self._write
        )


def _group_end(lines: bytes) -> int:
    """Return where the longest run of whole lines within `GROUP_BYTES` ends, or else the first line."""
    if len(lines) <= GROUP_BYTES:
        return len(lines)
    return (lines.rfind(b"\n", 0, GROUP_BYTES) + 1) or lines.index(b"\n") + 1
