# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import logging

import pytest

from otel_health.clock import ManualClock
from otel_health.monitor.mishaps import Mishaps


def _fail(mishaps: Mishaps, room: str) -> None:
    try:
        int("no number")
    except ValueError:
        mishaps.note(room)


def test_every_failure_is_counted_and_each_room_is_named_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    clock = ManualClock()
    mishaps = Mishaps(clock)
    with caplog.at_level(logging.WARNING, "otel_health.monitor.mishaps"):
        for _ in range(5):
            _fail(mishaps, "journal")
        _fail(mishaps, "window")
        clock.advance(59.9)
        _fail(mishaps, "journal")
        assert [record.args for record in caplog.records] == [("journal",), ("window",)]
        clock.advance(0.1)
        _fail(mishaps, "journal")
    assert [record.args for record in caplog.records] == [("journal",), ("window",), ("journal",)]
    assert mishaps.count == 8
    assert "ValueError" in caplog.text


def test_a_stepped_wall_clock_does_not_change_how_often_we_complain(caplog: pytest.LogCaptureFixture) -> None:
    clock = ManualClock()
    mishaps = Mishaps(clock)
    with caplog.at_level(logging.WARNING, "otel_health.monitor.mishaps"):
        _fail(mishaps, "journal")
        clock.step_wall(86_400)
        _fail(mishaps, "journal")
    assert len(caplog.records) == 1
