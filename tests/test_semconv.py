# SPDX-License-Identifier: Apache-2.0
"""The table of attribute names."""

from __future__ import annotations

from collections import Counter

from otel_health import semconv


def _names() -> dict[str, str]:
    return {key: value for key, value in vars(semconv).items() if key.isupper() and isinstance(value, str)}


def test_every_attribute_stands_in_the_table_once() -> None:
    repeated = [name for name, times in Counter(_names().values()).items() if times > 1]

    assert repeated == []


def test_a_constant_begins_with_the_family_it_belongs_to() -> None:
    families = {"GEN_AI_": "gen_ai.", "LLM_": "llm.", "MCP_": "mcp.", "EXCEPTION_TYPE": "exception."}

    strays = {
        key: name
        for key, name in _names().items()
        for prefix, family in families.items()
        if key.startswith(prefix) and not name.startswith(family)
    }

    assert strays == {}


def test_stable_names_are_those_of_the_semantic_conventions_package() -> None:
    assert semconv.ERROR_TYPE == "error.type"
    assert semconv.EXCEPTION_TYPE == "exception.type"
    assert semconv.EXCEPTION_MESSAGE == "exception.message"
    assert semconv.HTTP_RESPONSE_STATUS_CODE == "http.response.status_code"
    assert semconv.SERVICE_NAME == "service.name"
    assert semconv.SERVICE_INSTANCE_ID == "service.instance.id"
