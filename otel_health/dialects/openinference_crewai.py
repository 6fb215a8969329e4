# SPDX-License-Identifier: Apache-2.0
"""OpenInference on CrewAI: crews are CHAIN spans with a UUID in their names, and model calls have no spans at all."""

from __future__ import annotations

from typing import Any

import msgspec

from otel_health import semconv
from otel_health.dialects import openinference as oi
from otel_health.dialects.reading import Kind, Reading, Team
from otel_health.dialects.span import Span

_DELEGATING = ("delegate work to coworker", "ask question to coworker")


class OpenInferenceCrewAI:
    """Scope `openinference.instrumentation.crewai`."""

    name = "openinference_crewai"

    def speaks(self, span: Span) -> bool:
        """Tell by the scope."""
        return span.scope == oi.SCOPE + "crewai"

    def read(self, span: Span) -> Reading | None:
        """Read crews as workflows, and delegation to a coworker as tool and spoke at once."""
        kind = oi.kind_of(span)
        why = f"{semconv.OPENINFERENCE_SPAN_KIND} is {kind!r}"
        if kind == "CHAIN" and span.name.endswith(".kickoff"):
            return _run(span, Kind.WORKFLOW, "the kickoff of a crew or flow", "crew", team=Team.PEERS)
        if kind == "AGENT":
            return _run(span, Kind.AGENT, why, oi.agent_name(span) or span.name.partition("._")[0])
        if kind == "TOOL":
            reading = oi.tool_call(span, why)
            delegates = reading.name.lower() in _DELEGATING
            return msgspec.structs.replace(reading, delegates_to="coworker") if delegates else reading
        return oi.plain(span, kind, why)


def _run(span: Span, kind: Kind, why: str, name: str, **facts: Any) -> Reading:
    return msgspec.structs.replace(oi.run(span, kind, why, name), hides_model_calls=True, **facts)
