# SPDX-License-Identifier: Apache-2.0
"""Events for the tests of signals and checks."""

from __future__ import annotations

from typing import Any

from otel_health.clock import ManualClock
from otel_health.events.model import Category, HealthEvent, event
from otel_health.signals.board import Board

NOW_S = 1_750_000_000.0
"""Where a `ManualClock` begins."""


def happening(category: Category | str, component: str = "it", *, at: float = NOW_S, **fields: Any) -> HealthEvent:
    """Return an event that is stamped `at`."""
    return event(category, component, timestamp=at, **fields)


def board_after(*events: HealthEvent, window_s: int = 3600) -> Board:
    """Return a board that saw `events` arrive at `NOW_S`."""
    board = Board(ManualClock(NOW_S), window_s)
    for one in events:
        board.fold(one)
    return board


def many(times: int, category: Category | str, component: str = "it", **fields: Any) -> list[HealthEvent]:
    """Return `times` events that are alike."""
    return [happening(category, component, **fields)] * times
