# SPDX-License-Identifier: Apache-2.0
"""Keeps a journal's folder small: whole segments that nobody writes to are deleted, live data is never rewritten."""

from __future__ import annotations

import os
from pathlib import Path

from otel_health.events.locks import Hold, open_to_lock, try_lock
from otel_health.events.segments import list_segments


def prune(folder: Path, *, now: float, retention_s: float, total_bytes: int) -> int:
    """Delete what is out of date, then the oldest until the folder fits; return the number of segments deleted.

    The segment a living process writes stays, however old or big. Where the platform cannot tell who lives, segments
    go by age alone. Several processes may prune one folder at once.

    Args:
        folder: The journal's; it may be missing.
        now: Unix seconds.
        retention_s: Seconds a segment is kept after its last write; it is kept, too, where its name tells that it was
            begun since then and the file system disagrees: one of two clocks is wrong.
        total_bytes: Bytes all segments together may take.

    Raises:
        OSError: the folder cannot be read.
    """
    segments = sorted(list_segments(folder), key=lambda segment: segment.modified)
    excess = sum(segment.size for segment in segments) - total_bytes
    removed = 0
    for segment in segments:
        outdated = segment.modified < now - retention_s and not now - retention_s <= segment.started <= now
        if (outdated or excess > 0) and _remove(segment.path, outdated=outdated):
            excess -= segment.size
            removed += 1
    return removed


def _remove(path: Path, *, outdated: bool) -> bool:
    try:
        descriptor = open_to_lock(path)
    except OSError:
        return False
    try:
        hold = try_lock(descriptor)
        if hold is Hold.MINE or (hold is Hold.UNKNOWN and outdated):
            path.unlink()
            return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False
