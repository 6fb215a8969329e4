# SPDX-License-Identifier: Apache-2.0
"""Read anybody's span: one file per family, in an explicit order.

The first dialect that speaks a span decides alone, so scopes that are known best come first and the readers of whole
conventions last.
"""

from __future__ import annotations

from otel_health.dialects.base import Checked, Dialect, Interpreter
from otel_health.dialects.genai import GenAI, OtelGenAI
from otel_health.dialects.openinference import OpenInference
from otel_health.dialects.openinference_crewai import OpenInferenceCrewAI
from otel_health.dialects.openinference_langchain import OpenInferenceLangChain
from otel_health.dialects.openinference_openai_agents import OpenInferenceOpenAIAgents
from otel_health.dialects.openinference_smolagents import OpenInferenceSmolagents
from otel_health.dialects.pydantic_ai import PydanticAI
from otel_health.registry import Registry, plugins

DIALECTS: tuple[Dialect, ...] = (
    PydanticAI(),
    OpenInferenceLangChain(),
    OpenInferenceOpenAIAgents(),
    OpenInferenceSmolagents(),
    OpenInferenceCrewAI(),
    OpenInference(),
    OtelGenAI(),
    GenAI(),
)


def registry() -> Registry[Dialect]:
    """Return the dialects in the order they are asked: plug-ins (`otel_health.dialects`) first, then the built-ins."""
    others = plugins("otel_health.dialects", Dialect)  # type: ignore[type-abstract]
    return Registry("dialect", [*map(Checked, others), *DIALECTS])


def interpreter() -> Interpreter:
    """Return an interpreter over all registered dialects."""
    return Interpreter(registry())
