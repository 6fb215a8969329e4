# SPDX-License-Identifier: Apache-2.0
"""One call seen by two instrumentations counts once.

Sightings of one call are recognised, most certain first, by nesting (a model call directly below a model call, a tool
call directly below the same tool's), by the provider's response id, and, where there is none to compare, by the same
tokens or the same error at the same time. Beyond nesting they come from different instrumentations and overlap in time:
even ids are only as unique as the provider (or its test stub) makes them. A likeness pairs off one to one, the two
nearest in time with each other, so that a hundred calls failing alike in one outage stay a hundred.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator

import msgspec

from otel_health.dialects.reading import Fault, Kind, Outcome, Reading, Usage
from otel_health.sources.trace import Node, Trace

_NEIGHBOURS = 16
"""How many alike calls, by their start, are compared on either side: sightings of one call start all but together."""
_MAX_LINE = 8
_MAX_SIGHTINGS = 16
_SLACK_NS = 5_000_000
"""How far a span may reach over the edge of another sighting: the two read the clock a little apart."""


class Duplicates:
    """Knows the model calls at hand by what identifies them beyond their trace. Touched by one thread only.

    It holds a call until told to forget it, so it is as bounded as the table of spans.
    """

    def __init__(self) -> None:
        """Start empty."""
        self._alike: dict[str, dict[str, list[Node]]] = {}
        """Mark → instrumentation → calls by their start."""

    def add(self, node: Node) -> None:
        """Take note of a model call that has arrived."""
        for mark in _marks(node):
            insort(self._alike.setdefault(mark, {}).setdefault(node.scope, []), node, key=_start)

    def forget(self, trace: Trace) -> None:
        """Let go of the calls of a trace that is closed."""
        for mark, scope in {(mark, node.scope) for node in trace.nodes.values() for mark in _marks(node)}:
            scopes = self._alike.get(mark, {})
            scopes[scope] = [call for call in scopes.get(scope, ()) if call.trace is not trace]
            if not scopes[scope]:
                del scopes[scope]
            if not scopes:
                self._alike.pop(mark, None)

    def __len__(self) -> int:
        """Return how many marks are known."""
        return len(self._alike)

    def of(self, node: Node) -> list[Node]:
        """Return the known sightings of the same model call, `node` first; alone where there is no other."""
        sightings = [node]
        for one in sightings:  # grows while it is walked
            for seen in (*_line(one, Kind.LLM), *self._same_id(one), *self._partner(one)):
                if seen not in sightings and len(sightings) < _MAX_SIGHTINGS:
                    sightings.append(seen)
        return sightings

    def _same_id(self, node: Node) -> list[Node]:
        return [other for other in self._others(node, _id_mark(node)) if other.overlaps(node)]

    def _partner(self, node: Node) -> list[Node]:
        """The one call that is most like `node` and to which `node` is most like in turn."""
        nearest = self._nearest(node)
        return [nearest] if nearest is not None and self._nearest(nearest) is node else []

    def _nearest(self, node: Node) -> Node | None:
        alike = [other for other in self._others(node, _likeness(node)) if _may_be_one(node, other)]
        return min(alike, key=lambda other: (_apart_ns(node, other), other.span_id), default=None)

    def _others(self, node: Node, mark: str) -> Iterator[Node]:
        """Yield calls with the same mark from other instrumentations that were open at about the same time."""
        begun_by, open_at = node.end_ns + _SLACK_NS, node.start_ns - _SLACK_NS
        for scope, calls in self._alike.get(mark, {}).items():
            if scope == node.scope:
                continue
            at = bisect_left(calls, node.start_ns, key=_start)
            for other in calls[max(0, at - _NEIGHBOURS) : at + _NEIGHBOURS]:
                if other.end_ns >= open_at and other.start_ns <= begun_by:
                    yield other


def _start(node: Node) -> int:
    return node.start_ns


def _id_mark(node: Node) -> str:
    return f"id {node.reading.response_id}" if node.reading is not None and node.reading.response_id else ""


def _likeness(node: Node) -> str:
    """What a second sighting of the same model call would share where it has no id; "" for what is too common."""
    reading = node.reading
    if reading is None:
        return ""
    if reading.outcome.withdrawn:
        return "withdrawn"
    if reading.outcome.failed:
        return f"error {_essence(reading.error)}"
    if reading.usage is not None and reading.usage.total:
        return f"tokens {reading.model} {reading.usage.input} {reading.usage.output}"
    return ""


def _marks(node: Node) -> Iterator[str]:
    """What a model call is remembered by."""
    return filter(None, (_id_mark(node), _likeness(node))) if node.is_a(Kind.LLM) else iter(())


def _essence(error: str) -> str:
    """The part of an error text that two instrumentations of the same failure share."""
    start = error.find("Error code:")
    return error[max(start, 0) :][:60]


def _may_be_one(node: Node, other: Node) -> bool:
    """Whether two alike calls can be one: no two different ids, and one span within the other."""
    if _two_ids(node, other):
        return False
    starts, ends = other.start_ns - node.start_ns, node.end_ns - other.end_ns
    return (starts >= -_SLACK_NS and ends >= -_SLACK_NS) or (starts <= _SLACK_NS and ends <= _SLACK_NS)


def _two_ids(node: Node, other: Node) -> bool:
    mine, its = _id_mark(node), _id_mark(other)
    return bool(mine and its) and mine != its


def _apart_ns(node: Node, other: Node) -> int:
    return abs(node.start_ns - other.start_ns) + abs(node.end_ns - other.end_ns)


def _line(node: Node, kind: Kind) -> list[Node]:
    """The other sightings of one call along the line of nesting, through wrappers.

    A call around several calls (a router that tries one provider after another) is none of them.
    """
    line: list[Node] = []
    for direction in (_above, _below):
        seen = direction(node, kind)
        while seen is not None and len(line) < _MAX_LINE:
            line.append(seen)
            seen = direction(seen, kind)
    return line


def _above(node: Node, kind: Kind) -> Node | None:
    above = next((ancestor for ancestor in node.ancestors() if not ancestor.is_wrapper), None)
    return above if above is not None and above.is_a(kind) and _below(above, kind) is node else None


def _below(node: Node, kind: Kind) -> Node | None:
    alike = (child for child in node.below() if child.is_a(kind) and not _two_ids(node, child))
    first = next(alike, None)
    return first if next(alike, None) is None else None


def worth(node: Node) -> tuple[bool, int, str, str]:
    """Rank sightings of one call: one inside an agent's run first, then the more detailed; never by arrival."""
    usage = node.reading.usage if node.reading is not None else None
    known = sum(getattr(usage, name) is not None for name in Usage.__struct_fields__) if usage is not None else 0
    return node.nearest(Kind.AGENT, Kind.WORKFLOW) is not None, known, node.scope, node.span_id


def innermost(node: Node) -> bool:
    """Tell whether no sighting of the same call lies directly below: the innermost is the call itself."""
    return not any(child.is_a(Kind.LLM) and not _two_ids(node, child) for child in node.below())


def same_run(node: Node, above: Node) -> bool:
    """Tell whether two nested agents are one run seen by two instrumentations: same name, and nothing in between."""
    names = {run.reading.name for run in (node, above) if run.reading is not None}
    return node.scope != above.scope and len(names) == 1 and node.parent is above


def stands_for_itself(node: Node) -> bool:
    """Tell whether a stand-in is needed: no call of its kind, finished or failed, lies below it."""
    kind = node.reading.kind if node.reading is not None else None
    found = [child for child in node.below() if child.reading is not None and child.reading.kind is kind]
    if kind is Kind.TOOL:
        return not any(child.reading is not None and child.reading.outcome.failed for child in found)
    return not found


def tool_line(node: Node) -> tuple[list[Node], list[Node]]:
    """Return the sightings of the same tool call from further out and from further in, nearest first.

    They have the same name, and only wrappers between them: an agent or a model call in between makes two calls.
    """
    name = node.reading.name if node.reading is not None else ""
    line = [seen for seen in _line(node, Kind.TOOL) if seen.reading is not None and seen.reading.name == name]
    ancestors = set(map(id, node.ancestors()))
    return [seen for seen in line if id(seen) in ancestors], [seen for seen in line if id(seen) not in ancestors]


def merged(best: Reading, others: list[Reading]) -> Reading:
    """Return `best` with what only the other sightings of the same call know.

    A failure seen by any wins, and an overflow recognised by any; detailed token counts are kept wherever they stand.
    """
    for other in others:
        changes: dict[str, object] = {}
        if other.outcome.failed and not best.outcome.failed:
            changes |= {"outcome": other.outcome, "fault": other.fault, "reason": other.reason}
        elif other.fault is Fault.OVERFLOW or (best.fault is None and other.fault is not None):
            changes |= {"fault": other.fault}
        if other.outcome is Outcome.TIMEOUT and best.outcome is Outcome.ERROR and best.fault is not Fault.OVERFLOW:
            changes |= {"outcome": Outcome.TIMEOUT}
        for name in ("error", "error_type", "model", "response_id", "session", "agent"):
            if not getattr(best, name) and getattr(other, name):
                changes[name] = getattr(other, name)
        if best.cost_usd is None and other.cost_usd is not None:
            changes["cost_usd"] = other.cost_usd
        if best.retry is None and other.retry is not None:
            changes["retry"] = other.retry
        changes["usage"] = _merged_usage(best.usage, other.usage)
        best = msgspec.structs.replace(best, **changes)
    return best


def _merged_usage(first: Usage | None, second: Usage | None) -> Usage | None:
    if first is None or second is None:
        return first or second
    pairs = {name: (getattr(first, name), getattr(second, name)) for name in Usage.__struct_fields__}
    return Usage(**{name: one if one is not None else two for name, (one, two) in pairs.items()})
