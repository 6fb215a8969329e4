# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import logging
import threading
from collections.abc import Callable

import pytest

from otel_health.clock import ManualClock
from otel_health.monitor.mishaps import Mishaps
from otel_health.monitor.thread import NAME, HealthThread

WAIT_S = 30.0


def _alive() -> int:
    return sum(thread.name == NAME for thread in threading.enumerate())


class _Work:
    """A step that can be watched, and a wait that can be woken."""

    def __init__(self, step: Callable[[], bool] = lambda: False) -> None:
        self._step = step
        self.mishaps = Mishaps(ManualClock())
        self.stepped = threading.Semaphore(0)
        self.bell = threading.Event()
        self.thread = HealthThread(self.step, wait=self.wait, wake=self.bell.set, mishaps=self.mishaps)

    def step(self) -> bool:
        self.stepped.release()
        return self._step()

    def wait(self) -> None:
        self.bell.wait(WAIT_S)
        self.bell.clear()

    def was_stepped(self) -> bool:
        return self.stepped.acquire(timeout=WAIT_S)


def test_it_steps_waits_and_leaves_no_trace_when_stopped() -> None:
    before = _alive()
    work = _Work()
    work.thread.start()
    assert work.was_stepped()
    work.bell.set()
    assert work.was_stepped()
    assert work.thread.stop(WAIT_S)
    assert _alive() == before


def test_starting_twice_makes_one_thread_and_stopping_twice_is_no_error() -> None:
    before = _alive()
    work = _Work()
    work.thread.start()
    work.thread.start()
    assert work.was_stepped()
    assert _alive() == before + 1
    assert work.thread.stop(WAIT_S)
    assert work.thread.stop(WAIT_S)


def test_it_can_be_started_again() -> None:
    work = _Work()
    for _ in range(2):
        work.thread.start()
        assert work.was_stepped()
        assert work.thread.stop(WAIT_S)


def test_stopping_what_never_began_is_no_error() -> None:
    assert _Work().thread.stop(0)


def test_while_there_is_more_to_do_it_does_not_wait() -> None:
    left = iter([True, True, True])
    work = _Work(lambda: next(left, False))
    work.thread.start()
    assert all(work.was_stepped() for _ in range(4))
    assert work.thread.stop(WAIT_S)


def test_a_step_that_fails_is_counted_and_does_not_end_the_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("otel_health.monitor.thread._AFTER_MISHAP_S", 0.001)

    def fail() -> bool:
        raise RuntimeError("broken")

    work = _Work(fail)
    work.thread.start()
    assert all(work.was_stepped() for _ in range(3))
    assert work.thread.stop(WAIT_S)
    assert work.mishaps.count >= 3


def test_a_stuck_step_is_left_behind_in_time_and_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    before = _alive()
    released = threading.Event()
    work = _Work(lambda: released.wait(WAIT_S))
    work.thread.start()
    assert work.was_stepped()
    with caplog.at_level(logging.WARNING, "otel_health.monitor.thread"):
        assert not work.thread.stop(0.01)
    assert "left behind" in caplog.text
    released.set()
    for thread in threading.enumerate():
        if thread.name == NAME:
            thread.join(WAIT_S)
    assert _alive() == before
