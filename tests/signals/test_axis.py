# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_health.clock import ManualClock
from otel_health.errors import ConfigError
from otel_health.signals.axis import TimeAxis
from tests.signals.occurrences import NOW_S


@pytest.mark.parametrize("age_s", [0, 0.5, 59.999, 60, -0.5, -5])
def test_a_time_within_the_window_or_five_seconds_ahead_is_trusted(age_s: float) -> None:
    axis = TimeAxis(ManualClock(NOW_S), 60)
    assert axis.place(NOW_S - age_s) == math.floor(NOW_S - age_s)
    assert axis.restamped == 0


@pytest.mark.parametrize("stamp", [NOW_S - 60.01, NOW_S + 5.01, 0.0, -1.0, 1e300, math.nan, math.inf, -math.inf])
def test_any_other_time_gives_way_to_the_moment_of_arrival_and_is_counted(stamp: float) -> None:
    axis = TimeAxis(ManualClock(NOW_S), 60)
    assert axis.place(stamp) == NOW_S
    assert axis.restamped == 1


@pytest.mark.parametrize(
    ("stamp", "second", "restamped", "left_out"),
    [
        (NOW_S - 60, NOW_S - 60, 0, 0),
        (NOW_S - 60.01, None, 0, 1),
        (-math.inf, None, 0, 1),
        (NOW_S + 6, NOW_S, 1, 0),
        (math.nan, NOW_S, 1, 0),
    ],
)
def test_a_restored_event_older_than_the_window_is_left_out(
    stamp: float, second: float | None, restamped: int, left_out: int
) -> None:
    axis = TimeAxis(ManualClock(NOW_S), 60)
    assert axis.place_restored(stamp) == second
    assert (axis.restamped, axis.left_out) == (restamped, left_out)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(-100_000, 100_000), st.floats(0, 1000)), max_size=20))
def test_the_present_second_advances_by_time_that_passed_whatever_the_wall_clock_is_set_to(
    moves: list[tuple[int, float]],
) -> None:
    clock = ManualClock(NOW_S)
    axis = TimeAxis(clock)
    for step_s, passed_s in moves:
        clock.step_wall(step_s)
        before_s = axis.now()
        clock.advance(passed_s)
        assert abs(axis.now() - before_s - passed_s) <= 1
        assert axis.place(clock.wall()) == axis.now()
    assert abs(axis.now() - NOW_S - clock.monotonic()) <= 1


@settings(deadline=None)
@given(st.lists(st.floats(-0.9, 0.9), min_size=1, max_size=10))
def test_the_present_second_never_goes_back_when_the_wall_clock_is_nudged(nudges: list[float]) -> None:
    clock = ManualClock(NOW_S)
    axis = TimeAxis(clock)
    seen = [axis.now()]
    for nudge in nudges:
        clock.step_wall(nudge)
        seen.append(axis.now())
    assert seen == sorted(seen)


@pytest.mark.parametrize("window_s", [59, 86_401, 0, -60, 60.0, "3600", None, True])
def test_a_window_out_of_range_is_refused_by_its_value(window_s: object) -> None:
    with pytest.raises(ConfigError, match=r"window_s is .*; allowed: whole seconds from 60 to 86400"):
        TimeAxis(ManualClock(), window_s)  # type: ignore[arg-type]


@pytest.mark.parametrize("window_s", [60, 86_400])
def test_the_limits_of_the_window_are_themselves_allowed(window_s: int) -> None:
    assert TimeAxis(ManualClock(), window_s).window_s == window_s
