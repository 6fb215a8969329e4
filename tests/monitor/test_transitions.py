# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_health.checks.base import Status
from otel_health.monitor.report import Change
from otel_health.monitor.transitions import MOST_CHANGES, Transitions

PAIRS = list(itertools.product(Status, Status))


@pytest.mark.parametrize(("was", "is_"), PAIRS)
def test_a_change_is_recorded_exactly_when_the_status_differs(was: Status, is_: Status) -> None:
    transitions = Transitions()
    transitions.observe("tools", was, 10.0)
    change = transitions.observe("tools", is_, 20.0)
    assert change == (None if was is is_ else Change(20.0, "tools", was, is_))
    assert transitions.since("tools") == (10.0 if was is is_ else 20.0)
    assert transitions.status("tools") is is_


@pytest.mark.parametrize("first", Status)
def test_what_was_never_judged_counts_as_healthy(first: Status) -> None:
    transitions = Transitions()
    assert transitions.status("llm") is Status.HEALTHY
    assert transitions.since("llm") == 0.0
    change = transitions.observe("llm", first, 5.0)
    assert change == (None if first is Status.HEALTHY else Change(5.0, "llm", Status.HEALTHY, first))
    assert transitions.since("llm") == 5.0


def test_flapping_is_recorded_once_per_flap_and_the_list_is_bounded() -> None:
    transitions = Transitions()
    flaps = MOST_CHANGES + 50
    for moment in range(flaps):
        status = Status.ERROR if moment % 2 == 0 else Status.HEALTHY
        for repeated in (0.0, 0.5):
            transitions.observe("llm", status, moment + repeated)
    changes = transitions.changes
    assert len(changes) == MOST_CHANGES
    assert [change.time for change in changes] == [float(moment) for moment in range(50, flaps)]


def test_an_illness_taken_over_from_a_predecessor_keeps_its_age() -> None:
    transitions = Transitions()
    transitions.restore(Change(100.0, "tools", Status.HEALTHY, Status.WARNING))
    assert transitions.observe("tools", Status.WARNING, 500.0) is None
    assert transitions.since("tools") == 100.0
    assert transitions.observe("tools", Status.HEALTHY, 600.0) == Change(600.0, "tools", Status.WARNING, Status.HEALTHY)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), st.sampled_from(list(Status))), max_size=60))
def test_the_changes_of_a_subsystem_form_an_unbroken_chain(observed: list[tuple[str, Status]]) -> None:
    transitions = Transitions()
    for moment, (subsystem, status) in enumerate(observed):
        transitions.observe(subsystem, status, float(moment))
    for subsystem in ("a", "b", "c"):
        chain = [change for change in transitions.changes if change.subsystem == subsystem]
        ends = [Status.HEALTHY, *(change.to for change in chain)]
        assert [change.from_ for change in chain] == ends[:-1]
        assert all(change.from_ is not change.to for change in chain)
        assert transitions.status(subsystem) is ends[-1]
