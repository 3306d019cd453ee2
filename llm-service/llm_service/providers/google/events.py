"""Chunks of a Gemini stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llm_service.providers.google.grounding import Grounding
from llm_service.providers.google.next_turn import keep
from llm_service.providers.shared.answer import Answer
from llm_service.providers.shared.text import arguments_to_json
from llm_service.providers.shared.turns import Turn
from llm_service.providers.shared.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from google.genai import types

    from llm_service.proto.llm_service_pb2 import GenerateResponse
    from llm_service.providers.settings import Settings
    from llm_service.providers.shared.tool_names import ToolNames


def reader(names: ToolNames, taken_ids: Sequence[str], _settings: Settings) -> tuple[Answer, GoogleEvents]:
    """Begin to read an answer."""
    answer = Answer(names, taken_ids, Usage())
    return answer, GoogleEvents(answer)


class GoogleEvents:
    """Reads one answer, part by part."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._parts: list[types.Part] = []
        self._ids: list[str | None] = []
        self._grounding = Grounding()

    def read(self, event: Any) -> Iterator[GenerateResponse]:
        """Take a chunk in."""
        answer, chunk = self._answer, event
        if chunk.usage_metadata is not None:
            answer.usage.add(chunk.usage_metadata.model_dump(exclude_none=True))
        feedback = chunk.prompt_feedback
        if feedback is not None and feedback.block_reason is not None:
            answer.stop, answer.stop_details = "prompt_blocked", feedback.block_reason.value
        if not chunk.candidates:
            return
        candidate = chunk.candidates[0]
        self._grounding.add(candidate)
        if candidate.finish_reason is not None and candidate.finish_reason.value != "FINISH_REASON_UNSPECIFIED":
            answer.stop = candidate.finish_reason.value
            answer.stop_details = (candidate.finish_message or "")[:200]
        content = candidate.content
        for part in (content.parts or []) if content is not None else []:
            self._parts.append(part)
            yield from self._part(part)

    def end(self) -> Iterator[GenerateResponse]:
        """Keep the sources for the end."""
        self._answer.later(self._grounding.deltas())
        return iter(())

    def turn(self) -> Turn | None:
        """Give the parts as they came."""
        content = keep(self._parts)
        calls = zip(self._answer.finished, self._ids, strict=True)
        ids = {call.id: own for call, own in calls if call.id != own}
        return Turn(content, ids) if content is not None else None

    def _part(self, part: types.Part) -> Iterator[GenerateResponse]:
        answer = self._answer
        if part.function_call is not None:
            call = part.function_call
            # Gemini's ids are unique within an answer only, and older models give none.
            answer.calls.add(len(self._ids), call.id or "", call.name or "", arguments_to_json(call.args))
            self._ids.append(call.id)
        elif part.executable_code is not None:
            yield from answer.code(code=part.executable_code.code or "")
        elif part.code_execution_result is not None:
            yield from answer.code(result=_execution_result(part.code_execution_result))
        elif part.text:
            yield from answer.thinking(part.text) if part.thought else answer.text(part.text)


def _execution_result(result: types.CodeExecutionResult) -> str:
    if result.output:
        return result.output
    outcome = result.outcome.value if result.outcome is not None else "OUTCOME_OK"
    return "" if outcome == "OUTCOME_OK" else outcome
