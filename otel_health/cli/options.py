# SPDX-License-Identifier: Apache-2.0
"""Options that verbs share."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import click

_USES = "For people or for programs."


def format_option(default_said: str = "", help: str = _USES) -> Callable[[Any], Any]:  # noqa: A002 - click's own word
    """Return the option `--format`, handed over as `form`: by default text, or None where `default_said` says what."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(["text", "json"]),
        default=None if default_said else "text",
        show_default=default_said or True,
        help=help,
    )


class Minutes(click.FloatRange):
    """A finite number of minutes within bounds."""

    name = "minutes"

    def convert(self, value: float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number.

        Raises:
            click.BadParameter: it is none, or out of range.
        """
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a number of minutes.", param, ctx)
        return float(super().convert(number, param, ctx))
