# SPDX-License-Identifier: Apache-2.0
"""Where text goes: coloured and fitted on a terminal, plain elsewhere."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from rich.console import Console, RenderableType

PLAIN_WIDTH = 100
"""Columns where the output is no terminal and `COLUMNS` does not say; fewer where errors go to a narrower terminal."""

_LEAST_WIDTH, _MOST_WIDTH = 40, 500


class Output:
    """Prints to standard output, or to `stream`. Without a terminal: no colour, no trailing blanks.

    `COLUMNS` and `NO_COLOR` are respected.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self._console = Console(file=self._stream, highlight=False, markup=False, emoji=False)
        self._is_plain = not self._console.is_terminal
        if self._is_plain:
            self._console.width = _plain_width()

    @property
    def width(self) -> int:
        """Columns there are."""
        return self._console.width

    def show(self, content: RenderableType) -> None:
        """Print `content`."""
        if not self._is_plain:
            self._console.print(content)
            return
        with self._console.capture() as captured:
            self._console.print(content)
        self._stream.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))


def _plain_width() -> int:
    said = os.environ.get("COLUMNS", "")
    columns = int(said) if said.isdecimal() else 0
    return min(max(columns or _beside(), _LEAST_WIDTH), _MOST_WIDTH)


def _beside() -> int:
    """Return the width of the terminal at which somebody reads what `| less` and the like pass on, 100 at most."""
    try:
        return min(os.get_terminal_size(sys.__stderr__.fileno()).columns, PLAIN_WIDTH)  # type: ignore[union-attr]
    except (OSError, ValueError, AttributeError):
        return PLAIN_WIDTH
