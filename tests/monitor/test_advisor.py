# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import threading

from otel_health.monitor.advisor import Advisor, AdvisorConfig
from otel_health.monitor.report import Overall


def _turns(advisor: Advisor, count: int) -> list[bool]:
    given = []
    for _ in range(count):
        advisor.turn_ended()
        given.append(advisor.due())
    return given


def test_the_first_advisory_is_due_at_once_the_next_after_n_turns() -> None:
    advisor = Advisor(AdvisorConfig(every_turns=3))
    advisor.judged(Overall.DEGRADED)
    assert advisor.due()
    assert not advisor.due()
    assert _turns(advisor, 7) == [False, False, True, False, False, True, False]


def test_an_episode_holds_at_most_m_advisories_and_the_next_starts_afresh() -> None:
    advisor = Advisor(AdvisorConfig(every_turns=1, most_per_episode=2))
    assert advisor.due()
    assert _turns(advisor, 4) == [True, False, False, False]
    advisor.judged(Overall.HEALTHY)
    advisor.judged(Overall.UNHEALTHY)
    assert advisor.due()


def test_none_is_given_where_none_is_allowed() -> None:
    assert not Advisor(AdvisorConfig(most_per_episode=0)).due()


def test_a_healthy_report_in_time_is_a_recovery() -> None:
    advisor = Advisor(AdvisorConfig(recovery_turns=2))
    assert advisor.due()
    advisor.turn_ended()
    advisor.turn_ended()
    advisor.judged(Overall.DEGRADED)
    advisor.judged(Overall.HEALTHY)
    advisor.judged(Overall.HEALTHY)
    assert advisor.counts == {"advisories_given": 1, "advisories_recovered": 1, "advisories_unheeded": 0}


def test_a_healthy_report_that_comes_too_late_is_none() -> None:
    advisor = Advisor(AdvisorConfig(recovery_turns=2))
    assert advisor.due()
    for _ in range(3):
        advisor.turn_ended()
    advisor.judged(Overall.HEALTHY)
    assert advisor.counts == {"advisories_given": 1, "advisories_recovered": 0, "advisories_unheeded": 1}


def test_an_advisory_repeated_before_recovery_leaves_the_first_unheeded() -> None:
    advisor = Advisor(AdvisorConfig(every_turns=1, recovery_turns=9))
    assert advisor.due()
    assert _turns(advisor, 1) == [True]
    advisor.judged(Overall.HEALTHY)
    assert advisor.counts == {"advisories_given": 2, "advisories_recovered": 1, "advisories_unheeded": 1}


def test_an_advisory_given_on_other_grounds_counts_and_delays_the_next() -> None:
    advisor = Advisor(AdvisorConfig(every_turns=2))
    advisor.given()
    assert _turns(advisor, 2) == [False, True]
    assert advisor.counts["advisories_given"] == 2


def test_many_threads_asking_at_once_are_given_one_advisory() -> None:
    advisor = Advisor()
    gate = threading.Barrier(8)
    given: list[bool] = []

    def ask() -> None:
        gate.wait(timeout=30)
        given.append(advisor.due())

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert sorted(given) == [False] * 7 + [True]
