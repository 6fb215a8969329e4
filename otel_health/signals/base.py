# SPDX-License-Identifier: Apache-2.0
"""The signal protocol: a stream of events folded into named numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

import msgspec

from otel_health.events.model import HealthEvent

Number = int | float | bool | None
"""A stat's value; None is unknown."""

Stats = Mapping[str, Number]


class Stat(msgspec.Struct, frozen=True):
    """A declared number: its JSON key, its unit (UCUM or ""), and what it counts."""

    name: str
    unit: str
    help: str


@runtime_checkable
class Signal(Protocol):
    """Folds events into numbers. Holds no threshold. Only the health thread touches it."""

    @property
    def name(self) -> str:
        """A short lower-case name, unique."""
        ...

    @property
    def stats(self) -> tuple[Stat, ...]:
        """What `read` returns, declared."""
        ...

    def fold(self, event: HealthEvent) -> None:
        """Take one event in. O(1)."""
        ...

    def read(self) -> Stats:
        """Return the numbers as of now. O(1) whatever was folded."""
        ...
