# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_health.signals.quantile import LEAST_MS, MOST_MS, SlidingPercentiles

LATENCIES = st.floats(LEAST_MS, MOST_MS)


def nearest_rank(values: list[float], percent: int) -> float:
    return sorted(values)[math.ceil(percent * len(values) / 100) - 1]


@settings(deadline=None)
@given(st.lists(LATENCIES, min_size=1, max_size=200), st.integers(1, 100))
def test_every_percentile_is_within_one_percent_of_the_nearest_rank(values: list[float], percent: int) -> None:
    percentiles = SlidingPercentiles()
    for value in values:
        percentiles.add(0, value)
    assert percentiles.percentile(percent) == pytest.approx(nearest_rank(values, percent), rel=0.01, abs=0)


@pytest.mark.parametrize("n", [1, 2, 19, 20, 21, 40, 99, 100, 101])
def test_the_95th_of_n_is_the_nearest_rank_and_not_the_one_above(n: int) -> None:
    percentiles = SlidingPercentiles()
    values = [100.0 * 1.05**i for i in range(n)]
    for value in values:
        percentiles.add(0, value)
    assert percentiles.percentile(95) == pytest.approx(nearest_rank(values, 95), rel=0.01)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), LATENCIES), max_size=80), st.integers(0, 10))
def test_what_expired_has_no_part_in_it(values: list[tuple[int, float]], before: int) -> None:
    percentiles = SlidingPercentiles()
    for at, value in values:
        percentiles.add(at, value)
    percentiles.expire(before)
    left = [value for at, value in values if at >= before]
    assert percentiles.count == len(left)
    expected = nearest_rank(left, 95) if left else 0.0
    assert percentiles.percentile(95) == pytest.approx(expected, rel=0.01, abs=0)


def test_a_crowded_second_is_counted_and_forgotten_as_exactly_as_a_quiet_one() -> None:
    percentiles = SlidingPercentiles()
    values = [1.0 + i for i in range(10_000)]
    for value in values:
        percentiles.add(0, value)
    percentiles.add(1, 5.0)
    assert percentiles.count == 10_001
    for percent in (1, 50, 95, 100):
        assert percentiles.percentile(percent) == pytest.approx(nearest_rank([*values, 5.0], percent), rel=0.01)
    percentiles.expire(1)
    assert percentiles.count == 1
    assert percentiles.percentile(95) == pytest.approx(5.0, rel=0.01)


@pytest.mark.parametrize(("value", "shown"), [(1e-9, 0.1), (0.05, 0.1), (1e12, MOST_MS)])
def test_values_out_of_range_are_counted_at_the_end_of_it(value: float, shown: float) -> None:
    percentiles = SlidingPercentiles()
    percentiles.add(0, value)
    assert percentiles.percentile(50) == pytest.approx(shown, rel=0.025)


def test_no_value_is_zero() -> None:
    assert SlidingPercentiles().percentile(95) == 0.0
