# SPDX-License-Identifier: Apache-2.0
"""Bounded hand-over between threads: many hand in, one takes out, and nobody ever waits for room.

Thread rules:

- `put` and `wake` may be called from any thread, from a signal handler and from a finaliser, also while another call of
  the same thread is under way: they take no lock, only steps that the interpreter performs whole.
- `drain` and `wait` belong to one consumer thread.
- `depth`, `accepted` and `dropped` may be read from any thread. Counts read while others hand in may lag by the items
  under way; at rest they are exact.
- After a fork the child calls `reset_after_fork` before anything else.
"""

from __future__ import annotations

import itertools
import sys
from collections import deque
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")

_AWAKE = sys.maxsize
"""No pile is ever that high: while the consumer is awake nobody rings."""


class Inbox(Generic[T]):
    """A queue of at most `capacity` items (default 10 000) that drops its oldest, and counts it, to take a new one."""

    def __init__(self, capacity: int = 10_000) -> None:
        """Start empty.

        Raises:
            ValueError: `capacity` is below 1.
        """
        if capacity < 1:
            raise ValueError(f"an inbox cannot hold {capacity!r} items; allowed: capacity >= 1")
        self.capacity = capacity
        self.reset_after_fork()

    def reset_after_fork(self) -> None:
        """Start anew, empty and with counts of 0: what was in here still is in the parent, which will see to it."""
        self._items: deque[T] = deque(maxlen=self.capacity)
        self._puts = itertools.count()
        self._taken = 0
        self._wake_at = _AWAKE
        self._bell: SimpleQueue[None] = SimpleQueue()

    def put(self, item: T) -> None:
        """Hand `item` over; a full inbox loses its oldest. Never blocks, never raises."""
        self._items.append(item)
        next(self._puts)
        if len(self._items) >= self._wake_at:
            self.wake()

    def wake(self) -> None:
        """End the consumer's `wait`, or its next one if it is awake."""
        self._wake_at = _AWAKE
        if self._bell.empty():
            self._bell.put(None)

    def wait(self, timeout_s: float, at_least: int = 1) -> bool:
        """Sleep until `at_least` items lie here, somebody calls `wake`, or `timeout_s` seconds passed.

        It may return early now and then. A higher `at_least` lets a batch gather and spares the producers the cost of
        waking a thread for each item.

        Returns:
            Whether there is anything to drain.
        """
        self._wake_at = at_least
        if len(self._items) < at_least:
            with suppress(Empty):
                self._bell.get(timeout=timeout_s)
        self._wake_at = _AWAKE
        return bool(self._items)

    def drain(self, limit: int) -> list[T]:
        """Take out the oldest items, at most `limit`."""
        take = self._items.popleft
        items = [take() for _ in range(min(limit, len(self._items)))]
        self._taken += len(items)
        return items

    @property
    def depth(self) -> int:
        """Items waiting."""
        return len(self._items)

    @property
    def accepted(self) -> int:
        """Items ever handed in."""
        return int(repr(self._puts)[len("count(") : -1])  # the only way to read a count without moving it on

    @property
    def dropped(self) -> int:
        """Items that had to make room before they were taken out."""
        return max(0, self.accepted - self._taken - len(self._items))
