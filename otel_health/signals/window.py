# SPDX-License-Identifier: Apache-2.0
"""The rolling window: everything that the checks judge, exact at one-second resolution whatever the event rate."""

from __future__ import annotations

from collections.abc import Mapping

from otel_health.events.model import HealthEvent
from otel_health.registry import Registry
from otel_health.signals.axis import AHEAD_S
from otel_health.signals.base import Number, Stat
from otel_health.signals.counters import SlidingSums
from otel_health.signals.meaning import COST_PICO_USD, LATENCY_NS, PRICED, UNPRICED, amounts
from otel_health.signals.quantile import SlidingPercentiles

STATS = (
    Stat("window_minutes", "min", "Length of the look-back."),
    Stat("total_events", "", "Events of any kind that happened to the agent."),
    Stat("turns", "", "Turns that ended, whatever the outcome."),
    Stat("tool_calls", "", "Tool calls that ended ok or in error."),
    Stat("tool_errors", "", "Tool calls that ended in error."),
    Stat("tool_error_rate", "1", "tool_errors / tool_calls."),
    Stat("spoke_calls", "", "Delegations to a sub-agent that ended ok or in error."),
    Stat("spoke_failures", "", "Delegations that ended in error or ran out of turns."),
    Stat("spoke_failure_rate", "1", "spoke_failures / spoke_calls."),
    Stat("context_overflows", "", "Requests that exceeded the model's context."),
    Stat("compactions", "", "Times the history was summarised."),
    Stat("retries", "", "Times a turn, model call or tool call was tried again."),
    Stat("llm_errors", "", "Model calls, embeddings included, that failed by the provider's fault."),
    Stat("timeouts", "", "Turns that exceeded an enforced limit of time."),
    Stat("budget_exhaustions", "", "Budgets crossed, once per turn and budget."),
    Stat("avg_latency_ms", "ms", "Mean latency of the completed turns that carry one."),
    Stat("p95_latency_ms", "ms", "95th percentile, nearest rank within 1 %, of the same."),
    Stat("turns_completed", "", "Turns that ended ok."),
    Stat("turn_failures", "", "Turns that ended in an unhandled error or at a step limit."),
    Stat("turn_cancellations", "", "Turns that the caller cancelled or abandoned."),
    Stat("turns_open", "", "Turns running at this moment; null while nobody counts them."),
    Stat("turns_stuck", "", "Of these, the ones running suspiciously long; null while nobody counts them."),
    Stat("llm_calls", "", "Model calls that ended ok, in error, in overflow or cancelled; no embeddings."),
    Stat("llm_caller_errors", "", "Model calls, embeddings included, that failed by the caller's fault."),
    Stat("llm_timeouts", "", "Of the llm_errors, the time-outs."),
    Stat("llm_cancellations", "", "Model calls that the caller cancelled or abandoned."),
    Stat("tool_timeouts", "", "Of the tool_errors, the time-outs."),
    Stat("embedding_calls", "", "Requests for embeddings that ended, whatever the outcome."),
    Stat("input_tokens", "", "Tokens sent, cached ones and embeddings included."),
    Stat("output_tokens", "", "Tokens received, reasoning included."),
    Stat("cached_input_tokens", "", "Of the input_tokens, those served from the provider's cache."),
    Stat("usage_missing", "", "Model calls that did not say how many tokens they used."),
    Stat("cost_usd", "USD", "Sum of the known costs; null when none is known."),
    Stat(
        "cost_incomplete", "", "Whether something in the window has no known cost, so that cost_usd is a lower bound."
    ),
    Stat("loop_blocks", "", "Tool calls that the loop guard blocked."),
    Stat("rejections", "", "Calls that a breaker, the loop guard or a budget refused."),
    Stat("distinct_failures", "", "Failures counted at their origin only, not at each level they passed through."),
    Stat("unclassified_spans", "", "Spans with GenAI attributes that nobody could read."),
    Stat(
        "unattributed_spans",
        "",
        "Tool calls outside any agent's run, and calls whose parents never came; a bare model call is none.",
    ),
    Stat("turns_measured", "", "Completed turns that carry a latency: the samples of the mean."),
)

_ZEROS = {stat.name: 0 for stat in STATS}
_INNER = (LATENCY_NS, COST_PICO_USD, PRICED, UNPRICED)


def _declared(kind: str, *names: str) -> Registry[Stat]:
    return Registry(kind, (stat for stat in STATS if stat.name in names))


GAUGES = _declared("gauge", "turns_open", "turns_stuck")
"""Stats that are a state of this moment, set from outside; unknown until then."""

TALLIES = _declared("tally", "unclassified_spans", "unattributed_spans")
"""Stats that no event carries, counted from outside."""


class Window:
    """Counts, rates, latencies, tokens and cost over the look-back. Only the health thread touches it.

    An event at the very edge, `window_s` seconds old, still counts. A few megabytes at most for each hour of look-back.
    """

    name = "window"
    stats = STATS

    def __init__(self, window_s: int) -> None:
        """Look back `window_s` seconds."""
        self._window_s = window_s
        self._oldest_s = 0
        self._sums = SlidingSums()
        self._latencies = SlidingPercentiles()
        self._gauges: dict[str, Number] = dict.fromkeys(GAUGES.names, None)

    def fold(self, event: HealthEvent, at_s: int) -> None:
        """Count `event` at second `at_s`."""
        self.add(amounts(event), at_s)

    def add(self, found: Mapping[str, int], at_s: int) -> None:
        """Add what an event adds to each count, `found`, at second `at_s`."""
        self._expire(at_s - AHEAD_S)
        if found:
            self._sums.add(at_s, found)
        if "turns_measured" in found:
            self._latencies.add(at_s, found[LATENCY_NS] / 1e6)

    def count(self, name: str, n: int, at_s: int) -> None:
        """Add `n` to a stat that no event carries, at second `at_s`.

        Raises:
            UnknownNameError: `name` is none of `TALLIES`.
        """
        self._expire(at_s - AHEAD_S)
        self._sums.add(at_s, {TALLIES[name].name: n})

    def set_gauge(self, name: str, value: int) -> None:
        """Set a stat that is a state of this moment.

        Raises:
            UnknownNameError: `name` is none of `GAUGES`.
        """
        self._gauges[GAUGES[name].name] = value

    @property
    def expires_s(self) -> int | None:
        """The second as of which something falls out next, if nothing comes in; None while the window is empty."""
        oldest = self._sums.oldest
        return None if oldest is None else oldest + self._window_s + 1

    def read(self, now_s: int) -> dict[str, Number]:
        """Return the stats as of second `now_s`, in the order declared."""
        self._expire(now_s)
        sums = self._sums.totals
        stats: dict[str, Number] = {**_ZEROS, **sums, **self._gauges}
        for name in _INNER:
            stats.pop(name, None)
        stats["window_minutes"] = _whole(self._window_s / 60)
        stats["tool_error_rate"] = _ratio(sums.get("tool_errors", 0), sums.get("tool_calls", 0))
        stats["spoke_failure_rate"] = _ratio(sums.get("spoke_failures", 0), sums.get("spoke_calls", 0))
        stats["avg_latency_ms"] = _ratio(sums.get(LATENCY_NS, 0), sums.get("turns_measured", 0) * 1_000_000)
        stats["p95_latency_ms"] = self._latencies.percentile(95)
        stats["cost_usd"] = sums[COST_PICO_USD] / 1e12 if sums.get(PRICED) else None
        stats["cost_incomplete"] = bool(sums.get(UNPRICED))
        return stats

    def _expire(self, now_s: int) -> None:
        oldest_s = now_s - self._window_s
        if oldest_s > self._oldest_s:
            self._oldest_s = oldest_s
            self._sums.expire(oldest_s)
            self._latencies.expire(oldest_s)


def _ratio(part: int, whole: int) -> float:
    """Return `part` / `whole`; 0 of nothing is 0."""
    return part / whole if whole else 0.0


def _whole(number: float) -> Number:
    return int(number) if number.is_integer() else number
