# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import io
from pathlib import Path

import pytest

from otel_health.cli.progress import LARGE_BYTES, progress


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> _Terminal:
    monkeypatch.setenv("TERM", "xterm-256color")
    return _Terminal()


@pytest.fixture
def large(tmp_path: Path) -> Path:
    path = tmp_path / "large.jsonl"
    with path.open("wb") as file:
        file.truncate(LARGE_BYTES)
    return path


def test_a_large_file_on_a_terminal_has_a_bar(terminal: _Terminal, large: Path) -> None:
    with progress([str(large)], stream=terminal) as on_bytes:
        assert on_bytes is not None
        on_bytes(LARGE_BYTES // 2)
    assert "reading" in terminal.getvalue()
    assert "8.4 MB" in terminal.getvalue()


@pytest.mark.parametrize("given", ["folder", "stream"])
def test_folders_count_by_what_is_in_them_and_streams_have_no_end(terminal: _Terminal, large: Path, given: str) -> None:
    with progress([str(large.parent) if given == "folder" else "-"], stream=terminal) as on_bytes:
        assert on_bytes is not None
    assert terminal.getvalue()


@pytest.mark.parametrize(("name", "wanted"), [("small", True), ("missing", True), ("large.jsonl", False)])
def test_nobody_is_bothered_without_need(terminal: _Terminal, large: Path, name: str, *, wanted: bool) -> None:
    large.with_name("small").write_bytes(b"{}")
    with progress([str(large.with_name(name))], wanted=wanted, stream=terminal) as on_bytes:
        assert on_bytes is None
    assert terminal.getvalue() == ""


def test_a_file_that_cannot_be_looked_at_has_no_size(
    terminal: _Terminal, large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Path, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "stat", refuse)
    with progress([str(large)], stream=terminal) as on_bytes:
        assert on_bytes is None


def test_without_a_terminal_there_is_no_bar(large: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with progress([str(large)]) as on_bytes:
        assert on_bytes is None
    assert capsys.readouterr().err == ""
