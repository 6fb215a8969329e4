# SPDX-License-Identifier: Apache-2.0
"""Run every `bench_*.py` beside this file, or only those named, and print one table each."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable
from pathlib import Path

from benchmarks.harness import Row, table

HERE = Path(__file__).parent


def subjects(wanted: Iterable[str]) -> list[str]:
    """Return the subjects to run: those `wanted`, or all of them.

    Raises:
        SystemExit: somebody wants a benchmark that does not exist.
    """
    known = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    chosen = list(wanted) or known
    for subject in chosen:
        if subject not in known:
            raise SystemExit(f"no benchmark is called {subject!r}; there are: {', '.join(known)}")
    return chosen


def main(wanted: Iterable[str]) -> None:
    """Run and print."""
    for subject in subjects(wanted):
        rows: list[Row] = importlib.import_module(f"benchmarks.bench_{subject}").run()
        print(f"{subject}\n{table(rows)}\n", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
