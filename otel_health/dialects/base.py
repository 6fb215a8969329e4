# SPDX-License-Identifier: Apache-2.0
"""The dialect protocol, and the ordered choice among dialects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

import msgspec

from otel_health.dialects.reading import Reading
from otel_health.dialects.span import Span
from otel_health.errors import is_hosts


@runtime_checkable
class Dialect(Protocol):
    """Reads the spans of one family of instrumentations. Stateless; never raises; called on the health thread."""

    @property
    def name(self) -> str:
        """A short lower-case name, unique."""
        ...

    def speaks(self, span: Span) -> bool:
        """Tell whether this span was emitted in this dialect, by its scope first and its attributes second."""
        ...

    def read(self, span: Span) -> Reading | None:
        """Say what the span is, or None for one that is none of health's business."""
        ...


class Checked:
    """A third party's dialect, whose readings are looked at before they are believed."""

    def __init__(self, dialect: Dialect) -> None:
        """Check what `dialect` says."""
        self.name = dialect.name
        self._dialect = dialect

    def speaks(self, span: Span) -> bool:
        """Ask the dialect."""
        return bool(self._dialect.speaks(span))

    def read(self, span: Span) -> Reading | None:
        """Return what the dialect says, if every part of it is of its type.

        Raises:
            TypeError: it is no `Reading`.
            msgspec.ValidationError: a part of it is of another type.
        """
        said = self._dialect.read(span)
        return None if said is None else msgspec.convert(msgspec.structs.asdict(said), Reading, from_attributes=True)


class Interpreter:
    """Finds the dialect of a span and reads it. The first dialect that speaks it decides alone."""

    def __init__(self, dialects: Iterable[Dialect]) -> None:
        """Try `dialects` in the order given."""
        self._dialects = tuple(dialects)
        self.failures = 0
        """Spans on which a dialect raised, or said what is no reading; such a span is left unread."""

    def read(self, span: Span) -> tuple[str, Reading | None]:
        """Return the dialect's name ("" if none speaks it) and what it read. Never raises."""
        for dialect in self._dialects:
            try:
                if dialect.speaks(span):
                    return dialect.name, dialect.read(span)
            except BaseException as error:
                if is_hosts(error):
                    raise
                self.failures += 1
                return dialect.name, None
        return "", None


_FAMILIES = (
    "gen_ai.",
    "llm.",
    "openinference.",
    "traceloop.",
    "langfuse.",
    "langsmith.",
    "mlflow.",
    "ai.model",
    "mcp.",
)


def looks_like_genai(span: Span) -> bool:
    """Tell whether a span that nobody read carries GenAI attributes all the same, and so deserves to be counted."""
    return any(isinstance(key, str) and key.startswith(_FAMILIES) for key in span.attributes)
