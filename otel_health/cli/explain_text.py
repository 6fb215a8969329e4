# SPDX-License-Identifier: Apache-2.0
"""What every span was taken for, and why: text for people, or one JSON object a line."""

from __future__ import annotations

import click
import msgspec
from rich.text import Text

from otel_health.cli.console import Output
from otel_health.sources.assembly import Explanation


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


def explanation_text(explanation: Explanation) -> Text:
    """Lay one explanation out: the span and what it counted as, and below it who says so and why."""
    taken_for = f"{explanation.kind} {explanation.outcome}".strip() or "not read"
    counted_as, style = (explanation.counted_as, "bold") if explanation.counted_as else ("not counted", "dim")
    reader = explanation.dialect or "no dialect"
    return Text.assemble(
        (f"  {explanation.name}", "cyan"),
        f"  {taken_for} → ",
        (counted_as, style),
        (f"\n      {reader}, scope {explanation.scope or 'unnamed'}", "dim"),
        (f": {explanation.why}" if explanation.why else "", "dim"),
    )
