# SPDX-License-Identifier: Apache-2.0
"""Sums over a sliding window, exact at any rate.

What happened in one slot of time (a second, or a coarser slice) is summed up in that slot; the totals run along. When a
slot falls out of the window, what it held is taken from the totals. So memory follows the number of slots, never the
number of events.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from heapq import heappop, heappush
from typing import Generic, TypeVar

SlotT = TypeVar("SlotT")


class Timeline(Generic[SlotT]):
    """The slots of a window, dropped oldest first whatever order they were opened in."""

    __slots__ = ("_new", "_order", "_slots")

    def __init__(self, new: Callable[[], SlotT]) -> None:
        """Open slots by calling `new`."""
        self._new = new
        self._slots: dict[int, SlotT] = {}
        self._order: list[int] = []

    def __len__(self) -> int:
        """Return the number of open slots."""
        return len(self._slots)

    @property
    def oldest(self) -> int | None:
        """The place of the oldest open slot; None when there is none."""
        return self._order[0] if self._order else None

    def slot(self, at: int) -> SlotT:
        """Return the slot at `at`, opened if need be."""
        slot = self._slots.get(at)
        if slot is None:
            slot = self._slots[at] = self._new()
            heappush(self._order, at)
        return slot

    def expire(self, before: int) -> Iterator[SlotT]:
        """Drop the slots that lie before `before`, and yield each."""
        while self._order and self._order[0] < before:
            yield self._slots.pop(heappop(self._order))


class SlidingSums:
    """Named whole-number sums over a timeline."""

    __slots__ = ("_slots", "totals")

    def __init__(self) -> None:
        self.totals: dict[str, int] = defaultdict(int)
        """The sums over all open slots. Read with `.get`; a name never added is absent."""
        self._slots: Timeline[dict[str, int]] = Timeline(lambda: defaultdict(int))

    def __len__(self) -> int:
        """Return the number of open slots."""
        return len(self._slots)

    @property
    def oldest(self) -> int | None:
        """The place of the oldest open slot; None when there is none."""
        return self._slots.oldest

    def add(self, at: int, amounts: Mapping[str, int]) -> None:
        """Add `amounts` to the slot at `at`."""
        slot, totals = self._slots.slot(at), self.totals
        for name, amount in amounts.items():
            slot[name] += amount
            totals[name] += amount

    def expire(self, before: int) -> None:
        """Take from the totals what lies before `before`."""
        for slot in self._slots.expire(before):
            for name, amount in slot.items():
                self.totals[name] -= amount
