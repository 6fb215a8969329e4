# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from otel_health.checks.base import Status
from otel_health.events.model import Category, HealthEvent, Severity, event
from otel_health.monitor.advisory import HEADING
from otel_health.monitor.engine import BATCH, READER_WAIT_S
from otel_health.monitor.report import Change, Overall
from otel_health.testing import EPOCH_S, make_span
from tests.monitor.rig import Rig

WAIT_S = 30.0
"""For what comes at once unless something is broken."""


def _raise(*args: object, **kwargs: object) -> Any:
    raise RuntimeError("broken room")


# -- the river ---------------------------------------------------------------------------------------------------------


def test_every_event_is_numbered_and_goes_to_ring_journal_and_window() -> None:
    rig = Rig()
    rig.happen(Category.TOOL_SUCCESS, 3)
    rig.later()
    assert [kept.seq for kept in rig.journal] == [1, 2, 3]
    assert len(rig.ring) == 3
    assert rig.engine.report().stats["tool_calls"] == 3


def test_spans_become_events_once_their_neighbours_had_their_chance() -> None:
    rig = Rig()
    run = make_span("invoke_agent bot", {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "bot"})
    call = make_span(
        "execute_tool search", {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}, parent=run,
        error="boom",
    )  # fmt: skip
    rig.inbox.put(call)
    rig.inbox.put(run)
    rig.later(0)
    assert rig.categories() == []
    rig.later(1)
    assert rig.categories() == [Category.TOOL_ERROR]
    rig.later(5)
    assert rig.categories() == [Category.TOOL_ERROR, Category.TURN_COMPLETED]
    assert rig.engine.report().self_["live_spans"] == 2


def test_the_final_flush_decides_what_still_waits_and_any_other_does_not() -> None:
    rig = Rig()
    rig.inbox.put(make_span("execute_tool search", {"gen_ai.operation.name": "execute_tool"}, error="boom"))
    assert rig.engine.flush()
    assert rig.categories() == []
    assert rig.engine.flush(final=True)
    assert rig.categories() == [Category.TOOL_ERROR]


def test_a_span_that_nobody_reads_is_counted_in_the_stats_and_about_ourselves() -> None:
    rig = Rig()
    rig.inbox.put(make_span("mystery", {"traceloop.span.kind": "other"}))
    rig.later()
    report = rig.engine.report()
    assert report.stats["unclassified_spans"] == 1
    assert report.self_["unclassified_spans"] == 1


def test_one_step_takes_one_batch_and_says_whether_more_waits() -> None:
    rig = Rig()
    rig.happen(Category.TOOL_SUCCESS, BATCH + 1)
    assert rig.engine.step()
    assert len(rig.journal) == BATCH
    assert not rig.engine.step()
    assert len(rig.journal) == BATCH + 1


def test_a_flush_takes_in_everything_and_judges_it() -> None:
    rig = Rig()
    rig.happen(Category.LLM_ERROR, 3 * BATCH)
    assert rig.engine.flush()
    assert rig.engine.last_report is not None
    assert rig.engine.last_report.stats["llm_errors"] == 3 * BATCH


def test_a_flush_that_runs_out_of_time_says_so_and_loses_nothing() -> None:
    rig = Rig(listeners={"slow": lambda _: rig.clock.advance(1)})
    rig.happen(Category.TOOL_SUCCESS, BATCH + 1)
    assert not rig.engine.flush(timeout_s=2)
    assert len(rig.journal) == BATCH
    rig.later()
    assert len(rig.journal) == BATCH + 1


# -- judging in time ---------------------------------------------------------------------------------------------------


def test_the_first_event_is_judged_at_once_and_then_once_a_second_at_most() -> None:
    rig = Rig()
    rig.happen(Category.LLM_ERROR, 2)
    rig.later(0)
    first = rig.engine.last_report
    assert first is not None
    rig.happen(Category.LLM_ERROR)
    rig.later(0.9)
    assert rig.engine.last_report is first
    rig.later(0.1)
    assert rig.engine.last_report is not first
    assert rig.engine.report().check.overall is Overall.UNHEALTHY


def test_without_news_and_without_expiry_nothing_is_judged() -> None:
    rig = Rig()
    rig.happen(Category.TOOL_SUCCESS)
    rig.later()
    first = rig.engine.last_report
    rig.later(60)
    assert rig.engine.last_report is first


def test_time_alone_brings_recovery_the_second_the_errors_leave_the_window() -> None:
    rig = Rig(window_s=60)
    rig.happen(Category.LLM_ERROR, 3)
    rig.later()
    assert rig.engine.advisory() is not None
    rig.later(59)
    assert rig.engine.report().check.overall is Overall.UNHEALTHY
    rig.later(1)
    report = rig.engine.report()
    assert report.check.overall is Overall.HEALTHY
    assert rig.engine.advisory() is None
    assert report.alert_history[0].resolved_at == rig.clock.wall()


def test_time_alone_can_also_make_ill_as_good_calls_leave_the_window() -> None:
    rig = Rig(window_s=60)
    rig.happen(Category.TOOL_SUCCESS, 20)
    rig.later(30)
    rig.happen(Category.TOOL_ERROR, 3)
    rig.happen(Category.TOOL_SUCCESS, 4)
    rig.later()
    assert rig.engine.report().check.overall is Overall.HEALTHY
    rig.later(30)
    assert rig.engine.report().check.overall is Overall.DEGRADED


def test_a_stepped_wall_clock_neither_hides_nor_prolongs_an_illness() -> None:
    rig = Rig(window_s=60)
    rig.happen(Category.LLM_ERROR, 3)
    rig.later()
    rig.clock.step_wall(-86_400)
    rig.later(30)
    assert rig.engine.report().check.overall is Overall.UNHEALTHY
    rig.later(30)
    assert rig.engine.report().check.overall is Overall.HEALTHY


# -- changes of status -------------------------------------------------------------------------------------------------


def test_a_change_of_status_is_recorded_once_and_does_not_judge_itself_in_circles() -> None:
    rig = Rig()
    rig.happen(Category.LLM_ERROR, 3)
    for _ in range(10):
        rig.later()
    changed = [kept for kept in rig.journal if kept.category is Category.HEALTH_CHANGED]
    assert len(changed) == 1
    assert (changed[0].component, changed[0].severity, changed[0].seq) == ("llm", Severity.ERROR, 4)
    assert changed[0].extra == {"from": "healthy", "to": "error"}
    assert "LLM errors" in changed[0].details
    assert rig.engine.report().stats["total_events"] == 3
    assert rig.ring.total == 4


def test_flapping_leaves_one_record_per_flap() -> None:
    rig = Rig(window_s=60)
    for _ in range(5):
        rig.happen(Category.LLM_ERROR, 3)
        rig.later()
        rig.later(61)
    assert rig.categories().count(Category.HEALTH_CHANGED) == 10
    assert [change.to for change in rig.engine.report().changes] == [Status.ERROR, Status.HEALTHY] * 5


# -- nothing of ours stops the others ----------------------------------------------------------------------------------

ROOMS: dict[str, Callable[[Rig, pytest.MonkeyPatch], None]] = {
    "assembly taking in": lambda rig, patch: patch.setattr(rig.assembler, "add", _raise),
    "assembly deciding": lambda rig, patch: patch.setattr(rig.assembler, "due", _raise),
    "assembly counting": lambda rig, patch: patch.setattr(rig.assembler, "take_counts", _raise),
    "a signal folding": lambda rig, patch: patch.setattr(rig.board, "fold", _raise),
    "a signal read": lambda rig, patch: patch.setattr(rig.board, "read", _raise),
    "the culprits": lambda rig, patch: patch.setattr(rig.board, "top", _raise),
    "the advisor": lambda rig, patch: patch.setattr(rig.advisor, "turn_ended", _raise),
    "counts": lambda rig, patch: patch.setattr(rig.engine, "_counts", _raise),
    "a listener": lambda rig, patch: patch.setitem(rig.engine._listeners, "broken", _raise),
}


@pytest.mark.parametrize("room", ROOMS)
def test_a_failing_room_is_counted_and_costs_the_others_nothing(
    room: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rig = Rig()
    with monkeypatch.context() as broken:
        ROOMS[room](rig, broken)
        for _ in range(5):
            rig.happen(Category.TURN_COMPLETED)
            rig.inbox.put(make_span("execute_tool search", {"gen_ai.operation.name": "execute_tool"}))
            rig.later()
        assert rig.categories().count(Category.TURN_COMPLETED) == 5
        assert len(rig.ring) >= 5
        assert 0 < len(caplog.records) <= 3
    before = rig.mishaps.count
    assert before >= 5
    rig.happen(Category.LLM_ERROR, 3)
    rig.later()
    report = rig.engine.report()
    assert report.check.overall is Overall.UNHEALTHY
    assert report.self_["internal_errors"] == before == rig.mishaps.count


def test_a_predecessor_that_cannot_be_read_is_counted_and_the_rest_goes_on() -> None:
    rig = Rig(predecessor=_raise)
    rig.happen(Category.LLM_ERROR, 3)
    rig.later()
    assert rig.engine.report().check.overall is Overall.UNHEALTHY
    assert rig.mishaps.count == 1


# -- readers -----------------------------------------------------------------------------------------------------------


class _Stuck:
    """A listener that hangs until it is let go."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.released = threading.Event()

    def __call__(self, _: HealthEvent) -> None:
        self.entered.set()
        self.released.wait(WAIT_S)


def test_a_reader_takes_the_last_report_while_the_health_thread_hangs() -> None:
    stuck = _Stuck()
    rig = Rig(listeners={"stuck": stuck})
    published = rig.engine.report()
    rig.happen(Category.TOOL_ERROR)
    driver = threading.Thread(target=rig.engine.step)
    driver.start()
    assert stuck.entered.wait(WAIT_S)
    rig.clock.advance(1000)
    assert rig.engine.report() is published
    assert rig.turns.on_turn_end() is None
    assert not rig.engine.flush(timeout_s=0)
    stuck.released.set()
    driver.join(WAIT_S)
    assert rig.engine.report() is not published
    assert READER_WAIT_S <= 0.2


def test_reports_read_while_the_river_moves_are_whole() -> None:
    rig = Rig()
    done = threading.Event()
    torn: list[object] = []

    def read() -> None:
        while not done.is_set():
            report, advisory = rig.engine.report(), rig.engine.advisory()
            ill = [s for s in report.check.subsystems.values() if s.status is not Status.HEALTHY]
            if bool(ill) != (report.check.overall is not Overall.HEALTHY) or len(report.check.alerts) != len(ill):
                torn.append(report)
            if advisory is not None and not advisory.startswith(HEADING):
                torn.append(advisory)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for second in range(300):
        rig.happen(Category.LLM_ERROR if second % 2 else Category.TOOL_SUCCESS)
        rig.later(301 if second % 50 == 0 else 1)
    done.set()
    for reader in readers:
        reader.join(WAIT_S)
    assert torn == []
    assert rig.categories().count(Category.LLM_ERROR) == 150


# -- after a restart ---------------------------------------------------------------------------------------------------


def _recorded(category: Category, age_s: float, seq: int, component: str = "x", **extra: str) -> HealthEvent:
    recorded = event(category, component, timestamp=EPOCH_S - age_s, extra=extra)
    return msgspec.structs.replace(recorded, seq=seq)


def test_the_verdict_is_restored_with_its_age_and_nothing_is_journaled_again() -> None:
    past = [
        *(_recorded(Category.LLM_ERROR, 600, seq) for seq in (7, 8, 9)),
        _recorded(Category.HEALTH_CHANGED, 599, 10, "llm", **{"from": "healthy", "to": "error"}),
    ]
    rig = Rig(predecessor=lambda: past)
    assert not rig.engine.refresh()
    rig.later(0)
    report = rig.engine.report()
    assert report.check.overall is Overall.UNHEALTHY
    assert report.check.subsystems["llm"].since == EPOCH_S - 599
    assert report.changes == (Change(EPOCH_S - 599, "llm", Status.HEALTHY, Status.ERROR),)
    assert report.alert_history[0].timestamp == EPOCH_S - 599
    assert rig.journal == []
    assert len(rig.ring) == 4


def test_numbering_goes_on_where_the_predecessor_stopped() -> None:
    unnumbered = event(Category.TOOL_SUCCESS, timestamp=EPOCH_S)
    rig = Rig(predecessor=lambda: [_recorded(Category.TOOL_SUCCESS, 5, 41), unnumbered])
    rig.happen(Category.TOOL_SUCCESS)
    rig.later(0)
    assert [kept.seq for kept in rig.journal] == [42]


def test_records_older_than_the_window_are_left_out_of_the_verdict() -> None:
    rig = Rig(predecessor=lambda: [_recorded(Category.LLM_ERROR, 3601, seq) for seq in range(3)])
    rig.later(0)
    report = rig.engine.report()
    assert report.check.overall is Overall.HEALTHY
    assert report.stats["total_events"] == 0
    assert report.self_["events_left_out"] == 3


@pytest.mark.parametrize("extra", [{}, {"from": "healthy", "to": "splendid"}, {"from": "ill", "to": "error"}])
def test_a_recorded_change_that_makes_no_sense_is_passed_over(extra: dict[str, str]) -> None:
    rig = Rig(predecessor=lambda: [_recorded(Category.HEALTH_CHANGED, 5, 1, "llm", **extra)])
    rig.later(0)
    assert rig.engine.report().changes == ()
    assert rig.mishaps.count == 0


def test_an_illness_that_passed_while_nobody_watched_is_recorded_as_over() -> None:
    past = [_recorded(Category.HEALTH_CHANGED, 599, 1, "llm", **{"from": "healthy", "to": "error"})]
    rig = Rig(predecessor=lambda: past)
    rig.later(0)
    assert [(kept.component, kept.extra["to"]) for kept in rig.journal] == [("llm", "healthy")]
