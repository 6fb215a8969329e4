# SPDX-License-Identifier: Apache-2.0
"""One thread waits for what another will have done, and whoever interrupts it leaves nothing locked.

An exception that a signal handler raises strikes between any two steps of the main thread. Whoever holds a lock just
then may hold it for ever, and the standard library's events and conditions hold one inside. A promise holds none.
"""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, SimpleQueue


class Promise:
    """Kept once, by any thread; awaited by one."""

    __slots__ = ("_bell", "outcome")

    def __init__(self) -> None:
        self._bell: SimpleQueue[None] = SimpleQueue()
        self.outcome: bool | None = None
        """Whether all went well; None until it is known."""

    def keep(self, *, ok: bool = True) -> None:
        """Say that it is done, and whether all went well. Never blocks; may be said again."""
        self.outcome = ok
        self._bell.put(None)

    def wait(self, timeout_s: float) -> bool:
        """Wait `timeout_s` seconds (≥ 0) at most; tell whether it is done and all went well."""
        if self.outcome is None:
            with suppress(Empty):
                self._bell.get(timeout=timeout_s)
        return bool(self.outcome)
