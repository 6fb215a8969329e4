# SPDX-License-Identifier: Apache-2.0
"""What one span says, in our words: the output of every dialect.

A reading is about one span alone. What needs its neighbours (turn or spoke, counted twice or not, recovered or not) is
decided where traces are put together, in `otel_health.sources.assembly`.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Kind(StrEnum):
    """What a span is."""

    AGENT = "agent"
    """One run of an agent: a turn when it is the topmost of its trace, else perhaps a spoke."""
    WORKFLOW = "workflow"
    """A run that holds the runs of several agents: a turn when topmost, otherwise a step."""
    LLM = "llm"
    """A request to a model."""
    EMBEDDING = "embedding"
    """A request for embeddings."""
    TOOL = "tool"
    """An execution of a tool."""
    STEP = "step"
    """A wrapper between the others (graph node, loop step, hand-off): seen through, never counted."""


class Outcome(StrEnum):
    """How it ended."""

    OK = "ok"
    ERROR = "error"
    TIMEOUT = "timeout"
    """A kind of error: the peer did not answer in time."""
    CANCELLED = "cancelled"
    """The caller withdrew it; also a span that shows no verdict at all where its dialect always leaves one."""
    ABANDONED = "abandoned"
    """The caller stopped reading a stream."""
    REJECTED = "rejected"
    """A breaker, loop guard or budget said no."""

    @property
    def failed(self) -> bool:
        """Whether it counts as a failure. Cancellations and rejections never do."""
        return self in (Outcome.ERROR, Outcome.TIMEOUT)

    @property
    def withdrawn(self) -> bool:
        """Whether the caller ended it, not the callee."""
        return self in (Outcome.CANCELLED, Outcome.ABANDONED)


class Fault(StrEnum):
    """Whose fault a failed model call is."""

    PROVIDER = "provider"
    """429, 5xx, time-out, authentication, network, and whatever cannot be told."""
    CALLER = "caller"
    """Other 4xx, validation, refusal."""
    OVERFLOW = "overflow"
    """The request exceeded the model's context."""


class Team(StrEnum):
    """Which of a workflow's agents are spokes."""

    SEQUENCE = "sequence"
    """The first has the turn; those after it were handed the conversation and are spokes."""
    PEERS = "peers"
    """All are spokes, where there is more than one."""


class Usage(msgspec.Struct, frozen=True):
    """Tokens of a model call; `None` is unknown. `input` includes cached and cache-write tokens, `output` reasoning."""

    input: int | None = None
    output: int | None = None
    cached_input: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None

    @property
    def known(self) -> bool:
        """Whether any count is known."""
        return self.input is not None or self.output is not None

    @property
    def total(self) -> int | None:
        """Input + output, or None when neither is known."""
        return (self.input or 0) + (self.output or 0) if self.known else None


class Retry(msgspec.Struct, frozen=True):
    """Sign of something being tried again: `times` further attempts, and why."""

    reason: str
    times: int = 1


class Compaction(msgspec.Struct, frozen=True):
    """Sign of history having been summarised; tokens before and after where the span tells."""

    tokens_before: int | None = None
    tokens_after: int | None = None


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What one span says of itself."""

    kind: Kind
    why: str
    """The rule that decided the kind, for people (`check --explain`)."""
    name: str = ""
    """The tool, agent or workflow; for a model call its provider."""
    outcome: Outcome = Outcome.OK
    fault: Fault | None = None
    """Set on failed model calls."""
    error: str = ""
    """Error text, bounded and one line; "" where none was given. Untrusted."""
    error_type: str = ""
    """Short class or code of the error (`ValueError`, `rate_limit_error`)."""
    reason: str = ""
    """A finer word for the outcome: `turn_limit`, `paused`, `incomplete`, `stream_abandoned`."""
    usage: Usage | None = None
    cost_usd: float | None = None
    """Cost as the span reports it; None when it does not."""
    model: str = ""
    response_id: str = ""
    """The provider's id of the response; equal ids mean one call seen twice."""
    session: str = ""
    agent: str = ""
    """The agent that did it, where the span says so."""
    team: Team | None = None
    """On a workflow: how its agents are to be judged."""
    limit_reached: bool = False
    """A step, turn or usage limit ended the run."""
    step_limit: int | None = None
    """On an agent: the number of steps after which its framework forces a final answer without saying so."""
    delegates_to: str = ""
    """On a tool: the agent it hands work to. Where that agent leaves no span of its own, the tool is the spoke too."""
    hides_model_calls: bool = False
    """On a run: its instrumentation gives model calls no spans, so a provider's error shows here alone."""
    called_as_tool: bool = False
    """On an agent: its framework calls it as a tool without a tool span, so below another agent it is both."""
    stand_in: bool = False
    """The span of a wrapper whose call left none; counted only where no call of its kind is found below it."""
    retry: Retry | None = None
    compaction: Compaction | None = None
    malformed: int = 0
    """Attribute values that made no sense (negative, NaN, wrong type) and were taken as unknown."""
