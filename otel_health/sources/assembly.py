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
from collections.abc import Callable, Mapping

import msgspec

from otel_health.dialects.base import Interpreter, looks_like_genai
from otel_health.dialects.reading import Fault, Kind, Reading, Team
from otel_health.dialects.span import Span
from otel_health.events.model import HealthEvent
from otel_health.sources import counted, twins
from otel_health.sources.trace import Node, Trace
from otel_health.sources.verdict import Verdict, reports_usage_below, verdict


class AssemblyLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How long spans wait for each other, and how many may."""

    settle_s: float = 1.0
    """Seconds a call waits for a second sighting of itself."""
    grace_s: float = 5.0
    """Seconds the run of an agent waits for late children."""
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
        self._due: list[tuple[float, int, Node]] = []
        self._order = itertools.count()
        self._ready: deque[HealthEvent] = deque()
        self._twins = twins.Twins()
        self._counts: Counter[str] = Counter()
        self._taken: Counter[str] = Counter()

    # -- what comes in and goes out ------------------------------------------------------------------------------

    def add(self, span: Span, now: float) -> None:
        """Take one ended span in."""
        dialect, reading = self._interpreter.read(span)
        trace = self._trace(span.trace_id, now)
        node = trace.add(span, dialect, reading)
        if node is None:
            self._counts["duplicate_spans"] += 1
            return
        self._spans += 1
        self._note(span, node)
        if node.is_call:
            self._twins.add(node)
            self._wait(node, now + self._limits.settle_s)
        elif node.is_run:
            self._wait(node, now + self._limits.grace_s)
        elif reading is not None and reading.compaction is not None:
            self._wait(node, now)
        self._wake_below(node, now)
        self._make_room()

    def due(self, now: float) -> list[HealthEvent]:
        """Return the events of everything that is decided by `now`, and close traces that went silent."""
        while self._due and self._due[0][0] <= now:
            _, _, node = heapq.heappop(self._due)
            if not node.decided:
                self._decide(node, final=False)
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
        for trace in list(self._traces.values()):
            self._close(trace)
        self._due.clear()
        return self._take_ready()

    @property
    def totals(self) -> Mapping[str, int]:
        """Counts since the start, by name.

        `unclassified_spans`, `unattributed_spans`, `malformed_values`, `duplicate_spans`, `dialect_failures`, and
        `traces_cut` (closed early for room).
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

    # -- tables and timing ---------------------------------------------------------------------------------------

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
                node.why = "has GenAI attributes, but no dialect reads it"
            self._tell(node, [], node.why or "none of health's business")
        else:
            self._counts["malformed_values"] += node.reading.malformed
            if node.reading.kind is Kind.STEP and node.reading.compaction is None:
                self._tell(node, [], node.reading.why)

    def _wait(self, node: Node, until: float) -> None:
        heapq.heappush(self._due, (until, next(self._order), node))

    def _wake_below(self, node: Node, now: float) -> None:
        """Look again at undecided runs below: the arrival of `node` may tell what they are."""
        for below in node.descendants():
            if below.is_run and not below.decided:
                self._wait(below, now + (self._limits.grace_s if node.is_run else 0.0))

    def _make_room(self) -> None:
        while self._spans > self._limits.max_spans and len(self._traces) > 1:
            self._counts["traces_cut"] += 1
            self._close(next(iter(self._traces.values())))
        if self._spans > self._limits.max_spans:
            self._counts["traces_cut"] += 1
            self._close(next(iter(self._traces.values())))

    def _close(self, trace: Trace) -> None:
        self._decide_all(trace)
        lost = (node for node in trace.nodes.values() if node.counted and node.is_call and not node.rooted)
        self._counts["unattributed_spans"] += sum(node.nearest(Kind.AGENT, Kind.WORKFLOW) is None for node in lost)
        self._traces.pop(trace.trace_id, None)
        self._spans -= len(trace.nodes)
        self._closed[trace.trace_id] = trace.had_usage or any(
            node.counted and node.reading is not None and node.reading.usage is not None and node.reading.usage.known
            for node in trace.nodes.values()
        )
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

    # -- deciding ------------------------------------------------------------------------------------------------

    def _decide(self, node: Node, *, final: bool) -> None:
        reading = node.reading
        if reading is None:
            return
        if reading.kind in (Kind.LLM, Kind.EMBEDDING):
            events = self._model_call(node, reading)
        elif reading.kind is Kind.TOOL:
            events = self._tool_call(node, reading)
        elif reading.kind is Kind.STEP:
            events = counted.compaction_events(node, reading)
            if not events:
                return
        else:
            found = self._run(node, reading, final=final)
            if found is None:
                return
            events = found
        node.decided = True
        node.counted = bool(events)
        self._ready.extend(events)
        self._tell(node, events, node.why or reading.why)

    def _model_call(self, node: Node, reading: Reading) -> list[HealthEvent]:
        if reading.stand_in and not twins.stands_for_itself(node):
            node.why = "the call it wraps has a span of its own"
            return []
        if reading.kind is Kind.EMBEDDING:
            return [counted.llm_event(node, reading, verdict(node))]
        if not twins.innermost(node):
            node.why = "a model call seen from further out; the innermost sighting counts"
            return []
        sightings = self._twins.of(node)
        best = max(filter(twins.innermost, sightings), key=twins.worth)
        if any(twin.counted for twin in sightings) or best is not node:
            node.why = f"the same model call as span {best.span_id}, which counts"
            return []
        reading = twins.merged(reading, [twin.reading for twin in sightings if twin.reading and twin is not node])
        node.reading = reading
        events = [counted.llm_event(node, reading, verdict(node))]
        if reading.retry is not None:
            events += counted.retry_events(node, reading.retry.reason, reading.retry.times)
        elif (before := _tried_before(node, reading)) is not None:
            events += counted.retry_events(node, f"after {before.error_type or 'an error'}", 1)
        return [*events, *counted.compaction_events(node, reading)]

    def _tool_call(self, node: Node, reading: Reading) -> list[HealthEvent]:
        if reading.stand_in and not twins.stands_for_itself(node):
            node.why = "the call it wraps has a span of its own"
            return []
        outer, inner = twins.outer_tool(node), twins.inner_tools(node)
        if outer is not None or any(twin.counted for twin in inner):
            node.why = "the same tool call seen by another instrumentation; counted once"
            return []
        node.reading = reading = twins.merged(reading, [twin.reading for twin in inner if twin.reading])
        end = verdict(node)
        attributed = node.nearest(Kind.AGENT, Kind.WORKFLOW) is not None
        if not attributed and node.rooted:
            self._counts["unattributed_spans"] += 1
        events = [counted.tool_event(node, reading, end, attributed=attributed or not node.rooted)]
        if reading.delegates_to and not any(child.is_a(Kind.AGENT) for child in node.descendants()):
            events.append(counted.spoke_event(node, reading.delegates_to, end, None))
        if reading.retry is not None:
            events += counted.retry_events(node, reading.retry.reason, reading.retry.times)
        return events

    def _run(self, node: Node, reading: Reading, *, final: bool) -> list[HealthEvent] | None:
        """The events of an agent's or workflow's run; None while it cannot be told what it is."""
        above = node.nearest(Kind.AGENT, Kind.WORKFLOW, Kind.TOOL)
        if above is None:
            if not (node.rooted or final):
                return None
            return self._turn(node, reading)
        if reading.kind is Kind.WORKFLOW:
            node.why = "a workflow inside another run: seen through"
            return _lost_model_call(node, reading)
        node.is_spoke = _is_spoke(node, above)
        if not node.is_spoke:
            node.why = f"the run of the turn's own agent; the turn is {above.name!r}"
            return _lost_model_call(node, reading)
        return self._spoke(node, reading)

    def _turn(self, node: Node, reading: Reading) -> list[HealthEvent]:
        node.is_spoke = False
        node.why = node.why or f"topmost run of its trace ({reading.why})"
        end = verdict(node)
        usage = None if reports_usage_below(node) else reading.usage
        name = _turn_agent(node, reading)
        events = [counted.turn_event(node, name, end, usage)]
        return [*events, *self._facts_of_run(node, reading, name, end)]

    def _spoke(self, node: Node, reading: Reading) -> list[HealthEvent]:
        end = verdict(node)
        usage = None if reports_usage_below(node) else reading.usage
        events = [counted.spoke_event(node, reading.name, end, usage)]
        caller = node.nearest(Kind.AGENT, Kind.TOOL)
        if reading.called_as_tool and caller is not None and caller.is_a(Kind.AGENT):
            events.append(counted.tool_event(node, reading, end, attributed=True))
        return [*events, *self._facts_of_run(node, reading, reading.name, end)]

    @staticmethod
    def _facts_of_run(node: Node, reading: Reading, name: str, end: Verdict) -> list[HealthEvent]:
        events = _lost_model_call(node, reading)
        if end.reason == "turn_limit" and (end.cause is None or end.cause is node or end.cause.is_spoke is False):
            events.append(counted.budget_event(node, name, end))
        if reading.retry is not None:
            events += counted.retry_events(node, reading.retry.reason, reading.retry.times)
        return events

    def _tell(self, node: Node, events: list[HealthEvent], why: str) -> None:
        if self._explain is None:
            return
        self._explain(
            Explanation(
                trace_id=node.trace.trace_id,
                span_id=node.span_id,
                name=node.name,
                scope=node.scope,
                dialect=node.dialect,
                kind=node.reading.kind.value if node.reading is not None else "",
                outcome=verdict(node).outcome.value if node.reading is not None else "",
                counted_as=", ".join(e.category.value for e in events),
                why=why,
            )
        )


def _lost_model_call(node: Node, reading: Reading) -> list[HealthEvent]:
    """The failed model call that ended a run whose instrumentation gives model calls no spans; [] where it was none.

    Only the run in which the failure began counts it, and only where its error names the provider or an overflow.
    """
    end = verdict(node)
    if end.cause is not node or reading.fault not in (Fault.PROVIDER, Fault.OVERFLOW):
        return []
    if any(below.is_a(Kind.LLM) for below in node.descendants()):
        return []
    return [counted.lost_llm_event(node, reading, end)]


def _is_spoke(node: Node, above: Node) -> bool:
    """Whether an agent's run below `above` is a delegation rather than the turn's own agent at work."""
    if above.is_a(Kind.TOOL):
        return True
    if above.is_a(Kind.AGENT):
        return True
    team = above.reading.team if above.reading is not None else None
    members = sorted(
        (child for child in above.below(through=frozenset({Kind.WORKFLOW})) if child.is_a(Kind.AGENT)),
        key=lambda child: (child.start_ns, child.end_ns, child.span_id),
    )
    if team is Team.SEQUENCE:
        return bool(members) and members[0] is not node
    return len(members) > 1


def _turn_agent(node: Node, reading: Reading) -> str:
    """The name of the agent that had the turn: under a sequence, the one that began it."""
    if reading.kind is Kind.WORKFLOW and reading.team is Team.SEQUENCE:
        members = [child for child in node.below() if child.is_a(Kind.AGENT) and child.reading is not None]
        first = min(members, key=lambda child: child.start_ns, default=None)
        if first is not None and first.reading is not None and first.reading.name:
            return first.reading.name
    return reading.name


def _tried_before(node: Node, reading: Reading) -> Reading | None:
    """The failed call that `node` tries again: same model, same group, and nothing in between."""
    for failed in reversed(node.trace.failed_calls):
        before = failed.reading
        if (
            before is None
            or failed is node
            or failed.end_ns > node.start_ns
            or before.fault is not Fault.PROVIDER
            or before.model != reading.model
            or failed.group != node.group
        ):
            continue
        between = (other for other in node.trace.nodes.values() if other.is_call and other.group == node.group)
        if any(failed.end_ns <= other.start_ns < node.start_ns for other in between if other is not node):
            continue
        return before
    return None
