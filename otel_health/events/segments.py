# SPDX-License-Identifier: Apache-2.0
"""Segments: the journal's files. Each is written by one process, which holds a lock on it while it lives."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from otel_health.events.locks import Hold, try_lock

Write = Callable[[int, bytes], int]
"""As `os.write`."""

_NAME = re.compile(r"health-\d{8}T\d{6}Z-\d+-[0-9A-Za-z]+-\d{4,}\.jsonl")


def segment_name(started: float, pid: int, instance_id: str, number: int) -> str:
    """Return a name that sorts by time and is unique: `health-20260102T030405Z-4711-9f86d081-0001.jsonl`.

    Args:
        started: Unix seconds.
        pid: The writer's process id.
        instance_id: The writer's id, letters and digits; its first eight are used.
        number: Counts the writer's segments.
    """
    moment = datetime.fromtimestamp(started, tz=UTC)
    return f"health-{moment:%Y%m%dT%H%M%SZ}-{pid}-{instance_id[:8]}-{number:04}.jsonl"


class Segment(msgspec.Struct, frozen=True):
    """A segment as it was seen in its folder."""

    path: Path
    size: int
    """Bytes."""
    modified: float
    """Unix seconds of the last write: no event in it happened noticeably later."""

    @property
    def number(self) -> int:
        """Its place among its writer's segments, whatever the clock did meanwhile."""
        return int(self.path.stem.rpartition("-")[2])

    @property
    def is_readable(self) -> bool:
        """Whether we may read it, as far as the file system tells."""
        return os.access(self.path, os.R_OK)

    @property
    def started(self) -> float:
        """Unix seconds at which it was begun, by its writer's clock; 0 where its name says no possible moment."""
        try:
            return datetime.strptime(self.path.name.split("-")[1], "%Y%m%dT%H%M%S%z").timestamp()
        except ValueError:
            return 0.0


def list_segments(folder: Path) -> list[Segment]:
    """Return the segments in `folder`, the oldest first; other files are let be. A missing folder has none.

    Raises:
        OSError: the folder cannot be read.
    """
    try:
        with os.scandir(folder) as entries:
            seen = [_seen(entry) for entry in entries if _NAME.fullmatch(entry.name)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted((segment for segment in seen if segment), key=lambda segment: segment.path.name)


def _seen(entry: os.DirEntry[str]) -> Segment | None:
    try:
        if not entry.is_file(follow_symlinks=False):
            return None
        stat = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    return Segment(Path(entry.path), stat.st_size, stat.st_mtime)


class OpenSegment:
    """The segment a process is writing. Only its writer thread touches it."""

    __slots__ = ("_descriptor", "_identity", "_torn", "_write", "opened_at", "path", "size")

    def __init__(self, path: Path, header: bytes, *, opened_at: float, write: Write = os.write) -> None:
        """Create the file (0600) and, where need be, its folder (0700); lock it; write `header`.

        Args:
            path: Where; nothing may be there yet.
            header: Its first line.
            opened_at: Monotonic seconds, kept for who wants to know its age.
            write: Writes to the descriptor.

        Raises:
            OSError: the disk refuses; then nothing is left behind.
        """
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        self.path = path
        self.opened_at = opened_at
        self.size = 0
        """Bytes written."""
        self._write = write
        self._torn = False
        try:
            self._begin(header)
        except OSError:
            self.close()
            path.unlink(missing_ok=True)
            raise

    def _begin(self, header: bytes) -> None:
        self._identity = _identity(os.fstat(self._descriptor))
        if try_lock(self._descriptor) is Hold.TAKEN:
            raise BlockingIOError(errno.EAGAIN, "somebody else locked a new segment", str(self.path))
        self.append(header)

    def append(self, lines: bytes) -> int:
        """Write whole `lines` in one go; return how many of their bytes stand as whole lines on the disk.

        Where the disk took only part, the half line is cut off again. If even that fails the next write begins with a
        line end, so that the half line spoils nothing but itself.

        Raises:
            OSError: not one whole line found room.
        """
        data = b"\n" + lines if self._torn else lines
        written = self._write(self._descriptor, data)
        whole = written if written == len(data) else data.rfind(b"\n", 0, written) + 1
        if whole < written:
            self._torn = not self._cut(self.size + whole)
        elif written:
            self._torn = False
        self.size += written if self._torn else whole
        added = whole - (len(data) - len(lines))
        if added <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
        return added

    def _cut(self, size: int) -> bool:
        try:
            os.ftruncate(self._descriptor, size)
        except OSError:
            return False
        return True

    def is_there(self) -> bool:
        """Tell whether the file still has its name: somebody may have cleared the folder."""
        try:
            return _identity(self.path.stat()) == self._identity
        except OSError:
            return False

    def close(self) -> None:
        """Close the file, which lets go of the lock; in a forked child the lock stays with the parent."""
        with suppress(OSError):
            os.close(self._descriptor)


def _identity(stat: os.stat_result) -> tuple[int, int]:
    return stat.st_dev, stat.st_ino
