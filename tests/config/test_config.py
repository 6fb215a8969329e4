# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
from pathlib import Path

import pytest
import yaml

from otel_health.checks import CHECKS
from otel_health.checks.base import Bound, Check
from otel_health.config import Setting, Settings, declared, load
from otel_health.errors import ConfigError, MissingExtraError

HOME = {"HOME": "/home/me"}


def _load(tmp_path: Path, tree: object = None, **environ: str) -> Settings:
    """Load with `tree` as the configuration file (none when None) and `environ` as the environment."""
    if tree is not None:
        file = tmp_path / "health.yaml"
        file.write_text(tree if isinstance(tree, str) else yaml.safe_dump(tree), encoding="utf-8")
        environ |= {"OTEL_HEALTH_CONFIG": str(file)}
    return load(HOME | environ, platform="linux")


def _refusal(tmp_path: Path, tree: object = None, **environ: str) -> str:
    with pytest.raises(ConfigError) as caught:
        _load(tmp_path, tree, **environ)
    message = str(caught.value)
    assert "\n" not in message
    return message


def _check(settings: Settings, key: str) -> Check:
    return next(check for check in settings.checks if check.key == key)


def test_nothing_said_means_the_defaults_and_the_declared_checks() -> None:
    settings = load(HOME, platform="linux")
    assert settings.checks == CHECKS
    assert settings.journal.path == Path("/home/me/.local/state/otel-health/journal")
    plain = {
        setting.key: setting.default for setting in declared(CHECKS) if setting.path[0] not in ("checks", "journal")
    }
    assert plain == {key: getattr(settings, key) for key in plain}


def test_the_environment_wins_over_the_file_and_the_file_over_the_default(tmp_path: Path) -> None:
    settings = _load(
        tmp_path,
        {"window_minutes": 30, "ring_size": 50, "journal": {"retention_hours": 48}},
        OTEL_HEALTH_RING_SIZE="60",
    )
    assert (settings.window_minutes, settings.ring_size, settings.journal.retention_h) == (30, 60, 48)


@pytest.mark.parametrize(("word", "enabled"), [("false", False), ("no", False), ("ON", True), ("", True)])
def test_the_seeds_switch_switches(tmp_path: Path, word: str, *, enabled: bool) -> None:
    assert _load(tmp_path, HEALTH_MONITOR_ENABLED=word).enabled is enabled


def test_variables_of_others_and_empty_ones_say_nothing(tmp_path: Path) -> None:
    assert _load(tmp_path, OTEL_SERVICE_NAME="x", OTEL_HEALTH_WINDOW_MINUTES="") == _load(tmp_path)


@pytest.mark.parametrize(
    "name",
    [
        "OTEL_HEALTH_SERVICE_HOST",
        "OTEL_HEALTH_SERVICE_PORT",
        "OTEL_HEALTH_GATEWAY_SERVICE_PORT_HTTP",
        "OTEL_HEALTH_PORT_4318_TCP_ADDR",
        "OTEL_HEALTH_PORT",
    ],
)
def test_what_kubernetes_says_of_a_service_of_our_name_is_no_setting(tmp_path: Path, name: str) -> None:
    assert _load(tmp_path, **{name: "tcp://10.0.0.1:4318"}) == _load(tmp_path)


def test_a_variable_that_is_no_setting_is_refused_with_the_nearest(tmp_path: Path) -> None:
    message = _refusal(tmp_path, OTEL_HEALTH_WINDOW_MINUTE="5")
    assert message == "OTEL_HEALTH_WINDOW_MINUTE is no setting; did you mean OTEL_HEALTH_WINDOW_MINUTES?"


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("OTEL_HEALTH_ENABLED", "HEALTH_MONITOR_ENABLED"),
        ("OTEL_HEALTH_ENABLE", "HEALTH_MONITOR_ENABLED"),
        ("OTEL_HEALTH_MONITOR_ENABLED", "HEALTH_MONITOR_ENABLED"),
        ("OTEL_HEALTH_HEALTH_MONITOR_ENABLED", "HEALTH_MONITOR_ENABLED"),
        ("OTEL_HEALTH_WINDOW", "OTEL_HEALTH_WINDOW_MINUTES"),
        ("OTEL_HEALTH_CONFIGS", "OTEL_HEALTH_CONFIG"),
        ("OTEL_HEALTH_JOURNAL_PATH", "OTEL_HEALTH_JOURNAL__PATH"),
    ],
)
def test_a_near_guess_is_told_the_variable_it_means(tmp_path: Path, said: str, meant: str) -> None:
    assert _refusal(tmp_path, **{said: "1"}) == f"{said} is no setting; did you mean {meant}?"


@pytest.mark.parametrize("said", ["QQQQQQ", "ENDPOINT", "EXPORTER", "PORTS", "LOG_LEVEL", "JOURNAL", "SIZE"])
def test_where_nothing_is_near_nothing_is_suggested(tmp_path: Path, said: str) -> None:
    assert _refusal(tmp_path, **{f"OTEL_HEALTH_{said}": "1"}) == (
        f"OTEL_HEALTH_{said} is no setting; all settings are listed in docs/reference/configuration.md"
    )


def test_a_value_that_is_not_allowed_is_named_with_what_is(tmp_path: Path) -> None:
    assert (
        _refusal(tmp_path, OTEL_HEALTH_WINDOW_MINUTES="soon")
        == "OTEL_HEALTH_WINDOW_MINUTES is 'soon'; allowed: a number from 1 to 1,440"
    )
    assert _refusal(tmp_path, {"window_minutes": 0}).startswith("window_minutes in ")
    assert "1,000,000" in _refusal(tmp_path, {"ring_size": 10**400})


def test_every_setting_has_a_default_that_it_allows() -> None:
    assert [
        one.key for one in declared(CHECKS) if one.key != "journal.path" and one.read(one.default) != one.default
    ] == []


def test_every_setting_has_names_of_its_own() -> None:
    names = [(setting.key, setting.environment) for setting in declared(CHECKS)]
    assert len(dict(names)) == len({environment for _, environment in names}) == len(names)


def test_a_threshold_of_a_simple_check_is_set_by_its_level(tmp_path: Path) -> None:
    settings = _load(tmp_path, OTEL_HEALTH_CHECKS__TOOLS__WARNING="0.2", OTEL_HEALTH_CHECKS__TOOLS__LEAST_SAMPLES="9")
    (rule,) = _check(settings, "tools").rules
    assert (rule.warning, rule.error, rule.least_samples) == (Bound(0.2), None, 9)


def test_a_threshold_of_one_rule_among_several_is_set_by_its_number(tmp_path: Path) -> None:
    rules = _check(_load(tmp_path, OTEL_HEALTH_CHECKS__CONTEXT__COMPACTIONS__WARNING="8"), "context").rules
    assert {rule.stat: rule.warning for rule in rules} == {"context_overflows": Bound(3), "compactions": Bound(8)}


def test_a_level_can_be_added_and_taken_away(tmp_path: Path) -> None:
    settings = _load(tmp_path, {"checks": {"latency": {"error": 90_000}, "tools": {"warning": None}}})
    (latency,), (tools,) = _check(settings, "latency").rules, _check(settings, "tools").rules
    assert latency.error == Bound(90_000, strict=True)
    assert tools.warning is None


def test_a_warning_above_its_error_is_refused(tmp_path: Path) -> None:
    message = _refusal(tmp_path, OTEL_HEALTH_CHECKS__TOOLS__ERROR="0.1")
    assert message.startswith("OTEL_HEALTH_CHECKS__TOOLS__ERROR puts the warning level of tools (0.15) above")
    assert "(0.1)" in message


@pytest.mark.parametrize("value", ["nan", "inf", "-1", "0", "1.5", "much"])
def test_a_rate_that_is_no_rate_is_refused(tmp_path: Path, value: str) -> None:
    message = _refusal(tmp_path, OTEL_HEALTH_CHECKS__TOOLS__WARNING=value)
    assert f"{value!r}; allowed: a number above 0, up to 1, or none" in message


def test_a_name_in_the_file_that_is_no_setting_is_refused_with_the_nearest(tmp_path: Path) -> None:
    assert "did you mean checks.tools?" in _refusal(tmp_path, {"checks": {"tool": {"warning": 0.2}}})
    assert "did you mean checks.tools.warning?" in _refusal(tmp_path, {"checks": {"tools": {"warn": 0.2}}})
    assert "is no setting; all settings are listed in" in _refusal(tmp_path, {"exporter": {"endpoint": "x"}})


def test_a_file_that_refers_to_itself_is_refused_like_any_other(tmp_path: Path) -> None:
    assert "a in " in _refusal(tmp_path, "a: &a {a: *a}\n")


def test_a_key_that_is_said_twice_is_refused_with_its_line(tmp_path: Path) -> None:
    said = _refusal(tmp_path, "ring_size: 5\njournal:\n  retention_hours: 2\n  retention_hours: 3\n")
    assert said == f"{tmp_path / 'health.yaml'} is not valid YAML: line 4: 'retention_hours' is said twice"


def test_a_value_where_a_section_belongs_is_refused(tmp_path: Path) -> None:
    assert "is True; allowed: a mapping of enabled, path" in _refusal(tmp_path, {"journal": True})
    assert "is ['a']; allowed: a mapping of enabled, window_minutes" in _refusal(tmp_path, ["a"])


def test_empty_files_and_sections_say_nothing(tmp_path: Path) -> None:
    assert _load(tmp_path, "") == _load(tmp_path, "journal:\nchecks: {}\n") == _load(tmp_path)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    assert "no-such.yaml', which cannot be read: No such file" in _refusal(
        tmp_path, OTEL_HEALTH_CONFIG=str(tmp_path / "no-such.yaml")
    )
    assert _refusal(tmp_path, "a: [1\n") == (
        f"{tmp_path / 'health.yaml'} is not valid YAML: line 2: expected ',' or ']', but got '<stream end>'"
    )
    assert "is not valid YAML: unacceptable character" in _refusal(tmp_path, "a: \x01")
    broken = tmp_path / "broken.yaml"
    broken.write_bytes(b"\xff\xfe\x00")
    assert "is not valid YAML" in _refusal(tmp_path, OTEL_HEALTH_CONFIG=str(broken))


def test_paths_in_the_file_may_begin_at_home(tmp_path: Path) -> None:
    assert _load(tmp_path, {"journal": {"path": "~/events"}}).journal.path == Path("/home/me/events")


def test_a_file_without_yaml_support_names_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    monkeypatch.delitem(sys.modules, "otel_health.config.yaml_file", raising=False)
    monkeypatch.delattr("otel_health.config.yaml_file", raising=False)
    with pytest.raises(MissingExtraError, match=r"pip install 'otel-health\[cli\]'"):
        load(HOME | {"OTEL_HEALTH_CONFIG": str(tmp_path / "health.yaml")})


def test_an_eighth_check_brings_its_own_settings() -> None:
    tools = next(check for check in CHECKS if check.key == "tools")
    eighth = Check(
        key="eighth", name="Eighth", summary="", rules=tools.rules, observed=("turns",), healthy="", unobserved=""
    )
    settings = load(HOME | {"OTEL_HEALTH_CHECKS__EIGHTH__WARNING": "0.5"}, checks=(*CHECKS, eighth))
    assert settings.checks[-1].rules[0].warning == Bound(0.5)
    assert isinstance(declared((eighth,))[-1], Setting)
