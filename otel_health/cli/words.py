# SPDX-License-Identifier: Apache-2.0
"""Numbers and moments as people read them."""

from __future__ import annotations

from datetime import UTC, datetime

from otel_health.signals.base import Number


def moment(unix_s: float, beside: float | None = None) -> str:
    """Write a moment in UTC, without the day where that is the day of `beside`; "?" for one beyond the calendar."""
    try:
        when = datetime.fromtimestamp(unix_s, UTC)
        same_day = beside is not None and when.date() == datetime.fromtimestamp(beside, UTC).date()
    except (ValueError, OverflowError, OSError):
        return "?"
    return f"{when:%H:%M:%S}" if same_day else f"{when:%Y-%m-%d %H:%M:%S} UTC"


def milliseconds(number: Number) -> str:
    """Write a duration: whole milliseconds, or seconds from one second on."""
    number = number or 0
    return f"{number:,.0f} ms" if number < 1000 else f"{number / 1000:,.1f} s"


def dollars(number: float) -> str:
    """Write an amount: to the cent, and one of less than a cent to the millionth."""
    if number >= 0.01 or number == 0:
        return f"${number:,.2f}"
    return f"${number:.6f}".rstrip("0") if number >= 1e-6 else "<$0.000001"


def counted(number: Number, word: str) -> str:
    """Write a count and its noun, in the plural unless it is 1."""
    if number == 1:
        return f"1 {word}"
    return f"{number or 0:,} {word.removesuffix('y')}ies" if word.endswith("y") else f"{number or 0:,} {word}s"


def shortened(text: str, most: int) -> str:
    """Cut `text` to `most` characters, the last of which then says so: "…"."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
