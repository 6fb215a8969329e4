# SPDX-License-Identifier: Apache-2.0
"""A finished span as every source hands it on: plain values, no SDK type, whoever made it and however it came."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any

import msgspec


class SpanStatus(IntEnum):
    """OTLP status codes. An explicit OK says no more than UNSET does: many instrumentations set it always."""

    UNSET = 0
    OK = 1
    ERROR = 2


class Resource(msgspec.Struct, frozen=True):
    """Who emitted a span: the parts of the OTLP resource that health needs."""

    service_name: str = ""
    instance_id: str = ""


class SpanEvent(msgspec.Struct, frozen=True):
    """A span event, such as `exception`."""

    name: str
    attributes: Mapping[str, Any] = {}


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """One ended span. Attribute values may be of any type (`None`, dict, NaN included): readers must survive them."""

    trace_id: str
    """32 hex digits, lower case."""
    span_id: str
    """16 hex digits, lower case."""
    parent_id: str = ""
    """"" for a root."""
    remote_parent: bool = False
    """Whether the parent belongs to another process, so that this span is where its own process came in."""
    name: str = ""
    scope: str = ""
    """Instrumentation scope name."""
    start_ns: int = 0
    """Unix nanoseconds."""
    end_ns: int = 0
    """Unix nanoseconds; may lie before `start_ns` in bad input."""
    status: SpanStatus = SpanStatus.UNSET
    status_message: str = ""
    attributes: Mapping[str, Any] = {}
    events: tuple[SpanEvent, ...] = ()
    resource: Resource = Resource()

    @property
    def end_s(self) -> float:
        """Unix seconds at which it ended."""
        return self.end_ns / 1e9
