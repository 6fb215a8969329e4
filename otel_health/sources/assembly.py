# SPDX-License-Identifier: Apache-2.0
"""Put traces together and decide what each span counts as, once its neighbours had their chance to arrive.

A model or tool call is decided a *settle* time (1 s) after it arrived, so that a second instrumentation's sighting of
the same call is recognised in either order. The run of an agent is decided a *grace* time (5 s) after it arrived, so
that late children still speak, and not before it is known whether another agent or a tool stands above it. Nothing
waits for a root: a tool call counts long before its turn ends, and whether or not the turn's span ever comes.
"""

from __future__ import annotations

import heapq
import itertools
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence

import msgspec

from otel_health.dialects.base import Interpreter, looks_like_genai
from otel_health.dialects.reading import Kind
from otel_health.dialects.span import Span
from otel_health.events.model import HealthEvent
from otel_health.sources.conclusion import conclude
from otel_health.sources.deciding import decide
from otel_health.sources.duplicates import Duplicates
from otel_health.sources.trace import Node, Trace

_WAITING_PER_SPAN = 4
"""Entries in the waiting list, for each span that may be held, at which those already decided are cleared out."""


class AssemblyLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How long spans wait for each other, and how many may."""

    settle_s: float = 1.0
    """Seconds a call waits for a second sighting of itself."""
    grace_s: float = 5.0
    """Seconds the run of an agent waits for late children."""
    orphan_s: float = 1800.0
    """Seconds the run of an agent waits for a parent that does not come, before it is taken for the topmost."""
    idle_s: float = 3600.0
    """Seconds without an arrival after which a trace is closed and what it left open is decided."""
    max_spans: int = 50_000
    """Most spans held; beyond, the trace that has been idle longest is closed early, and counted."""


class Explanation(msgspec.Struct, frozen=True):
    """What one span was taken for, and why."""

    trace_id: str
    span_id: str
    name: str
    scope: str
    dialect: str
    """"" where no dialect speaks it."""
    kind: str
    outcome: str
    error_type: str
    fault: str
    """Of a model call that failed: `provider`, `caller` or `overflow`."""
    reason: str
    """A finer word for the outcome: `turn_limit`, `incomplete` ..."""
    counted_as: str
    """The categories of the events made of it, comma separated; "" where it is no occurrence of its own."""
    why: str


Explain = Callable[[Explanation], None]


class Assembler:
    """Turns spans, in any order and any number of batches, into events. Used by one thread; never raises on bad spans.

    Time is what the caller says it is: every `now` is in monotonic seconds, or in event time for a replay.
    """

    def __init__(
        self, interpreter: Interpreter, limits: AssemblyLimits | None = None, explain: Explain | None = None
    ) -> None:
        """Read spans by `interpreter`; tell `explain` the fate of every one."""
        self._interpreter = interpreter
        self._limits = limits or AssemblyLimits()
        self._explain = explain
        self._traces: OrderedDict[str, Trace] = OrderedDict()
        self._closed: OrderedDict[str, bool] = OrderedDict()
        self._spans = 0
        self._due: list[tuple[float, int, Node, bool]] = []
        self._order = itertools.count()
        self._ready: deque[HealthEvent] = deque()
        self._duplicates = Duplicates()
        self._counts: Counter[str] = Counter()
        self._taken: Counter[str] = Counter()

    def add(self, span: Span, now: float) -> None:
        """Take one ended span in; one without ids or times is counted, and nothing more."""
        if not (span.trace_id and span.span_id and type(span.start_ns) is int and type(span.end_ns) is int):
            self._counts["malformed_spans"] += 1
            return
        dialect, reading = self._interpreter.read(span)
        trace = self._trace(span.trace_id, now)
        node = trace.add(span, dialect, reading)
        if node is None:
            self._counts["duplicate_spans"] += 1
            self._tell(Node(span, dialect, reading, trace), (), "a span that came before; counted once")
            return
        self._spans += 1
        self._note(span, node)
        if node.is_call:
            self._duplicates.add(node)
            self._wait(node, now + self._limits.settle_s)
        elif node.is_run:
            self._wait(node, now + self._limits.grace_s)
        elif reading is not None and reading.compaction is not None:
            self._wait(node, now)
        for run in trace.blocked.pop(span.span_id, ()):
            self._wait(run, now + (self._limits.grace_s if node.is_run else 0.0))
        self._make_room()

    def due(self, now: float) -> list[HealthEvent]:
        """Return the events of everything that is decided by `now`, and close traces that went silent."""
        while self._due and self._due[0][0] <= now:
            until, _, node, final = heapq.heappop(self._due)
            if not node.decided:
                self._decide(node, final=final)
            if not node.decided and node.is_run:
                node.trace.block(node)
                self._wait(node, until + self._limits.orphan_s, final=True)
        while self._traces:
            oldest = next(iter(self._traces.values()))
            if now - oldest.last_seen < self._limits.idle_s:
                break
            self._close(oldest)
        return self._take_ready()

    def flush(self) -> list[HealthEvent]:
        """Decide everything now, as at the end of a file, and return the events in order of their time."""
        for trace in list(self._traces.values()):
            self._decide_all(trace)
        self._duplicates = Duplicates()
        for trace in list(self._traces.values()):
            self._close(trace)
        self._due.clear()
        return self._take_ready()

    @property
    def totals(self) -> Mapping[str, int]:
        """Counts since the start, by name.

        `unclassified_spans`, `unattributed_spans`, `malformed_spans`, `malformed_values`, `duplicate_spans`,
        `dialect_failures`, `undecidable_spans` (a fault of ours), and `traces_cut` (closed for room before all they
        held was decided).
        """
        return self._counts | Counter(dialect_failures=self._interpreter.failures)

    def take_counts(self) -> Mapping[str, int]:
        """Return what `totals` grew by since last asked."""
        totals = Counter(self.totals)
        grown, self._taken = totals - self._taken, totals
        return grown

    @property
    def held_spans(self) -> int:
        """Spans held at this moment."""
        return self._spans

    @property
    def waiting(self) -> int:
        """Entries in the list of what is to be decided when; at most four for each span that may be held."""
        return len(self._due)

    def _trace(self, trace_id: str, now: float) -> Trace:
        trace = self._traces.get(trace_id)
        if trace is None:
            trace = self._traces[trace_id] = Trace(trace_id)
            trace.had_usage = self._closed.get(trace_id, False)
        trace.last_seen = now
        self._traces.move_to_end(trace_id)
        return trace

    def _note(self, span: Span, node: Node) -> None:
        if node.reading is None:
            if looks_like_genai(span) and not node.dialect:
                self._counts["unclassified_spans"] += 1
                self._tell(node, [], "has GenAI attributes, but no dialect reads it")
            else:
                self._tell(node, [], "not about an agent")
        else:
            self._counts["malformed_values"] += node.reading.malformed
            if node.reading.kind is Kind.STEP and node.reading.compaction is None:
                self._tell(node, [], node.reading.why)

    def _wait(self, node: Node, until: float, *, final: bool = False) -> None:
        heapq.heappush(self._due, (until, next(self._order), node, final))
        if len(self._due) > _WAITING_PER_SPAN * self._limits.max_spans:
            self._due = [waiting for waiting in self._due if not waiting[2].decided]
            heapq.heapify(self._due)

    def _make_room(self) -> None:
        while self._spans > self._limits.max_spans:
            idle = next(iter(self._traces.values()))
            self._counts["traces_cut"] += idle.undecided
            self._close(idle)

    def _close(self, trace: Trace) -> None:
        self._decide_all(trace)
        lost = (node for node in trace.nodes.values() if node.counted and node.is_call and not node.rooted)
        self._counts["unattributed_spans"] += sum(node.nearest(Kind.AGENT, Kind.WORKFLOW) is None for node in lost)
        self._duplicates.forget(trace)
        self._traces.pop(trace.trace_id, None)
        self._spans -= len(trace.nodes)
        self._closed[trace.trace_id] = trace.had_usage or any(node.reports_usage for node in trace.nodes.values())
        if len(self._closed) > self._limits.max_spans:
            self._closed.popitem(last=False)

    def _decide_all(self, trace: Trace) -> None:
        undecided = [node for node in trace.nodes.values() if not node.decided and node.reading is not None]
        for node in sorted(undecided, key=lambda n: (n.is_run, n.end_ns, -n.start_ns)):
            self._decide(node, final=True)

    def _take_ready(self) -> list[HealthEvent]:
        ready = sorted(self._ready, key=lambda e: e.timestamp)
        self._ready.clear()
        return ready

    def _decide(self, node: Node, *, final: bool) -> None:
        try:
            decision = decide(node, self._duplicates, final=final)
        except Exception:
            node.decided = True
            self._counts["undecidable_spans"] += 1
            return
        if decision is None:
            return
        node.decided = True
        node.counted = bool(decision.events)
        self._counts["unattributed_spans"] += decision.unattributed
        self._ready.extend(decision.events)
        self._tell(node, decision.events, decision.why)

    def _tell(self, node: Node, events: Sequence[HealthEvent], why: str) -> None:
        if self._explain is None:
            return
        reading, end = node.reading, conclude(node)
        self._explain(
            Explanation(
                trace_id=node.trace.trace_id,
                span_id=node.span_id,
                name=node.name,
                scope=node.scope,
                dialect=node.dialect,
                kind=reading.kind.value if reading is not None else "",
                outcome=end.outcome.value if reading is not None else "",
                error_type=end.error_type,
                fault=reading.fault.value if reading is not None and reading.fault is not None else "",
                reason=end.reason,
                counted_as=", ".join(e.category.value for e in events),
                why=why,
            )
        )
