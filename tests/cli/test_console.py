# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import io

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


def test_without_a_terminal_text_is_plain_and_carries_no_blanks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "33")
    out = io.StringIO()
    Output(out).show(Padding(Text("[b]ill[/b] :boom:", style="red"), (0, 5)))
    assert out.getvalue() == "     [b]ill[/b] :boom:\n"


def test_without_a_terminal_the_width_is_always_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "33")
    out = io.StringIO()
    Output(out).show(Text("x " * 500))
    assert max(len(line) for line in out.getvalue().splitlines()) == PLAIN_WIDTH - 1


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
