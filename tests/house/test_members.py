# SPDX-License-Identifier: Apache-2.0
"""What lies in a room's folder is what the room offers: nothing is forgotten, nothing is listed that is not there."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType

import click

import otel_health.checks
import otel_health.cli
import otel_health.dialects
import otel_health.signals
from otel_health.checks import CHECKS, ORDER
from otel_health.checks.base import Check
from otel_health.cli.app import VERBS
from otel_health.clock import ManualClock
from otel_health.dialects import DIALECTS
from otel_health.dialects.base import Dialect
from otel_health.signals.base import Signal
from otel_health.signals.board import Board


def _modules(room: ModuleType) -> Iterator[ModuleType]:
    for module in pkgutil.iter_modules(room.__path__):
        yield importlib.import_module(f"{room.__name__}.{module.name}")


def _classes(room: ModuleType, protocol: type) -> set[type]:
    """Return the public classes of the room that have everything the protocol asks for."""
    wanted = {name for name in vars(protocol) if not name.startswith("_")}
    return {
        thing
        for module in _modules(room)
        for name, thing in inspect.getmembers(module, inspect.isclass)
        if thing.__module__ == module.__name__ and not name.startswith("_") and thing is not protocol
        if all(hasattr(thing, attribute) for attribute in wanted)
    }


def test_every_check_is_registered() -> None:
    declared = {module.__name__: module.CHECK for module in _modules(otel_health.checks) if hasattr(module, "CHECK")}
    assert {name.rpartition(".")[2] for name in declared} == set(ORDER)
    assert all(isinstance(check, Check) for check in declared.values())
    assert [check.key for check in CHECKS] == list(ORDER)


def test_every_dialect_is_registered() -> None:
    assert {type(dialect) for dialect in DIALECTS} == _classes(otel_health.dialects, Dialect)


def test_every_signals_numbers_are_on_the_board() -> None:
    on_board = set(Board(ManualClock()).declared)
    assert {stat for signal in _classes(otel_health.signals, Signal) for stat in vars(signal)["stats"]} <= on_board


def test_every_verb_is_registered() -> None:
    commands = {
        thing
        for module in _modules(otel_health.cli)
        for thing in vars(module).values()
        if isinstance(thing, click.Command) and not isinstance(thing, click.Group)
    }
    assert commands == set(VERBS)
