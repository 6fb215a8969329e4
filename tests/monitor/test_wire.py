# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import math

from hypothesis import given, settings
from hypothesis import strategies as st

from otel_health.checks.base import Status
from otel_health.monitor.report import Alert, Change, HealthCheck, Overall, Report, SubsystemStatus
from otel_health.monitor.wire import report_json
from otel_health.signals.culprits import Culprit

TOOLS = SubsystemStatus(
    name="Tool Execution",
    status=Status.WARNING,
    message="m",
    metric_value=0.2,
    threshold=0.15,
    top=(Culprit("search", 3, "boom", "ab" * 16),),
    advice="Try another.",
)


def _fail_on(constant: str) -> float:
    raise AssertionError(f"{constant} is no JSON")


def test_a_disabled_report_says_only_that() -> None:
    report = Report(enabled=False, check=HealthCheck(timestamp=0.0), stats={})
    assert json.loads(report_json(report)) == {"enabled": False}


def test_the_json_has_the_contracts_keys_and_rounded_numbers() -> None:
    report = Report(
        check=HealthCheck(timestamp=5.0, overall=Overall.DEGRADED, subsystems={"tools": TOOLS}, alerts=("m",)),
        stats={"tool_error_rate": 0.123456, "p95_latency_ms": 12.345, "cost_usd": None},
        alert_history=(Alert(timestamp=4.0, message="m", overall=Overall.DEGRADED, subsystem="tools", last_seen=5.0),),
        changes=(Change(4.0, "tools", Status.HEALTHY, Status.WARNING),),
        agents={"bot": {"turns": 2}},
        self_={"internal_errors": 0},
    )
    assert json.loads(report_json(report)) == {
        "enabled": True,
        "schema_version": 1,
        "check": {
            "timestamp": 5.0,
            "overall": "degraded",
            "subsystems": {
                "tools": {
                    "name": "Tool Execution",
                    "status": "warning",
                    "message": "m",
                    "metric_value": 0.2,
                    "threshold": 0.15,
                    "since": 0.0,
                    "evidence": "none",
                    "top": [{"component": "search", "count": 3, "last_error": "boom", "trace_id": "ab" * 16}],
                    "advice": "Try another.",
                }
            },
            "alerts": ["m"],
        },
        "stats": {"tool_error_rate": 0.1235, "p95_latency_ms": 12.3, "cost_usd": None},
        "alert_history": [
            {
                "timestamp": 4.0,
                "message": "m",
                "overall": "degraded",
                "subsystem": "tools",
                "last_seen": 5.0,
                "resolved_at": None,
            }
        ],
        "check_interval_turns": 10,
        "window_minutes": 60,
        "circuit_breakers": [],
        "loop_detector": {},
        "budgets": [],
        "agents": {"bot": {"turns": 2}},
        "services": [],
        "open_turns": [],
        "changes": [{"time": 4.0, "subsystem": "tools", "from": "healthy", "to": "warning"}],
        "self": {"internal_errors": 0},
    }


@settings(deadline=None, max_examples=50)
@given(st.dictionaries(st.text(max_size=12), st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats()))
def test_it_is_json_for_every_reader(numbers: dict[str, int | float | bool | None]) -> None:
    tools = SubsystemStatus(name="t", metric_value=math.nan, threshold=math.inf)
    report = Report(check=HealthCheck(timestamp=1.0, subsystems={"t": tools}), stats=numbers, agents={"a": numbers})
    plain = json.loads(report_json(report), parse_constant=_fail_on)
    assert set(plain["stats"]) == set(numbers)
    assert plain["check"]["subsystems"]["t"]["metric_value"] is None
