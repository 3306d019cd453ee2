"""What one chunk of a LangChain stream says, whichever provider it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llm_service.proto.llm_service_pb2 import CodeExecutionDelta, GenerateResponse, TextDelta, ThinkingDelta
from llm_service.providers.shared.text import well_formed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from langchain_core.messages import AIMessageChunk
    from langchain_core.outputs import ChatGenerationChunk

_PARAGRAPH = "\n\n"


def read_deltas(chunk: AIMessageChunk) -> Iterator[GenerateResponse]:
    """Turn the content of a chunk into deltas, in its order; tool calls and usage are not among them."""
    reasoning = chunk.additional_kwargs.get("reasoning_content")
    if reasoning:
        yield _thinking(reasoning)
    content = chunk.content
    if isinstance(content, str):
        if content:
            yield _text(content)
        return
    for block in content:
        if isinstance(block, str):
            if block:
                yield _text(block)
        else:
            yield from _read_block(block)


def refused(chunk: AIMessageChunk) -> bool:
    """Tell whether the chunk holds a refusal, which OpenAI sends in place of text."""
    if "refusal" in chunk.additional_kwargs:
        return True
    content = chunk.content
    return isinstance(content, list) and any(
        isinstance(block, dict) and block.get("type") == "refusal" for block in content
    )


def stop_reason(generation: ChatGenerationChunk) -> str:
    """Why the model stopped, in the provider's word, lower case; "" while it goes on."""
    info = generation.generation_info or {}
    metadata = generation.message.response_metadata
    reason = info.get("finish_reason") or metadata.get("stop_reason")
    if not reason and metadata.get("status"):
        # The Responses API.
        details = metadata.get("incomplete_details") or {}
        reason = details.get("reason") or metadata["status"]
    if not reason and metadata.get("prompt_feedback"):
        # Gemini did not even begin.
        blocked = metadata["prompt_feedback"].get("block_reason")
        reason = "prompt_blocked" if blocked else ""
    return str(reason or "").lower()


def _read_block(block: dict[Any, Any]) -> Iterator[GenerateResponse]:
    match block.get("type"):
        case "text":
            if block.get("text"):
                yield _text(block["text"])
        case "thinking":
            if block.get("thinking"):
                yield _thinking(block["thinking"])
        case "reasoning":
            for part in block.get("summary") or []:
                # The first delta of a part is empty and only says that it begins.
                begins_another = not part.get("text") and part.get("index", 0) > 0
                text = _PARAGRAPH if begins_another else part.get("text")
                if text:
                    yield _thinking(text)
        case "executable_code":
            yield GenerateResponse(code_execution=CodeExecutionDelta(code=block["executable_code"]))
        case "code_execution_result":
            yield GenerateResponse(code_execution=CodeExecutionDelta(result=block["code_execution_result"]))


def _text(text: str) -> GenerateResponse:
    return GenerateResponse(text=TextDelta(content=well_formed(text)))


def _thinking(text: str) -> GenerateResponse:
    return GenerateResponse(thinking=ThinkingDelta(content=well_formed(text)))
