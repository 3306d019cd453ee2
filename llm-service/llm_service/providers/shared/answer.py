"""Collects one answer while it streams in, for every API."""

import itertools
import json
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from llm_service import errors
from llm_service.errors import MalformedToolCall
from llm_service.proto import llm_service_pb2 as pb
from llm_service.proto.llm_service_pb2 import GenerateResponse
from llm_service.providers.shared.conversation import Turn
from llm_service.providers.shared.failures import mask_secrets
from llm_service.providers.shared.text import CUT_NOTE, as_text, well_formed
from llm_service.providers.shared.tool_names import ToolNames
from llm_service.providers.shared.usage import Usage

MAX_ID_LENGTH = 40  # OpenAI's limit, applied to all because a conversation may change providers


@dataclass
class Call:
    """A tool call as received so far.

    When the call is complete, `arguments` and `id` are set; `id` is unique in the conversation.
    """

    index: object
    provider_id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)
    id: str = ""
    arguments: str = ""


def _begins_another(call: Call, piece: Call) -> bool:
    """Returns True if the piece starts another call instead of continuing `call`."""
    if piece.provider_id and call.provider_id:
        return piece.provider_id != call.provider_id
    if not piece.name or not call.pieces:
        return False
    if piece.name != call.name:
        return piece.index is None or _is_complete(call)
    return bool(piece.pieces) and _is_complete(call)


def _is_complete(call: Call) -> bool:
    try:
        json.loads("".join(call.pieces))
    except (ValueError, RecursionError):
        return False
    return True


def require_object(arguments: str) -> str:
    """Returns the arguments, "{}" if they are empty. Raises MalformedToolCall if they are no JSON object."""
    try:
        value = json.loads(arguments if arguments.strip() else "{}")
        if isinstance(value, str):
            # Some models write the object as a JSON string.
            arguments, value = value, json.loads(value)
    except (ValueError, RecursionError) as error:
        raise MalformedToolCall("the model wrote tool arguments that are not JSON") from error
    if value is None or not arguments.strip():
        return "{}"
    if not isinstance(value, dict):
        raise MalformedToolCall("the model wrote tool arguments that are not a JSON object")
    # Keeps the model's own text, except for lone surrogates, which protobuf refuses.
    return well_formed(arguments)


MAX_DETAILS = 200  # maximum characters of the provider's explanation in an error


class Outcome(Enum):
    """How an answer ended. The values list providers' stop reasons; others (stop, end_turn, …) are DONE."""

    DONE = ""
    LENGTH = "length max_tokens max_output_tokens model_length"
    BLOCKED = (
        "content_filter content_filtered refusal prompt_blocked safety recitation language blocklist "
        "prohibited_content spii image_safety image_prohibited_content image_recitation image_other model_armor "
        "jailbreak sensitive guardrail_intervened"
    )
    CONTEXT = "model_context_window_exceeded context_length_exceeded"
    MALFORMED = (
        "malformed_function_call unexpected_tool_call too_many_tool_calls malformed_response missing_thought_signature"
    )
    NOTHING = "other no_image"
    FAILED = "error failed cancelled insufficient_system_resource network_error abort"


_BY_WORD = {word: outcome for outcome in Outcome for word in outcome.value.split()}


class Answer:
    """Collects one streamed answer: tool calls, usage and how it ended. Each retry starts a new one."""

    def __init__(self, names: ToolNames, taken_ids: Iterable[str]) -> None:
        self._names = names
        self._taken = set(taken_ids)  # call ids that the conversation already uses
        self._has_text = False
        self._signs = False
        self._calls: list[Call] = []
        self.usage = Usage()
        self.stop = self.stop_details = ""  # the provider's stop reason and explanation
        self.refused = False  # the model refused to answer
        self.closes_without_reason = False  # the API may end a complete answer without a stop reason
        self.counts_nothing = False  # the API may end an empty answer without a stop reason, but with usage
        self.whole = False  # the answer ended with DONE, so that its turn can be sent back later
        self.finished: list[Call] = []  # the complete tool calls; set by finish()

    @property
    def begun(self) -> bool:
        """True if any part of the answer has arrived."""
        return self._signs or len(self._calls) > 0

    def text(self, piece: object) -> Iterator[GenerateResponse]:
        """Adds a piece of text."""
        if isinstance(piece, str) and piece:
            self._signs = self._has_text = True
            yield GenerateResponse(text=pb.TextDelta(content=piece))

    def thinking(self, piece: object) -> Iterator[GenerateResponse]:
        """Adds a piece of thinking."""
        if isinstance(piece, str) and piece:
            self._signs = True
            yield GenerateResponse(thinking=pb.ThinkingDelta(content=piece))

    def call(self, index: object, call_id: str = "", name: str = "", arguments: str = "") -> Call:
        """Adds a piece of a tool call and returns the call.

        Some providers send one index for all calls, or no index. Then a new id or name begins the next call.
        """
        piece = Call(index, call_id, name, [arguments] if arguments else [])
        call = next((call for call in reversed(self._calls) if index is None or call.index == index), None)
        if call is None or _begins_another(call, piece):
            self._calls.append(piece)
            return piece
        call.provider_id = call.provider_id or call_id
        if name != call.name:
            call.name += name
        call.pieces += piece.pieces
        return call

    def code(self, *, code: str = "", result: str = "") -> Iterator[GenerateResponse]:
        """Adds code that the provider ran, or its result."""
        if code or result:
            self._signs = True
            yield GenerateResponse(code_execution=pb.CodeExecutionDelta(code=code, result=result))

    def finish(self) -> Iterator[GenerateResponse]:
        """After the stream, yields usage, a note if the text was cut, and tool calls. Raises for failures."""
        usage = self.usage.info()
        if usage is not None:
            yield GenerateResponse(usage=usage)
        outcome = _BY_WORD.get(self.stop.lower(), Outcome.DONE)
        if outcome is Outcome.CONTEXT and self._has_text:
            outcome = Outcome.LENGTH  # the model read the conversation but could not finish its answer
        self._check(outcome)
        if not self.stop:
            self._check_silent_end(counted=self.counts_nothing and usage is not None)
        self.finished = self._whole_calls()
        if outcome is Outcome.LENGTH:
            yield GenerateResponse(text=pb.TextDelta(content=CUT_NOTE))
        for call in self.finished:
            name = self._names.from_provider(call.name)
            yield GenerateResponse(tool_call=pb.ToolCallDelta(call_id=call.id, name=name, arguments=call.arguments))
        self.whole = outcome is Outcome.DONE

    def _whole_calls(self) -> list[Call]:
        for call in self._calls:
            if not call.name:
                raise MalformedToolCall("the model wrote a tool call without a name")
            call.arguments, own = require_object("".join(call.pieces)), call.provider_id
            # Keeps the provider's id, unless it is missing, taken, too long or unprintable.
            if not own or own in self._taken or len(own) > MAX_ID_LENGTH or not (own.isascii() and own.isprintable()):
                own = f"call_{uuid.uuid4().hex[:24]}"
            self._taken.add(own)
            call.id = own
        return self._calls

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
            raise errors.TransportError(f"the provider broke the answer off {why}")

    def _check_silent_end(self, *, counted: bool) -> None:
        if not self.begun and counted:
            raise errors.EmptyResponse("the model ended without text and without a tool call")
        whole = (self._has_text or self._calls) and all(call.name and _is_complete(call) for call in self._calls)
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

    def end(self) -> Iterator[GenerateResponse]:
        """Yields text that was held back until the end of the stream."""
        return iter(())

    def sources(self) -> list[GenerateResponse]:
        """Returns the sources of the answer, which are sent after the tool calls."""
        return []

    def turn(self) -> Turn | None:
        """Returns the answer in the provider's form for the next request; None if text and calls suffice."""
        raise NotImplementedError
