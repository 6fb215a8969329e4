# SPDX-License-Identifier: Apache-2.0
"""Numbers as they are shown: ratios to four decimals, milliseconds to one, dollars to six. Judged are exact ones."""

from __future__ import annotations

import math
from collections.abc import Mapping

from otel_health.signals.base import Number

_DECIMALS = {"1": 4, "ms": 1, "USD": 6}
_UNIT_BY_ENDING = {"_rate": "1", "_ratio": "1", "_ms": "ms", "_usd": "USD"}


def rounded(number: Number, unit: str) -> Number:
    """Return `number` rounded as its unit asks; None for one that is not finite."""
    if not isinstance(number, float):
        return number
    if not math.isfinite(number):
        return None
    decimals = _DECIMALS.get(unit)
    return number if decimals is None else round(number, decimals)


def all_rounded(stats: Mapping[str, Number]) -> dict[str, Number]:
    """Return `stats` rounded by the units that their names end in (`_rate`, `_ratio`, `_ms`, `_usd`)."""
    return {name: rounded(number, _unit(name)) for name, number in stats.items()}


def _unit(name: str) -> str:
    return next((unit for ending, unit in _UNIT_BY_ENDING.items() if name.endswith(ending)), "")
