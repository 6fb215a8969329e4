# SPDX-License-Identifier: Apache-2.0
"""One thing that can be set: its place in the tree, its variable, what it may be, and what it is when nobody says."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Any

import msgspec

PREFIX = "OTEL_HEALTH_"
"""Environment variables that begin so are ours."""

_YES = frozenset({"true", "yes", "on", "1"})
_NO = frozenset({"false", "no", "off", "0"})
_NONE = frozenset({"none", "off", "null"})


class Kind(StrEnum):
    """What a setting may be, in the words of an error message."""

    SWITCH = "true or false"
    WHOLE = "a whole number"
    NUMBER = "a number"
    TEXT = "text"


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """A declared setting. Bounds are inclusive unless said otherwise."""

    path: tuple[str, ...]
    """Its place in the tree: `("journal", "path")`."""
    kind: Kind
    default: Any
    help: str
    unit: str = ""
    variable: str = ""
    """Its environment variable; by default made from the path: `OTEL_HEALTH_JOURNAL__PATH`."""
    least: float = 0
    most: float = math.inf
    above_least: bool = False
    """Whether `least` itself is refused."""
    can_be_none: bool = False

    @property
    def key(self) -> str:
        """Its name in the configuration file: `journal.path`."""
        return ".".join(self.path)

    @property
    def environment(self) -> str:
        """Its name in the environment."""
        return self.variable or PREFIX + "__".join(self.path).upper()

    @property
    def allowed(self) -> str:
        """What it may be, for people."""
        least, most = (f"{bound:,.15g}" for bound in (self.least, self.most))
        span = f" from {least} to {most}"
        if self.most == math.inf:
            span = f" {'above' if self.above_least else 'of at least'} {least}"
        elif self.above_least:
            span = f" above {least}, up to {most}"
        numeric = self.kind in (Kind.WHOLE, Kind.NUMBER)
        return f"{self.kind}{span if numeric else ''}{', or none' if self.can_be_none else ''}"

    def read(self, raw: object) -> Any:
        """Return the value that `raw` (of a file or of the environment, where all is text) stands for.

        Raises:
            ValueError: it stands for nothing that is allowed.
            OverflowError: it is a number beyond all bounds.
        """
        if self.can_be_none and (raw is None or _word(raw) in _NONE):
            return None
        match self.kind:
            case Kind.SWITCH:
                return _switch(raw)
            case Kind.TEXT:
                return _text(raw)
            case Kind.WHOLE:
                return self._bounded(_whole(raw))
            case _:
                return self._bounded(_number(raw))

    def _bounded(self, number: float) -> float:
        above = number > self.least if self.above_least else number >= self.least
        if not (above and number <= self.most and math.isfinite(number)):
            raise ValueError(number)
        return number


def _word(raw: object) -> str:
    return raw.strip().lower() if isinstance(raw, str) else ""


def _switch(raw: object) -> bool:
    word = str(raw).strip().lower()
    if isinstance(raw, bool | int | str) and word in _YES | _NO:
        return word in _YES
    raise ValueError(raw)


def _text(raw: object) -> str:
    if isinstance(raw, str) and raw and "\0" not in raw:
        return raw
    raise ValueError(raw)


def _whole(raw: object) -> int:
    number = _number(raw)
    if not number.is_integer():
        raise ValueError(raw)
    return int(number)


def _number(raw: object) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        raise ValueError(raw)  # noqa: TRY004 - one error for all that is not allowed
    return float(raw)
