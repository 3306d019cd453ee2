"""Collects one answer while it streams in, for every API."""

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from llm_service import errors
from llm_service.proto import llm_service_pb2 as pb
from llm_service.proto.llm_service_pb2 import GenerateResponse
from llm_service.providers.shared.arguments import is_complete
from llm_service.providers.shared.calls import Call, complete_calls, join_piece
from llm_service.providers.shared.conversation import Turn
from llm_service.providers.shared.failures import mask_secrets
from llm_service.providers.shared.outcome import MAX_DETAILS, Outcome, outcome_of
from llm_service.providers.shared.text import CUT_NOTE, as_text
from llm_service.providers.shared.tool_names import ToolNames
from llm_service.providers.shared.transport import PreparedRequest
from llm_service.providers.shared.usage import Usage
from llm_service.providers.shared.written_calls import CallGate, HeldText


class Answer:
    """Collects one streamed answer: tool calls, usage and how it ended. Each retry starts a new one."""

    def __init__(self, names: ToolNames, taken_ids: Iterable[str], schemas: Mapping[str, str]) -> None:
        """Starts an answer. `schemas`: the JSON Schema of the arguments of each offered tool, by canonical name."""
        self._names = names
        self._taken = set(taken_ids)  # call ids that the conversation already uses
        self._schemas = schemas
        self._gate = CallGate() if names.known else None
        self._has_text = False
        self._signs = False
        self._calls: list[Call] = []
        self.usage = Usage()
        self.stop = self.stop_details = ""  # the provider's stop reason and explanation
        self.refused = False  # the model refused to answer
        self.closes_without_reason = False  # the API may end a complete answer without a stop reason
        self.counts_nothing = False  # the API may end an empty answer without a stop reason, but with usage
        self.whole = False  # the answer ended with Outcome.DONE, so that a later request can send its turn back
        self.finished: list[Call] = []  # the complete tool calls; set by finish()
        # `finished` differs from the calls that the provider sent, for example by calls written as text.
        self.rebuilt = False

    @property
    def begun(self) -> bool:
        """True if any part of the answer has arrived."""
        return self._signs or len(self._calls) > 0

    def text(self, piece: object) -> Iterator[GenerateResponse]:
        """Adds a piece of text. Text that may be a tool call is held back."""
        if isinstance(piece, str) and piece:
            self._signs = True
            yield from self._show(self._gate.add(piece) if self._gate else piece)

    def thinking(self, piece: object) -> Iterator[GenerateResponse]:
        """Adds a piece of thinking."""
        if isinstance(piece, str) and piece:
            self._signs = True
            yield GenerateResponse(thinking=pb.ThinkingDelta(content=piece))

    def text_was_thinking(self) -> Iterator[GenerateResponse]:
        """Declares all text so far to be thinking."""
        if self._gate:
            yield from self._show(self._gate.end().text)
        self._has_text = False
        yield GenerateResponse(text_was_thinking=pb.TextWasThinking())

    def call(self, index: object, call_id: str = "", name: str = "", arguments: str = "") -> Call:
        """Adds a piece of a tool call and returns the call."""
        return join_piece(self._calls, Call(index, call_id, name, [arguments] if arguments else []))

    def code(self, *, code: str = "", result: str = "") -> Iterator[GenerateResponse]:
        """Adds code that the provider ran, or the result of that code."""
        if code or result:
            self._signs = True
            yield GenerateResponse(code_execution=pb.CodeExecutionDelta(code=code, result=result))

    def finish(self) -> Iterator[GenerateResponse]:
        """After the stream, yields usage, a note if the text was cut, and tool calls. Raises for failures."""
        usage = self.usage.info()
        if usage is not None:
            yield GenerateResponse(usage=usage)
        outcome = outcome_of(self.stop)
        if self._gate:
            yield from self._read_held(self._gate.end(), cut=outcome is Outcome.LENGTH)
        if outcome is Outcome.CONTEXT and self._has_text:
            outcome = Outcome.LENGTH  # the model read the conversation but could not finish its answer
        self._check(outcome)
        if not self.stop:
            self._check_silent_end(counted=self.counts_nothing and usage is not None)
        self.finished = complete_calls(self._calls, self._taken, self._schema_of)
        self.rebuilt = self.rebuilt or len(self.finished) != len(self._calls)
        if outcome is Outcome.LENGTH:
            yield GenerateResponse(text=pb.TextDelta(content=CUT_NOTE))
        for call in self.finished:
            name = self._names.from_provider(call.name)
            yield GenerateResponse(tool_call=pb.ToolCallDelta(call_id=call.id, name=name, arguments=call.arguments))
        self.whole = outcome is Outcome.DONE

    def _show(self, text: str) -> Iterator[GenerateResponse]:
        if text:
            self._has_text = True
            yield GenerateResponse(text=pb.TextDelta(content=text))

    def _read_held(self, held: HeldText, *, cut: bool) -> Iterator[GenerateResponse]:
        """Reads the text that was held back: as tool calls, or as text.

        Raises OutputTruncated for a call cut by the output limit, MalformedToolCall for another call that cannot be
        read.
        """
        calls = held.calls or []
        offered = [self._names.find_offered(call.name) for call in calls]
        # A call of an unknown tool counts if the answer has no text, because the engine then names the existing tools.
        if calls and self._names.offered and (all(offered) or held.token or not self._has_text):
            self._calls += [Call(object(), name=call.name, pieces=[call.arguments]) for call in calls]
            self.rebuilt = True
        elif held.token and cut:
            raise errors.OutputTruncated("the output limit of the model was reached within a tool call")
        elif held.token or (calls and all(self._names.is_known(call.name) for call in calls)):
            raise errors.MalformedToolCall("the model wrote a tool call as text where none can be read or made")
        else:
            yield from self._show(held.text)

    def _schema_of(self, name: str) -> Mapping[str, Any]:
        schema: dict[str, Any] = json.loads(self._schemas.get(self._names.from_provider(name)) or "{}")
        return schema

    def _check(self, outcome: Outcome) -> None:
        details = " ".join(mask_secrets(self.stop_details).split())[:MAX_DETAILS]
        why = f"({self.stop[:60]}{': ' if details else ''}{details})"
        if self.refused or outcome is Outcome.BLOCKED:
            raise errors.ContentBlocked(f"the provider's filters or the model refused {why}")
        if outcome is Outcome.CONTEXT:
            raise errors.ContextTooLong("the conversation is longer than the model can read")
        if outcome is Outcome.MALFORMED:
            raise errors.MalformedToolCall(f"the model wrote a tool call that the provider cannot read {why}")
        if outcome is Outcome.LENGTH and (self._calls or not self._has_text):
            raise errors.OutputTruncated("the output limit of the model was reached before its answer was whole")
        if outcome is Outcome.NOTHING and not self._has_text:
            raise errors.EmptyResponse(f"the model ended without text and without a tool call that can be made {why}")
        if outcome in (Outcome.NOTHING, Outcome.FAILED):
            raise errors.TransportError(f"the provider interrupted the answer {why}")

    def _check_silent_end(self, *, counted: bool) -> None:
        if not self.begun and counted:
            raise errors.EmptyResponse("the model ended without text and without a tool call")
        whole = (self._has_text or self._calls) and all(
            call.name and is_complete("".join(call.pieces)) for call in self._calls
        )
        if not (whole and self.closes_without_reason):
            raise errors.TransportError("the provider's stream ended before the answer did")


def part_text(part: Any) -> str:
    """Returns the text of a content part, at any nesting depth."""
    if isinstance(part, list):
        return "".join(map(part_text, part))
    if isinstance(part, dict):
        return part_text(part.get("text") or part.get("content") or part.get("thinking"))
    return as_text(part)


def merge_text(responses: Iterable[GenerateResponse]) -> Iterator[GenerateResponse]:
    """Merges consecutive text responses, because each message costs more than its content."""
    for kind, group in itertools.groupby(responses, lambda response: response.WhichOneof("content")):
        first, *more = group
        if kind in ("text", "thinking"):
            for response in more:
                getattr(first, kind).content += getattr(response, kind).content
            more = []
        yield from (first, *more)


class EventReader:
    """Base class of readers that add a provider's events to an answer; the caller handles error events."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def read(self, event: dict[str, Any]) -> Iterator[GenerateResponse]:
        """Reads one event and yields the responses to send to the engine."""
        raise NotImplementedError

    def next_request(self, _prepared: PreparedRequest) -> PreparedRequest | None:
        """Returns the request that continues an answer which the provider paused; None if the answer is over."""
        return None

    def end(self) -> Iterator[GenerateResponse]:
        """Yields text that was held back until the end of the stream."""
        return iter(())

    def sources(self) -> list[GenerateResponse]:
        """Returns the sources of the answer, which are sent after the tool calls."""
        return []

    def turn(self) -> Turn | None:
        """Returns the answer in the API's form for the next request; None if text and calls suffice."""
        raise NotImplementedError
