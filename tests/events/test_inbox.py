# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_health.events.inbox import Inbox
from tests.events.kit import eventually

PATIENCE_S = 20.0


def test_items_come_out_in_the_order_they_went_in() -> None:
    inbox: Inbox[int] = Inbox()
    for number in range(5):
        inbox.put(number)
    assert (inbox.depth, inbox.drain(3), inbox.drain(10), inbox.drain(1)) == (5, [0, 1, 2], [3, 4], [])


@settings(deadline=None, max_examples=100)
@given(st.integers(1, 5), st.lists(st.integers(-3, 6), max_size=40))
def test_a_full_inbox_loses_its_oldest_and_counts_it(capacity: int, steps: list[int]) -> None:
    """Model: a list from which the oldest is struck. A step ≥ 0 puts, a step below takes so many."""
    inbox: Inbox[int] = Inbox(capacity)
    model: deque[int] = deque()
    dropped = puts = 0
    for step in steps:
        if step < 0:
            assert inbox.drain(-step) == [model.popleft() for _ in range(min(-step, len(model)))]
        else:
            inbox.put(step)
            model.append(step)
            puts += 1
        if len(model) > capacity:
            model.popleft()
            dropped += 1
        assert (inbox.depth, inbox.accepted, inbox.dropped) == (len(model), puts, dropped)


def test_an_inbox_needs_room_for_one() -> None:
    with pytest.raises(ValueError, match=r"cannot hold 0 items; allowed: capacity >= 1"):
        Inbox(0)


def test_nothing_is_lost_uncounted_when_many_threads_hand_in_at_once() -> None:
    inbox: Inbox[tuple[int, int]] = Inbox(64)
    start = threading.Barrier(4)

    def hand_in(worker: int) -> None:
        start.wait(PATIENCE_S)
        for number in range(2_000):
            inbox.put((worker, number))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        workers = [threading.Thread(target=hand_in, args=(worker,)) for worker in range(4)]
        for worker in workers:
            worker.start()
        taken: list[tuple[int, int]] = []
        while any(worker.is_alive() for worker in workers) or inbox.depth:
            taken += inbox.drain(16)
    finally:
        sys.setswitchinterval(interval)
    assert inbox.accepted == 8_000
    assert len(taken) + inbox.dropped == 8_000
    assert len(set(taken)) == len(taken)
    for worker_number in range(4):
        own = [number for worker, number in taken if worker == worker_number]
        assert own == sorted(own)


def test_a_sleeping_consumer_is_woken_by_the_first_item() -> None:
    inbox: Inbox[str] = Inbox()
    seen: list[object] = []
    consumer = threading.Thread(target=lambda: seen.extend((inbox.wait(PATIENCE_S), inbox.drain(1))))
    consumer.start()
    inbox.put("hello")
    consumer.join(PATIENCE_S)
    assert seen == [True, ["hello"]]


def test_a_consumer_can_sleep_until_a_batch_has_gathered() -> None:
    inbox: Inbox[int] = Inbox()
    woken = threading.Event()

    def consume() -> None:
        inbox.wait(PATIENCE_S, at_least=3)
        woken.set()

    consumer = threading.Thread(target=consume)
    consumer.start()
    assert eventually(lambda: inbox._wake_at == 3)
    inbox.put(1)
    inbox.put(2)
    assert inbox._wake_at == 3  # it sleeps on: who wakes it takes the mark away
    inbox.put(3)
    assert inbox._wake_at > 3
    assert woken.wait(PATIENCE_S)
    consumer.join(PATIENCE_S)


def test_what_already_lies_there_is_not_waited_for() -> None:
    inbox: Inbox[int] = Inbox()
    inbox.put(1)
    assert inbox.wait(PATIENCE_S)


def test_a_wait_for_nothing_ends_in_time() -> None:
    inbox: Inbox[int] = Inbox()
    assert not inbox.wait(0)
    assert not inbox.wait(0.01)


def test_a_wake_that_comes_before_the_sleep_is_not_lost() -> None:
    inbox: Inbox[int] = Inbox()
    inbox.wake()
    inbox.wake()
    assert not inbox.wait(PATIENCE_S)
    assert not inbox.wait(0)


def test_an_item_handed_in_between_looking_and_sleeping_is_not_slept_over() -> None:
    """The producer comes exactly when the consumer has said it will sleep and has not yet looked."""
    inbox: Inbox[int] = Inbox()

    class Sly(deque[int]):
        def __len__(self) -> int:
            if inbox._wake_at == 1:
                inbox.wake()
            return 0

    inbox._items = Sly()
    assert not inbox.wait(PATIENCE_S)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no interval timers here")
def test_a_signal_handler_may_hand_in_at_any_moment() -> None:
    inbox: Inbox[str] = Inbox(50)
    puts = handled = 0

    def handle(*_: object) -> None:
        nonlocal handled
        handled += 1
        inbox.put("signal")

    consumer = threading.Thread(target=lambda: [inbox.wait(0.05) for _ in range(20)])
    before = signal.signal(signal.SIGALRM, handle)
    try:
        consumer.start()
        signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
        while handled < 100:
            inbox.put("thread")
            puts += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    consumer.join(PATIENCE_S)
    assert inbox.accepted == puts + handled == inbox.depth + inbox.dropped


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_child_starts_with_an_empty_inbox_that_works() -> None:
    inbox: Inbox[str] = Inbox()
    sleeper = threading.Thread(target=lambda: inbox.wait(PATIENCE_S, at_least=5))
    sleeper.start()
    inbox.put("the parent's")
    assert eventually(lambda: inbox._wake_at == 5)
    child = os.fork()
    if child == 0:
        inbox.reset_after_fork()
        fresh = (inbox.depth, inbox.accepted, inbox.dropped) == (0, 0, 0)
        inbox.put("the child's")
        os._exit(0 if fresh and inbox.wait(0) and inbox.drain(2) == ["the child's"] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert (inbox.drain(9), inbox.accepted) == (["the parent's"], 1)
    inbox.wake()
    sleeper.join(PATIENCE_S)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no interval timers here")
@pytest.mark.parametrize("error", [RuntimeError, TimeoutError, KeyboardInterrupt])
def test_what_a_signal_handler_raises_while_something_is_handed_in_reaches_its_caller(
    error: type[BaseException],
) -> None:
    inbox: Inbox[int] = Inbox(50)
    raised = caught = 0

    def expire(*_: object) -> None:
        nonlocal raised
        raised += 1
        raise error

    before = signal.signal(signal.SIGALRM, expire)
    try:
        while raised < 100:
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.0002)
                while True:
                    inbox._wake_at = 1
                    inbox.put(1)
            except error:
                caught += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert caught == raised
    assert inbox.wait(PATIENCE_S)
