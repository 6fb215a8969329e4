# SPDX-License-Identifier: Apache-2.0
"""The journal: every event on disk within a moment, whatever the disk does, and at no cost to who records.

Thread rules: `record` may be called from any thread and does no I/O; one background thread, begun by the first
`record`, encodes and writes. `flush`, `close` and `restore` may wait for the disk, so they belong neither on the
agent's thread nor in a signal handler.

What is promised: a clean exit loses nothing (whoever owns the journal calls `close`, say by `atexit`); a killed process
loses what it recorded within the last flush interval; when the disk refuses, events wait in memory, the oldest are
dropped and counted when that is full, one warning a minute says so, and writing goes on by itself once the disk is
willing. Lines are handed to the system but not forced to the platter: a power cut may cost more.

After a fork the child calls `after_fork_in_child` before anything else, and so begins a journal of its own.
"""

from __future__ import annotations

import logging
import os
import threading
import uuid
from collections import deque
from collections.abc import Callable, Iterator

import msgspec

from otel_health.clock import Clock, Deadline
from otel_health.events.journal_config import JournalConfig
from otel_health.events.journal_reader import ReadTally
from otel_health.events.kinship import kin_of
from otel_health.events.model import Category, HealthEvent
from otel_health.events.predecessor import Claim, claim_predecessor
from otel_health.events.promise import Promise
from otel_health.events.segment_writer import SegmentWriter, Writer
from otel_health.events.segments import Write, list_segments
from otel_health.events.spool import JournalState, Spool

_log = logging.getLogger(__name__)


def _random_id() -> str:
    return uuid.uuid4().hex


class Journal:
    """Writes events to a folder that other processes may share. Does no I/O and starts nothing until it is used."""

    def __init__(
        self,
        config: JournalConfig,
        *,
        clock: Clock,
        service_name: str = "",
        new_id: Callable[[], str] = _random_id,
        write: Write = os.write,
    ) -> None:
        """Prepare a journal.

        Args:
            config: Where and how; `enabled` is for the caller to look at.
            clock: Stamps and ages segments.
            service_name: Whose health this is; only the same service's events are ever restored, and without a name
                only those of the same program (see `kinship`).
            new_id: Names this process, and each forked child anew: letters and digits, never the same twice.
            write: Writes bytes to a descriptor, as `os.write` does.
        """
        self.config = config
        self._clock = clock
        self._kin = kin_of(service_name)
        self._new_id = new_id
        self._write = write
        self._begin_life()

    def _begin_life(self) -> None:
        self._writer = SegmentWriter(
            self.config.path,
            Writer(pid=os.getpid(), instance_id=self._new_id(), kin=self._kin),
            clock=self._clock,
            segment_bytes=self.config.segment_bytes,
            write=self._write,
        )
        self._spool = Spool(self.config, self._writer, self._clock)
        self._put = self._spool.inbox.put
        self._claim: Claim | None = None
        self._requests: deque[Promise] = deque()
        self._gate = threading.RLock()
        self._thread: threading.Thread | None = None
        self._is_open = False
        self._closed = False
        self._refused = 0

    @property
    def instance_id(self) -> str:
        """This process's name in the headers of its segments; a forked child has another."""
        return self._writer.writer.instance_id

    @property
    def state(self) -> JournalState:
        """How it fares now. Any thread."""
        state = self._spool.state
        return msgspec.structs.replace(state, dropped=state.dropped + self._refused)

    def record(self, event: HealthEvent) -> None:
        """Have `event` written. Never blocks, never raises. Its `extra` must not change any more."""
        if self._is_open or self._open():
            self._put(event)

    def flush(self, timeout_s: float = 5.0) -> bool:
        """Wait until everything recorded so far is on the disk; False when the disk refuses or `timeout_s` passes."""
        thread = self._thread
        if thread is None or not thread.is_alive():
            return self._spool.is_empty
        request = Promise()
        self._requests.append(request)
        self._spool.hurry()
        if request.wait(Deadline(self._clock, timeout_s).left_s):
            return True
        has_ended = request.outcome is None and not thread.is_alive()  # it did not see the request any more
        return has_ended and self._spool.is_empty

    def close(self, timeout_s: float = 5.0) -> bool:
        """Write what is left and stop; False when the disk refuses, or is slower than `timeout_s`.

        Idempotent. What is recorded from now on is dropped and counted.
        """
        with self._gate:
            self._closed = True
            self._is_open = False
            thread = self._thread
            if thread is None:
                self._finish()
        if thread is not None:
            self._spool.hurry()
            thread.join(Deadline(self._clock, timeout_s).left_s)
        return self.flush(0)

    def restore(self, since: float, tally: ReadTally | None = None) -> Iterator[HealthEvent]:
        """Take over what the predecessor of this process recorded at or after `since` (Unix seconds), oldest first.

        Changes of status come however old they are. The predecessor is the process of the same service that died last
        and that nobody else took over, with the chain of its own predecessors; a living neighbour's events are never
        among them. To be called once, before the first `record`: the first segment's header tells the others who took
        over whom.
        """
        folder = self.config.path
        try:
            self._claim = claim = claim_predecessor(folder, self._kin)
            unreadable = sum(not segment.is_readable for segment in list_segments(folder))
        except OSError as error:
            _log.warning("the journal in %s cannot be read back: %s", folder, error)
            return iter(())
        if unreadable:
            _log.warning("%d files of the journal in %s may not be read back", unreadable, folder)
        return self._inherited(claim, since, tally) if claim else iter(())

    def _inherited(self, claim: Claim, since: float, tally: ReadTally | None) -> Iterator[HealthEvent]:
        self._writer.writer = msgspec.structs.replace(self._writer.writer, predecessor=claim.instance_id)
        for event in claim.events(since, tally):
            if event.category is Category.HEALTH_CHANGED:
                self._writer.restate(event)
            yield event

    def after_fork_in_child(self) -> None:
        """Begin a journal of the child's own: the parent keeps its segment, its lock, and what it has yet to write."""
        self._let_go()
        self._begin_life()

    def _open(self) -> bool:
        """Begin the writer's thread with the first event; False, and the event is counted, when all is over."""
        with self._gate:
            if self._closed:
                self._refused += 1
            elif not self._is_open:
                self._start()
            return not self._closed

    def _start(self) -> None:
        thread = threading.Thread(target=self._run, name="otel-health-journal", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the interpreter is going down: what is queued is for `close` to write
            return
        self._thread = thread
        self._is_open = True

    def _run(self) -> None:
        while not self._closed:
            self._spool.sleep()
            self._serve()
            self._spool.prune()
        self._finish()

    def _serve(self) -> None:
        """Write what there is, and tell those who waited for it. What is asked meanwhile waits for the next time."""
        requests = [self._requests.popleft() for _ in range(len(self._requests))]
        ok = self._spool.write_out()
        if self._writer.has_begun:
            self._release_claim()
        for request in requests:
            request.keep(ok=ok)

    def _finish(self) -> None:
        self._serve()
        self._let_go()

    def _let_go(self) -> None:
        self._writer.close()
        self._release_claim()

    def _release_claim(self) -> None:
        claim, self._claim = self._claim, None
        if claim:
            claim.release()
