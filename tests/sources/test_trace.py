# SPDX-License-Identifier: Apache-2.0
"""Nodes find their parents and children in whatever order they arrive."""

from __future__ import annotations

from itertools import permutations

from otel_health.dialects.reading import Kind, Outcome, Reading, Usage
from otel_health.dialects.span import Span
from otel_health.sources.trace import Node, Trace
from otel_health.testing import make_span


def reading(kind: Kind, outcome: Outcome = Outcome.OK, *, stand_in: bool = False) -> Reading:
    return Reading(kind=kind, why="test", outcome=outcome, stand_in=stand_in)


def put(trace: Trace, span: Span, kind: Kind | None, *, stand_in: bool = False) -> Node:
    node = trace.add(span, "test", reading(kind, stand_in=stand_in) if kind else None)
    assert node is not None
    return node


def test_the_tree_is_the_same_in_every_order() -> None:
    root = make_span("root")
    child = make_span("child", parent=root)
    leaf = make_span("leaf", parent=child)
    for order in permutations([root, child, leaf]):
        trace = Trace(root.trace_id)
        nodes = {span.name: put(trace, span, Kind.STEP) for span in order}
        assert [node.name for node in nodes["leaf"].ancestors()] == ["child", "root"]
        assert [node.name for node in nodes["root"].descendants()] == ["child", "leaf"]
        assert nodes["leaf"].top is nodes["root"]
        assert nodes["leaf"].rooted


def test_a_node_below_a_missing_parent_is_not_rooted_unless_that_parent_is_remote() -> None:
    missing = make_span("missing")
    trace = Trace(missing.trace_id)
    assert not put(trace, make_span("a", parent=missing), Kind.AGENT).rooted
    assert put(trace, make_span("b", parent=missing, remote_parent=True), Kind.AGENT).rooted


def test_circles_and_self_parents_are_survived() -> None:
    own = make_span("own", span_id="00000000000000aa")
    own_parent = make_span("own", parent=own, span_id="00000000000000aa")
    a = make_span("a", span_id="00000000000000ab", parent=make_span(span_id="00000000000000ac", trace_id="1" * 32))
    b = make_span("b", span_id="00000000000000ac", parent=a)
    trace = Trace("1" * 32)
    nodes = [put(trace, span, Kind.STEP) for span in (own_parent, a, b)]
    assert [len(list(node.ancestors())) for node in nodes] == [0, 0, 1]
    assert sum(len(list(node.descendants())) for node in nodes) == 1


def test_a_span_seen_before_gets_no_second_place() -> None:
    span = make_span("x")
    trace = Trace(span.trace_id)
    assert trace.add(span, "", None) is not None
    assert trace.add(span, "", None) is None


def test_wrappers_are_looked_through() -> None:
    turn = make_span("turn")
    node = make_span("node", parent=turn)
    plain = make_span("plain", parent=node)
    stand_in = make_span("stand-in", parent=plain)
    call = make_span("call", parent=stand_in)
    trace = Trace(turn.trace_id)
    top = put(trace, turn, Kind.AGENT)
    put(trace, node, Kind.STEP)
    put(trace, plain, None)
    put(trace, stand_in, Kind.LLM, stand_in=True)
    leaf = put(trace, call, Kind.LLM)
    assert [below.name for below in top.below()] == ["call"]
    assert leaf.group == turn.span_id
    assert leaf.nearest(Kind.AGENT) is top
    assert leaf.nearest(Kind.TOOL) is None


def test_calls_below_an_unknown_parent_share_its_group() -> None:
    missing = make_span("missing")
    step = make_span("step", parent=missing)
    trace = Trace(missing.trace_id)
    nodes = [
        put(trace, make_span("first", parent=missing), Kind.LLM),
        put(trace, step, Kind.STEP),
        put(trace, make_span("second", parent=step), Kind.LLM),
    ]
    assert {node.group for node in nodes} == {missing.span_id}


def test_a_trace_remembers_its_latest_calls_only() -> None:
    root = make_span("root")
    trace = Trace(root.trace_id)
    for _ in range(1_100):
        put(trace, make_span("call", parent=root), Kind.TOOL)
    assert len(trace.calls) == 1_024
    assert not trace.had_failure
    trace.add(make_span("call", parent=root), "test", reading(Kind.TOOL, Outcome.ERROR))
    assert trace.had_failure


def test_tokens_below_are_known_above_whatever_came_first() -> None:
    turn = make_span("turn")
    node = make_span("node", parent=turn)
    call = make_span("call", parent=node)
    reads = {"turn": Kind.AGENT, "node": Kind.STEP}
    for order in permutations([turn, node, call]):
        trace = Trace(turn.trace_id)
        for span in order:
            usage = Usage(input=1) if span is call else Usage()
            trace.add(span, "test", Reading(kind=reads.get(span.name, Kind.LLM), why="test", usage=usage))
        found = {name: trace.nodes[span.span_id].usage_below for name, span in (("turn", turn), ("call", call))}
        assert found == {"turn": True, "call": False}


def test_a_chain_deeper_than_any_agents_is_looked_through_so_far_and_no_further() -> None:
    chain = [make_span("0")]
    for depth in range(1, 400):
        chain.append(make_span(str(depth), parent=chain[-1]))
    trace = Trace(chain[0].trace_id)
    nodes = [put(trace, span, Kind.STEP) for span in chain]
    assert len(list(nodes[-1].ancestors())) == 128
    assert not nodes[-1].rooted
    assert nodes[100].rooted
