"""Chat Completions as servers really stream them.

LangChain reads the fields that OpenAI documents. Reasoning and refusals are in others, and a tool call
without an index makes it lose all calls of the chunk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessageChunk
from openai import AsyncOpenAI, AsyncStream

if TYPE_CHECKING:
    from langchain_core.outputs import ChatGenerationChunk

REASONING = "reasoning_content"
REFUSAL = "refusal"

_REASONING_FIELDS = ("reasoning_content", "reasoning")
"""DeepSeek, xAI, llama.cpp and SGLang use the first, OpenRouter, Ollama and newer vLLM the second."""


class PlainCompletions:
    """The SDK's Chat Completions, whose chunks stay the JSON that they are.

    The SDK would make objects of them, which LangChain turns back into JSON: half of all the time that a
    chunk takes, and trouble with every chunk that is not quite what OpenAI documents.
    """

    def __init__(self, client: AsyncOpenAI) -> None:
        self._client = client

    async def create(self, *, extra_body: dict[str, Any] | None = None, **body: Any) -> AsyncStream[object]:
        """Begin to stream."""
        return await self._client.post(
            "/chat/completions",
            body=body | (extra_body or {}),
            cast_to=object,
            stream=True,
            stream_cls=AsyncStream[object],
        )


class CompatibleStream:
    """To be put in front of a BaseChatOpenAI."""

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        delta = _tidy(chunk)
        generation: ChatGenerationChunk | None = super()._convert_chunk_to_generation_chunk(  # type: ignore[misc]
            chunk, default_chunk_class, base_generation_info
        )
        if generation is None or not delta or not isinstance(generation.message, AIMessageChunk):
            return generation
        extra = generation.message.additional_kwargs
        reasoning = next((delta[key] for key in _REASONING_FIELDS if isinstance(delta.get(key), str)), "")
        if reasoning:
            extra[REASONING] = reasoning
        if delta.get("refusal"):
            extra[REFUSAL] = delta["refusal"]
        return generation


def _tidy(chunk: dict[str, Any]) -> dict[str, Any]:
    """Put in what LangChain takes for granted; return the delta of the first choice."""
    if not chunk.get("choices"):
        chunk["choices"] = []
        return {}
    choice = chunk["choices"][0]
    if not isinstance(choice, dict):
        chunk["choices"] = []
        return {}
    delta: dict[str, Any] | None = choice.get("delta")
    if not isinstance(delta, dict):
        delta = choice["delta"] = {}
    # Only assistants speak here; a role of the server's own would change the class of the chunk.
    delta["role"] = "assistant"
    delta.pop("function_call", None)
    for call in delta.get("tool_calls") or []:
        call.setdefault("index", None)
        if not isinstance(call.get("function"), dict):
            call["function"] = {}
    return delta
