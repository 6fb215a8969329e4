# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

from otel_health.config.places import expanded, home

HOME = {"HOME": "/home/me"}


def test_the_environment_says_where_home_is() -> None:
    assert home(HOME) == Path("/home/me")
    assert home({"USERPROFILE": "C:/me"}) == Path("C:/me")


def test_without_a_word_in_the_environment_the_account_decides() -> None:
    assert home({}) == Path("~").expanduser()


def test_a_leading_tilde_is_home() -> None:
    assert expanded("~/x", HOME) == Path("/home/me/x")
    assert expanded("/x/~", HOME) == Path("/x/~")
