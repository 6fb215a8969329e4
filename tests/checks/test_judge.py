# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_health.checks import CHECKS
from otel_health.checks.base import Check, Evidence, Rule, Status, above, at_least
from otel_health.checks.judge import judge, worst
from tests.checks.given_stats import EMPTY


def rule(stat: str, **fields: Any) -> Rule:
    return Rule(stat=stat, unit="", tripped=f"{stat} tripped", **fields)


def check(*rules: Rule, **fields: Any) -> Check:
    words = {"healthy": "well", "unobserved": "nothing seen", "observed": ("seen",)} | fields
    return Check(key="own", name="Own", summary="", rules=rules, **words)


def test_the_worst_rule_decides() -> None:
    own = check(rule("a", warning=at_least(1)), rule("b", error=at_least(1)), rule("c", warning=at_least(1)))
    found = judge(own, {"a": 1, "b": 1, "c": 1, "seen": 1})
    assert (found.status, found.message, found.rule.stat) == (Status.ERROR, "b tripped", "b")


@pytest.mark.parametrize("level", ["warning", "error"])
def test_of_equally_bad_rules_the_earlier_decides(level: str) -> None:
    own = check(*(rule(stat, **{level: at_least(1)}) for stat in "abc"))
    assert judge(own, {"a": 0, "b": 1, "c": 1, "seen": 1}).rule.stat == "b"


def test_while_all_is_well_the_first_rule_is_shown() -> None:
    own = check(rule("a", error=at_least(7)), rule("b", warning=at_least(3)))
    found = judge(own, {"a": 2, "b": 1, "seen": 1})
    assert (found.status, found.message, found.metric_value, found.threshold) == (Status.HEALTHY, "well", 2, 7)


@pytest.mark.parametrize(
    ("number", "status", "threshold"), [(0, Status.HEALTHY, 1), (1, Status.WARNING, 1), (5, Status.ERROR, 5)]
)
def test_the_threshold_shown_is_the_one_that_tripped(number: int, status: Status, threshold: float) -> None:
    own = check(rule("a", warning=at_least(1), error=at_least(5)))
    found = judge(own, {"a": number, "seen": 1})
    assert (found.status, found.metric_value, found.threshold) == (status, number, threshold)


def test_a_rule_switched_off_never_trips() -> None:
    found = judge(check(rule("a")), {"a": 10**9, "seen": 1})
    assert (found.status, found.threshold) == (Status.HEALTHY, 0.0)


@pytest.mark.parametrize("bound", [at_least(0), above(-1)])
def test_an_unknown_number_trips_nothing(bound: Any) -> None:
    found = judge(check(rule("a", warning=bound, error=bound)), {"a": None, "seen": 1})
    assert (found.status, found.metric_value) == (Status.HEALTHY, None)


def test_unknown_samples_are_none() -> None:
    own = check(rule("a", warning=at_least(1), samples="n", least_samples=1))
    found = judge(own, {"a": 5, "n": None, "seen": 1})
    assert (found.status, found.evidence) == (Status.HEALTHY, Evidence.THIN)


def test_a_verdict_that_tripped_rests_on_enough_though_another_rule_lacks_samples() -> None:
    own = check(rule("a", warning=at_least(1), samples="n", least_samples=9), rule("b", warning=at_least(1)))
    assert judge(own, {"a": 5, "b": 1, "n": 2, "seen": 1}).evidence is Evidence.OK


def test_an_unknown_number_reads_unknown_whatever_the_format() -> None:
    own = check(rule("a"), healthy="costs {a:,.2f}, {a:.0%} or {a}")
    assert judge(own, {"a": None, "seen": 1}).message == "costs unknown, unknown or unknown"


def test_a_format_that_does_not_fit_costs_the_words_not_the_verdict() -> None:
    own = check(msgspec.structs.replace(rule("a", error=at_least(1)), tripped="{a:d} whole"))
    found = judge(own, {"a": 1.5, "seen": 1})
    assert (found.status, found.message) == (Status.ERROR, "{a:d} whole")


NUMBERS = st.none() | st.integers(0, 10**15) | st.floats(0) | st.booleans()


@settings(deadline=None)
@given(st.sampled_from(CHECKS), st.fixed_dictionaries(dict.fromkeys(EMPTY, NUMBERS)))
def test_whatever_the_numbers_a_verdict_is_reached_and_agrees_with_itself(one: Check, stats: dict[str, Any]) -> None:
    found = judge(one, stats)
    assert found.message
    assert found.metric_value == stats[found.rule.stat] or found.metric_value != found.metric_value
    if found.status is Status.HEALTHY:
        assert found.rule is one.rules[0]
    else:
        bound = found.rule.error if found.status is Status.ERROR else found.rule.warning
        assert bound
        assert bound.tripped(stats[found.rule.stat])
        assert found.threshold == bound.value


def test_worst_of_statuses() -> None:
    assert worst([]) is Status.HEALTHY
    assert worst([Status.HEALTHY, Status.WARNING]) is Status.WARNING
    assert worst([Status.ERROR, Status.WARNING]) is Status.ERROR
