# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import msgspec
import pytest

from otel_health.checks import CHECKS
from otel_health.checks.base import Check
from otel_health.checks.validation import validated
from otel_health.errors import ConfigError, UnknownNameError
from otel_health.registry import Registry
from otel_health.signals.window import STATS

DECLARED = Registry("stat", STATS)
TOOLS = CHECKS[0]
RULE = TOOLS.rules[0]


def test_the_built_in_checks_name_only_numbers_that_exist() -> None:
    assert validated(CHECKS, DECLARED) == CHECKS


@pytest.mark.parametrize(
    "wrong",
    [
        msgspec.structs.replace(TOOLS, observed=("tool_call",)),
        msgspec.structs.replace(TOOLS, healthy="{tool_call} calls"),
        msgspec.structs.replace(TOOLS, unobserved="{tool_call} calls"),
        msgspec.structs.replace(TOOLS, rules=(msgspec.structs.replace(RULE, stat="tool_call"),)),
        msgspec.structs.replace(TOOLS, rules=(msgspec.structs.replace(RULE, samples="tool_call"),)),
        msgspec.structs.replace(TOOLS, rules=(msgspec.structs.replace(RULE, tripped="{tool_call:.0%}"),)),
    ],
)
def test_a_check_that_names_an_unknown_number_is_refused_with_a_suggestion(wrong: Check) -> None:
    with pytest.raises(UnknownNameError, match=r"no stat is called 'tool_call'; did you mean 'tool_calls'\?"):
        validated([wrong], DECLARED)


def test_a_check_without_rules_is_refused() -> None:
    with pytest.raises(ConfigError, match="check 'tools' has no rule; allowed: at least one"):
        validated([msgspec.structs.replace(TOOLS, rules=())], DECLARED)


def test_a_message_that_is_no_format_string_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"check 'tools' says '\{', which is no format string"):
        validated([msgspec.structs.replace(TOOLS, healthy="{")], DECLARED)
