# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from otel_health.clock import ManualClock
from otel_health.config import Settings, load
from otel_health.dialects.span import Span
from otel_health.errors import ConfigError
from otel_health.events.journal import Journal
from otel_health.events.journal_reader import read_events
from otel_health.events.model import Category, HealthEvent, event
from otel_health.health import Health, judge
from otel_health.monitor.report import Overall
from otel_health.monitor.thread import NAME
from otel_health.monitor.wire import report_json
from otel_health.sources.assembly import Explanation
from otel_health.testing import EPOCH_S, make_span

WAIT_S = 30.0


def _settings(tmp_path: Path, **variables: str) -> Settings:
    return load({"OTEL_HEALTH_JOURNAL__PATH": str(tmp_path), **variables})


def _errors(count: int, age_s: float = 0.0) -> list[HealthEvent]:
    return [event(Category.LLM_ERROR, "openai", timestamp=EPOCH_S - age_s) for _ in range(count)]


def _ours() -> set[str]:
    return {thread.name for thread in threading.enumerate() if thread.name.startswith("otel-health")}


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(wall=EPOCH_S)


@pytest.fixture
def health(tmp_path: Path, clock: ManualClock) -> Iterator[Health]:
    health = Health(_settings(tmp_path), clock=clock, service_name="bot")
    yield health
    health.close(WAIT_S)


def test_events_are_judged_journaled_and_remembered(health: Health, tmp_path: Path) -> None:
    health.start()
    for happened in _errors(3):
        health.hand_over(happened)
    assert health.flush(WAIT_S)
    report = health.report()
    assert report.check.overall is Overall.UNHEALTHY
    assert report.self_["journal_written"] == 0  # as of the judging, before the disk was waited for
    assert [kept.category for kept in health.events(category=Category.LLM_ERROR, limit=2)] == [Category.LLM_ERROR] * 2
    assert [written.category for written in read_events(tmp_path)] == [*[Category.LLM_ERROR] * 3, "health_changed"]


def test_the_thread_takes_in_spans_by_itself_and_leaves_no_trace(health: Health) -> None:
    before = _ours()
    health.start()
    health.start()
    health.hand_over(make_span("execute_tool search", {"gen_ai.operation.name": "execute_tool"}, error="boom"))
    assert health.close(WAIT_S)
    assert health.close(WAIT_S)
    assert [kept.category for kept in health.events()] == [Category.TOOL_ERROR]
    assert _ours() == before == set()


def test_without_a_thread_closing_still_decides_and_writes_all(tmp_path: Path, health: Health) -> None:
    health.hand_over(make_span("execute_tool search", {"gen_ai.operation.name": "execute_tool"}))
    assert health.close(WAIT_S)
    assert [written.category for written in read_events(tmp_path)] == [Category.TOOL_SUCCESS]


def test_what_it_says_to_the_agent(health: Health) -> None:
    assert (health.advisory(), health.reminder()) == (None, None)
    health.flush(WAIT_S)
    for happened in _errors(3):
        health.hand_over(happened)
    assert [bool(health.on_turn_end()) for _ in range(10)] == [False] * 9 + [True]
    assert "CRITICAL" in str(health.advisory())
    assert health.reminder() is None


def test_a_reminder_is_given_once_at_once(health: Health) -> None:
    for happened in _errors(3):
        health.hand_over(happened)
    health.flush(WAIT_S)
    assert health.reminder() == health.advisory() is not None
    assert health.reminder() is None
    health.flush(WAIT_S)
    assert health.report().self_["advisories_given"] == 1


def test_a_restart_restores_the_verdict_of_the_same_service(tmp_path: Path, clock: ManualClock) -> None:
    first = Health(_settings(tmp_path), clock=clock, service_name="bot")
    for happened in _errors(3):
        first.hand_over(happened)
    assert first.close(WAIT_S)
    since = first.report().check.subsystems["llm"].since
    clock.advance(60)

    for service, overall in (("other", Overall.HEALTHY), ("bot", Overall.UNHEALTHY)):
        second = Health(_settings(tmp_path), clock=clock, service_name=service)
        assert second.flush(WAIT_S)
        report = second.report()
        assert report.check.overall is overall
        assert second.close(WAIT_S)
    assert report.check.subsystems["llm"].since == since
    assert report.check.timestamp == since + 60
    assert len(list(read_events(tmp_path))) == 4


def test_without_a_journal_there_is_no_file(tmp_path: Path, clock: ManualClock) -> None:
    health = Health(_settings(tmp_path, OTEL_HEALTH_JOURNAL__ENABLED="false"), clock=clock)
    health.hand_over(_errors(1)[0])
    assert health.flush(WAIT_S)
    assert health.report().stats["llm_errors"] == 1
    assert health.close(WAIT_S)
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_refuses_costs_the_verdict_nothing(tmp_path: Path, clock: ManualClock) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    health = Health(_settings(blocked), clock=clock)
    for happened in _errors(3):
        health.hand_over(happened)
    assert not health.flush(WAIT_S)
    assert health.report().check.overall is Overall.UNHEALTHY
    assert not health.flush(WAIT_S)
    assert health.report().self_["journal_degraded"] is True
    assert health.report().self_["journal_waiting"] == 4
    assert not health.close(WAIT_S)


def test_closing_is_bounded_even_when_the_journal_hangs(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered, released = threading.Event(), threading.Event()

    def hang(journal: Journal, happened: HealthEvent) -> None:
        entered.set()
        released.wait(WAIT_S)

    monkeypatch.setattr(Journal, "record", hang)
    health = Health(_settings(tmp_path), clock=clock)
    health.start()
    for happened in _errors(64):
        health.hand_over(happened)
    assert entered.wait(WAIT_S)
    assert not health.close(0.01)
    assert health.report().check.overall is Overall.HEALTHY
    released.set()
    for thread in threading.enumerate():
        if thread.name == NAME:
            thread.join(WAIT_S)
    assert _ours() == set()


def test_disabled_means_no_thread_no_file_and_says_so(tmp_path: Path, clock: ManualClock) -> None:
    before = set(threading.enumerate())
    health = Health(_settings(tmp_path, HEALTH_MONITOR_ENABLED="false"), clock=clock)
    health.start()
    for happened in _errors(30):
        health.hand_over(happened)
    assert json.loads(report_json(health.report())) == {"enabled": False}
    assert [health.on_turn_end() for _ in range(20)] == [None] * 20
    assert (health.advisory(), health.reminder(), health.events()) == (None, None, [])
    assert health.flush()
    assert health.close()
    assert set(threading.enumerate()) == before
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("variables", "overall"),
    [({}, Overall.UNHEALTHY), ({"OTEL_HEALTH_WINDOW_MINUTES": "1"}, Overall.HEALTHY)],
)
def test_a_record_is_judged_by_the_settings(tmp_path: Path, variables: Mapping[str, str], overall: Overall) -> None:
    record = [*_errors(3, age_s=61), event(Category.TOOL_SUCCESS, "search", timestamp=EPOCH_S)]
    assert judge(record, _settings(tmp_path, **variables)).check.overall is overall


def test_judging_a_record_can_explain_every_span(tmp_path: Path) -> None:
    spans: list[Span] = [make_span("chat", {"gen_ai.operation.name": "chat"}), make_span("GET /")]
    told: list[Explanation] = []
    judge(spans, _settings(tmp_path), explain=told.append)
    assert {explanation.span_id for explanation in told} == {span.span_id for span in spans}


def test_an_empty_record_is_dated_by_the_clock(tmp_path: Path, clock: ManualClock) -> None:
    assert judge([], _settings(tmp_path), clock=clock).check.timestamp == clock.wall()


def test_a_window_that_is_no_whole_second_is_rounded_and_one_out_of_range_refused(tmp_path: Path) -> None:
    settings = _settings(tmp_path, OTEL_HEALTH_WINDOW_MINUTES="1.0001")
    assert judge([], settings).window_minutes == 1
    with pytest.raises(ConfigError):
        _settings(tmp_path, OTEL_HEALTH_WINDOW_MINUTES="0.5")
