# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from otel_health.checks import all_checks
from otel_health.checks.base import Status, above, at_least
from otel_health.events.model import Category


def test_a_bound_is_met_at_its_value_unless_it_is_strict() -> None:
    assert at_least(3).tripped(3)
    assert not at_least(3).tripped(2.999)
    assert not above(3).tripped(3)
    assert above(3).tripped(3.001)


def test_statuses_rank_from_healthy_to_error() -> None:
    assert [status.rank for status in (Status.HEALTHY, Status.WARNING, Status.ERROR)] == [0, 1, 2]


def test_a_check_blames_what_its_rules_blame() -> None:
    assert all_checks()["reliability"].blames == (Category.TURN_TIMEOUT, Category.TURN_FAILED, Category.RETRY)
    assert all_checks()["latency"].blames == ()
