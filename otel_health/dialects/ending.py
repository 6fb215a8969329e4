# SPDX-License-Identifier: Apache-2.0
"""How a span ended: the signs of failure that instrumentations leave, whichever they use."""

from __future__ import annotations

import msgspec

from otel_health import semconv
from otel_health.dialects import fields
from otel_health.dialects.faults import Call, Judgement, judge_error, judge_finish
from otel_health.dialects.reading import Fault, Outcome, Reading
from otel_health.dialects.span import Span, SpanStatus
from otel_health.events.text import one_line


class Ending(msgspec.Struct, frozen=True):
    """How it ended, as far as the span itself tells."""

    outcome: Outcome = Outcome.OK
    fault: Fault | None = None
    error: str = ""
    error_type: str = ""
    reason: str = ""
    limit_reached: bool = False

    def put_on(self, reading: Reading) -> Reading:
        """Return `reading` with this ending."""
        changes = {name: getattr(self, name) for name in self.__struct_fields__}
        return msgspec.structs.replace(reading, **changes)


FINE = Ending()


def marked_failed(span: Span) -> bool:
    """Tell whether the span says that it failed: by status, by `error.type`, or by a framework's own status."""
    attrs = span.attributes
    return (
        span.status is SpanStatus.ERROR
        or bool(fields.text(attrs, semconv.ERROR_TYPE))
        or attrs.get(semconv.GEN_AI_TOOL_STATUS) == "error"
        or attrs.get(semconv.GEN_AI_TASK_STATUS) == "failure"
    )


def ending(span: Span, call: Call) -> Ending:
    """Say how `span` ended as a `call` ("llm", "tool", "agent"), judging what it says of its error.

    A text that looks like an error in a result is no sign: results are content.
    """
    return judged(span, call) if marked_failed(span) else FINE


def judged(span: Span, call: Call) -> Ending:
    """Classify the error of a span that is known to have failed."""
    attrs = span.attributes
    error_type = fields.text(attrs, semconv.ERROR_TYPE)
    exception_type, exception_message = fields.exception(span) or ("", "")
    described = one_line(span.status_message, fields.ERROR_TEXT_LIMIT)
    message = exception_message or described
    status, _ = fields.count(attrs, semconv.HTTP_RESPONSE_STATUS_CODE, semconv.HTTP_STATUS_CODE_OLD)
    judgement = judge_error(
        error_type=error_type,
        exception_type=exception_type,
        message=message if message == described else f"{message} {described}",
        http_status=status,
        call=call,
    )
    return _from(judgement, message)


def finished(finishes: tuple[str, ...], call: Call) -> Ending:
    """Say what the finish reasons of a call that reports no error mean: fine, unless one says overflow or limit."""
    judgement = judge_finish(finishes, call)
    return FINE if judgement is None else _from(judgement, "finish reason " + ", ".join(finishes))


def _from(judgement: Judgement, message: str) -> Ending:
    return Ending(
        outcome=judgement.outcome,
        fault=judgement.fault,
        error="" if judgement.outcome is Outcome.OK else one_line(message),
        error_type=judgement.error_type,
        reason=judgement.reason,
        limit_reached=judgement.limit_reached,
    )
