# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import click
import pytest

import otel_health
from otel_health.cli import NO_VERDICT, app, main
from otel_health.errors import ConfigError
from tests.house.tree import ROOT


def _fails_with(error: BaseException) -> click.Command:
    @click.command("fail")
    def fail() -> None:
        raise error

    return fail


def _python(program: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", program], stdin=pipe, stdout=pipe, stderr=pipe, text=True)


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(app.app, "commands", dict(app.app.commands))
    return monkeypatch


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert otel_health.__version__ in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--help"], ["check", "-h"], ["events", "--help"]])
def test_help_is_a_success(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    assert "Usage: otel-health" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["chek"], "No such command 'chek'"),
        (["check"], "Missing argument 'FILE...'"),
        (["check", "--window", "0", "x"], "0.0 is not in the range"),
        (["check", "--window", "nan", "x"], "'nan' is not a number of minutes."),
        (["check", "--window", "five", "x"], "Invalid value for '--window': 'five' is not a number of minutes."),
        (["events", "--minutes", "-1"], "-1.0 is not in the range x>=0"),
        (["check", "--per-file", "--explain", "x"], "choose one"),
        (["events", "--severity", "bad"], "'bad' is not one of"),
    ],
)
def test_bad_arguments_are_one_line_and_no_verdict(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == NO_VERDICT
    said = capsys.readouterr().err
    assert words in said
    assert said.startswith("otel-health: ")
    assert said.count("\n") == 1


def test_no_verb_is_answered_with_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == NO_VERDICT
    assert capsys.readouterr().err.startswith("Usage: otel-health")


def test_bad_settings_are_one_line_and_no_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OTEL_HEALTH_WINDOW_MINUTES", "soon")
    assert main(["check", "x"]) == NO_VERDICT
    assert capsys.readouterr().err == (
        "otel-health: OTEL_HEALTH_WINDOW_MINUTES is 'soon'; allowed: a number from 1 to 1,440\n"
    )


@pytest.mark.parametrize(
    ("error", "code"), [(ConfigError("x"), NO_VERDICT), (KeyboardInterrupt(), 130), (RuntimeError("ours"), NO_VERDICT)]
)
def test_what_goes_wrong_has_its_exit_code(
    failing: pytest.MonkeyPatch, error: BaseException, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    failing.setitem(app.app.commands, "fail", _fails_with(error))
    assert main(["fail"]) == code
    assert ("Traceback" in capsys.readouterr().err) == isinstance(error, RuntimeError)


def test_the_package_can_be_run_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "otel_health", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"otel-health, version {otel_health.__version__}\n"


def test_a_listener_that_leaves_is_no_fault() -> None:
    with _python("import sys; from otel_health.cli import main; input(); sys.exit(main(['--help']))") as writer:
        assert writer.stdin
        assert writer.stdout
        assert writer.stderr
        writer.stdout.close()
        writer.stdin.write("\n")
        writer.stdin.close()
        assert (writer.stderr.read(), writer.wait(60)) == ("", 141)


def test_a_full_disk_is_one_line_and_no_verdict() -> None:
    with Path("/dev/full").open("w") as full:
        program = "import sys; from otel_health.cli import main; sys.exit(main(['--help']))"
        done = subprocess.run(
            [sys.executable, "-c", program], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (NO_VERDICT, "otel-health: output: No space left on device\n")


def test_an_output_of_few_characters_gets_question_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert main(["check", str(ROOT / "examples" / "captures" / "ill-agent.jsonl.gz")]) == 2
    out.seek(0)
    assert "UNHEALTHY" in out.read()


@pytest.mark.parametrize("module", ["click", "rich"])
def test_without_its_libraries_the_command_to_install_them_is_said(module: str) -> None:
    bare = _python(f"import sys; sys.modules[{module!r}] = None; from otel_health.cli import main; sys.exit(main([]))")
    _, said = bare.communicate(timeout=60)
    assert bare.returncode == NO_VERDICT
    assert said == "otel-health: the command line is not installed; run: pip install 'otel-health[cli]'\n"


def test_any_other_missing_module_is_a_fault_of_ours() -> None:
    broken = _python("import sys; sys.modules['msgspec'] = None; from otel_health.cli import main; main([])")
    _, said = broken.communicate(timeout=60)
    assert broken.returncode != 0
    assert "ModuleNotFoundError: No module named 'msgspec" in said or "import of msgspec halted" in said
