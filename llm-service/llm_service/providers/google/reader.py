"""Chunks of a Gemini stream, as deltas."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from google.genai import types

from llm_service.errors import EmptyResponse, LLMServiceError, MalformedToolCall, TransportError
from llm_service.proto.llm_service_pb2 import (
    CodeExecutionDelta,
    GenerateResponse,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    UsageInfo,
)
from llm_service.providers.google.content_cache import CachedTurn, turn_key
from llm_service.providers.google.failures import blocked_prompt, finish_error
from llm_service.providers.google.grounding import Grounding
from llm_service.providers.shared.text import CUT_NOTE, arguments_to_json, well_formed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from llm_service.providers.shared.tool_names import ToolNames


class StreamReader:
    """Reads one stream: read() each chunk, then end(); turn() is what the cache keeps."""

    def __init__(self, names: ToolNames, taken_ids: set[str]) -> None:
        """Start.

        Args:
            names: names of the request's tools.
            taken_ids: call ids that the conversation has already.
        """
        self._names = names
        self._taken_ids = set(taken_ids)
        self._parts: list[types.Part] = []
        self._texts: list[str] = []
        self._provider_ids: dict[str, str | None] = {}
        self._grounding = Grounding()
        self._usage: types.GenerateContentResponseUsageMetadata | None = None
        self._finish_reason: str | None = None
        self._block_reason: str | None = None

    def read(self, chunk: types.GenerateContentResponse) -> Iterator[GenerateResponse]:
        """Turn a chunk into deltas, part by part."""
        if chunk.usage_metadata is not None:
            self._usage = chunk.usage_metadata
        feedback = chunk.prompt_feedback
        if feedback is not None and feedback.block_reason is not None:
            self._block_reason = feedback.block_reason.value
        if not chunk.candidates:
            return
        candidate = chunk.candidates[0]
        self._grounding.add(candidate)
        if candidate.finish_reason is not None:
            self._finish_reason = candidate.finish_reason.value
        content = candidate.content
        for part in (content.parts or []) if content is not None else []:
            yield from self._part(part)
            self._keep(part)

    def end(self) -> Iterator[GenerateResponse]:
        """Tell usage and sources; usage first, because it is told even of an answer that is not whole.

        Raises:
            LLMServiceError: the answer was stopped, is cut off or empty.
        """
        if self.cut_off:
            yield GenerateResponse(text=TextDelta(content=CUT_NOTE))
        if self._usage is not None:
            yield GenerateResponse(usage=_usage_info(self._usage))
        error = None if self.cut_off else self._failure()
        if error is not None:
            raise error
        yield from self._grounding.deltas()

    @property
    def cut_off(self) -> bool:
        """Whether the output limit ended a text: what there is of it is worth more than an error."""
        return self._finish_reason == "MAX_TOKENS" and bool(self._texts)

    def turn(self) -> tuple[str, CachedTurn]:
        """Key and content of the answer."""
        content = types.Content(role="model", parts=self._parts)
        return turn_key(self._provider_ids, "".join(self._texts)), CachedTurn(content, self._provider_ids)

    def _failure(self) -> LLMServiceError | None:
        if self._block_reason is not None:
            return blocked_prompt(self._block_reason)
        if self._finish_reason is not None:
            return finish_error(self._finish_reason)
        if not self._parts:
            return EmptyResponse("Gemini ended without an answer")
        return TransportError("Gemini's stream ended before the answer did")

    def _part(self, part: types.Part) -> Iterator[GenerateResponse]:
        if part.function_call is not None:
            yield GenerateResponse(tool_call=self._tool_call(part.function_call))
        elif part.executable_code is not None:
            yield GenerateResponse(code_execution=CodeExecutionDelta(code=well_formed(part.executable_code.code or "")))
        elif part.code_execution_result is not None:
            yield GenerateResponse(
                code_execution=CodeExecutionDelta(result=well_formed(_execution_result(part.code_execution_result)))
            )
        elif part.text:
            text = well_formed(part.text)
            if part.thought:
                yield GenerateResponse(thinking=ThinkingDelta(content=text))
            else:
                self._texts.append(text)
                yield GenerateResponse(text=TextDelta(content=text))

    def _tool_call(self, call: types.FunctionCall) -> ToolCallDelta:
        if not call.name:
            raise MalformedToolCall("the model wrote a tool call without a name")
        # Gemini's ids are unique within an answer only, and older models give none.
        call_id = well_formed(call.id or "")
        if not call_id or call_id in self._taken_ids:
            call_id = f"call_{uuid.uuid4().hex}"
        self._taken_ids.add(call_id)
        self._provider_ids[call_id] = call.id
        name = self._names.from_provider(well_formed(call.name))
        return ToolCallDelta(call_id=call_id, name=name, arguments=arguments_to_json(call.args))

    def _keep(self, part: types.Part) -> None:
        last = self._parts[-1] if self._parts else None
        if last is not None and _is_plain(last) and _is_plain(part) and bool(last.thought) == bool(part.thought):
            self._parts[-1] = types.Part(text=(last.text or "") + (part.text or ""), thought=last.thought)
        else:
            self._parts.append(part)


def _is_plain(part: types.Part) -> bool:
    """Text and nothing else. A part with a signature must stay as it came."""
    return part.text is not None and part.thought_signature is None and part.part_metadata is None


def _execution_result(result: types.CodeExecutionResult) -> str:
    if result.output:
        return result.output
    outcome = result.outcome.value if result.outcome is not None else "OUTCOME_OK"
    return "" if outcome == "OUTCOME_OK" else outcome


def _usage_info(usage: types.GenerateContentResponseUsageMetadata) -> UsageInfo:
    # What native tools read counts as input, but not in prompt_token_count.
    input_tokens = (usage.prompt_token_count or 0) + (usage.tool_use_prompt_token_count or 0)
    output_tokens = usage.candidates_token_count or 0
    thinking_tokens = usage.thoughts_token_count or 0
    return UsageInfo(
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        total_tokens=usage.total_token_count or input_tokens + output_tokens + thinking_tokens,
        thinking_tokens=thinking_tokens,
    )
