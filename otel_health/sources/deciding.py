# SPDX-License-Identifier: Apache-2.0
"""Decide what one span counts as, given the neighbours that have arrived: the assembly's heart, without its tables."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from otel_health.dialects.reading import Fault, Kind, Outcome, Reading, Retry, Team, Usage
from otel_health.events.model import HealthEvent
from otel_health.sources import counted, duplicates
from otel_health.sources.conclusion import Conclusion, conclude
from otel_health.sources.trace import Node

_HOLDERS = (Kind.AGENT, Kind.WORKFLOW, Kind.TOOL)
"""What an agent's run can be inside of."""


class Decision(msgspec.Struct, frozen=True):
    """The fate of a span."""

    events: Sequence[HealthEvent]
    """What it counts as; empty where it is no occurrence of its own."""
    why: str
    unattributed: int = 0
    """1 where it is a call that no agent's run holds."""


def decide(node: Node, known: duplicates.Duplicates, *, final: bool) -> Decision | None:
    """Decide `node`, or return None while it cannot be told.

    Where one failure makes several events, the first is its origin and the others say so (`extra.same_as`).

    Args:
        node: A span that was read as something.
        known: The model calls seen so far, for sightings outside the trace.
        final: Whether to decide with what is known although something that should come has not.
    """
    decision = _decide(node, known, final=final)
    if decision is None or len(decision.events) < 2:
        return decision
    return msgspec.structs.replace(decision, events=counted.with_one_origin(decision.events))


def _decide(node: Node, known: duplicates.Duplicates, *, final: bool) -> Decision | None:
    reading = node.reading
    if reading is None:
        return None
    if reading.stand_in and not duplicates.stands_for_itself(node):
        return Decision((), "the call it wraps has a span of its own")
    match reading.kind:
        case Kind.LLM:
            return _model_call(node, reading, known)
        case Kind.EMBEDDING:
            return Decision((counted.llm_event(node, reading, conclude(node)),), reading.why)
        case Kind.TOOL:
            return _tool_call(node, reading)
        case Kind.STEP:
            return _step(node, reading)
        case _:
            return _run(node, reading, final=final)


def _model_call(node: Node, reading: Reading, known: duplicates.Duplicates) -> Decision:
    if not duplicates.innermost(node):
        return Decision((), "a model call seen from further out; the innermost sighting counts")
    sightings = known.of(node)
    best = max(filter(duplicates.innermost, sightings), key=duplicates.worth)
    if best is not node or any(seen.counted for seen in sightings):
        return Decision((), "the same model call as another span's, which counts")
    others = [seen.reading for seen in sightings if seen.reading is not None and seen is not node]
    reading = duplicates.merged(reading, others)
    events = [counted.llm_event(node, reading, conclude(node, reading), _spoke_around(node))]
    events += _retries(node, reading.retry or _tries_again(node, reading))
    events += counted.compaction_events(node, reading)
    return Decision(events, reading.why)


def _tool_call(node: Node, reading: Reading) -> Decision:
    outer, inner = duplicates.tool_line(node)
    if outer or any(seen.counted for seen in inner):
        return Decision((), "the same tool call seen by another instrumentation; counted once")
    reading = duplicates.merged(reading, [seen.reading for seen in inner if seen.reading is not None])
    end = conclude(node, reading)
    lost = node.rooted and node.nearest(Kind.AGENT, Kind.WORKFLOW) is None
    events = [counted.tool_event(node, reading, end, attributed=not lost)]
    if reading.delegates_to and not any(below.is_a(Kind.AGENT) for below in node.descendants()):
        events.append(counted.spoke_event(node, reading.delegates_to, end, None))
    events += _retries(node, reading.retry)
    return Decision(events, reading.why, unattributed=int(lost))


def _step(node: Node, reading: Reading) -> Decision | None:
    events = counted.compaction_events(node, reading)
    return Decision(events, reading.why) if events else None


def _run(node: Node, reading: Reading, *, final: bool) -> Decision | None:
    above = node.nearest(*_HOLDERS)
    if above is None:
        return _turn(node, reading) if node.rooted or final else None
    if reading.kind is Kind.WORKFLOW:
        return Decision(_lost_model_call(node, reading), "a workflow inside another run: seen through")
    node.is_spoke = _is_spoke(node, above)
    if not node.is_spoke:
        why = f"the turn's own agent at work; the turn is {above.name!r}"
        return Decision(_lost_model_call(node, reading), why)
    return _spoke(node, reading)


def _turn(node: Node, reading: Reading) -> Decision:
    node.is_spoke = False
    end = conclude(node)
    if end.outcome is Outcome.TIMEOUT and not _is_its_own(node, end):
        end = msgspec.structs.replace(end, outcome=Outcome.ERROR)
    name = _turn_agent(node, reading)
    events = [counted.turn_event(node, name, end, _own_usage(node, reading))]
    events += _facts_of_run(node, reading, name, end)
    return Decision(events, f"topmost run of its trace: {reading.why}")


def _spoke(node: Node, reading: Reading) -> Decision:
    end = conclude(node)
    events = [counted.spoke_event(node, reading.name, end, _own_usage(node, reading))]
    caller = node.nearest(Kind.AGENT, Kind.TOOL)
    if reading.called_as_tool and caller is not None and caller.is_a(Kind.AGENT):
        events.append(counted.tool_event(node, reading, end, attributed=True))
    events += _facts_of_run(node, reading, reading.name, end)
    return Decision(events, f"a run inside another: {reading.why}")


def _own_usage(node: Node, reading: Reading) -> Usage | None:
    """The run's own tokens, unless they repeat what something below it reports."""
    return None if node.usage_below or node.trace.had_usage else reading.usage


def _facts_of_run(node: Node, reading: Reading, name: str, end: Conclusion) -> list[HealthEvent]:
    events = _lost_model_call(node, reading)
    if end.reason == "turn_limit" and _is_its_own(node, end):
        events.append(counted.budget_event(node, name, end))
    return [*events, *_retries(node, reading.retry)]


def _is_its_own(node: Node, end: Conclusion) -> bool:
    """Whether what ended a run happened to it, or to the turn's own agent in it, and not to one of its spokes."""
    return end.cause is None or end.cause is node or end.cause.is_spoke is False


def _retries(node: Node, retry: Retry | None) -> list[HealthEvent]:
    return counted.retry_events(node, retry.reason, retry.times) if retry is not None else []


def _lost_model_call(node: Node, reading: Reading) -> list[HealthEvent]:
    """The failed model call that ended a run whose instrumentation gives model calls no spans; [] where it was none.

    Only the run in which the failure began counts it, and only where its error names the provider or an overflow.
    """
    end = conclude(node)
    if end.cause is not node or reading.fault not in (Fault.PROVIDER, Fault.OVERFLOW) or not reading.hides_model_calls:
        return []
    if any(below.is_a(Kind.LLM) for below in node.descendants()):
        return []
    return [counted.lost_llm_event(node, reading, end)]


def _spoke_around(node: Node) -> str:
    """The name of the sub-agent that holds `node`, "" where it is the turn's own agent or not known yet."""
    run = node.nearest(Kind.AGENT)
    above = run.nearest(*_HOLDERS) if run is not None else None
    if run is None or above is None or run.reading is None or not _is_spoke(run, above):
        return ""
    return run.reading.name


def _is_spoke(node: Node, above: Node) -> bool:
    """Whether an agent's run below `above` is a delegation rather than the turn's own agent at work."""
    if above.is_a(Kind.TOOL):
        return True
    if above.is_a(Kind.AGENT):
        return not duplicates.same_run(node, above)
    team = above.reading.team if above.reading is not None else None
    if team is Team.SEQUENCE:
        return above.first_agent is not node
    peers = above.below(through=frozenset({Kind.WORKFLOW}))
    return team is Team.PEERS and any(peer.is_a(Kind.AGENT) and peer is not node for peer in peers)


def _turn_agent(node: Node, reading: Reading) -> str:
    """The name of the agent that had the turn: under a sequence, the one that began it."""
    if reading.kind is Kind.WORKFLOW and reading.team is Team.SEQUENCE:
        first = node.first_agent
        if first is not None and first.reading is not None and first.reading.name:
            return first.reading.name
    return reading.name


def _tries_again(node: Node, reading: Reading) -> Retry | None:
    """Whether `node` tries a failed call again: the call before it in its group failed, and was to the same model."""
    if not node.trace.had_failure:
        return None
    before = (call for call in node.trace.calls if call is not node and call.end_ns <= node.start_ns)
    group = node.group
    last = max(
        (call for call in before if call.group == group and not call.is_wrapper),
        key=lambda call: (call.end_ns, call.start_ns),
        default=None,
    )
    if last is None or last.reading is None or not last.is_a(Kind.LLM):
        return None
    if last.reading.fault is not Fault.PROVIDER or last.reading.model != reading.model:
        return None
    return Retry(f"after {last.reading.error_type or 'an error'}")
