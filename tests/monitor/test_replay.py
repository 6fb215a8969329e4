# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import itertools
import random
from collections.abc import Iterable

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_health.checks import CHECKS
from otel_health.checks.base import Check, Evidence, Rule, Status
from otel_health.clock import ManualClock
from otel_health.dialects import interpreter
from otel_health.dialects.span import Resource, Span
from otel_health.errors import ConfigError, UnknownNameError
from otel_health.events.model import Category, HealthEvent, event
from otel_health.monitor import replay as room
from otel_health.monitor.replay import PATIENCE_S, replay
from otel_health.monitor.report import Change, Overall, Report
from otel_health.sources.assembly import Assembler
from otel_health.sources.files import read
from otel_health.testing import EPOCH_S, make_span
from tests.rivers import stats_of
from tests.scenarios import Scenario, scenarios

LATER_S = EPOCH_S + 1_000_000


def _replay(items: Iterable[Span | HealthEvent], window_s: int = 3600, checks: Iterable[Check] = CHECKS) -> Report:
    return replay(items, checks, Assembler(interpreter()), clock=ManualClock(wall=LATER_S), window_s=window_s)


def _at(second: float, category: Category, component: str = "x") -> HealthEvent:
    return event(category, component, timestamp=EPOCH_S + second)


@pytest.mark.parametrize("scenario", scenarios("pydantic_ai", "langchain__oi_double"), ids=str)
def test_a_capture_gives_the_numbers_that_its_spans_give(scenario: Scenario) -> None:
    spans = [item for item in read(scenario.path) if isinstance(item, Span)]
    expected = stats_of(*spans)
    replayed = dict(_replay(spans).stats)
    del replayed["unattributed_spans"], expected["unattributed_spans"]  # told by the assembler, not by events
    assert replayed == expected


def test_an_empty_record_is_healthy_on_no_evidence_and_dated_now() -> None:
    report = _replay([])
    assert report.check.overall is Overall.HEALTHY
    assert {status.evidence for status in report.check.subsystems.values()} == {Evidence.NONE}
    assert report.check.timestamp == LATER_S
    assert report.stats["total_events"] == 0


def test_a_record_without_anything_of_ours_is_dated_by_its_spans_and_counts_what_was_not_read() -> None:
    report = _replay([make_span("mystery", {"traceloop.span.kind": "other"})])
    assert report.check.timestamp == EPOCH_S + 0.1
    assert report.stats["total_events"] == 0
    assert report.stats["unclassified_spans"] == 1


def test_the_report_is_as_of_the_last_event() -> None:
    report = _replay([_at(0, Category.TOOL_SUCCESS), _at(5, Category.TOOL_ERROR)])
    assert report.check.timestamp == EPOCH_S + 5
    assert report.stats["tool_calls"] == 2


def test_the_window_ends_at_the_last_event_its_edge_included() -> None:
    seconds = (0, 1, 60, 61)
    report = _replay([_at(second, Category.TOOL_ERROR) for second in seconds], window_s=60)
    assert report.stats["tool_errors"] == 3


def test_earlier_changes_of_status_are_listed_at_their_moments() -> None:
    record = [_at(second, Category.LLM_ERROR) for second in (0, 10, 20)] + [_at(300, Category.TOOL_SUCCESS)]
    report = _replay(record, window_s=60)
    assert report.check.overall is Overall.HEALTHY
    assert report.changes == (
        Change(EPOCH_S + 20, "llm", Status.HEALTHY, Status.ERROR),
        Change(EPOCH_S + 61, "llm", Status.ERROR, Status.HEALTHY),
    )
    assert (report.alert_history[0].timestamp, report.alert_history[0].resolved_at) == (EPOCH_S + 20, EPOCH_S + 61)


def test_recorded_verdicts_of_a_living_monitor_are_passed_over() -> None:
    verdict = event(Category.HEALTH_CHANGED, "llm", timestamp=EPOCH_S, extra={"from": "healthy", "to": "error"})
    report = _replay([verdict, _at(1, Category.TOOL_SUCCESS)])
    assert report.changes == ()
    assert report.stats["total_events"] == 1


def test_rows_that_come_so_late_that_they_are_older_than_the_window_are_left_out_and_counted() -> None:
    record = [_at(10_000, Category.TOOL_SUCCESS), _at(20_000, Category.TOOL_SUCCESS), _at(0, Category.TOOL_ERROR)]
    report = _replay(record)
    assert report.stats["tool_errors"] == 0
    assert report.self_["events_left_out"] == 1


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32), st.lists(st.integers(0, 110), min_size=1, max_size=40))
def test_rows_a_little_out_of_order_give_the_same_report(seed: int, seconds: list[int]) -> None:
    categories = itertools.cycle((Category.LLM_ERROR, Category.TOOL_ERROR, Category.TURN_COMPLETED))
    record = [_at(second, category) for second, category in zip(sorted(seconds), categories, strict=False)]
    shuffled = random.Random(seed).sample(record, len(record))
    assert _without_last_words(_replay(shuffled, 60)) == _without_last_words(_replay(record, 60))


def _without_last_words(report: Report) -> object:
    """Equal moments have no order, so neither has the last error among equals."""
    return report.stats, report.changes, report.check.overall, report.check.alerts


@settings(deadline=None, max_examples=25)
@given(st.permutations(range(6)), st.integers(1, 5))
def test_spans_in_any_order_and_through_alternating_batches_give_the_same_report(order: list[int], gap_s: int) -> None:
    run = make_span(
        "invoke_agent bot", {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "bot"}, duration_ms=60_000
    )
    calls = [
        make_span(
            f"execute_tool t{i}",
            {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": f"t{i}"},
            parent=run,
            start_s=EPOCH_S + i * gap_s,
            error="boom" if i % 2 else None,
        )
        for i in range(5)
    ]
    spans = [*calls, run]
    shuffled = [spans[index] for index in order]
    assert _replay(shuffled).stats == _replay(spans).stats


def test_a_long_record_is_played_while_it_is_read_and_nothing_piles_up(monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[float] = []
    stage_play = room._Stage.play

    def watched(stage: room._Stage, happened: HealthEvent) -> None:
        played.append(happened.timestamp)
        stage_play(stage, happened)

    monkeypatch.setattr(room._Stage, "play", watched)
    behind: list[float] = []

    def record() -> Iterable[HealthEvent]:
        for second in range(0, 3000, 10):
            yield _at(second, Category.TOOL_SUCCESS)
            behind.append(EPOCH_S + second - (played[-1] if played else EPOCH_S))

    report = _replay(record())
    assert report.stats["tool_calls"] == 300
    assert max(behind) <= 2 * PATIENCE_S + 10
    assert played == sorted(played)


def test_a_burst_beyond_the_room_for_ordering_passes_early_and_still_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MOST_HELD", 10)
    record = [_at(second / 100, Category.TOOL_SUCCESS) for second in range(100)]
    assert _replay(reversed(record)).stats["tool_calls"] == 100


def test_stamps_from_the_dawn_of_time_do_no_harm() -> None:
    early = make_span("chat", {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai"}, start_s=0.5)
    record: list[Span | HealthEvent] = [early, _at(0, Category.TOOL_SUCCESS)]
    record.insert(1, msgspec.structs.replace(early, span_id="f" * 16, end_ns=0))
    report = _replay(record)
    assert report.check.timestamp == EPOCH_S
    assert report.stats["tool_calls"] == 1
    assert report.stats["llm_calls"] == 1  # the one without any stamp
    assert report.self_["events_undated"] == 1


def test_a_window_out_of_range_and_a_check_of_unknown_numbers_are_refused_before_anything_is_read() -> None:
    def record() -> Iterable[HealthEvent]:
        pytest.fail("the record was read")
        yield

    with pytest.raises(ConfigError, match="window_s is 5"):
        _replay(record(), window_s=5)
    rule = Rule(stat="tool_error", unit="", tripped="")
    check = Check(key="c", name="C", summary="", rules=(rule,), observed=(), healthy="", unobserved="")
    with pytest.raises(UnknownNameError, match="tool_errors"):
        _replay(record(), checks=[check])


@pytest.mark.parametrize("stamp", [LATER_S + 6, 7_258_118_400.0, (2**64 - 1) / 1e9])
def test_a_stamp_from_the_future_hides_nothing_that_happened(stamp: float) -> None:
    failures = [_at(second, Category.TOOL_ERROR) for second in range(20)]
    report = _replay([*failures, _at(stamp - EPOCH_S, Category.TOOL_SUCCESS)])
    assert report.check.timestamp == EPOCH_S + 19
    assert (report.stats["tool_errors"], report.stats["tool_calls"]) == (20, 21)
    assert report.self_["events_undated"] == 1


def test_where_every_stamp_lies_ahead_the_record_is_believed_rather_than_this_machines_clock() -> None:
    record = [_at(LATER_S - EPOCH_S + second, Category.TOOL_ERROR) for second in (100, 7_000)]
    report = _replay(record)
    assert report.check.timestamp == LATER_S + 7_000
    assert report.stats["tool_errors"] == 1


def test_what_cannot_be_dated_is_not_piled_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MOST_HELD", 10)
    undated = [_at(-EPOCH_S, Category.TOOL_ERROR) for _ in range(30)]
    assert _replay([_at(0, Category.TOOL_SUCCESS), *undated]).stats["tool_calls"] == 31
    assert _replay([*undated, _at(0, Category.TOOL_SUCCESS)]).stats["tool_errors"] == 30


def test_the_services_that_were_judged_together_are_listed_within_bounds() -> None:
    emitters = [Resource("b", "2"), Resource("a", "1"), Resource("b", "1"), Resource("b", ""), Resource("a", "1")]
    spans = [make_span("GET /", resource=emitter) for emitter in emitters]
    assert _replay(spans).services == (
        {"service": "a", "instances": ["1"]},
        {"service": "b", "instances": ["1", "2"]},
    )
    many = [make_span("GET /", resource=Resource(f"service {n}", f"{n}")) for n in range(500)]
    assert len(_replay(many).services) == 100
    pods = [make_span("GET /", resource=Resource("a", f"{n}")) for n in range(500)]
    assert len(_replay(pods).services[0]["instances"]) == 100
