# SPDX-License-Identifier: Apache-2.0
"""Percentiles over a sliding window, within 1 % of the nearest-rank value.

Values are counted in buckets whose bounds grow by a constant factor, so the middle of a bucket is near to all it holds
(DDSketch: Masson, Rim, Lee, VLDB 2019, https://arxiv.org/abs/1908.10693). Counts can be taken back, which lets the
window slide, and stand in a binary indexed tree (Fenwick 1994), which finds a rank in eleven steps.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from math import ceil, log

from otel_health.signals.counters import Timeline

LEAST_MS = 0.1
"""Values up to this share one bucket: nothing shown is finer."""

MOST_MS = 1e9
"""Eleven days. Greater values are no latency of a turn; they share the last bucket."""

_ACCURACY = 0.0099  # a hair under 1 %, so that the rounding of a logarithm stays inside
_FACTOR = (1 + _ACCURACY) / (1 - _ACCURACY)
_LOG_FACTOR = log(_FACTOR)
_BUCKETS = ceil(log(MOST_MS / LEAST_MS) / _LOG_FACTOR) + 1
_LEAVES = 2048  # the power of two above the buckets, which makes the descent through the tree even
_FEW = 2 * _BUCKETS  # a list of this many bucket numbers is as large as a count for every bucket


def _bucket(value_ms: float) -> int:
    return 0 if value_ms <= LEAST_MS else min(ceil(log(value_ms / LEAST_MS) / _LOG_FACTOR), _BUCKETS - 1)


def _middle_ms(bucket: int) -> float:
    return float(LEAST_MS * _FACTOR**bucket * 2 / (_FACTOR + 1))


class _Tally:
    """The values of one second: a short list of bucket numbers or, once that is no longer short, one count for each."""

    __slots__ = ("_counts", "_few")

    def __init__(self) -> None:
        self._few = array("H")
        self._counts: array[int] | None = None

    def add(self, bucket: int) -> None:
        if self._counts is not None:
            self._counts[bucket] += 1
            return
        self._few.append(bucket)
        if len(self._few) == _FEW:
            self._counts = array("I", bytes(_BUCKETS * array("I").itemsize))
            for one in self._few:
                self._counts[one] += 1
            self._few = array("H")

    def counts(self) -> Iterable[tuple[int, int]]:
        """Yield (bucket, how many); a bucket may come several times."""
        if self._counts is None:
            return ((bucket, 1) for bucket in self._few)
        return ((bucket, count) for bucket, count in enumerate(self._counts) if count)


class SlidingPercentiles:
    """Counts positive values in milliseconds over a timeline and tells their percentiles."""

    def __init__(self) -> None:
        self.count = 0
        """The number of values in the window."""
        self._seconds: Timeline[_Tally] = Timeline(_Tally)
        self._tree = [0] * (_LEAVES + 1)

    def add(self, at: int, value_ms: float) -> None:
        """Count a value in the slot at `at`."""
        bucket = _bucket(value_ms)
        self._seconds.slot(at).add(bucket)
        self._change(bucket, 1)

    def expire(self, before: int) -> None:
        """Forget the values that lie before `before`."""
        for tally in self._seconds.expire(before):
            for bucket, count in tally.counts():
                self._change(bucket, -count)

    def percentile(self, percent: int) -> float:
        """Return the nearest-rank percentile (1 to 100) in ms, within 1 % or 0.1 ms; 0 when there is no value."""
        if not self.count:
            return 0.0
        return _middle_ms(self._bucket_of_rank(-(-percent * self.count // 100)))

    def _change(self, bucket: int, by: int) -> None:
        self.count += by
        node = bucket + 1
        while node <= _LEAVES:
            self._tree[node] += by
            node += node & -node

    def _bucket_of_rank(self, rank: int) -> int:
        """Descend to the bucket that holds the `rank`-th smallest value, 1 being the smallest."""
        bucket, step = 0, _LEAVES // 2
        while step:
            if self._tree[bucket + step] < rank:
                bucket += step
                rank -= self._tree[bucket]
            step //= 2
        return bucket
