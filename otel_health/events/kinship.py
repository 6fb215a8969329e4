# SPDX-License-Identifier: Apache-2.0
"""Whose health it is: what makes a new process the successor of a dead one, and not of somebody else's."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import msgspec

_UNNAMED = "unknown_service"
"""What OpenTelemetry calls a service that nobody named, alone or followed by the interpreter's name."""

_NO_PROGRAM = ("", "-", "-c")
"""First arguments of a session, of a program read from standard input, and of one given on the command line."""


class Kin(msgspec.Struct, frozen=True, kw_only=True):
    """A service by its name; one without a name by the program it is.

    Fields stand like this in the header of each segment.
    """

    service_name: str = ""
    program: str = ""
    """Hash of the working folder and the command line of a program whose service has no name."""

    @property
    def is_known(self) -> bool:
        """Whether it can have a predecessor at all: of the nameless, nobody can tell whose they are."""
        return bool(self.service_name or self.program)


def kin_of(service_name: str) -> Kin:
    """Return whose health this process works on.

    Without a name two runs are of one kin when they are of the same command line, arguments included, in the same
    folder. An interactive session, and a program that is no file, have no kin.
    """
    if service_name and not service_name.startswith(_UNNAMED):
        return Kin(service_name=service_name)
    return Kin(program=_program())


def _program() -> str:
    command = getattr(sys, "argv", [""])
    if not command or command[0] in _NO_PROGRAM:
        return ""
    try:
        said = [str(Path.cwd()), str(Path(command[0]).absolute()), *command[1:]]
    except OSError:  # the working folder is gone
        return ""
    return hashlib.sha256("\0".join(said).encode(errors="surrogatepass")).hexdigest()[:32]
