# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from otel_health.events.kinship import Kin, kin_of


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Be a program called `agent.py`, run in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["agent.py", "--model", "x"])
    return tmp_path


def test_a_service_is_known_by_its_name_whatever_program_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    kin = kin_of("prax")
    monkeypatch.setattr(sys, "argv", ["other.py"])
    assert kin_of("prax") == kin == Kin(service_name="prax")
    assert kin != kin_of("missy")
    assert kin.is_known


@pytest.mark.parametrize("name", ["", "unknown_service", "unknown_service:python"])
def test_a_nameless_service_is_known_by_its_command_line_and_folder(
    name: str, monkeypatch: pytest.MonkeyPatch, elsewhere: Path
) -> None:
    kin = kin_of(name)
    assert kin.is_known
    assert kin.service_name == ""
    assert "agent" not in kin.program
    assert kin_of("") == kin
    monkeypatch.setattr(sys, "argv", [str(elsewhere / "agent.py"), "--model", "x"])
    assert kin_of("") == kin
    for other in (["agent.py"], ["agent.py", "--model", "y"], ["other.py", "--model", "x"]):
        monkeypatch.setattr(sys, "argv", other)
        assert kin_of("") != kin
    monkeypatch.setattr(sys, "argv", [str(elsewhere / "agent.py"), "--model", "x"])
    (elsewhere / "below").mkdir()
    os.chdir(elsewhere / "below")
    assert kin_of("") != kin


@pytest.mark.parametrize("command", [[], [""], ["-"], ["-c", "import agent"]])
def test_a_session_and_a_program_that_is_no_file_have_no_kin(
    command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", command)
    assert kin_of("") == Kin()
    assert not kin_of("").is_known


def test_a_program_whose_folder_is_gone_has_no_kin(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = elsewhere / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert not kin_of("").is_known
