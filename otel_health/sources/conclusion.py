# SPDX-License-Identifier: Apache-2.0
"""How a run ended, worked out from what happened below it rather than believed from its own span.

Roots of many frameworks stay OK when the run raised or was cancelled. So a run's outcome is its own where it reports
trouble, else that of the last decisive thing below it.
"""

from __future__ import annotations

import msgspec

from otel_health.dialects.reading import Kind, Outcome, Reading
from otel_health.sources.trace import Node

_MAX_DEPTH = 64
"""Deeper nesting than this is not looked into: no agent has it, but a hostile file may."""


class Conclusion(msgspec.Struct, frozen=True):
    """How a node ended."""

    outcome: Outcome = Outcome.OK
    reason: str = ""
    error: str = ""
    error_type: str = ""
    cause: Node | None = None
    """The failure this one comes from; itself where it is the first."""


def conclude(node: Node, reading: Reading | None = None) -> Conclusion:
    """Say how `node` ended: a call by its own word, a run by its own trouble or the last decisive thing below it.

    `reading` is what several sightings together say of it, where there are several; without it, its own.
    """
    return _Reasoning().of(node) if reading is None else _Reasoning().work_out(node, reading)


class _Reasoning:
    """Works out conclusions once per node, however often and from how far above they are asked for."""

    def __init__(self) -> None:
        self._known: dict[str, Conclusion] = {}
        self._depth = 0

    def of(self, node: Node) -> Conclusion:
        if node.span_id not in self._known:
            if self._depth >= _MAX_DEPTH:
                return Conclusion()
            self._depth += 1
            self._known[node.span_id] = self.work_out(node, node.reading)
            self._depth -= 1
        return self._known[node.span_id]

    def work_out(self, node: Node, reading: Reading | None) -> Conclusion:
        if reading is None:
            return Conclusion()
        if reading.outcome.withdrawn or reading.outcome is Outcome.REJECTED:
            return Conclusion(reading.outcome, reading.reason, reading.error, reading.error_type)
        if reading.outcome.failed:
            return self._own_failure(node, reading)
        if not node.is_run:
            inner = _inner_sighting(node)
            return self.of(inner) if inner is not None else Conclusion(reading.outcome, reading.reason)
        if reading.limit_reached or _forced_final(node, reading):
            return Conclusion(Outcome.ERROR, "turn_limit", reading.error, reading.error_type, node)
        last = _last_decisive(node)
        return self.of(last) if last is not None else Conclusion()

    def _own_failure(self, node: Node, reading: Reading) -> Conclusion:
        below = self._last_failure(node)
        same = below is not None and self._same_failure(node, reading, below)
        cause = below.cause if below is not None and same else node
        error_type = reading.error_type or (below.error_type if below is not None else "")
        passed_on = node.is_run and cause is not node  # what timed out was a call of the run, not the run
        outcome = Outcome.ERROR if passed_on else reading.outcome
        return Conclusion(outcome, reading.reason, reading.error, error_type, cause)

    def _last_failure(self, node: Node) -> Conclusion | None:
        failed = [v for v in map(self.of, node.below()) if v.outcome.failed and v.cause is not None]
        return max(failed, key=lambda v: v.cause.end_ns if v.cause is not None else 0, default=None)

    def _same_failure(self, node: Node, reading: Reading, below: Conclusion) -> bool:
        """Whether a failure found below is the one `node` reports: same text, or nothing went well after it."""
        if below.cause is None:
            return False
        if not reading.error or not below.error or below.error in reading.error or reading.error in below.error:
            return True
        last = _last_decisive(node)
        return last is None or last.end_ns <= below.cause.end_ns or self.of(last).cause is below.cause


def _last_decisive(node: Node) -> Node | None:
    """The model call or agent's run below `node` that ended last; calls made inside tools decide nothing."""
    found = node.below(through=frozenset({Kind.WORKFLOW}))
    decisive = (child for child in found if child.is_a(Kind.LLM) or child.is_a(Kind.AGENT))
    return max(decisive, key=lambda child: (child.end_ns, child.start_ns), default=None)


def _inner_sighting(node: Node) -> Node | None:
    """The same call seen from further in, whose failure the outer sighting may not know of."""
    named = node.reading.name if node.is_a(Kind.TOOL) and node.reading is not None else None
    same = [
        child
        for child in node.below()
        if child.reading is not None and node.is_a(child.reading.kind) and named in (None, child.reading.name)
    ]
    return max(same, key=lambda child: (child.end_ns, child.start_ns), default=None)


def _forced_final(node: Node, reading: Reading) -> bool:
    """Whether the last act was a model call outside any step, made because the steps had run out."""
    if reading.step_limit is None:
        return False
    steps = [child for child in node.children if child.is_wrapper]
    last = max(node.children, key=lambda child: child.start_ns, default=None)
    return last is not None and last.is_a(Kind.LLM) and not last.is_wrapper and len(steps) >= reading.step_limit
