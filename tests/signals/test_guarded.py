# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import logging
import threading

import pytest

from otel_health.events.model import HealthEvent
from otel_health.signals.base import Signal, SignalFactory, Stats
from otel_health.signals.guarded import Guarded, guarded
from tests.signals.occurrences import NOW_S, happening
from tests.signals.third_party import Broken, Longest

NOW = int(NOW_S)


class Panic(BaseException):
    """As extension modules raise it."""


class Forgetful(Longest):
    def read(self, now_s: int) -> Stats:
        return {"something_else": 1}


def test_a_class_with_a_name_makes_signals() -> None:
    assert isinstance(Longest, SignalFactory)
    assert isinstance(Longest(60), Signal)
    assert isinstance(Guarded(Longest(60)), Signal)


def test_a_sound_signal_is_passed_through() -> None:
    signal = guarded(Longest, 60)
    assert signal
    signal.fold(happening("retry", details="four"), NOW)
    assert (signal.name, signal.read(NOW), signal.failures) == ("longest", {"longest_details": 4}, 0)


def test_a_failing_signal_is_counted_logged_once_and_its_numbers_are_unknown(caplog: pytest.LogCaptureFixture) -> None:
    signal = Guarded(Broken(60))
    for _ in range(3):
        signal.fold(happening("retry"), NOW)
    assert signal.read(NOW) == {"broken_number": None}
    assert signal.failures == 4
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_a_number_that_a_signal_does_not_give_is_unknown() -> None:
    assert Guarded(Forgetful(60)).read(NOW) == {"longest_details": None}


def test_a_signal_that_cannot_be_made_is_left_out_with_a_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    class Unmakeable(Longest):
        def __init__(self, window_s: int) -> None:
            raise RuntimeError("no")

    assert guarded(Unmakeable, 60) is None
    assert "left out" in caplog.text


@pytest.mark.parametrize("failure", [Panic(), RecursionError()])
def test_a_panic_costs_no_more_than_any_failure(failure: BaseException) -> None:
    signal = Guarded(_raising(failure))
    signal.fold(happening("retry"), NOW)
    assert signal.read(NOW) == {"longest_details": None}
    assert signal.failures == 2
    assert guarded(_unmakeable(failure), 60) is None


@pytest.mark.parametrize("wish", [SystemExit(3), KeyboardInterrupt()])
def test_an_exit_is_the_hosts_wish_on_the_main_thread_and_a_failure_on_any_other(wish: BaseException) -> None:
    signal = Guarded(_raising(wish))
    for call in (lambda: signal.fold(happening("retry"), NOW), lambda: signal.read(NOW)):
        with pytest.raises(type(wish)):
            call()
    with pytest.raises(type(wish)):
        guarded(_unmakeable(wish), 60)
    assert signal.failures == 0

    def call_all() -> None:
        signal.fold(happening("retry"), NOW)
        made.extend((signal.read(NOW), guarded(_unmakeable(wish), 60)))

    made: list[object] = []
    other = threading.Thread(target=call_all)
    other.start()
    other.join(30)
    assert made == [{"longest_details": None}, None]
    assert signal.failures == 2


def _raising(failure: BaseException) -> Signal:
    class Raising(Longest):
        def fold(self, event: HealthEvent, at_s: int) -> None:
            raise failure

        def read(self, now_s: int) -> Stats:
            raise failure

    return Raising(60)


def _unmakeable(failure: BaseException) -> SignalFactory:
    class Unmakeable(Longest):
        def __init__(self, window_s: int) -> None:
            raise failure

    return Unmakeable
