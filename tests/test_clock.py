# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
import threading
import time

import pytest

from otel_health.clock import LONGEST_WAIT_S, Deadline, ManualClock, SystemClock


def test_the_system_clock_reads_the_machines_clocks() -> None:
    clock = SystemClock()
    before = (time.time(), time.monotonic())
    read = (clock.wall(), clock.monotonic())
    after = (time.time(), time.monotonic())
    assert before[0] <= read[0] <= after[0]
    assert before[1] <= read[1] <= after[1]


def test_a_manual_clock_moves_both_readings_when_told_and_only_then() -> None:
    clock = ManualClock(wall=100.0, monotonic=5.0)
    assert (clock.wall(), clock.monotonic()) == (100.0, 5.0)
    clock.advance(2.5)
    assert (clock.wall(), clock.monotonic()) == (102.5, 7.5)


def test_time_passes_until_a_moment_but_never_back() -> None:
    clock = ManualClock(wall=100.0)
    clock.advance_to(103.0)
    clock.advance_to(50.0)
    assert (clock.wall(), clock.monotonic()) == (103.0, 3.0)


def test_the_wall_clock_can_step_without_time_passing() -> None:
    clock = ManualClock(wall=100.0)
    clock.step_wall(-30.0)
    assert (clock.wall(), clock.monotonic()) == (70.0, 0.0)


def test_time_cannot_pass_backwards() -> None:
    with pytest.raises(ValueError, match=r"advance\(-1\); allowed: seconds >= 0"):
        ManualClock().advance(-1)


def test_a_deadline_tells_what_is_left_and_never_less_than_nothing() -> None:
    clock = ManualClock()
    deadline = Deadline(clock, 5)
    clock.advance(2)
    assert deadline.left_s == 3
    clock.advance(4)
    assert deadline.left_s == 0


@pytest.mark.parametrize(
    ("timeout_s", "left_s"),
    [(-1, 0), (0, 0), (math.nan, 0), (-math.inf, 0), (math.inf, LONGEST_WAIT_S), (1e300, LONGEST_WAIT_S)],
)
def test_whatever_the_time_out_what_is_left_can_be_waited_for(timeout_s: float, left_s: float) -> None:
    left = Deadline(ManualClock(), timeout_s).left_s
    assert left == left_s
    assert left <= threading.TIMEOUT_MAX
