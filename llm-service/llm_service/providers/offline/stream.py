"""Turns text into the small deltas a model would send, and estimates tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llm_service.proto.llm_service_pb2 import GenerateRequest, UsageInfo

if TYPE_CHECKING:
    from collections.abc import Iterator

PIECE_CHARS = 24
"""A few words; a reader sees them flow."""
MAX_PIECES = 300
"""A long report goes in larger pieces, so that it never takes more than some seconds to show."""

CHARS_PER_TOKEN = 4
"""The usual estimate for English text. No tokenizer is involved, so all counts are estimates."""


def pieces(text: str) -> Iterator[str]:
    """Cut text after blanks into pieces that give the text again when put together."""
    size = max(PIECE_CHARS, len(text) // MAX_PIECES + 1)
    begin = 0
    while begin < len(text):
        end = begin + size
        if end < len(text):
            blank = text.rfind(" ", begin + size // 2, end)
            end = blank + 1 if blank >= 0 else end
        yield text[begin:end]
        begin = end


def well_formed(text: str) -> str:
    """Replace lone surrogates (possible in JSON escapes), which cannot go on the wire."""
    return text.encode("utf-8", "replace").decode("utf-8")


def estimate_tokens(characters: int) -> int:
    """Tokens of so many characters, rounded up."""
    return -(-characters // CHARS_PER_TOKEN)


def estimate_usage(request: GenerateRequest, answer_chars: int, thinking_chars: int) -> UsageInfo:
    """Estimate the usage of a call: everything sent in, everything streamed out."""
    read = sum(
        len(message.content) + sum(len(call.name) + len(call.arguments) for call in message.tool_calls)
        for message in request.messages
    )
    read += sum(len(t.name) + len(t.description) + len(t.parameters_schema) for t in request.tools)
    tokens_in, tokens_out = estimate_tokens(read), estimate_tokens(answer_chars)
    thought = estimate_tokens(thinking_chars)
    return UsageInfo(
        input_tokens=tokens_in,
        output_tokens=tokens_out,
        thinking_tokens=thought,
        total_tokens=tokens_in + tokens_out + thought,
    )
