# SPDX-License-Identifier: Apache-2.0
"""One trace as it becomes known: nodes that find their parents and children in whatever order they arrive."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from otel_health.dialects.reading import Kind, Reading
from otel_health.dialects.span import Span

_CALLS = frozenset({Kind.LLM, Kind.EMBEDDING, Kind.TOOL})
_RUNS = frozenset({Kind.AGENT, Kind.WORKFLOW})
_WORKFLOWS = frozenset({Kind.WORKFLOW})
_RECENT_CALLS = 1024
_MAX_DEPTH = 128
"""Nesting deeper than this is not looked through: no agent has it, but a hostile file may."""


class Node:
    """A span's place in its trace: what it said, and what has been decided about it. Touched by one thread only."""

    __slots__ = (
        "children",
        "counted",
        "decided",
        "dialect",
        "end_ns",
        "first_known",
        "is_spoke",
        "name",
        "parent",
        "parent_id",
        "reading",
        "remote_parent",
        "scope",
        "span_id",
        "start_ns",
        "trace",
        "usage_below",
    )

    def __init__(self, span: Span, dialect: str, reading: Reading | None, trace: Trace) -> None:
        """Keep of `span` only what its neighbours will ask for: attributes are gone after this."""
        self.span_id = span.span_id
        self.parent_id = span.parent_id
        self.remote_parent = span.remote_parent
        self.name = span.name
        self.scope = span.scope
        self.start_ns = span.start_ns
        self.end_ns = span.end_ns
        self.dialect = dialect
        self.reading = reading
        self.trace = trace
        self.parent: Node | None = None
        self.children: list[Node] = []
        self.decided = False
        """Whether its fate is sealed: counted, or found to be no occurrence of its own."""
        self.counted = False
        """Whether an event of its own was made of it."""
        self.first_known: tuple[int, Node | None] = (0, None)
        """`first_agent`, and how many spans its trace had when that was looked up."""
        self.usage_below = False
        """Whether anything below it reports tokens."""
        self.is_spoke: bool | None = None
        """On an agent's run: whether it is a spoke; None until known."""

    @property
    def is_call(self) -> bool:
        """Whether it is a model call, an embedding or a tool call."""
        return self.reading is not None and self.reading.kind in _CALLS

    @property
    def is_run(self) -> bool:
        """Whether it is the run of an agent or of a workflow."""
        return self.reading is not None and self.reading.kind in _RUNS

    @property
    def is_wrapper(self) -> bool:
        """Whether it is only seen through: a step, a stand-in, or nothing of ours."""
        return self.reading is None or self.reading.kind is Kind.STEP or self.reading.stand_in

    @property
    def reports_usage(self) -> bool:
        """Whether it, or anything below it, reports tokens."""
        usage = self.reading.usage if self.reading is not None else None
        return self.usage_below or (usage is not None and usage.known)

    @property
    def duration_ms(self) -> float:
        """Milliseconds; 0 where the span claims to end before it began."""
        return max(0, self.end_ns - self.start_ns) / 1e6

    def is_a(self, kind: Kind) -> bool:
        """Tell whether it was read as `kind`."""
        return self.reading is not None and self.reading.kind is kind

    def ancestors(self) -> Iterator[Node]:
        """Yield the known parents, nearest first, up to a root or a parent not yet arrived; 128 at most."""
        node = self.parent
        for _ in range(_MAX_DEPTH):
            if node is None:
                return
            yield node
            node = node.parent

    @property
    def top(self) -> Node:
        """The highest known ancestor, or the node itself."""
        return deque((self, *self.ancestors()), maxlen=1).pop()

    @property
    def rooted(self) -> bool:
        """Whether every ancestor in its own process has arrived."""
        top = self.top
        return not top.parent_id or top.remote_parent

    def nearest(self, *kinds: Kind) -> Node | None:
        """Return the nearest known ancestor of one of `kinds`, stand-ins aside."""
        for node in self.ancestors():
            if node.reading is not None and node.reading.kind in kinds and not node.reading.stand_in:
                return node
        return None

    def below(self, *, through: frozenset[Kind] = frozenset()) -> Iterator[Node]:
        """Yield the nearest descendants that are no wrappers, in the order of their arrival, looking through wrappers.

        They are looked for below `through` kinds as well, which are yielded themselves.
        """
        floors = [iter(self.children)]
        while floors:
            node = next(floors[-1], None)
            if node is None:
                floors.pop()
                continue
            if not node.is_wrapper:
                yield node
            if node.is_wrapper or (node.reading is not None and node.reading.kind in through):
                floors.append(iter(node.children))

    @property
    def first_agent(self) -> Node | None:
        """The agent below it, through wrappers and workflows, that began first."""
        size, first = self.first_known
        if size != len(self.trace.nodes):
            agents = (found for found in self.below(through=_WORKFLOWS) if found.is_a(Kind.AGENT))
            first = min(agents, key=lambda agent: (agent.start_ns, agent.end_ns, agent.span_id), default=None)
            self.first_known = (len(self.trace.nodes), first)
        return first

    def descendants(self) -> Iterator[Node]:
        """Yield every known descendant."""
        stack = list(self.children)
        while stack:
            node = stack.pop()
            yield node
            stack.extend(node.children)

    @property
    def group(self) -> str:
        """The id of the nearest ancestor that is no wrapper, known or not: calls of one group were made in turn."""
        group = self.parent_id
        for node in self.ancestors():
            if not node.is_wrapper:
                return node.span_id
            group = node.parent_id or node.span_id
        return group

    def overlaps(self, other: Node) -> bool:
        """Tell whether the two spans were open at the same time."""
        return max(self.start_ns, other.start_ns) <= min(self.end_ns, other.end_ns)


class Trace:
    """The nodes of one trace id that have arrived."""

    __slots__ = ("blocked", "calls", "had_failure", "had_usage", "last_seen", "nodes", "trace_id", "waiting")

    def __init__(self, trace_id: str) -> None:
        """Start empty."""
        self.trace_id = trace_id
        self.nodes: dict[str, Node] = {}
        self.waiting: dict[str, list[Node]] = {}
        """Children by the id of the parent that has not arrived."""
        self.blocked: dict[str, list[Node]] = {}
        """Runs that cannot be told before a parent arrives, by the id of that parent."""
        self.calls: deque[Node] = deque(maxlen=_RECENT_CALLS)
        """The latest calls, by arrival: among them is what a retry would follow."""
        self.had_failure = False
        """Whether any call failed, so that a retry can be expected."""
        self.had_usage = False
        """Whether an earlier, closed part of this trace already counted tokens."""
        self.last_seen = 0.0
        """Monotonic seconds of the last arrival."""

    def add(self, span: Span, dialect: str, reading: Reading | None) -> Node | None:
        """Give the span its place; None when this span id has been seen before in this trace."""
        if span.span_id in self.nodes:
            return None
        node = Node(span, dialect, reading, self)
        self.nodes[span.span_id] = node
        if span.parent_id and span.parent_id != span.span_id:
            parent = self.nodes.get(span.parent_id)
            if parent is None:
                self.waiting.setdefault(span.parent_id, []).append(node)
            else:
                self._join(parent, node)
        for child in self.waiting.pop(span.span_id, ()):
            self._join(node, child)
        if node.is_call:
            self.calls.append(node)
            self.had_failure |= node.reading is not None and node.reading.outcome.failed
        return node

    @property
    def undecided(self) -> bool:
        """Whether it holds a call or a run whose fate is open."""
        return any(not node.decided and (node.is_call or node.is_run) for node in self.nodes.values())

    def block(self, run: Node) -> None:
        """Keep a run for the arrival of the parent above everything known above it."""
        self.blocked.setdefault(run.top.parent_id, []).append(run)

    @staticmethod
    def _join(parent: Node, child: Node) -> None:
        if _is_above(child, parent):
            return
        child.parent = parent
        parent.children.append(child)
        if child.reports_usage:
            for ancestor in child.ancestors():
                if ancestor.usage_below:
                    break
                ancestor.usage_below = True


def _is_above(node: Node, other: Node | None) -> bool:
    """Tell whether `node` is `other` or stands above it, so that hanging it below would close a circle."""
    if not node.children:
        return node is other
    while other is not None:
        if other is node:
            return True
        other = other.parent
    return False
