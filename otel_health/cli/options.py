# SPDX-License-Identifier: Apache-2.0
"""Options that verbs share."""

from __future__ import annotations

import math

import click

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="For people or for programs.",
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
