# SPDX-License-Identifier: Apache-2.0
"""What a dead process of the same service left behind, taken over by one successor and by no other.

A process is dead when nobody holds a lock on any of its segments. Whoever takes the lock on its newest has claimed it,
until its own first segment names the predecessor: from then on the names tell. So the dead form chains (a process that
crashed again and again), a new process claims the end of one chain, and gets what the whole chain left. Of several new
processes each gets another chain or none; nothing is counted twice.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

import msgspec

from otel_health.events.journal_lines import LINE_LIMIT, Header, decode_line, is_known
from otel_health.events.journal_reader import ReadTally, is_recent, read_segment
from otel_health.events.kinship import Kin
from otel_health.events.locks import Hold, open_to_lock, try_lock
from otel_health.events.model import Category, HealthEvent
from otel_health.events.segments import Segment, list_segments


class Life(msgspec.Struct):
    """One process as its segments show it."""

    instance_id: str
    predecessor: str
    segments: list[Segment]
    """The oldest first."""

    @property
    def newest(self) -> Segment:
        """The segment it wrote last, and holds the lock on while it lives."""
        return self.segments[-1]


class Claim:
    """The right of one new process to what a chain of dead ones left. Closed once the claimant's own header says so."""

    def __init__(self, descriptor: int, chain: list[Life]) -> None:
        """Hold the lock `descriptor` on the last of `chain`, which is given the newest first."""
        self._descriptor = descriptor
        self._chain = chain

    @property
    def instance_id(self) -> str:
        """Who died last."""
        return self._chain[0].instance_id

    def events(self, since: float, tally: ReadTally | None = None) -> Iterator[HealthEvent]:
        """Yield what the chain recorded at or after `since` (Unix seconds), life after life, the oldest first.

        Changes of status come however old they are: an illness may have begun long before, and ended unseen.
        """
        segments = self._worth_reading(since)
        if header := _header(segments[0].path):
            yield from header.standing
        for segment in segments:
            for event in read_segment(segment.path, tally=tally):
                if event.timestamp >= since or event.category is Category.HEALTH_CHANGED:
                    yield event

    def release(self) -> None:
        """Let go of the lock; in a forked child it stays with the parent."""
        with suppress(OSError):
            os.close(self._descriptor)

    def _worth_reading(self, since: float) -> list[Segment]:
        """Return the segments from the first on that may hold something of `since`; the last one in any case."""
        segments = [segment for life in reversed(self._chain) for segment in life.segments]
        first = next((i for i, segment in enumerate(segments) if is_recent(segment, since)), len(segments) - 1)
        return segments[first:]


def claim_predecessor(folder: Path, kin: Kin) -> Claim | None:
    """Claim the process of the same `kin` that died last.

    Returns:
        None when all are alive or taken, and where the platform cannot tell who lives.

    Raises:
        OSError: the folder cannot be read.
    """
    if not kin.is_known:
        return None
    free = _unclaimed(_lives(folder, kin))
    for life in sorted(free, key=lambda life: life.newest.modified, reverse=True):
        with ExitStack() as held:
            descriptor = _lock(life)
            if descriptor is None:
                continue
            held.callback(os.close, descriptor)
            lives = _lives(folder, kin)
            if _is_still_free(life, lives):
                held.pop_all()
                return Claim(descriptor, _chain(life.instance_id, lives))
    return None


def _is_still_free(life: Life, lives: Mapping[str, Life]) -> bool:
    """Look again under the lock: the owner may just have begun another segment, or a successor its first one."""
    return any(
        seen.instance_id == life.instance_id and seen.newest.path == life.newest.path for seen in _unclaimed(lives)
    )


def _unclaimed(lives: Mapping[str, Life]) -> list[Life]:
    claimed = {life.predecessor for life in lives.values()}
    return [life for life in lives.values() if life.instance_id not in claimed]


def _chain(instance_id: str, lives: Mapping[str, Life]) -> list[Life]:
    chain: dict[str, Life] = {}
    while instance_id not in chain and (life := lives.get(instance_id)):
        chain[instance_id] = life
        instance_id = life.predecessor
    return list(chain.values())


def _lives(folder: Path, kin: Kin) -> dict[str, Life]:
    lives: dict[str, Life] = {}
    for segment in list_segments(folder):
        header = _header(segment.path)
        if header and is_known(header) and header.kin == kin and header.instance_id:
            life = lives.setdefault(header.instance_id, Life(header.instance_id, header.predecessor, []))
            life.segments.append(segment)
    for life in lives.values():
        life.segments.sort(key=lambda segment: segment.number)
    return lives


def _header(path: Path) -> Header | None:
    try:
        with path.open("rb") as stream:
            found = decode_line(stream.readline(LINE_LIMIT))
    except OSError:
        return None
    return found if isinstance(found, Header) else None


def _lock(life: Life) -> int | None:
    """Lock the newest segment of `life`; None where that, or any other segment of it, is somebody's."""
    newest = _lock_one(life.newest.path)
    if newest is None or all(_is_free(segment.path) for segment in life.segments[:-1]):
        return newest
    os.close(newest)
    return None


def _is_free(path: Path) -> bool:
    if not path.exists():
        return True
    descriptor = _lock_one(path)
    if descriptor is not None:
        os.close(descriptor)
    return descriptor is not None


def _lock_one(path: Path) -> int | None:
    try:
        descriptor = open_to_lock(path)
    except OSError:
        return None
    if try_lock(descriptor) is Hold.MINE:
        return descriptor
    os.close(descriptor)
    return None
