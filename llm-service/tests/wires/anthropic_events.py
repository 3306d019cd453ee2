"""Events of a stream of Anthropic's Messages API."""

from __future__ import annotations

from typing import Any

START = {
    "type": "message_start",
    "message": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 20, "output_tokens": 1, "cache_read_input_tokens": 5},
    },
}
PING = {"type": "ping"}
STOP = {"type": "message_stop"}


def end(reason: str | None, output: int = 12, thinking: int = 8) -> dict[str, Any]:
    details = {"thinking_tokens": thinking}
    usage = {
        "input_tokens": 20,
        "output_tokens": output,
        "cache_read_input_tokens": 5,
        "output_tokens_details": details,
    }
    return {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage}


def block(index: int, content: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": content},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def text(index: int, *pieces: str) -> list[dict[str, Any]]:
    return block(index, {"type": "text", "text": ""}, *({"type": "text_delta", "text": piece} for piece in pieces))


def thinking(index: int, signature: str, *pieces: str) -> list[dict[str, Any]]:
    return block(
        index,
        {"type": "thinking", "thinking": "", "signature": ""},
        *({"type": "thinking_delta", "thinking": piece} for piece in pieces),
        {"type": "signature_delta", "signature": signature},
    )


def tool_use(index: int, call_id: str, name: str, *pieces: str) -> list[dict[str, Any]]:
    content = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
    return block(index, content, *({"type": "input_json_delta", "partial_json": piece} for piece in pieces))
