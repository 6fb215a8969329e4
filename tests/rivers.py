# SPDX-License-Identifier: Apache-2.0
"""Short ways through the river for tests: spans in, events or numbers out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from otel_health.clock import ManualClock
from otel_health.dialects import interpreter
from otel_health.dialects.span import Span
from otel_health.events.model import HealthEvent
from otel_health.signals.base import Number
from otel_health.signals.board import Board
from otel_health.sources.assembly import Assembler, Explanation
from otel_health.testing import events_of


def explanations_of(*spans: Span) -> list[Explanation]:
    """Return what became of each span."""
    told: list[Explanation] = []
    assembler = Assembler(interpreter(), explain=told.append)
    for span in spans:
        assembler.add(span, 0.0)
    assembler.flush()
    return told


def counts(events: Iterable[HealthEvent]) -> dict[str, int]:
    """Return how many events there are of each category."""
    return dict(Counter(event.category.value for event in events))


def stats_of(*spans: Span) -> dict[str, Number]:
    """Return the numbers that all `spans` together give."""
    return numbers(events_of(*spans))


def numbers(events: Iterable[HealthEvent]) -> dict[str, Number]:
    """Return the numbers of `events`, as of the last of them."""
    events = list(events)
    board = Board(ManualClock(wall=max((event.timestamp for event in events), default=0.0)))
    for event in events:
        board.fold(event)
    return board.read()
