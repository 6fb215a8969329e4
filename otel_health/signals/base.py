# SPDX-License-Identifier: Apache-2.0
"""The signal protocol: a stream of events folded into named numbers.

A signal knows no clock. It is told at which second an event counts and as of which second it is asked; both come from
one `TimeAxis`, so all signals agree on what lies inside the window.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

import msgspec

from otel_health.events.model import HealthEvent

Number = int | float | bool | None
"""A stat's value; None is unknown."""

Stats = Mapping[str, Number]


class Stat(msgspec.Struct, frozen=True):
    """A declared number: its JSON key, its unit (UCUM, "USD", or "" for a count), and what it counts."""

    name: str
    unit: str
    help: str


@runtime_checkable
class Signal(Protocol):
    """Folds events into numbers. Holds no threshold and no clock. Only the health thread touches it."""

    @property
    def name(self) -> str:
        """A short lower-case name, unique."""
        ...

    @property
    def stats(self) -> tuple[Stat, ...]:
        """What `read` returns, declared."""
        ...

    def fold(self, event: HealthEvent, at_s: int) -> None:
        """Take in one event that counts at second `at_s` of the time axis. O(1)."""
        ...

    def read(self, now_s: int) -> Stats:
        """Return the numbers as of second `now_s`. O(1) whatever was folded."""
        ...


@runtime_checkable
class SignalFactory(Protocol):
    """Makes a signal; usually the signal's own class, with `name` a class attribute."""

    @property
    def name(self) -> str:
        """The name of the signal it makes."""
        ...

    def __call__(self, window_s: int) -> Signal:
        """Return a fresh signal that looks back `window_s` seconds."""
        ...
