"""One answer while it comes in: what goes out at once, and what at its end, whichever API it comes by."""

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
from llm_service.proto.llm_service_pb2 import (
    CodeExecutionDelta,
    GenerateResponse,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
)
from llm_service.providers.shared.outcome import Outcome, outcome_of
from llm_service.providers.shared.text import CUT_NOTE, well_formed
from llm_service.providers.shared.tool_calls import ToolCallJoiner

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from llm_service.providers.shared.tool_calls import FinishedCall
    from llm_service.providers.shared.tool_names import ToolNames
    from llm_service.providers.shared.usage import Usage


class Answer:
    """The state of one attempt.

    Attributes:
        calls: the tool calls so far.
        usage: the tokens so far.
        stop: the provider's reason for stopping; "" while there is none.
        refused: the model said that it will not answer.
        stop_details: what the provider says about it, for people.
        whole: the answer ended well; its turn is worth keeping.
        finished: the tool calls, once the answer is whole.
    """

    def __init__(self, names: ToolNames, taken_ids: Iterable[str], usage: Usage) -> None:
        self._names = names
        self._texts: list[str] = []
        self._signs = False
        self._extra: list[GenerateResponse] = []
        self.calls = ToolCallJoiner(taken_ids)
        self.usage = usage
        self.stop = ""
        self.stop_details = ""
        self.refused = False
        self.whole = False
        self.finished: list[FinishedCall] = []
        self.closes_without_reason = False
        """The API may end a good answer without saying so."""

    @property
    def begun(self) -> bool:
        """Whether anything of the answer itself has come."""
        return self._signs or len(self.calls) > 0

    @property
    def joined(self) -> str:
        """The text so far."""
        return "".join(self._texts)

    def text(self, piece: object) -> Iterator[GenerateResponse]:
        """Take in a piece of text."""
        if isinstance(piece, str) and piece:
            self._signs = True
            piece = well_formed(piece)
            self._texts.append(piece)
            yield GenerateResponse(text=TextDelta(content=piece))

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
        """Give what is left once the stream has ended.

        Raises:
            ProviderError: it did not end well; its class says how.
        """
        usage = self.usage.info()
        if usage is not None:
            yield GenerateResponse(usage=usage)
        outcome = outcome_of(self.stop)
        if outcome is Outcome.CONTEXT and self._texts:
            outcome = Outcome.LENGTH  # it could read the conversation, but not write to the end
        self._check(outcome)
        self.finished = self.calls.finish()
        if outcome is Outcome.LENGTH:
            yield GenerateResponse(text=TextDelta(content=CUT_NOTE))
        for call in self.finished:
            name = self._names.from_provider(call.name)
            yield GenerateResponse(tool_call=ToolCallDelta(call_id=call.id, name=name, arguments=call.arguments))
        yield from self._extra
        self.whole = outcome is Outcome.DONE

    def _check(self, outcome: Outcome) -> None:
        why = f"{self.stop[:60]}{': ' if self.stop_details else ''}{self.stop_details}"
        if self.refused or outcome is Outcome.BLOCKED:
            raise ContentBlocked(f"the provider's filters or the model refused ({why})")
        match outcome:
            case Outcome.CONTEXT:
                raise ContextTooLong("the conversation is longer than the model can read")
            case Outcome.MALFORMED:
                raise MalformedToolCall(f"the model wrote a tool call that the provider cannot read ({why})")
            case Outcome.LENGTH if len(self.calls) > 0 or not self._texts:
                raise OutputTruncated("the output limit of the model was reached before its answer was whole")
            case Outcome.FAILED:
                raise TransportError(f"the provider broke the answer off ({why})")
        if self.stop:
            return
        has_answer = bool(self._texts) or len(self.calls) > 0
        if not has_answer and self.usage.info() is not None:
            # Gemini ends so when it has nothing to say: no candidate, but the tokens are counted.
            raise EmptyResponse("the model ended without text and without a tool call")
        if not (has_answer and self.closes_without_reason and self.calls.whole()):
            raise TransportError("the provider's stream ended before the answer did")


def text_of(part: Any) -> str:
    """The text of a content part, however deep a server puts it."""
    if isinstance(part, str):
        return part
    if isinstance(part, list):
        return "".join(map(text_of, part))
    if isinstance(part, dict):
        return text_of(part.get("text") or part.get("content") or part.get("thinking") or "")
    return ""
