"""Reads one answer: deltas as they come; tool calls, sources and usage at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llm_service.errors import (
    ContentBlocked,
    ContextTooLong,
    EmptyResponse,
    MalformedToolCall,
    OutputTruncated,
    TransportError,
)
from llm_service.proto.llm_service_pb2 import GenerateResponse, TextDelta, ToolCallDelta, UsageInfo
from llm_service.providers.langchain.grounding import read_grounding
from llm_service.providers.langchain.outcome import Outcome, outcome_of
from llm_service.providers.langchain.reading import read_deltas, refused, stop_reason
from llm_service.providers.langchain.replay import BlockJoiner, Turn
from llm_service.providers.langchain.tool_calls import ToolCallJoiner
from llm_service.providers.shared.text import CUT_NOTE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from langchain_core.messages import AIMessageChunk
    from langchain_core.outputs import ChatGenerationChunk

    from llm_service.providers.langchain.model import Model
    from llm_service.providers.shared.tool_names import ToolNames

SIGNATURES = "__gemini_function_call_thought_signatures__"
"""Where langchain-google-genai keeps the thought signatures of function calls, by their ids."""


class Collector:
    """The state of one attempt."""

    def __init__(self, model: Model, names: ToolNames, taken_ids: Iterable[str]) -> None:
        self._model = model
        self._names = names
        self._calls = ToolCallJoiner(taken_ids)
        self._blocks = BlockJoiner() if model.replays else None
        self._text: list[str] = []
        self._signatures: dict[str, str] = {}
        self._usage = _Usage(model.usage_adds_up)
        self._metadata: dict[str, Any] = {}
        self._stop = ""
        self._refused = False
        self.turn: Turn | None = None
        """The answer for the next turn, once it is whole; None when text and tool calls say it all."""

    @property
    def has_calls(self) -> bool:
        """A tool call has begun."""
        return bool(self._calls)

    def read(self, generation: ChatGenerationChunk) -> Iterator[GenerateResponse]:
        """Take a chunk in; give what can go out at once."""
        chunk: AIMessageChunk = generation.message  # type: ignore[assignment]
        self._stop = stop_reason(generation) or self._stop
        if chunk.usage_metadata:
            self._usage.add(chunk.usage_metadata)
        if chunk.tool_call_chunks:
            self._calls.add(chunk.tool_call_chunks)
        if self._blocks is not None:
            self._blocks.add(chunk.content)
            self._signatures.update(chunk.additional_kwargs.get(SIGNATURES) or {})
        if "grounding_metadata" in chunk.response_metadata:
            self._metadata = chunk.response_metadata
        self._refused = self._refused or refused(chunk)
        for delta in read_deltas(chunk):
            if delta.HasField("text"):
                self._text.append(delta.text.content)
            yield delta

    def finish(self) -> Iterator[GenerateResponse]:
        """Give what is left once the stream has ended.

        Raises:
            ProviderError: it did not end well; its class says how.
        """
        if self._usage.known:
            yield self._usage.response()
        outcome = outcome_of(self._stop)
        if outcome is Outcome.CONTEXT and self._text:
            outcome = Outcome.LENGTH  # it could read the conversation, but not write to the end
        self._check(outcome)
        finished = self._calls.finish()
        if outcome is Outcome.LENGTH and self._text:
            yield GenerateResponse(text=TextDelta(content=CUT_NOTE))
        for _, call_id, name, arguments in finished:
            call = ToolCallDelta(call_id=call_id, name=self._names.from_provider(name), arguments=arguments)
            yield GenerateResponse(tool_call=call)
        grounding = read_grounding(self._metadata)
        if grounding is not None:
            yield GenerateResponse(grounding=grounding)
        if outcome is Outcome.DONE:
            self.turn = self._turn(finished)

    def _check(self, outcome: Outcome) -> None:
        if self._refused or outcome is Outcome.BLOCKED:
            raise ContentBlocked(f"the provider's filters or the model refused ({self._stop[:60]})")
        match outcome:
            case Outcome.CONTEXT:
                raise ContextTooLong("the conversation is longer than the model can read")
            case Outcome.MALFORMED:
                raise MalformedToolCall(f"the model wrote a tool call that the provider cannot read ({self._stop})")
            case Outcome.LENGTH if self._calls or not self._text:
                raise OutputTruncated("the output limit of the model was reached before its answer was whole")
            case Outcome.FAILED:
                raise TransportError(f"the provider broke the answer off ({self._stop})")
        if not self._stop and not self._text and not self._calls and self._usage.known:
            # Gemini ends so when it has nothing to say: no candidate, but the tokens are counted.
            raise EmptyResponse("the model ended without text and without a tool call")
        if not self._stop:
            raise TransportError("the provider's stream ended before the answer did")

    def _turn(self, calls: list[tuple[str, str, str, str]]) -> Turn | None:
        if self._blocks is None:
            return None
        content = self._blocks.finish([(own, arguments) for _, own, _, arguments in calls])
        signatures = {own: self._signatures[theirs] for theirs, own, _, _ in calls if theirs in self._signatures}
        return Turn(
            text="".join(self._text),
            call_ids=tuple(own for _, own, _, _ in calls),
            content=content,
            additional={SIGNATURES: signatures} if signatures else {},
            characters=len(repr(content)) + len(repr(signatures)),
        )


class _Usage:
    """Tokens of the answer so far."""

    def __init__(self, adds_up: bool) -> None:
        self._adds_up = adds_up
        self._input = self._output = self._total = self._thinking = 0
        self.known = False

    def add(self, usage: Any) -> None:
        """Take in a LangChain usage_metadata."""
        if not self._adds_up:
            self._input = self._output = self._total = self._thinking = 0
        self.known = True
        self._input += usage["input_tokens"]
        self._output += usage["output_tokens"]
        self._total += usage["total_tokens"]
        self._thinking += (usage.get("output_token_details") or {}).get("reasoning") or 0

    def response(self) -> GenerateResponse:
        """LangChain counts thinking as output; on our wire it stands beside it."""
        return GenerateResponse(
            usage=UsageInfo(
                input_tokens=self._input,
                output_tokens=max(0, self._output - self._thinking),
                total_tokens=self._total,
                thinking_tokens=self._thinking,
            )
        )
