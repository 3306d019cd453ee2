"""One answer while it comes in: what goes out at once, and what at its end, whichever API it comes by."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from llm_service import errors
from llm_service.proto.llm_service_pb2 import (
    CodeExecutionDelta,
    GenerateResponse,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
)
from llm_service.providers.shared.text import CUT_NOTE, well_formed
from llm_service.providers.shared.tool_calls import ToolCallJoiner
from llm_service.providers.shared.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from llm_service.providers.shared.tool_calls import FinishedCall
    from llm_service.providers.shared.tool_names import ToolNames


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
    FAILED = "error failed cancelled insufficient_system_resource network_error other no_image abort"


_BY_WORD = {word: outcome for outcome in Outcome for word in outcome.value.split()}


class Answer:
    """The state of one attempt.

    Attributes:
        calls: the tool calls so far.
        usage: the tokens so far.
        stop: the provider's reason for stopping; "" while there is none.
        stop_details: what it says about it, for people.
        refused: the model said that it will not answer.
        whole: the answer ended well; its turn is worth keeping.
        finished: the tool calls, once the answer is whole.
        closes_without_reason: the API may end a good answer without saying so.
    """

    def __init__(self, names: ToolNames, taken_ids: Iterable[str]) -> None:
        self._names = names
        self._has_text = False
        self._signs = False
        self._extra: list[GenerateResponse] = []
        self.calls = ToolCallJoiner(taken_ids)
        self.usage = Usage()
        self.stop = self.stop_details = ""
        self.refused = self.whole = self.closes_without_reason = False
        self.finished: list[FinishedCall] = []

    @property
    def begun(self) -> bool:
        """Whether anything of the answer itself has come."""
        return self._signs or len(self.calls) > 0

    def text(self, piece: object) -> Iterator[GenerateResponse]:
        """Take in a piece of text."""
        if isinstance(piece, str) and piece:
            self._signs = self._has_text = True
            yield GenerateResponse(text=TextDelta(content=well_formed(piece)))

    def thinking(self, piece: object) -> Iterator[GenerateResponse]:
        """Take in a piece of thinking."""
        if isinstance(piece, str) and piece:
            self._signs = True
            yield GenerateResponse(thinking=ThinkingDelta(content=well_formed(piece)))

    def code(self, *, code: str = "", result: str = "") -> Iterator[GenerateResponse]:
        """Take in code that the provider ran, or its result."""
        if code or result:
            self._signs = True
            delta = CodeExecutionDelta(code=well_formed(code), result=well_formed(result))
            yield GenerateResponse(code_execution=delta)

    def later(self, responses: Iterable[GenerateResponse]) -> None:
        """Keep what goes out behind the tool calls."""
        self._extra += responses

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
            self._check_silent_end(counted=usage is not None)
        self.finished = self.calls.finish()
        if outcome is Outcome.LENGTH:
            yield GenerateResponse(text=TextDelta(content=CUT_NOTE))
        for call in self.finished:
            name = self._names.from_provider(call.name)
            yield GenerateResponse(tool_call=ToolCallDelta(call_id=call.id, name=name, arguments=call.arguments))
        yield from self._extra
        self.whole = outcome is Outcome.DONE

    def _check(self, outcome: Outcome) -> None:
        why = f"({self.stop[:60]}{': ' if self.stop_details else ''}{self.stop_details})"
        if self.refused or outcome is Outcome.BLOCKED:
            raise errors.ContentBlocked(f"the provider's filters or the model refused {why}")
        if outcome is Outcome.CONTEXT:
            raise errors.ContextTooLong("the conversation is longer than the model can read")
        if outcome is Outcome.MALFORMED:
            raise errors.MalformedToolCall(f"the model wrote a tool call that the provider cannot read {why}")
        if outcome is Outcome.LENGTH and (len(self.calls) > 0 or not self._has_text):
            raise errors.OutputTruncated("the output limit of the model was reached before its answer was whole")
        if outcome is Outcome.FAILED:
            raise errors.TransportError(f"the provider broke the answer off {why}")

    def _check_silent_end(self, *, counted: bool) -> None:
        if not self.begun and counted:
            # Gemini ends so when it has nothing to say: no candidate, but the tokens are counted.
            raise errors.EmptyResponse("the model ended without text and without a tool call")
        has_answer = self._has_text or len(self.calls) > 0
        if not (has_answer and self.closes_without_reason and self.calls.whole()):
            raise errors.TransportError("the provider's stream ended before the answer did")


def text_of(part: Any) -> str:
    """The text of a content part, however deep a server puts it."""
    if isinstance(part, str):
        return part
    if isinstance(part, list):
        return "".join(map(text_of, part))
    if isinstance(part, dict):
        return text_of(part.get("text") or part.get("content") or part.get("thinking") or "")
    return ""
