# SPDX-License-Identifier: Apache-2.0
"""What every span was taken for, and why: text for people, or one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterator

import click
import msgspec
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from otel_health.cli.console import Output
from otel_health.cli.words import shortened
from otel_health.sources.assembly import Explanation

_LONGEST_WORD = 60
_ID_DIGITS = 8
_FAULTS = {"provider": "provider's fault", "caller": "caller's fault", "overflow": "context overflow"}


def say_json(explanation: Explanation) -> None:
    """Print an explanation as one line of JSON."""
    click.echo(msgspec.json.encode(explanation))


class TextExplainer:
    """Prints explanations for people, trace by trace as they come."""

    def __init__(self) -> None:
        self._output = Output()
        self._trace_id = ""

    def say(self, explanation: Explanation) -> None:
        """Print one explanation, under its trace."""
        if explanation.trace_id != self._trace_id:
            self._trace_id = explanation.trace_id
            self._output.show(Text(f"trace {self._trace_id}", style="bold"))
        self._output.show(explanation_text(explanation))


def explanation_text(explanation: Explanation) -> RenderableType:
    """Lay one explanation out: the span and what it counted as, and below it who says so and why."""
    taken_for = f"{explanation.kind} {explanation.outcome}".strip() or "not read"
    facts = ", ".join(_facts(explanation))
    counted_as, style = (explanation.counted_as, "bold") if explanation.counted_as else ("not counted", "dim")
    fate = Text.assemble(
        (shortened(explanation.name, _LONGEST_WORD), "cyan"),
        f"  {taken_for}{f' ({facts})' if facts else ''} → ",
        (counted_as, style),
    )
    reader = f"{explanation.dialect or 'no dialect'}, scope {explanation.scope or 'unnamed'}"
    reason = Padding(Text(f"{reader}: {explanation.why}", style="dim"), (0, 0, 0, 2))
    grid = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column()
    grid.add_row(f"  {explanation.span_id[:_ID_DIGITS]}…", Group(fate, reason))
    return grid


def _facts(explanation: Explanation) -> Iterator[str]:
    """Yield what decided the outcome beside the kind."""
    if explanation.error_type:
        yield shortened(explanation.error_type, _LONGEST_WORD)
    if explanation.fault:
        yield _FAULTS.get(explanation.fault, explanation.fault)
    if explanation.reason and explanation.reason != explanation.outcome:
        yield explanation.reason.replace("_", " ")
