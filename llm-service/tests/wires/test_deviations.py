"""Deviating responses are understood as model servers, chat templates and gateways really send them.

Most tests use Chat Completions. Whole JSON answers in place of streams are tested for every API.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from llm_service.proto.llm_service_pb2 import ConversationMessage, ToolCall
from tests.conversations import tool
from tests.wires.chat_events import calls, delta, piece
from tests.wires.conftest import SYSTEM, USER, Rig, next_turn, request, short
from tests.wires.wire import Reply, data, oddly

TOOLS = [tool("plain.look", "Looks", {"q": {"type": "string"}, "n": {"type": "integer"}})]
DEEPSEEK = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>"
LOOK = ("plain.look", '{"q": "x"}')
DONE = Reply([data(delta(content="Full."), delta("stop"), "[DONE]")])


def streamed(text: str, size: int = 5) -> Reply:
    pieces = [delta(content=text[at : at + size]) for at in range(0, len(text), size)]
    return Reply([data(*pieces, delta("stop"), "[DONE]")])


async def asked(rig: Rig, reply: Reply, **more: Any) -> list[Any]:
    rig.server.replies = [reply] * 4
    return list(short(await rig.ask(request(rig.config("openai", "local"), **({"tools": TOOLS} | more)))))


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ('{"name":"plain__look","arguments":{"q":"x"}}', ""),
        ('I will check the pod first.\n\n```json\n{"name":"plain__look","arguments":{"q":"x"}}\n```',
         "I will check the pod first.\n\n"),
        ('<function=plain__look>{"q":"x"}</function>', ""),
        (f'{DEEPSEEK}plain__look\n```json\n{{"q":"x"}}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>', ""),
        ('<tool_call>{"name": "functions.look", "arguments": {"q": "x"}}</tool_call>', ""),
    ],
)  # fmt: skip
async def test_a_call_written_as_text_is_a_call(rig: Rig, text: str, before: str) -> None:
    answer = await asked(rig, streamed(text))
    assert [one for one in answer if one[0] == "text"] == ([("text", before)] if before else [])
    assert [one[2:] for one in answer if one[0] == "call"] == [LOOK]
    assert [one for one in answer if one[0] == "error"] == []


async def test_a_call_of_an_unknown_tool_in_text_is_told_to_the_model(rig: Rig) -> None:
    answer = await asked(rig, streamed('<tool_call>{"name": "gone__find", "arguments": {}}</tool_call>'))
    assert [one[2:] for one in answer] == [("gone.find", "{}")]


HISTORY = [
    SYSTEM,
    USER,
    ConversationMessage(role="assistant", tool_calls=[ToolCall(id="a", name="plain.look", arguments="{}")]),
    ConversationMessage(role="tool", tool_call_id="a", content="result"),
]


@pytest.mark.parametrize(
    "text",
    [
        '{"name":"plain__look","arguments":{"q":"x"}}',
        'I will check once more.\n```json\n{"name":"plain__look","arguments":{}}\n```',
        '<tool_call>{"name": "plain__look", "argum',
        "<function=plain__look>{}</function>",
    ],
)
async def test_a_call_is_never_the_conclusion(rig: Rig, text: str) -> None:
    answer = await asked(rig, streamed(text), tools=(), messages=HISTORY)
    assert answer[-1] == ("error", "malformed_tool_call", True)


async def test_a_quoted_call_stays_text(rig: Rig) -> None:
    text = '```json\n{"name":"plain__look","arguments":{"q":"x"}}\n```\n\nThis call failed twice.'
    assert await asked(rig, streamed(text)) == [("text", text)]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('{}{"q":"x"}', ['{"q": "x"}']),
        ('{"q":"a"}{"q":"b"}', ['{"q": "a"}', '{"q": "b"}']),
        ('{"q":"x"}</tool_call>', ['{"q": "x"}']),
        ('{"q":"x","n":"20"}', ['{"q": "x", "n": 20}']),
        ("{'q': 'x'}", ['{"q": "x"}']),
        ("{q what?}", ["{q what?}"]),  # returned unchanged, so that the engine reports the error to the model
    ],
)
async def test_arguments_are_read_or_passed_on(rig: Rig, arguments: str, expected: list[str]) -> None:
    call = calls(piece(0, arguments, "call_1", "plain__look"))
    rig.server.replies = [Reply([data(call, delta("tool_calls"), "[DONE]")]), DONE]
    responses = await rig.ask(request(rig.config("openai", "local"), tools=TOOLS))
    assert [one[3] for one in short(responses)] == expected
    ids = [one[1] for one in short(responses)]
    assert len(set(ids)) == len(ids)
    await rig.ask(request(rig.config("openai", "local"), next_turn(responses, ["r"] * len(ids)), TOOLS))
    sent = rig.bodies[1]["messages"][2]["tool_calls"]
    assert [call["id"] for call in sent] == ids
    assert all(isinstance(json.loads(call["function"]["arguments"]), dict) for call in sent)


THINKING = "Maybe memory? I am not sure, could be the node.\n"


@pytest.mark.parametrize("size", [1, 4, 1000])
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (f"{THINKING}</think>\n\nRoot cause: exit code 137.", "Root cause: exit code 137."),
        ("Hm.</think>\nFull.", "Full."),
        ("Hm.\n</think>  \n\n\nFull.\n\nMore.", "Full.\n\nMore."),
    ],
)
async def test_text_before_a_lone_end_tag_was_thinking(rig: Rig, content: str, expected: str, size: int) -> None:
    answer = await asked(rig, streamed(content, size))
    kinds = [one[0] for one in answer]
    at = kinds.index("text_was_thinking")
    assert "".join(one[1] for one in answer[at + 1 :]) == expected
    assert "</think>" not in str(answer)


@pytest.mark.parametrize(
    "content",
    [
        "The log says `</think>`\nand stops.",
        "It wrote </think> in the middle of a line.",
        "<b>Full.</b></thin",
        "A <think>quoted</think>\npair.",
        'The value is "</think>"\n',
    ],
)
@pytest.mark.parametrize("size", [1, 1000])
async def test_a_quoted_end_tag_stays_text(rig: Rig, content: str, size: int) -> None:
    answer = await asked(rig, streamed(content, size))
    assert [one[0] for one in answer] == ["text"] * len(answer)
    assert "".join(one[1] for one in answer) == content


async def test_an_answer_of_thinking_alone_is_empty(rig: Rig) -> None:
    assert (await asked(rig, streamed("Hm.\n</think>")))[-1] == ("error", "empty_response", True)


MESSAGE = {"role": "assistant", "content": "Root cause: …"}
COUNTS = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
JSON_ANSWERS: dict[str, tuple[str, str, Any]] = {
    "chat": ("openai", "local", {
        "id": "c1", "object": "chat.completion", "usage": COUNTS,
        "choices": [{"index": 0, "finish_reason": "stop", "message": MESSAGE}],
    }),
    "messages": ("anthropic", "claude-sonnet-5", {
        "type": "message", "role": "assistant", "stop_reason": "end_turn",
        "content": [{"type": "text", "text": "Root cause: …"}], "usage": {"input_tokens": 1, "output_tokens": 1},
    }),
    "responses": ("azure", "gpt-5.2", {
        "object": "response", "status": "completed", "usage": {"input_tokens": 1, "output_tokens": 1},
        "output": [{"type": "message", "role": "assistant",
                    "content": [{"type": "output_text", "text": "Root cause: …"}]}],
    }),
    "gemini": ("google", "gemini-3.6-flash", [{
        "candidates": [{"finishReason": "STOP", "content": {"role": "model", "parts": [{"text": "Root cause: …"}]}}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1},
    }]),
}  # fmt: skip


@pytest.mark.parametrize("name", JSON_ANSWERS)
async def test_a_whole_answer_in_place_of_a_stream_is_read(rig: Rig, name: str) -> None:
    provider, model, body = JSON_ANSWERS[name]
    rig.server.replies = [Reply(oddly(json.dumps(body).encode()), content_type="application/json; charset=utf-8")]
    answer = short(await rig.ask(request(rig.config(provider, model), tools=TOOLS)))
    assert list(answer) == [("text", "Root cause: …"), ("usage", 1, 1, 0, 2)]


async def test_a_whole_answer_with_a_call_is_read(rig: Rig) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "plain__look", "arguments": '{"q": "x"}'}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    body = {"choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]}
    answer = await asked(rig, Reply([json.dumps(body).encode()], content_type="application/json"))
    assert answer == [("call", "call_1", *LOOK)]


async def test_a_stream_of_the_wrong_type_is_read(rig: Rig) -> None:
    answer = await asked(rig, Reply([data(delta(content="Full."), delta("stop"))], content_type="application/json"))
    assert answer == [("text", "Full.")]


async def test_json_of_another_api_is_no_answer(rig: Rig) -> None:
    body = json.dumps(JSON_ANSWERS["messages"][2]).encode()
    answer = await asked(rig, Reply([body], content_type="application/json"))
    assert answer == [("error", "unexpected_answer", False)]


async def test_a_name_with_decorations_calls_the_tool(rig: Rig) -> None:
    call = calls(piece(0, '{"q": "x"}', "call_1", "plain__look<|channel|>commentary"))
    assert await asked(rig, Reply([data(call, delta("tool_calls"), "[DONE]")])) == [("call", "call_1", *LOOK)]


async def test_the_last_count_of_tokens_is_right(rig: Rig) -> None:
    reports = [{"prompt_tokens": 900, "completion_tokens": 2}, {"prompt_tokens": 20, "completion_tokens": 7}, {}]
    zero = [{"prompt_tokens": 0, "completion_tokens": 0}]
    events = [{"choices": [], "usage": report} for report in reports + zero]
    answer = await asked(rig, Reply([data(delta(content="x"), delta("stop"), *events, "[DONE]")]))
    assert answer[-1] == ("usage", 20, 7, 0, 27)


async def test_parameters_of_the_address_are_sent(rig: Rig) -> None:
    rig.server.replies = [DONE]
    config = rig.config("openai", "local", base_url=f"{rig.server.url}/v1?api-version=2&team=a%20b")
    await rig.ask(request(config))
    assert rig.server.requests[0].path == "/v1/chat/completions?api-version=2&team=a%20b"


PARTS = [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}, {"type": "text", "text": "So."}]


@pytest.mark.parametrize(
    ("model", "reply", "content"),
    [
        ("magistral-medium", PARTS, PARTS),
        ("MiniMax-M2.5", "<think>Hm.</think>\n\nSo.", "<think>Hm.</think>\n\nSo."),
        ("qwen3-32b", "<think>Hm.</think>\n\nSo.", "So."),
    ],
)  # fmt: skip
async def test_thinking_in_the_content_goes_back_to_models_that_want_it(
    rig: Rig, model: str, reply: Any, content: Any
) -> None:
    call = calls(piece(0, "{}", "abcDEF123", "plain__look"))
    rig.server.replies = [Reply([data(delta(content=reply), call, delta("tool_calls"), "[DONE]")]), DONE]
    config = rig.config("openai", model)
    responses = await rig.ask(request(config, tools=TOOLS))
    assert [one[:2] for one in short(responses)][:2] == [("thinking", "Hm."), ("text", "So.")]
    await rig.ask(request(config, next_turn(responses, ["r"]), TOOLS))
    assert rig.bodies[1]["messages"][2]["content"] == content
