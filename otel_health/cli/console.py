# SPDX-License-Identifier: Apache-2.0
"""Where text goes: coloured and fitted on a terminal, plain and always alike elsewhere."""

from __future__ import annotations

import sys
from typing import TextIO

from rich.console import Console, RenderableType

PLAIN_WIDTH = 120
"""Columns where there is no terminal to ask."""


class Output:
    """Prints to standard output, or to `stream`. Without a terminal: no colour, no trailing blanks.

    `NO_COLOR` is respected.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self._console = Console(file=self._stream, highlight=False, markup=False, emoji=False)
        self._is_plain = not self._console.is_terminal
        if self._is_plain:
            self._console.width = PLAIN_WIDTH

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
