# SPDX-License-Identifier: Apache-2.0
"""The verbs put together, and what becomes of their errors: one line each, and an exit code."""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Sequence

import click

import otel_health
from otel_health.cli import NO_VERDICT
from otel_health.cli.check import check
from otel_health.cli.events import events
from otel_health.errors import OtelHealthError

VERBS: tuple[click.Command, ...] = (check, events)

_INTERRUPTED, _PIPE_CLOSED = 130, 141


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(otel_health.__version__, prog_name="otel-health")
def app() -> None:
    """Says how ill an AI agent is, from the OpenTelemetry spans it already emits."""


for _verb in VERBS:
    app.add_command(_verb)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the verb that `arguments` (by default the process's own) name; return the exit code.

    Whatever goes wrong is one line on standard error and never passes for a verdict.
    """
    _tolerate_narrow_encodings()
    try:
        with app.make_context("otel-health", list(sys.argv[1:] if arguments is None else arguments)) as context:
            code: int = app.invoke(context)
            sys.stdout.flush()
            return code
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return NO_VERDICT
    except click.ClickException as error:
        return _complain(error.format_message())
    except OtelHealthError as error:
        return _complain(str(error))
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        _close_output()
        return _PIPE_CLOSED
    except OSError as error:
        _close_output()
        return _complain(f"{error.filename or 'output'}: {error.strerror}")
    except Exception:
        traceback.print_exc()  # a fault of ours
        return NO_VERDICT


def _tolerate_narrow_encodings() -> None:
    """Let a terminal that cannot say a character say `?` instead."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _close_output() -> None:
    """Throw away what nobody takes, so that flushing it at exit does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(message: str) -> int:
    click.echo(f"otel-health: {message}", err=True)
    return NO_VERDICT
