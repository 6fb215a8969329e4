# SPDX-License-Identifier: Apache-2.0
"""Fair timing for small things: rivals take turns, the collector is off, and what is shown is a ratio of one run.

A benchmark is a file `benchmarks/bench_<subject>.py` with one function:

    from benchmarks.harness import Row, Subject, figure, race, ratio

    def run() -> list[Row]:
        ours, prax = race(
            Subject("journal.write", lambda: journal.write(event)),
            Subject("prax: open, json, write, close", lambda: prax_log(event)),
        )
        return [
            ratio("one event recorded / Prax's way", ours, prax, at_most=0.1),
            figure("one event recorded", ours.best_s * 1e6, "µs"),
        ]

`race(*subjects, rounds=9, target_s=0.02)` first finds for each subject how many calls fill about `target_s` seconds,
then times every subject once per round, in rotating order, so that a slow moment of the machine hits all alike. It
returns one `Timing` per subject, in the order given. A `Subject` whose callable does several operations says so with
`operations=...`; its times are then per operation. Set-up that must not be timed belongs before `race`.

`make bench` runs all of them; `python -m benchmarks.run window` runs `bench_window.py` alone.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Seconds per operation of one subject, over all rounds."""

    name: str
    best_s: float
    median_s: float


@dataclass(frozen=True, slots=True)
class Subject:
    """Something to time. `run` is called many times; one call does `operations` operations (≥ 1)."""

    name: str
    run: Callable[[], object]
    operations: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table: a number, its unit, the aim (None: for information only), and what was measured."""

    title: str
    value: float
    unit: str = ""
    at_most: float | None = None
    at_least: float | None = None
    detail: str = ""

    @property
    def verdict(self) -> str:
        """`met`, `missed`, or "" without an aim."""
        if self.at_most is None and self.at_least is None:
            return ""
        fits = (self.at_most is None or self.value <= self.at_most) and (
            self.at_least is None or self.value >= self.at_least
        )
        return "met" if fits else "missed"


def race(
    *subjects: Subject, rounds: int = 9, target_s: float = 0.02, timer: Callable[[], float] = time.perf_counter
) -> list[Timing]:
    """Time `subjects` against each other, `rounds` times each in rotating order, ≈ `target_s` seconds per turn.

    Work that is spread over threads is timed by `timer=time.process_time`, which adds up what all of them burn.
    """
    if rounds < 1:
        raise ValueError(f"rounds must be at least 1, not {rounds!r}")
    with _undisturbed():
        repeats = [_calibrate(subject, target_s, timer) for subject in subjects]
        samples: list[list[float]] = [[] for _ in subjects]
        for first in range(rounds):
            for step in range(len(subjects)):
                lane = (first + step) % len(subjects)
                seconds = _measure(subjects[lane].run, repeats[lane], timer)
                samples[lane].append(seconds / (repeats[lane] * subjects[lane].operations))
    return [
        Timing(name=subject.name, best_s=min(times), median_s=statistics.median(times))
        for subject, times in zip(subjects, samples, strict=True)
    ]


def ratio(title: str, ours: Timing, theirs: Timing, *, at_most: float | None = None) -> Row:
    """Compare the medians of two subjects of one race: `ours` / `theirs`, so smaller is better."""
    return Row(
        title=title,
        value=ours.median_s / theirs.median_s,
        unit="x",
        at_most=at_most,
        detail=f"{duration(ours.median_s)} (best {duration(ours.best_s)}) / "
        f"{duration(theirs.median_s)} (best {duration(theirs.best_s)})",
    )


def figure(
    title: str,
    value: float,
    unit: str,
    *,
    at_most: float | None = None,
    at_least: float | None = None,
    detail: str = "",
) -> Row:
    """State one number by itself: a time, a rate, a size."""
    return Row(title=title, value=value, unit=unit, at_most=at_most, at_least=at_least, detail=detail)


def table(rows: Iterable[Row]) -> str:
    """Lay rows out as aligned text, one line each."""
    cells = [(row.title, f"{_short(row.value)} {row.unit}".strip(), _aim(row), row.detail) for row in rows]
    if not cells:
        return "nothing measured"
    titles, values, aims = (max(len(cell[column]) for cell in cells) for column in range(3))
    return "\n".join(
        f"{title:<{titles}}  {value:>{values}}  {aim:<{aims}}  {detail}".rstrip() for title, value, aim, detail in cells
    )


def duration(seconds: float) -> str:
    """Write seconds with three significant digits in the unit that suits them."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def _aim(row: Row) -> str:
    if not row.verdict:
        return ""
    bound = f"≤ {_short(row.at_most)}" if row.at_most is not None else f"≥ {_short(row.at_least or 0)}"
    return f"aim {bound}: {row.verdict}"


def _short(number: float) -> str:
    return f"{number:,.0f}".replace(",", " ") if abs(number) >= 1000 else f"{number:.3g}"


def _measure(run: Callable[[], object], repeats: int, timer: Callable[[], float]) -> float:
    turns = range(repeats)
    start = timer()
    for _ in turns:
        run()
    return timer() - start


def _calibrate(subject: Subject, target_s: float, timer: Callable[[], float]) -> int:
    """Return how many calls of `subject` take about `target_s`; the calls made to find out warm it up."""
    repeats = 1
    while (seconds := _measure(subject.run, repeats, timer)) < target_s / 4:
        repeats *= 4
    return max(1, round(repeats * target_s / seconds))


@contextmanager
def _undisturbed() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
