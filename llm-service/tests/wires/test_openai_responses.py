"""OpenAI's Responses API, at its own endpoint."""

from __future__ import annotations

from typing import Any

import pytest

from llm_service.providers.openai_chat import OWN_ENDPOINTS
from tests.wires.conftest import KEY, SYSTEM, TOOLS, USER, Rig, error_of, next_turn, request, short, unbilled
from tests.wires.wire import Reply, disturbed, failure, named, oddly

CUT = "\n\n[The answer was cut here: it reached the output limit of the model.]"


@pytest.fixture(autouse=True)
def own_endpoint(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(OWN_ENDPOINTS, "openai", rig.server.url)


def response(status: str, **fields: Any) -> dict[str, Any]:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "gpt-5.2",
        "status": status,
        "output": [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        **fields,
    }


USAGE = {
    "input_tokens": 20,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 12,
    "output_tokens_details": {"reasoning_tokens": 8},
    "total_tokens": 32,
}
CREATED = {"type": "response.created", "response": response("in_progress")}
COMPLETED = {"type": "response.completed", "response": response("completed", usage=USAGE)}


def text_item(index: int, *pieces: str) -> list[dict[str, Any]]:
    item = {"id": f"msg_{index}", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
    where = {"output_index": index, "item_id": f"msg_{index}", "content_index": 0}
    deltas = [{"type": "response.output_text.delta", "delta": text, "logprobs": [], **where} for text in pieces]
    done = {"type": "response.output_text.done", "text": "".join(pieces), "logprobs": [], **where}
    return [{"type": "response.output_item.added", "output_index": index, "item": item}, *deltas, done]


def reasoning_item(index: int, *parts: list[str]) -> list[dict[str, Any]]:
    item = {"id": f"rs_{index}", "type": "reasoning", "summary": []}
    events: list[dict[str, Any]] = [{"type": "response.output_item.added", "output_index": index, "item": item}]
    for number, part in enumerate(parts):
        where = {"output_index": index, "item_id": item["id"], "summary_index": number}
        empty = {"type": "summary_text", "text": ""}
        events.append({"type": "response.reasoning_summary_part.added", "part": empty, **where})
        events += [{"type": "response.reasoning_summary_text.delta", "delta": text, **where} for text in part]
    summary = [{"type": "summary_text", "text": "".join(part)} for part in parts]
    whole = {**item, "summary": summary, "encrypted_content": f"secret_{index}"}
    events.append({"type": "response.output_item.done", "output_index": index, "item": whole})
    return events


def call_item(index: int, call_id: str, name: str, *pieces: str) -> list[dict[str, Any]]:
    item = {"id": f"fc_{index}", "type": "function_call", "call_id": call_id, "name": name, "arguments": ""}
    where = {"output_index": index, "item_id": item["id"]}
    deltas = [{"type": "response.function_call_arguments.delta", "delta": piece, **where} for piece in pieces]
    return [{"type": "response.output_item.added", "output_index": index, "item": item}, *deltas]


def stream(*events: dict[str, Any]) -> bytes:
    return named(*({**event, "sequence_number": number} for number, event in enumerate(events)))


TEXT = stream(CREATED, *text_item(0, "Größe: ", "90 % 💾"), COMPLETED)
TEXT_OUT = [("text", "Größe: "), ("text", "90 % 💾"), ("usage", 20, 4, 8, 32)]
WORK = stream(
    CREATED,
    *reasoning_item(0, ["Look ", "first."], ["Then think."]),
    *text_item(1, "I look."),
    *call_item(2, "call_a", "host__disk_usage", '{"pa', 'th": "/"}'),
    *call_item(3, "call_b", "host__list-files"),
    COMPLETED,
)


@pytest.mark.parametrize("pieces", [[TEXT], oddly(TEXT), oddly(disturbed(TEXT))], ids=["whole", "odd", "disturbed"])
async def test_text(rig: Rig, pieces: list[bytes]) -> None:
    rig.server.replies = [Reply(pieces)]
    responses = await rig.ask(request(rig.config("openai", "gpt-5.2", base_url="")))
    assert short(responses) == TEXT_OUT


async def test_the_request_matches(rig: Rig) -> None:
    rig.server.replies = [Reply([TEXT])]
    await rig.ask(request(rig.config("openai", "gpt-5.2", base_url=""), tools=TOOLS[:1]))
    (sent,) = rig.server.requests
    assert (sent.method, sent.path) == ("POST", "/responses")
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.body == {
        "model": "gpt-5.2",
        "stream": True,
        "store": False,
        "prompt_cache_key": "execution-1",
        "reasoning": {"effort": "high", "summary": "auto"},
        "include": ["reasoning.encrypted_content"],
        "input": [
            {"type": "message", "role": "system", "content": SYSTEM.content},
            {"type": "message", "role": "user", "content": USER.content},
        ],
        "tools": [
            {
                "type": "function",
                "name": "host__disk_usage",
                "description": "Shows disks",
                "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
                "strict": False,
            }
        ],
    }


async def test_models_without_reasoning_are_not_asked_to_reason(rig: Rig) -> None:
    rig.server.replies = [Reply([TEXT])]
    await rig.ask(request(rig.config("openai", "gpt-4.1", base_url="")))
    assert not {"reasoning", "include"} & rig.bodies[0].keys()


async def test_reasoning_calls_and_the_next_turn(rig: Rig) -> None:
    rig.server.replies = [Reply(oddly(WORK)), Reply([TEXT])]
    config = rig.config("openai", "gpt-5.2", base_url="")
    responses = await rig.ask(request(config, tools=TOOLS))
    assert short(responses) == [
        ("thinking", "Look "),
        ("thinking", "first."),
        ("thinking", "\n\n"),
        ("thinking", "Then think."),
        ("text", "I look."),
        ("call", "call_a", "host.disk_usage", '{"path": "/"}'),
        ("call", "call_b", "host.list-files", "{}"),
        ("usage", 20, 4, 8, 32),
    ]
    await rig.ask(request(config, next_turn(responses, ["90 %", "Error: none"]), TOOLS))
    assert rig.bodies[1]["input"][2:] == [
        {
            "type": "reasoning",
            "id": "rs_0",
            "summary": [
                {"type": "summary_text", "text": "Look first."},
                {"type": "summary_text", "text": "Then think."},
            ],
            "encrypted_content": "secret_0",
        },
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "I look.", "annotations": []}],
        },
        {
            "type": "function_call",
            "id": "fc_2",
            "call_id": "call_a",
            "name": "host__disk_usage",
            "arguments": '{"path": "/"}',
        },
        {"type": "function_call", "id": "fc_3", "call_id": "call_b", "name": "host__list-files", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_a", "output": "90 %"},
        {"type": "function_call_output", "call_id": "call_b", "output": "Error: none"},
    ]


async def test_another_model_receives_no_reasoning(rig: Rig) -> None:
    rig.server.replies = [Reply([WORK]), Reply([TEXT])]
    config = rig.config("openai", "gpt-5.2", base_url="")
    responses = await rig.ask(request(config, tools=TOOLS))
    other = rig.config("openai", "gpt-5.5", base_url="")
    await rig.ask(request(other, next_turn(responses, ["1", "2"]), TOOLS))
    assert [item["type"] for item in rig.bodies[1]["input"][2:]] == [
        *("message", "function_call", "function_call"),
        *("function_call_output", "function_call_output"),
    ]


def incomplete(reason: str) -> dict[str, Any]:
    details = response("incomplete", incomplete_details={"reason": reason}, usage=USAGE)
    return {"type": "response.incomplete", "response": details}


def failed(code: str) -> dict[str, Any]:
    return {"type": "response.failed", "response": response("failed", error={"code": code, "message": USER.content})}


REFUSAL = {"type": "response.refusal.done", "refusal": "no", "output_index": 0, "item_id": "m", "content_index": 0}
ERROR = {"type": "error", "code": "rate_limit_exceeded", "message": USER.content, "param": None}
U = ("usage", 20, 4, 8, 32)
HALF = text_item(0, "Half")
BAD_ENDS: dict[str, tuple[bytes, list[Any]]] = {
    "refusal": (stream(CREATED, REFUSAL, COMPLETED), [U, ("error", "content_blocked", False)]),
    "filter": (
        stream(CREATED, *HALF, incomplete("content_filter")),
        [("text", "Half"), U, ("error", "content_blocked", False)],
    ),
    "limit": (
        stream(CREATED, *HALF, incomplete("max_output_tokens")),
        [("text", "Half"), ("text", CUT), U],
    ),
    "limit within the thoughts": (
        stream(CREATED, *reasoning_item(0, ["Hm"]), incomplete("max_output_tokens")),
        [("thinking", "Hm"), U, ("error", "output_truncated", False)],
    ),
    "failed": (
        stream(CREATED, *HALF, failed("server_error")),
        [("text", "Half"), ("error", "partial_stream_error", True)],
    ),
    "error": (stream(CREATED, *HALF, ERROR), [("text", "Half"), ("error", "partial_stream_error", True)]),
    "unsafe prompt": (stream(CREATED, failed("invalid_prompt")), [("error", "content_blocked", False)]),
    "too long": (
        stream(CREATED, {**ERROR, "code": "context_length_exceeded"}),
        [("error", "context_too_long", False)],
    ),
    "cut": (stream(CREATED, *HALF), [("text", "Half"), ("error", "partial_stream_error", True)]),
}


@pytest.mark.parametrize(("body", "expected"), BAD_ENDS.values(), ids=BAD_ENDS.keys())
async def test_failed_ends_are_mapped(rig: Rig, body: bytes, expected: list[Any]) -> None:
    rig.server.replies = [Reply([body])]
    responses = await rig.ask(request(rig.config("openai", "gpt-5.2", base_url="")))
    assert short(responses) == expected


@pytest.mark.parametrize(
    "reply",
    [
        Reply([stream(CREATED, failed("server_error"))]),
        Reply([stream(CREATED, ERROR)]),
        Reply([stream(CREATED, COMPLETED)]),
        Reply([stream(CREATED)]),
        Reply([stream(CREATED)[:90]], cut=True),
        failure(500, {"error": {"message": "x", "type": "server_error", "code": None}}),
    ],
    ids=["failed", "error", "empty", "ended", "cut", "500"],
)
async def test_temporary_failures_are_retried(rig: Rig, reply: Reply) -> None:
    rig.server.replies = [reply, Reply([TEXT])]
    assert unbilled(short(await rig.ask(request(rig.config("openai", "gpt-5.2", base_url=""))))) == unbilled(TEXT_OUT)
    assert rig.waits == [2.0]


@pytest.mark.parametrize(
    "reply",
    [
        failure(
            400,
            {"error": {"message": "Your input exceeds the context window of this model.", "type": "x", "code": None}},
        ),
        failure(400, {"error": {"message": "x", "type": "x", "code": "string_above_max_length", "param": "input[2]"}}),
        failure(
            429,
            {
                "error": {
                    "message": "Request too large for gpt-5.2 on tokens per min (TPM): Limit 30000, Requested 40000. "
                    "The input or output tokens must be reduced in order to run successfully.",
                    "type": "tokens",
                    "code": "rate_limit_exceeded",
                }
            },
        ),
    ],
    ids=["in words", "one text", "more than a minute's tokens"],
)
async def test_a_too_long_conversation_is_not_retried(rig: Rig, reply: Reply) -> None:
    rig.server.replies = [reply]
    responses = await rig.ask(request(rig.config("openai", "gpt-5.2", base_url="")))
    assert error_of(responses)[:2] == ("context_too_long", False)


async def test_the_key_is_needed(rig: Rig) -> None:
    responses = await rig.ask(request(rig.config("openai", "gpt-5.2", base_url="", api_key_env="NO_SUCH_KEY")))
    code, retryable, message = error_of(responses)
    assert (code, retryable) == ("missing_credentials", False)
    assert "NO_SUCH_KEY" in message
    assert rig.server.requests == []
