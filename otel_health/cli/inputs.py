# SPDX-License-Identifier: Apache-2.0
"""The files that were named: read one after the other, and an account of what could not be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import msgspec

from otel_health.cli import NO_VERDICT
from otel_health.cli.report_text import has_evidence
from otel_health.cli.words import counted
from otel_health.dialects.span import Span
from otel_health.errors import OtelHealthError
from otel_health.events.model import HealthEvent
from otel_health.monitor.report import Report
from otel_health.sources.files import files_in, read
from otel_health.sources.stats import ReadStats
from otel_health.sources.unpack import OnBytes


class Inputs:
    """Reads files; one that is no good is complained of and costs no other."""

    def __init__(self, on_bytes: OnBytes | None = None) -> None:
        """Tell `on_bytes` of bytes as they are read."""
        self._on_bytes = on_bytes
        self.understood = 0
        """How much made sense, whatever it was."""
        self.spans = 0
        self.malformed = 0
        """Places that made no sense, in files of which something did."""
        self.cut_short = 0
        self.first_loss = ""
        """The first such place."""
        self.errors: list[str] = []
        """Why a file gave nothing: it is missing or holds something else. One line each."""

    def items(self, files: Sequence[str]) -> Iterator[Span | HealthEvent]:
        """Yield what lies in `files`."""
        for file in files:
            stats = ReadStats()
            try:
                yield from read(file, stats, self._on_bytes)
            except OtelHealthError as error:
                self.errors.append(str(error))
                complain(str(error))
            else:
                self._account(file, stats)

    def noted_in(self, report: Report) -> Report:
        """Return `report`, which was made of all that was read, with our own counts among its counts on ourselves."""
        counts = {
            "spans_read": self.spans,
            "malformed_places": self.malformed,
            "sources_cut_short": self.cut_short,
            "sources_unreadable": len(self.errors),
        }
        return msgspec.structs.replace(report, self_={**report.self_, **counts})

    def complain_of_losses(self) -> None:
        """Say on standard error, in one line, that something was passed over."""
        if self.malformed:
            verb = "was" if self.malformed == 1 else "were"
            places = counted(self.malformed, "place")
            complain(f"{places} made no sense and {verb} passed over; the first: {self.first_loss}")

    def exit_code(self, report: Report) -> int:
        """Return the code for `report`, which was made of all that was read."""
        return NO_VERDICT if self.errors or not has_evidence(report) else report.check.overall.exit_code

    def _account(self, file: str, stats: ReadStats) -> None:
        self.understood += stats.understood
        self.spans += stats.spans
        self.malformed += stats.malformed
        self.cut_short += stats.cut_short
        self.first_loss = self.first_loss or stats.first_error
        if not stats.understood and not stats.malformed:
            complain(_nothing_in(file))


def each_file(named: Sequence[str]) -> Iterator[str]:
    """Yield every file named, and of a folder every file in it that is named like data."""
    for file in named:
        if Path(file).is_dir():
            yield from map(str, files_in(Path(file)))
        else:
            yield file


def complain(message: str) -> None:
    """Say something on standard error, in one line."""
    click.echo(f"otel-health: {message}", err=True)


def _nothing_in(file: str) -> str:
    if file == "-":
        return "standard input is empty"
    if Path(file).is_dir():
        return f"{file} holds no file that is named like data (.json, .jsonl, .pb ..., gzipped or not)"
    return f"{file} is empty"
