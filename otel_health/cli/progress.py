# SPDX-License-Identifier: Apache-2.0
"""A bar on the terminal's standard error while much is read."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from otel_health.sources.files import files_in
from otel_health.sources.unpack import OnBytes

LARGE_BYTES = 8 * 1024 * 1024
"""Below this nobody has to wait long enough to wonder."""


@contextmanager
def progress(files: Sequence[str], *, wanted: bool = True, stream: TextIO | None = None) -> Iterator[OnBytes | None]:
    """Show how far the reading of `files` is; yields whom to tell of bytes read, None where nothing is shown.

    Shown on standard error (or `stream`), only when `wanted`, on a terminal, and for large or standard input.
    """
    total = _total_bytes(files)
    console = Console(file=stream or sys.stderr)
    if not (wanted and console.is_terminal and (total is None or total >= LARGE_BYTES)):
        yield None
        return
    columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("reading", total=total)
        yield lambda read: bar.advance(task, read)


def _total_bytes(files: Sequence[str]) -> int | None:
    """Return the size of all files together; None when one is a stream."""
    if "-" in files:
        return None
    return sum(_size(Path(file)) for file in files)


def _size(path: Path) -> int:
    try:
        inside = files_in(path) if path.is_dir() else (path,)
        return sum(file.stat().st_size for file in inside if file.is_file())
    except OSError:
        return 0
