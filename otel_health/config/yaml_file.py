# SPDX-License-Identifier: Apache-2.0
"""Parse a YAML file as people mean it: a key that is said twice is a mistake, not a silent choice of the last."""

from __future__ import annotations

from collections import Counter
from typing import Any

import yaml


def parse(text: str) -> object:
    """Return what `text` holds; None where that is nothing.

    Raises:
        ValueError: it is not valid YAML, or says a key twice; the message tells the line.
    """
    try:
        return yaml.load(text, _Loader)  # noqa: S506 - a SafeLoader that looks closer
    except yaml.MarkedYAMLError as error:
        place = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise ValueError(f"{place}{error.problem}") from None
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from None


class _Loader(yaml.SafeLoader):
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        said = Counter(key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode))
        for key, _ in reversed(node.value):
            if isinstance(key, yaml.ScalarNode) and said[key.value] > 1:
                raise yaml.MarkedYAMLError(problem=f"{key.value!r} is said twice", problem_mark=key.start_mark)
        return super().construct_mapping(node, deep)
