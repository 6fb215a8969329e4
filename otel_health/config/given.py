# SPDX-License-Identifier: Apache-2.0
"""What the user said, from the YAML file and from the environment, each value with the place where it was said."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from otel_health.config.setting import PREFIX, Setting
from otel_health.errors import ConfigError, MissingExtraError

FILE_VARIABLE = "OTEL_HEALTH_CONFIG"
"""Names the YAML file."""

_NEAR = 0.8
"""From which likeness on (0 to 1) a name is suggested; what all names begin with is left out of the comparison."""

_SERVICE_LINK = re.compile(r"(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP)(_\w+)?)$")
"""What Kubernetes puts into the environment of every pod beside a service called `otel-health...`."""


class Given(msgspec.Struct, frozen=True):
    """One value, and what to call it in a message: `OTEL_HEALTH_RING_SIZE` or `ring_size in health.yaml`."""

    setting: Setting
    raw: object
    name: str

    def value(self) -> Any:
        """Return the value as the setting reads it.

        Raises:
            ConfigError: it is not allowed.
        """
        try:
            return self.setting.read(self.raw)
        except (ValueError, OverflowError):
            raise ConfigError(f"{self.name} is {self.raw!r}; allowed: {self.setting.allowed}") from None


def from_environment(environ: Mapping[str, str], settings: Iterable[Setting]) -> Iterator[Given]:
    """Yield what `environ` says; an empty variable says nothing.

    Raises:
        ConfigError: a variable begins like ours and is none.
    """
    known = {setting.environment: setting for setting in settings}
    meant = dict(_meant(known.values()))
    for name, raw in environ.items():
        if name in known and raw:
            yield Given(known[name], raw, name)
        elif name.startswith(PREFIX) and name not in known and name != FILE_VARIABLE and not _linked(name, raw):
            raise ConfigError(f"{name} is no setting{_nearest(name.removeprefix(PREFIX), meant)}")


def from_file(path: Path, settings: Iterable[Setting]) -> Iterator[Given]:
    """Yield what the YAML file at `path` says.

    Raises:
        ConfigError: it cannot be read, is not valid YAML, is no mapping, or names something that is no setting.
        MissingExtraError: YAML support is not installed.
    """
    known = {setting.path: setting for setting in settings}
    for place, raw in _leaves((), _parsed(path), known):
        if place in known:
            yield Given(known[place], raw, f"{known[place].key} in {path}")
        else:
            raise ConfigError(_stray(place, raw, path, known))


def _linked(name: str, raw: str) -> bool:
    return bool(_SERVICE_LINK.search(name)) or (name.endswith("_PORT") and raw.startswith(("tcp://", "udp://")))


def _meant(settings: Iterable[Setting]) -> Iterator[tuple[str, str]]:
    """Yield what people may write after our prefix, and the variable they mean by it.

    A variable without our prefix is looked for by its own name, and by the one that its place in the tree suggests.
    """
    yield FILE_VARIABLE.removeprefix(PREFIX), FILE_VARIABLE
    for setting in settings:
        yield setting.environment.removeprefix(PREFIX), setting.environment
        yield "__".join(setting.path).upper(), setting.environment


def _nearest(said: str, meant: Mapping[str, str]) -> str:
    near = difflib.get_close_matches(said, meant, n=1, cutoff=_NEAR) or [one for one in meant if one.startswith(said)]
    if len(near) == 1:
        return f"; did you mean {meant[near[0]]}?"
    return "; all settings are listed in docs/reference/configuration.md"


def _parsed(path: Path) -> object:
    try:
        from otel_health.config import yaml_file  # noqa: PLC0415 - only those who write a file need YAML
    except ImportError:
        raise MissingExtraError(f"reading {path} needs YAML support; run: pip install 'otel-health[cli]'") from None
    try:
        return yaml_file.parse(path.read_text(encoding="utf-8")) or {}
    except OSError as error:
        raise ConfigError(f"{FILE_VARIABLE} is {str(path)!r}, which cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ConfigError(f"{path} is not valid YAML: {error}") from None


def _leaves(
    place: tuple[str, ...], tree: object, known: Mapping[tuple[str, ...], Setting]
) -> Iterator[tuple[tuple[str, ...], object]]:
    """Yield every value of the tree with its place, as deep as there are settings; an empty section has none."""
    is_section = any(path[: len(place)] == place for path in known if len(path) > len(place))
    if isinstance(tree, Mapping) and is_section:
        for key, branch in tree.items():
            yield from _leaves((*place, str(key)), branch, known)
    elif not (is_section and tree is None):
        yield place, tree


def _stray(place: tuple[str, ...], raw: object, path: Path, known: Mapping[tuple[str, ...], Setting]) -> str:
    inside = [one[len(place)] for one in known if len(one) > len(place) and one[: len(place)] == place]
    key = ".".join(place)
    if inside:
        names = ", ".join(dict.fromkeys(inside))
        return f"{f'{key} in ' if key else ''}{path} is {raw!r}; allowed: a mapping of {names}"
    places = dict.fromkeys(".".join(one[:end]) for one in known for end in range(1, len(one) + 1))
    return f"{key} in {path} is no setting{_nearest(key, {one: one for one in places})}"
