# SPDX-License-Identifier: Apache-2.0
"""Name → object, one registry per protocol.

A room lists its built-ins in an explicit tuple (order matters and is greppable); third parties add theirs by an entry
point of the group `otel_health.<room>`. Nothing registers itself by being imported.
"""

from __future__ import annotations

import difflib
import logging
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Generic, Protocol, TypeVar, runtime_checkable

from otel_health.errors import DuplicateNameError, UnknownNameError, is_hosts

_log = logging.getLogger(__name__)


@runtime_checkable
class Named(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str:
        """The name it is registered under."""
        ...


T = TypeVar("T", bound=Named)


class Registry(Generic[T]):
    """An ordered, read-only collection of named objects. Safe to read from any thread."""

    def __init__(self, kind: str, members: Iterable[T], key: Callable[[T], str] = attrgetter("name")) -> None:
        """Hold `members` in the order given; `kind` ("check", "dialect") appears in error messages.

        `key` says under which name a member stands, where that is not its `name`.

        Raises:
            DuplicateNameError: two members share a name.
        """
        self._kind = kind
        self._members: dict[str, T] = {}
        for member in members:
            name = key(member)
            if name in self._members:
                raise DuplicateNameError(f"{kind} {name!r} is registered twice; names must be unique")
            self._members[name] = member

    def __getitem__(self, name: str) -> T:
        """Return the member called `name`.

        Raises:
            UnknownNameError: nobody has that name; the message suggests the nearest and lists all.
        """
        try:
            return self._members[name]
        except KeyError:
            near = difflib.get_close_matches(name, self._members, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else "."
            known = ", ".join(self._members) or "none"
            raise UnknownNameError(f"no {self._kind} is called {name!r}{hint} Known: {known}") from None

    def __iter__(self) -> Iterator[T]:
        """Yield members in their order."""
        return iter(self._members.values())

    def __len__(self) -> int:
        """Return the number of members."""
        return len(self._members)

    def __contains__(self, name: object) -> bool:
        """Tell whether somebody has that name."""
        return name in self._members

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in order."""
        return tuple(self._members)


def plugins(group: str, expected: type[T]) -> list[T]:
    """Load third-party members of `group` (an entry point group such as `otel_health.checks`), sorted by entry name.

    A plug-in that fails to import or is of the wrong type is logged and left out: it must never stop its host.
    """
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow to import, and most never come here

    found: list[T] = []
    for entry in sorted(entry_points(group=group), key=lambda e: e.name):
        try:
            member = entry.load()
        except BaseException as error:
            if is_hosts(error):
                raise
            _log.warning("plug-in %s of %s could not be loaded and is left out", entry.name, group, exc_info=True)
            continue
        if isinstance(member, expected):
            found.append(member)
        else:
            _log.warning(
                "plug-in %s of %s is a %s, not a %s: left out",
                entry.name,
                group,
                type(member).__name__,
                expected.__name__,
            )
    return found
