# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import io
import os

import pytest
from rich.padding import Padding
from rich.text import Text

from otel_health.cli.console import PLAIN_WIDTH, Output


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _no_wishes(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(os, "get_terminal_size", _no_terminal)


def _no_terminal(*_: object) -> None:
    raise OSError


def test_without_a_terminal_text_is_plain_and_carries_no_blanks() -> None:
    out = io.StringIO()
    Output(out).show(Padding(Text("[b]ill[/b] :boom:", style="red"), (0, 5)))
    assert out.getvalue() == "     [b]ill[/b] :boom:\n"


@pytest.mark.parametrize(
    ("columns", "width"),
    [
        ("", PLAIN_WIDTH),
        ("0", PLAIN_WIDTH),
        ("wide", PLAIN_WIDTH),
        ("72", 72),
        ("3", 40),
        ("9" * 9, 500),
    ],
)
def test_without_a_terminal_columns_decides_within_reason(
    monkeypatch: pytest.MonkeyPatch, columns: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    out = io.StringIO()
    output = Output(out)
    output.show(Text("x " * 1000))
    assert output.width == width
    assert max(len(line) for line in out.getvalue().splitlines()) == width - 1


@pytest.mark.parametrize(("terminal", "width"), [(80, 80), (200, PLAIN_WIDTH), (0, 40)])
def test_what_is_piped_on_fits_the_terminal_at_which_it_may_be_read(
    monkeypatch: pytest.MonkeyPatch, terminal: int, width: int
) -> None:
    monkeypatch.setattr(os, "get_terminal_size", lambda *_: os.terminal_size((terminal, 24)))
    assert Output(io.StringIO()).width == width


def test_a_terminal_gets_colour_unless_it_asks_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    coloured, plain = _Terminal(), _Terminal()
    Output(coloured).show(Text("ill", style="red"))
    monkeypatch.setenv("NO_COLOR", "1")
    Output(plain).show(Text("ill", style="red"))
    assert "\x1b[31m" in coloured.getvalue()
    assert plain.getvalue() == "ill\n"


def test_standard_output_is_where_it_goes_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    Output().show(Text("ill"))
    assert capsys.readouterr().out == "ill\n"
