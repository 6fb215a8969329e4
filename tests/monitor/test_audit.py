# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import itertools

import pytest

from otel_health.checks.base import Status
from otel_health.events.model import Category, Severity
from otel_health.monitor.audit import change_event, change_of
from otel_health.monitor.report import Change

PAIRS = [(was, is_) for was, is_ in itertools.product(Status, Status) if was is not is_]


@pytest.mark.parametrize(("was", "is_"), PAIRS)
def test_a_change_survives_being_an_event(was: Status, is_: Status) -> None:
    change = Change(1_750_000_000.5, "tools", was, is_)
    recorded = change_event(change, "3/20 tool calls failed")
    assert change_of(recorded) == change
    assert (recorded.category, recorded.component) == (Category.HEALTH_CHANGED, "tools")
    assert recorded.details == "3/20 tool calls failed"


@pytest.mark.parametrize(
    ("status", "severity"),
    [(Status.HEALTHY, Severity.INFO), (Status.WARNING, Severity.WARNING), (Status.ERROR, Severity.ERROR)],
)
def test_its_severity_is_that_of_the_new_status(status: Status, severity: Severity) -> None:
    assert change_event(Change(1.0, "llm", Status.HEALTHY, status), "").severity is severity
