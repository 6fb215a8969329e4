# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import pytest

from otel_health.cli.words import counted, dollars, milliseconds, moment, shortened


def test_a_moment_is_written_in_utc_without_the_day_where_that_is_known() -> None:
    assert moment(1_796_025_400) == "2026-11-30 07:56:40 UTC"
    assert moment(1_796_025_400, beside=1_796_025_999) == "07:56:40"
    assert moment(1_796_025_400, beside=1_796_125_999) == "2026-11-30 07:56:40 UTC"


@pytest.mark.parametrize("beyond", [1e300, -1e300, math.inf, math.nan])
def test_a_moment_beyond_the_calendar_is_a_question_mark(beyond: float) -> None:
    assert moment(beyond) == moment(0, beside=beyond) == "?"


def test_durations_are_read_at_a_glance() -> None:
    assert [milliseconds(number) for number in (None, 0.4, 999.4, 1000, 61_234)] == [
        "0 ms",
        "0 ms",
        "999 ms",
        "1.0 s",
        "61.2 s",
    ]


def test_dollars_are_told_to_the_cent_and_less_than_a_cent_is_not_nothing() -> None:
    assert [dollars(number) for number in (1234.5, 0.42, 0.01, 0.00042, 0.0000004, 0.0)] == [
        "$1,234.50",
        "$0.42",
        "$0.01",
        "$0.00042",
        "<$0.000001",
        "$0.00",
    ]


def test_what_is_cut_says_so() -> None:
    assert [shortened("abcdef", most) for most in (6, 5, 1)] == ["abcdef", "abcd…", "…"]


def test_a_noun_follows_its_count() -> None:
    assert [counted(number, "retry") for number in (None, 1, 2)] == ["0 retries", "1 retry", "2 retries"]
    assert counted(12_345, "turn") == "12,345 turns"
