# SPDX-License-Identifier: Apache-2.0
"""What reading the world gave, and what had to be left out."""

from __future__ import annotations

from dataclasses import dataclass, field

_SHOWN_BYTES = 40
"""How much of an offending input an error message quotes."""


@dataclass(slots=True, kw_only=True)
class ReadStats:
    """Counters of one reading, filled while spans are drawn from a source. Not for several threads at once."""

    source: str = ""
    """What is being read now; stands at the head of every description."""
    bytes_read: int = 0
    """As they lie on disk, before unpacking."""
    documents: int = 0
    """Requests understood: lines, objects, protobuf messages, journal segments. An empty one counts."""
    spans: int = 0
    events: int = 0
    """Health events read from journals."""
    skipped: int = 0
    """Metrics and logs met: valid, but none of health's business."""
    malformed: int = 0
    """Places that made no sense and were passed over: a line, a span, a cut end."""
    cut_short: int = 0
    """Sources that end before their end."""
    first_error: str = ""
    """The first such place of all: source, where in it, what was found. One line."""
    source_error: str = ""
    """The first such place of the present source."""
    _is_cut: bool = field(default=False, init=False)

    @property
    def understood(self) -> int:
        """How much made sense, whatever it was."""
        return self.documents + self.spans + self.events + self.skipped

    def begin(self, source: str) -> None:
        """Go on with another source: a path, or a name for a stream."""
        self.source = source
        self.source_error = ""
        self._is_cut = False

    def reject(self, where: str, what: str, times: int = 1, *, cut_short: bool = False) -> None:
        """Count a malformed place, or several alike; keep the description of the first.

        `cut_short` says that the source ends there before its end. It ends once, however many layers notice.
        """
        if cut_short and self._is_cut:
            return
        self.malformed += times
        self.cut_short += cut_short
        self._is_cut |= cut_short
        description = f"{self.source}: {where}: {what}" if self.source else f"{where}: {what}"
        self.source_error = self.source_error or description
        self.first_error = self.first_error or description


def quoted(raw: bytes) -> str:
    """Return the beginning of `raw` in quotes, safe to show on one line."""
    text = raw[:_SHOWN_BYTES].decode("utf-8", "replace")
    return repr(text + "…" if len(raw) > _SHOWN_BYTES else text)
