# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_health.events.model import Category, HealthEvent, Severity
from otel_health.events.selection import newest
from tests.events.kit import NOON_S, made


def test_the_newest_come_first_whatever_order_they_were_recorded_in() -> None:
    events = [made(seq, at=NOON_S + seq // 3) for seq in range(30)]
    random.Random(7).shuffle(events)
    assert [event.seq for event in newest(events, now=NOON_S + 60)] == list(reversed(range(30)))


def test_one_stamp_far_off_hides_no_other() -> None:
    events = [made(1), made(2, at=NOON_S - 90_000), made(3), made(4, at=NOON_S + 90_000), made(5)]
    assert [event.seq for event in newest(events, now=NOON_S)] == [4, 5, 3, 1]


def test_the_edge_of_the_window_is_inside() -> None:
    events = [made(1, at=NOON_S - 600), made(2, at=NOON_S - 600.001)]
    assert [event.seq for event in newest(events, now=NOON_S, minutes=10)] == [1]


def test_the_limit_counts_what_passed_the_filters() -> None:
    events = [
        made(seq, category=Category.RETRY if seq % 10 == 0 else Category.TOOL_SUCCESS, severity=Severity.INFO)
        for seq in range(100)
    ]
    found = newest(events, now=NOON_S, category="retry", severity="info", limit=3)
    assert [event.seq for event in found] == [90, 80, 70]
    assert newest(events, now=NOON_S, category="retry", severity=Severity.ERROR) == []


@pytest.mark.parametrize("limit", [0, -1, -200])
def test_a_limit_of_nothing_gives_nothing(limit: int) -> None:
    assert newest([made(1)], now=NOON_S, limit=limit) == []


def test_a_window_of_less_than_nothing_is_empty() -> None:
    assert newest([made(1)], now=NOON_S, minutes=-1) == []


def test_an_event_without_a_place_stands_before_those_that_have_one() -> None:
    unplaced = HealthEvent(category=Category.RETRY, severity=Severity.WARNING, timestamp=NOON_S)
    assert newest([unplaced, made(0)], now=NOON_S) == [made(0), unplaced]


def test_a_stamp_that_is_no_number_is_in_no_window() -> None:
    assert newest([made(1, at=math.nan), made(2)], now=NOON_S) == [made(2)]


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.integers(-5000, 100), st.sampled_from(Severity))), st.integers(-2, 12), st.integers(0, 80))
def test_it_agrees_with_sorting_everything(stamps: list[tuple[int, Severity]], limit: int, minutes: int) -> None:
    events = [made(seq, at=NOON_S + at, severity=severity) for seq, (at, severity) in enumerate(stamps)]
    fitting = [e for e in events if e.timestamp >= NOON_S - minutes * 60 and e.severity == "warning"]
    expected = sorted(fitting, key=lambda e: (e.timestamp, e.seq), reverse=True)[: max(0, limit)]
    assert newest(events, now=NOON_S, minutes=minutes, severity="warning", limit=limit) == expected
