# SPDX-License-Identifier: Apache-2.0
"""The window and the seven checks: what a verdict costs, whatever happened, and what an hour of events weighs."""

from __future__ import annotations

import gc
import sys
from itertools import cycle, islice
from types import FunctionType, ModuleType

from benchmarks.harness import Row, Subject, figure, race, ratio
from otel_health.checks import CHECKS
from otel_health.checks.base import Verdict
from otel_health.checks.judge import judge
from otel_health.clock import ManualClock
from otel_health.events.model import Category, HealthEvent, event
from otel_health.signals.board import Board

HOUR_S = 3600
RATE = 556
"""Events a second that make 2 000 000 an hour."""


def run() -> list[Row]:
    few, many = board_of(1, 2_000), board_of(HOUR_S, RATE)
    next_event = cycle(happenings()).__next__
    light, heavy, guilty, fold = race(
        Subject("2 000 events", lambda: verdicts(few)),
        Subject("2 000 000 events", lambda: verdicts(many)),
        Subject("with the guilty", lambda: [many.top(verdict.rule.blames) for verdict in verdicts(many)]),
        Subject("one event folded", lambda: few.fold(next_event())),
    )
    return [
        ratio("seven checks: 2 000 000 / 2 000 events", heavy, light, at_most=1.2),
        figure("seven checks, 2 000 000 events", heavy.median_s * 1e6, "µs", at_most=50),
        figure("the same, and the guilty of each", guilty.median_s * 1e6, "µs"),
        figure("one event folded", fold.median_s * 1e6, "µs"),
        figure(f"one hour at {RATE} events/s", megabytes(many), "MB", at_most=30),
    ]


def verdicts(board: Board) -> list[Verdict]:
    stats = board.read()
    return [judge(check, stats) for check in CHECKS]


def board_of(seconds: int, rate: int) -> Board:
    """Return a board that saw `rate` events in each of the last `seconds` seconds."""
    clock = ManualClock()
    board = Board(clock, HOUR_S)
    events = cycle(happenings())
    for _ in range(seconds):
        for one in islice(events, rate):
            board.fold(one)
        clock.advance(1)
    return board


def happenings() -> list[HealthEvent]:
    """Return a mix as a busy agent makes it. Stamped 0, which nobody believes, so that each counts when it arrives."""
    usage = {"model": "m", "input": 1200, "output": 300, "cached_input": 900, "cost_usd": 0.004}
    mixed: list[HealthEvent] = []
    for i in range(100):
        tool, agent = f"tool-{i % 30}", f"agent-{i % 5}"
        mixed += [event(Category.TOOL_SUCCESS, tool, agent=agent, timestamp=0) for _ in range(10)]
        mixed += [event(Category.LLM_SUCCESS, "openai", agent=agent, timestamp=0, extra=usage) for _ in range(6)]
        mixed += [
            event(Category.TOOL_ERROR, tool, agent=agent, timestamp=0, details="refused"),
            event(Category.SPOKE_SUCCESS, "browser", agent=agent, timestamp=0),
            event(Category.TURN_COMPLETED, agent, agent=agent, timestamp=0, latency_ms=800 * 1.03**i),
        ]
    return mixed


def megabytes(board: Board) -> float:
    """Return the size of everything that `board` holds, code and events apart."""
    seen: set[int] = set()
    todo: list[object] = [board]
    total = 0
    while todo:
        one = todo.pop()
        if id(one) in seen or isinstance(one, type | ModuleType | FunctionType | HealthEvent):
            continue
        seen.add(id(one))
        total += sys.getsizeof(one)
        todo += gc.get_referents(one)
    return total / 1e6
