"""One answer while it comes in: what goes out at once, and what at its end, whichever API it comes by."""

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
from llm_service.providers.shared.failures import masked
from llm_service.providers.shared.text import CUT_NOTE, as_text, well_formed
from llm_service.providers.shared.tool_names import ToolNames
from llm_service.providers.shared.usage import Usage

MAX_ID_LENGTH = 40  # OpenAI accepts no longer ones in Chat Completions; a conversation may move between providers


@dataclass
class Call:
    """A call as far as it has come in; once it is whole also with arguments, and an id unique in the conversation."""

    index: object
    provider_id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)
    id: str = ""
    arguments: str = ""


def _begins_another(call: Call, index: object, call_id: str, name: str, args: str) -> bool:
    """Tell whether a piece that could go on with this call is the first one of the next call."""
    if call_id and call.provider_id:
        return call_id != call.provider_id
    if not name or not call.pieces:
        return False
    if name != call.name:
        return index is None or _is_whole(call)
    return bool(args) and _is_whole(call)


def _is_whole(call: Call) -> bool:
    try:
        json.loads("".join(call.pieces))
    except (ValueError, RecursionError):
        return False
    return True


def to_object(arguments: str) -> str:
    """Check that the arguments are a JSON object, else MalformedToolCall; none at all are an empty one."""
    try:
        value = json.loads(arguments if arguments.strip() else "{}")
        if isinstance(value, str):
            # Some models put the object into a string.
            arguments, value = value, json.loads(value)
    except (ValueError, RecursionError) as error:
        raise MalformedToolCall("the model wrote tool arguments that are not JSON") from error
    if value is None or not arguments.strip():
        return "{}"
    if not isinstance(value, dict):
        raise MalformedToolCall("the model wrote tool arguments that are not a JSON object")
    # The model's own text is kept, but a lone surrogate in it could not go on the wire.
    return well_formed(arguments)


MAX_DETAILS = 200  # characters of what a provider says about why it stopped


class Outcome(Enum):
    """How an answer ended: the words with which providers say so; any other (stop, end_turn, …) is a proper end."""

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
    """The state of one attempt: calls and usage so far, and how it ended."""

    def __init__(self, names: ToolNames, taken_ids: Iterable[str]) -> None:
        self._names = names
        self._taken = set(taken_ids)  # ids of calls that the conversation has already
        self._has_text = False
        self._signs = False
        self._calls: list[Call] = []
        self.usage = Usage()
        self.stop = self.stop_details = ""  # the provider's reason for stopping, and its words about it
        self.refused = False  # the model said that it will not answer
        self.closes_without_reason = False  # the API may end a good answer without saying so
        self.counts_nothing = False  # the API may end an empty one so, but tells what it took
        self.whole = False  # the answer ended well; its turn is worth keeping
        self.finished: list[Call] = []  # the tool calls, once it is whole

    @property
    def begun(self) -> bool:
        """Whether anything of the answer itself has come."""
        return self._signs or len(self._calls) > 0

    def text(self, piece: object) -> Iterator[GenerateResponse]:
        """Take in a piece of text."""
        if isinstance(piece, str) and piece:
            self._signs = self._has_text = True
            yield GenerateResponse(text=pb.TextDelta(content=piece))

    def thinking(self, piece: object) -> Iterator[GenerateResponse]:
        """Take in a piece of thinking."""
        if isinstance(piece, str) and piece:
            self._signs = True
            yield GenerateResponse(thinking=pb.ThinkingDelta(content=piece))

    def call(self, index: object, call_id: str = "", name: str = "", arguments: str = "") -> Call:
        """Take in a piece of a call; some providers give all one index, or none, and begin each with id or name."""
        call = next((call for call in reversed(self._calls) if index is None or call.index == index), None)
        if call is None or _begins_another(call, index, call_id, name, arguments):
            call = Call(index)
            self._calls.append(call)
        call.provider_id = call.provider_id or call_id
        if name and name != call.name:
            call.name += name
        if arguments:
            call.pieces.append(arguments)
        return call

    def code(self, *, code: str = "", result: str = "") -> Iterator[GenerateResponse]:
        """Take in code that the provider ran, or its result."""
        if code or result:
            self._signs = True
            yield GenerateResponse(code_execution=pb.CodeExecutionDelta(code=code, result=result))

    def finish(self) -> Iterator[GenerateResponse]:
        """Give what is left once the stream has ended; a ProviderError when it did not end well says how."""
        usage = self.usage.info()
        if usage is not None:
            yield GenerateResponse(usage=usage)
        outcome = _BY_WORD.get(self.stop.lower(), Outcome.DONE)
        if outcome is Outcome.CONTEXT and self._has_text:
            outcome = Outcome.LENGTH  # it could read the conversation, but not write to the end
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
            call.arguments, own = to_object("".join(call.pieces)), call.provider_id
            # The provider's id, unless the conversation could not use it.
            if not own or own in self._taken or len(own) > MAX_ID_LENGTH or not (own.isascii() and own.isprintable()):
                own = f"call_{uuid.uuid4().hex[:24]}"
            self._taken.add(own)
            call.id = own
        return self._calls

    def _check(self, outcome: Outcome) -> None:
        details = " ".join(masked(self.stop_details).split())[:MAX_DETAILS]
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
        whole = (self._has_text or self._calls) and all(call.name and _is_whole(call) for call in self._calls)
        if not (whole and self.closes_without_reason):
            raise errors.TransportError("the provider's stream ended before the answer did")


def text_of(part: Any) -> str:
    """The text of a content part, however deep a server puts it."""
    if isinstance(part, list):
        return "".join(map(text_of, part))
    if isinstance(part, dict):
        return text_of(part.get("text") or part.get("content") or part.get("thinking"))
    return as_text(part)


def joined(responses: Iterable[GenerateResponse]) -> Iterator[GenerateResponse]:
    """Put text together that goes out together: a message costs more than all that it is made of."""
    for kind, group in itertools.groupby(responses, lambda response: response.WhichOneof("content")):
        first, *more = group
        if kind in ("text", "thinking"):
            for response in more:
                getattr(first, kind).content += getattr(response, kind).content
            more = []
        yield from (first, *more)


class EventReader:
    """Reads the events of one answer into it. One that tells of an error does not come here."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def read(self, event: dict[str, Any]) -> Iterator[GenerateResponse]:
        """Take an event in; give what can go out at once."""
        raise NotImplementedError

    def end(self) -> Iterator[GenerateResponse]:
        """Note that the stream has ended; give what waited for more."""
        return iter(())

    def sources(self) -> list[GenerateResponse]:
        """What the answer is grounded on; it goes out behind the tool calls."""
        return []

    def turn(self) -> Turn | None:
        """Give the whole answer for the next turn; None when text and tool calls say it all."""
        raise NotImplementedError
