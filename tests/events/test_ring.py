# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
import threading

import pytest

from otel_health.events.model import Category
from otel_health.events.ring import Ring
from tests.events.kit import NOON_S, made


def test_a_full_ring_lets_go_of_the_oldest_and_counts_it() -> None:
    ring = Ring(3)
    for seq in range(5):
        ring.append(made(seq))
    assert [event.seq for event in ring.recent(NOON_S)] == [4, 3, 2]
    assert (len(ring), ring.total, ring.dropped) == (3, 5, 2)


def test_it_holds_two_thousand_unless_told_otherwise() -> None:
    ring = Ring()
    for seq in range(2_001):
        ring.append(made(seq))
    assert (len(ring), ring.dropped) == (2_000, 1)


def test_it_answers_the_questions_of_a_selection() -> None:
    ring = Ring()
    ring.append(made(1, category=Category.RETRY))
    ring.append(made(2, at=NOON_S - 700))
    ring.append(made(3))
    assert [event.seq for event in ring.recent(NOON_S, minutes=10)] == [3, 1]
    assert [event.seq for event in ring.recent(NOON_S, category="retry")] == [1]
    assert ring.recent(NOON_S, severity="error") == []
    assert [event.seq for event in ring.recent(NOON_S, limit=1)] == [3]


def test_a_ring_needs_room_for_one() -> None:
    with pytest.raises(ValueError, match=r"cannot hold 0 events; allowed: capacity >= 1"):
        Ring(0)


def test_a_reader_on_another_thread_sees_an_unbroken_run() -> None:
    ring = Ring(100)
    done = threading.Event()

    def append() -> None:
        for seq in range(20_000):
            ring.append(made(seq))
        done.set()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    writer = threading.Thread(target=append)
    try:
        writer.start()
        while not done.is_set():
            seen = [event.seq for event in ring.recent(NOON_S) if isinstance(event.seq, int)]
            assert seen == list(range(max(seen, default=0), max(seen, default=0) - len(seen), -1))
    finally:
        sys.setswitchinterval(interval)
        writer.join(20)
    assert ring.total == 20_000
