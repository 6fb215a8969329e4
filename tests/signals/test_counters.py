# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from otel_health.signals.counters import SlidingSums, Timeline

ADDITIONS = st.lists(st.tuples(st.integers(0, 50), st.sampled_from("abc"), st.integers(0, 10**18)), max_size=60)


@settings(deadline=None)
@given(ADDITIONS, st.integers(0, 51))
def test_totals_are_the_sums_of_what_has_not_expired_whatever_the_order(
    additions: list[tuple[int, str, int]], before: int
) -> None:
    sums = SlidingSums()
    for at, name, amount in additions:
        sums.add(at, {name: amount})
    sums.expire(before)
    left: Counter[str] = Counter()
    for at, name, amount in additions:
        if at >= before:
            left[name] += amount
    assert {name: total for name, total in sums.totals.items() if total} == +left
    assert len(sums) == len({at for at, _, _ in additions if at >= before})


def test_slots_are_dropped_oldest_first_whatever_order_they_were_opened_in() -> None:
    timeline: Timeline[list[int]] = Timeline(list)
    for at in (30, 10, 20, 10):
        timeline.slot(at).append(at)
    assert list(timeline.expire(21)) == [[10, 10], [20]]
    assert len(timeline) == 1
    assert list(timeline.expire(21)) == []


def test_a_slot_that_was_dropped_can_be_opened_again() -> None:
    sums = SlidingSums()
    sums.add(1, {"a": 1})
    sums.expire(2)
    sums.add(1, {"a": 5})
    assert sums.totals["a"] == 5
    sums.expire(2)
    assert sums.totals["a"] == 0
