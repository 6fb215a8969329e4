# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import signal
import threading

import pytest

from otel_health.events.promise import Promise

PATIENCE_S = 20.0


@pytest.mark.parametrize("ok", [True, False])
def test_who_waits_is_told_how_it_went(ok: bool) -> None:
    promise = Promise()
    keeper = threading.Thread(target=lambda: promise.keep(ok=ok))
    assert promise.outcome is None
    keeper.start()
    assert promise.wait(PATIENCE_S) is ok
    assert promise.outcome is ok
    keeper.join(PATIENCE_S)


def test_one_that_is_kept_already_is_not_waited_for_and_may_be_kept_again() -> None:
    promise = Promise()
    promise.keep()
    promise.keep()
    assert [promise.wait(PATIENCE_S), promise.wait(PATIENCE_S)] == [True, True]


def test_one_that_is_not_kept_is_waited_for_so_long_and_no_longer() -> None:
    promise = Promise()
    assert not promise.wait(0)
    assert not promise.wait(0.001)
    assert promise.outcome is None


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no interval timers here")
def test_an_exception_out_of_a_signal_handler_passes_and_the_keeper_is_not_held_up() -> None:
    class TooLateError(Exception):
        pass

    def expire(*_: object) -> None:
        raise TooLateError

    def wait_with_a_limit(promise: Promise) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.0005)
        promise.wait(PATIENCE_S)

    before = signal.signal(signal.SIGALRM, expire)
    try:
        for _ in range(100):
            promise = Promise()
            with pytest.raises(TooLateError):
                wait_with_a_limit(promise)
            keeper = threading.Thread(target=promise.keep)
            keeper.start()
            keeper.join(PATIENCE_S)
            assert promise.outcome
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
