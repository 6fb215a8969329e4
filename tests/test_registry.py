# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import logging
import threading
from importlib.metadata import EntryPoint

import msgspec
import pytest

from otel_health.errors import DuplicateNameError, UnknownNameError
from otel_health.registry import Named, Registry, plugins


class _Member(msgspec.Struct, frozen=True):
    name: str
    key: str = ""


A, B = _Member("alpha", "a"), _Member("beta", "b")
NOT_A_MEMBER = object()


def test_members_keep_the_order_they_were_given_in() -> None:
    members = Registry("letter", [B, A])
    assert list(members) == [B, A]
    assert members.names == ("beta", "alpha")
    assert len(members) == 2


def test_a_member_is_found_by_its_name_or_by_the_key_asked_for() -> None:
    assert Registry("letter", [A, B])["beta"] is B
    by_key = Registry("letter", [A, B], key=lambda member: member.key)
    assert by_key["b"] is B
    assert "b" in by_key
    assert "beta" not in by_key


def test_two_of_one_name_are_refused() -> None:
    with pytest.raises(DuplicateNameError, match="letter 'alpha' is registered twice"):
        Registry("letter", [A, A])


def test_an_unknown_name_is_answered_with_the_nearest_and_all_known() -> None:
    with pytest.raises(
        UnknownNameError, match=r"no letter is called 'alpa'; did you mean 'alpha'\? Known: alpha, beta"
    ):
        Registry("letter", [A, B])["alpa"]
    with pytest.raises(UnknownNameError, match=r"no letter is called 'x'\. Known: none"):
        Registry[_Member]("letter", [])["x"]


def test_plug_ins_come_sorted_and_bad_ones_are_left_out_with_a_word(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    here = __name__
    found = [
        EntryPoint("z", f"{here}:A", "group"),
        EntryPoint("b", f"{here}:B", "group"),
        EntryPoint("broken", "no.such.module:X", "group"),
        EntryPoint("wrong", f"{here}:NOT_A_MEMBER", "group"),
    ]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: found if group == "group" else [])
    with caplog.at_level(logging.WARNING):
        members = plugins("group", Named)  # type: ignore[type-abstract]
    assert members == [B, A]
    assert "plug-in broken of group could not be loaded" in caplog.text
    assert "plug-in wrong of group is a object, not a Named" in caplog.text
    assert plugins("other", Named) == []  # type: ignore[type-abstract]


def test_a_plug_in_that_ends_the_program_as_it_is_imported_ends_it_only_from_the_main_thread(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Leaving(EntryPoint):
        def load(self) -> object:
            raise SystemExit(3)

    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [Leaving("leaving", "x:y", group)])
    with pytest.raises(SystemExit):
        plugins("group", Named)  # type: ignore[type-abstract]
    found: list[object] = []
    other = threading.Thread(target=lambda: found.append(plugins("group", Named)))  # type: ignore[type-abstract]
    other.start()
    other.join(30)
    assert found == [[]]
    assert "plug-in leaving of group could not be loaded" in caplog.text
