# SPDX-License-Identifier: Apache-2.0
"""Puts lines on the disk: group by group, segment after segment, for one process."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import msgspec

from otel_health.clock import Clock
from otel_health.events.journal_lines import Header, decode_line, encode_header
from otel_health.events.kinship import Kin
from otel_health.events.model import SCHEMA_VERSION, Category, HealthEvent, Severity
from otel_health.events.segments import OpenSegment, Write, segment_name

GROUP_BYTES = 64 * 1024
"""Most bytes written in one go, unless a single line is longer."""

SEGMENT_AGE_S = 3600.0
"""Seconds after which a new segment is begun."""

MOST_STANDING = 100
"""Changes of status that a header restates: there are fewer checks than that."""

_CHANGED = Category.HEALTH_CHANGED.encode()

_FULL = (errno.ENOSPC, errno.EDQUOT)
"""Errors of the disk, which another segment would not mend; after any other one the open file is given up."""


class Writer(msgspec.Struct, frozen=True, kw_only=True):
    """Who writes: what the headers of all its segments say."""

    pid: int
    instance_id: str
    kin: Kin
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
        self._is_broken = False
        self._standing: dict[str, HealthEvent] = {}
        self.begun = 0
        """Segments begun so far."""

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
        segment = self._segment_for(len(group))
        try:
            written = segment.append(group)
        except OSError as error:
            self._is_broken = error.errno not in _FULL
            raise
        if _CHANGED in group:
            self._restate_all(group[:written])
        return written

    def restate(self, change: HealthEvent) -> None:
        """Have every segment from now on begin with this change of status, for as long as it holds."""
        self._standing.pop(change.component, None)
        if change.severity is not Severity.INFO:
            self._standing[change.component] = change
        if len(self._standing) > MOST_STANDING:
            del self._standing[next(iter(self._standing))]

    def close(self) -> None:
        """Close the open segment, if any. In a forked child this leaves the parent's segment and lock alone."""
        segment, self._segment = self._segment, None
        if segment:
            segment.close()

    def _restate_all(self, lines: bytes) -> None:
        for line in lines.splitlines():
            event = decode_line(line)
            if isinstance(event, HealthEvent) and event.category is Category.HEALTH_CHANGED:
                self.restate(event)

    def _segment_for(self, size: int) -> OpenSegment:
        old = self._segment
        if old and not self._is_broken and self._has_room(old, size) and old.is_there():
            return old
        self._segment = self._begin()
        self._is_broken = False
        if old:  # only now: a process that writes is never without a lock
            old.close()
        return self._segment

    def _has_room(self, segment: OpenSegment, size: int) -> bool:
        age_s = self._clock.monotonic() - segment.opened_at
        return segment.size + size <= self._segment_bytes and age_s < SEGMENT_AGE_S

    def _begin(self) -> OpenSegment:
        started, who = self._clock.wall(), self.writer
        self.begun += 1
        header = Header(
            journal_schema=SCHEMA_VERSION,
            pid=who.pid,
            instance_id=who.instance_id,
            started=started,
            predecessor=who.predecessor,
            standing=tuple(self._standing.values()),
            **msgspec.structs.asdict(who.kin),
        )
        path = self._folder / segment_name(started, who.pid, who.instance_id, self.begun)
        return OpenSegment(path, encode_header(header), opened_at=self._clock.monotonic(), write=self._write)


def _group_end(lines: bytes) -> int:
    """Return where the longest run of whole lines within `GROUP_BYTES` ends, or else the first line."""
    if len(lines) <= GROUP_BYTES:
        return len(lines)
    return (lines.rfind(b"\n", 0, GROUP_BYTES) + 1) or lines.index(b"\n") + 1
