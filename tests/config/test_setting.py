# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_health.config.setting import Kind, Setting


def _setting(kind: Kind, **more: object) -> Setting:
    return Setting(path=("a", "b"), kind=kind, default=None, help="", **more)  # type: ignore[arg-type]


def _refuses(setting: Setting, raw: object) -> bool:
    try:
        setting.read(raw)
    except ValueError:
        return True
    return False


ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary(), st.lists(st.integers(), max_size=2)
)


@pytest.mark.parametrize("word", ["true", "YES", " on ", "1", True, 1])
def test_a_switch_is_on_by_any_usual_word(word: object) -> None:
    assert _setting(Kind.SWITCH).read(word) is True


@pytest.mark.parametrize("word", ["false", "No", "off", "0", False, 0])
def test_a_switch_is_off_by_any_usual_word(word: object) -> None:
    assert _setting(Kind.SWITCH).read(word) is False


@pytest.mark.parametrize("raw", ["maybe", "", 2, None, 1.0, ["true"]])
def test_a_switch_is_nothing_else(raw: object) -> None:
    assert _refuses(_setting(Kind.SWITCH), raw)


@pytest.mark.parametrize("raw", [5, "5", 5.0, " 5 "])
def test_a_whole_number_may_be_written_in_several_ways(raw: object) -> None:
    value = _setting(Kind.WHOLE, least=1, most=5).read(raw)
    assert value == 5
    assert isinstance(value, int)


@pytest.mark.parametrize("raw", ["5.5", 5.5, 0, 6, True, "five", "", None, [5], "inf", "nan", math.nan, -1])
def test_a_whole_number_out_of_range_or_broken_is_refused(raw: object) -> None:
    assert _refuses(_setting(Kind.WHOLE, least=1, most=5), raw)


@pytest.mark.parametrize("raw", [math.nan, math.inf, -math.inf, "nan", "inf", "-0.1", -0.1, 0])
def test_a_number_must_be_finite_and_within_its_bounds(raw: object) -> None:
    assert _refuses(_setting(Kind.NUMBER, above_least=True), raw)


def test_none_is_a_value_only_where_it_may_be() -> None:
    assert [_setting(Kind.NUMBER, can_be_none=True).read(raw) for raw in (None, "none", "Off")] == [None] * 3
    assert _refuses(_setting(Kind.NUMBER), None)


def test_text_is_text_with_something_in_it() -> None:
    assert _setting(Kind.TEXT).read("/a b") == "/a b"
    for raw in ("", None, 5, "a\0b"):
        assert _refuses(_setting(Kind.TEXT), raw)


@given(raw=ANYTHING)
def test_whatever_is_given_is_read_or_refused(raw: object) -> None:
    for kind in Kind:
        setting = _setting(kind, least=1, most=10)
        try:
            value = setting.read(raw)
        except (ValueError, OverflowError):
            continue
        assert setting.read(value) == value


def test_what_is_allowed_is_said_in_words() -> None:
    assert _setting(Kind.SWITCH).allowed == "true or false"
    assert _setting(Kind.WHOLE, least=1, most=5).allowed == "a whole number from 1 to 5"
    assert _setting(Kind.NUMBER, least=1).allowed == "a number of at least 1"
    assert _setting(Kind.NUMBER, above_least=True, most=1).allowed == "a number above 0, up to 1"
    assert _setting(Kind.NUMBER, above_least=True, can_be_none=True).allowed == "a number above 0, or none"


def test_a_setting_has_a_name_for_the_file_and_one_for_the_environment() -> None:
    assert _setting(Kind.TEXT).key == "a.b"
    assert _setting(Kind.TEXT).environment == "OTEL_HEALTH_A__B"
    assert _setting(Kind.TEXT, variable="X").environment == "X"
