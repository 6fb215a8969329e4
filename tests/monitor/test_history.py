# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Mapping

from otel_health.monitor.history import MOST_ALERTS, AlertHistory
from otel_health.monitor.report import Alert, Overall

DEGRADED, UNHEALTHY = Overall.DEGRADED, Overall.UNHEALTHY


def _update(history: AlertHistory, now: float, tripped: Mapping[str, str], overall: Overall = DEGRADED) -> None:
    raised = [
        Alert(timestamp=now, message=message, overall=overall, subsystem=subsystem, last_seen=now)
        for subsystem, message in tripped.items()
    ]
    history.update(raised, now)


def test_a_persisting_alert_is_refreshed_and_not_appended_again() -> None:
    history = AlertHistory()
    _update(history, 100.0, {"tools": "3/20 tool calls failed"})
    _update(history, 160.0, {"tools": "9/20 tool calls failed"}, UNHEALTHY)
    assert history.alerts == (
        Alert(
            timestamp=100.0,
            message="9/20 tool calls failed",
            overall=UNHEALTHY,
            subsystem="tools",
            last_seen=160.0,
            resolved_at=None,
        ),
    )


def test_an_alert_that_cleared_is_resolved_once_and_left_alone_afterwards() -> None:
    history = AlertHistory()
    _update(history, 100.0, {"tools": "ill"})
    _update(history, 200.0, {})
    resolved = history.alerts
    _update(history, 300.0, {})
    assert history.alerts == resolved
    assert (resolved[0].resolved_at, resolved[0].last_seen, resolved[0].message) == (200.0, 100.0, "ill")


def test_an_illness_that_returns_is_a_line_of_its_own() -> None:
    history = AlertHistory()
    for moment, tripped in enumerate(({"llm": "one"}, {}, {"llm": "two"}, {"llm": "two", "tools": "three"})):
        _update(history, float(moment), tripped)
    assert [(a.subsystem, a.message, a.timestamp, a.resolved_at) for a in history.alerts] == [
        ("llm", "one", 0.0, 1.0),
        ("llm", "two", 2.0, None),
        ("tools", "three", 3.0, None),
    ]


def test_the_history_is_bounded_and_forgets_resolved_alerts_before_standing_ones() -> None:
    history = AlertHistory()
    _update(history, 0.0, {"budget": "standing"})
    for moment in range(1, 3 * MOST_ALERTS):
        _update(history, float(moment), {"budget": "standing"} | ({"llm": "flap"} if moment % 2 else {}))
    assert len(history.alerts) == MOST_ALERTS
    assert history.alerts[0].timestamp == 0.0
    assert history.alerts[0].last_seen == 3.0 * MOST_ALERTS - 1


def test_a_history_full_of_standing_alerts_stays_bounded() -> None:
    history = AlertHistory(most=2)
    _update(history, 0.0, {"a": "", "b": "", "c": ""})
    assert [alert.subsystem for alert in history.alerts] == ["b", "c"]
