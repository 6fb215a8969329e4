# SPDX-License-Identifier: Apache-2.0
"""The key counts once more, per agent: for drilling down, never for judging."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import UNSET

from otel_health.events.model import Category, HealthEvent
from otel_health.signals.base import Number
from otel_health.signals.slices import SliceTable

COUNTS = (
    "turns",
    "turn_failures",
    "timeouts",
    "tool_calls",
    "tool_errors",
    "spoke_calls",
    "spoke_failures",
    "llm_calls",
    "llm_errors",
    "context_overflows",
    "retries",
    "budget_exhaustions",
    "input_tokens",
    "output_tokens",
)
"""What is counted per agent; keys of the window's stats."""

_DONE_BY_THE_AGENT = frozenset(
    (
        Category.TURN_COMPLETED,
        Category.TURN_FAILED,
        Category.TURN_TIMEOUT,
        Category.TURN_CANCELLED,
        Category.RETRY,
        Category.BUDGET_EXHAUSTED,
    ),
)
"""Categories whose component is the agent."""


class Agents:
    """Counts per agent, 200 agents, the rest together. Only the health thread touches it."""

    def __init__(self, window_s: int) -> None:
        """Look back `window_s` seconds."""
        self._table = SliceTable(window_s)

    @property
    def overflowed(self) -> int:
        """Events counted under `_other` because the table was full."""
        return self._table.overflowed

    def add(self, event: HealthEvent, amounts: Mapping[str, int], at_s: int) -> None:
        """Add the `amounts` of `event` to its agent; an event of no known agent is left to the totals."""
        name = _agent(event)
        if name:
            self._table.add(name, event, amounts, at_s)

    def read(self, now_s: int) -> dict[str, dict[str, Number]]:
        """Return the counts by agent as of second `now_s`, first come first."""
        return {name: {key: row.totals.get(key, 0) for key in COUNTS} for name, row in self._table.rows(now_s)}


def _agent(event: HealthEvent) -> str:
    if event.agent is not UNSET:
        return str(event.agent)
    return event.component if event.category in _DONE_BY_THE_AGENT else ""
