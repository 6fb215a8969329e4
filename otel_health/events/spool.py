# SPDX-License-Identifier: Apache-2.0
"""Between the recording threads and the disk: a bounded queue, and a patient writer that never loses its place."""

from __future__ import annotations

import logging
import sys

import msgspec

from otel_health.clock import Clock
from otel_health.events.inbox import Inbox
from otel_health.events.journal_config import JournalConfig
from otel_health.events.journal_lines import encode_events
from otel_health.events.model import HealthEvent
from otel_health.events.retention import prune
from otel_health.events.segment_writer import SegmentWriter

_log = logging.getLogger(__name__)

_BATCH = 128
"""Events encoded at once; a pile of that many is written without waiting for the flush interval."""

_MINUTE_S = 60.0
"""Between two warnings, and between two prunings while no segment is begun; the longest sleep of an idle writer."""

_NEVER = sys.maxsize
"""A pile that high never gathers: sleep the whole interval."""


class JournalState(msgspec.Struct, frozen=True, kw_only=True):
    """How a journal fares. Counts are since the process began."""

    written: int = 0
    """Events on the disk."""
    waiting: int = 0
    """Events in memory, not on the disk yet."""
    dropped: int = 0
    """Events lost because the queue was full or the journal closed."""
    unencodable: int = 0
    """Events that JSON cannot say, or too big for a line: not written."""
    write_errors: int = 0
    """Times the disk refused."""
    segments_removed: int = 0
    """Segments this process deleted because they were too old, or the folder too big."""
    degraded: str = ""
    """Why nothing can be written at the moment, "" when all is well."""


class Spool:
    """Queues events and writes them. Any thread may use `inbox.put`, `hurry` and `state`; the rest is the writer's."""

    def __init__(self, config: JournalConfig, writer: SegmentWriter, clock: Clock) -> None:
        """Write through `writer`, by `config`, warning and pruning once a minute by `clock`."""
        self.inbox: Inbox[HealthEvent] = Inbox(config.queue_size)
        self._config = config
        self._writer = writer
        self._clock = clock
        self._pending = b""
        self._hurried = False
        self._written = self._unencodable = self._write_errors = self._segments_removed = 0
        self._degraded = ""
        self._has_warned = False
        self._next_warning_s = self._next_pruning_s = clock.monotonic()
        self._steady_ahead_s = clock.wall() - clock.monotonic()
        self._pruned_at = 0

    @property
    def state(self) -> JournalState:
        """How it fares now."""
        return JournalState(
            written=self._written,
            waiting=self.inbox.depth + self._pending.count(b"\n"),
            dropped=self.inbox.dropped,
            unencodable=self._unencodable,
            write_errors=self._write_errors,
            segments_removed=self._segments_removed,
            degraded=self._degraded,
        )

    @property
    def is_empty(self) -> bool:
        """Whether everything put in so far has been dealt with."""
        return not (self._pending or self.inbox.depth)

    def hurry(self) -> None:
        """End the writer's sleep, or its next one. Any thread."""
        self._hurried = True
        self.inbox.wake()

    def sleep(self) -> None:
        """Sleep until a batch is worth writing, the disk worth another try, or somebody is in a hurry."""
        interval_s = self._config.flush_interval_s
        if self._degraded:
            self.inbox.wait(interval_s, at_least=_NEVER)
        elif self.inbox.wait(_MINUTE_S) and not self._hurried:
            self.inbox.wait(interval_s, at_least=_BATCH)
        self._hurried = False

    def write_out(self) -> bool:
        """Write all that has been put in by now; False, and the rest is kept, when the disk refuses. Never raises."""
        try:
            left = self.inbox.depth
            while self._pending or left > 0:
                if not self._pending:
                    left -= self._encode()
                self._write_group()
        except Exception as error:
            self._refuse(error)
            return False
        self._recover()
        return True

    def prune(self) -> None:
        """Delete what is too old or too much: with each new segment, and once a minute."""
        now_s = self._clock.monotonic()
        if now_s < self._next_pruning_s and self._pruned_at == self._writer.begun:
            return
        self._next_pruning_s = now_s + _MINUTE_S
        self._pruned_at = self._writer.begun
        config = self._config
        try:
            self._segments_removed += prune(
                config.path,
                now=min(self._clock.wall(), now_s + self._steady_ahead_s),  # a clock set forward makes nothing old
                retention_s=config.retention_h * 3600,
                total_bytes=config.total_bytes,
            )
        except Exception as error:
            self._warn("the journal's folder %s cannot be cleared of what is too old: %s", config.path, error)

    def _encode(self) -> int:
        events = self.inbox.drain(_BATCH)
        self._pending = encode_events(events)
        self._unencodable += len(events) - self._pending.count(b"\n")
        return len(events)

    def _write_group(self) -> None:
        if self._pending:
            end = self._writer.write(self._pending)
            self._written += self._pending.count(b"\n", 0, end)
            self._pending = self._pending[end:]

    def _refuse(self, error: Exception) -> None:
        self._write_errors += 1
        reason = getattr(error, "strerror", None) or repr(error)
        self._degraded = f"{reason}: {self._config.path}"
        self._has_warned |= self._warn(
            "the journal cannot write (%s); it keeps trying while %d events wait in memory, %d were dropped",
            self._degraded,
            self.state.waiting,
            self.inbox.dropped,
        )

    def _recover(self) -> None:
        """Note that the disk is willing; say so where it was said that it is not."""
        self._degraded = ""
        if self._has_warned:
            self._has_warned = False
            _log.warning(
                "the journal writes again to %s; %d events were dropped", self._config.path, self.inbox.dropped
            )

    def _warn(self, message: str, *values: object) -> bool:
        now_s = self._clock.monotonic()
        if now_s < self._next_warning_s:
            return False
        self._next_warning_s = now_s + _MINUTE_S
        _log.warning(message, *values)
        return True
