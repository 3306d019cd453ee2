"""Chat Completions messages in the order and form that strict servers accept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from llm_service.proto.llm_service_pb2 import ConversationMessage, ToolCall
from tests.wires.chat_events import delta
from tests.wires.conftest import SYSTEM, TOOLS, USER, Rig, request
from tests.wires.wire import Reply, Request, data, failure

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DONE = Reply([data(delta(content="Full."), delta("stop"), "[DONE]")])


def user(text: str) -> ConversationMessage:
    return ConversationMessage(role="user", content=text)


def turn(*ids: str, text: str = "") -> list[ConversationMessage]:
    """Returns an answer with calls, and their results."""
    calls = [ToolCall(id=one, name="host.disk_usage", arguments='{"path": "/"}') for one in ids]
    results = [
        ConversationMessage(role="tool", tool_call_id=one, tool_name="host.disk_usage", content=f"result {one}")
        for one in ids
    ]
    return [ConversationMessage(role="assistant", content=text, tool_calls=calls), *results]


def shape(messages: Sequence[Any]) -> list[tuple[str, str | None]]:
    return [(message["role"], message["content"]) for message in messages]


NEWS = "1 alert of its group came or got worse …"


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([SYSTEM, USER, *turn("a"), user(NEWS)], ["system", "user", "assistant", "tool"]),
        ([SYSTEM, USER, *turn("a", "b"), user(NEWS)], ["system", "user", "assistant", "tool", "tool"]),
        ([SYSTEM, USER, *turn("a"), user("one"), user(NEWS)], ["system", "user", "assistant", "tool"]),
        ([SYSTEM, USER, user(NEWS)], ["system", "user"]),
        ([SYSTEM, USER, *turn("a"), user("hint"), *turn("b"), user(NEWS)],
         ["system", "user", "assistant", "tool", "assistant", "tool"]),
        ([SYSTEM, USER, ConversationMessage(role="assistant", content="Wait."), user(NEWS)],
         ["system", "user", "assistant", "user"]),
        ([SYSTEM, USER, ConversationMessage(role="assistant", content="Wait."), *turn("a"), user(NEWS)],
         ["system", "user", "assistant", "tool"]),
        ([USER, *turn("a"), user(NEWS)], ["user", "assistant", "tool"]),
    ],
)  # fmt: skip
async def test_user_text_never_follows_a_tool_result(
    rig: Rig, messages: list[ConversationMessage], expected: list[str]
) -> None:
    rig.server.replies = [DONE]
    await rig.ask(request(rig.config("openai", "local"), messages, TOOLS))
    sent = shape(rig.bodies[0]["messages"])
    assert [role for role, _ in sent] == expected
    assert (sent[-1][1] or "").endswith(NEWS)
    everything = "\n".join(content or "" for _, content in sent)
    assert all(message.content in everything for message in messages)


Refusal = tuple[int, str]


def refusing(rig: Rig, problem: Callable[[Any], Refusal | None]) -> None:
    def reply(asked: Request) -> Reply:
        found = problem(asked.body)
        return DONE if found is None else failure(found[0], {"error": {"message": found[1]}})

    rig.server.make_reply = reply


def roles(body: Any) -> list[str]:
    return [message["role"] for message in body["messages"]]


def no_null(said: str) -> Callable[[Any], Refusal | None]:
    return lambda body: (400, said) if any(one["content"] is None for one in body["messages"]) else None


def no_role(role: str, status: int, said: str) -> Callable[[Any], Refusal | None]:
    return lambda body: (status, said) if role in roles(body) else None


def alternating(body: Any) -> Refusal | None:
    """Refuses like the chat templates of Gemma, which accept neither the role system nor the role tool."""
    wanted = ["user", "assistant"] * len(body["messages"])
    said = "Conversation roles must alternate user/assistant/user/assistant/..."
    return None if roles(body) == wanted[: len(body["messages"])] else (500, said)


def long_ids(body: Any) -> Refusal | None:
    ids = [one["tool_call_id"] for one in body["messages"] if one["role"] == "tool"]
    asked = [call["id"] for one in body["messages"] for call in one.get("tool_calls", [])]
    assert ids == asked
    bad = [one for one in ids if not re.fullmatch("[a-zA-Z0-9]{9}", one)]
    said = f"Tool call id was {bad} but must be a-z, A-Z, 0-9, with a length of 9."
    return (400, said) if bad else None


def undeclared(body: Any) -> Refusal | None:
    said = "litellm.UnsupportedParamsError: Bedrock doesn't support tool calling without `tools=` param specified."
    if not body.get("tools"):
        return (400, said)
    return None if body["tool_choice"] == "none" else (400, "tool_choice")


REFUSALS: dict[str, Callable[[Any], Refusal | None]] = {
    "null content, pydantic": no_null("[{'loc': ['content'], 'msg': 'Input should be a valid string'}]"),
    "null content, Ollama": no_null("invalid message content type: <nil>"),
    "null content, a template": no_null("can only concatenate str (not \"NoneType\") to str"),
    "null content, OpenAI's words": no_null("'messages[2].content': expected a string, but got null instead."),
    "no system role, Gemma": no_role("system", 400, "System role not supported"),
    "no system role, llama.cpp": no_role("system", 500, "Jinja Exception: System role not supported"),
    "no system role, a gateway": no_role("system", 400, "system messages are not allowed here"),
    "no system role, a server": no_role("system", 422, "Unexpected role 'system' after role 'none'"),
    "no tool role": no_role("tool", 400, "Unexpected role 'tool'"),
    "only user and assistant": alternating,
    "ids of Mistral behind an alias": long_ids,
    "tools that must be declared": undeclared,
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSALS)
async def test_a_refusal_of_a_form_tells_which_form_to_send(rig: Rig, name: str) -> None:
    refusing(rig, REFUSALS[name])
    messages = [SYSTEM, USER, *turn("call_Ab12Cd34Ef56Gh78Ij90Kl12"), user(NEWS)]
    for call in (1, 2):
        responses = await rig.ask(request(rig.config("openai", "local"), messages))
        assert not responses[-1].HasField("error"), responses[-1].error
        if call == 1:
            first = len(rig.bodies)
    assert len(rig.bodies) == first + 1  # the refusals are remembered, so they cost no further requests
    told = str(rig.bodies[-1]["messages"])
    assert all(text in told for text in (SYSTEM.content, USER.content, "result call_Ab12", NEWS))
    assert rig.waits == []


async def test_a_form_is_not_changed_for_another_reason(rig: Rig) -> None:
    rig.server.make_reply = lambda _: failure(400, {"error": {"message": "content: this is not allowed here"}})
    responses = await rig.ask(request(rig.config("openai", "local"), [SYSTEM, USER]))
    assert responses[-1].error.code == "invalid_request"
    assert len(rig.bodies) == 1


@pytest.mark.parametrize(
    ("provider", "model", "own", "pattern"),
    [
        ("openai", "mistral-large-latest", "call_Ab12Cd34Ef56Gh78Ij90Kl12", r"[A-Za-z0-9]{9}"),
        ("openai", "mistralai/Devstral-Small", "functions.plain__look:0", r"[A-Za-z0-9]{9}"),
        ("openai", "ministral-8b", "toolu_01AbCdEf", r"[A-Za-z0-9]{9}"),
        ("openai", "codestral", "abcDEF123", "abcDEF123"),
        ("openai", "kimi-k2.6", "call_Ab12Cd34Ef56Gh78Ij90Kl12", "call_Ab12Cd34Ef56Gh78Ij90Kl12"),
        ("openai", "local", "functions.plain__look:0", r"[A-Za-z0-9_-]{1,40}"),
        ("openai", "local", "x" * 41, r"[A-Za-z0-9_-]{1,40}"),
    ],
)
async def test_ids_of_another_provider_are_written_as_the_server_takes_them(
    rig: Rig, provider: str, model: str, own: str, pattern: str
) -> None:
    rig.server.replies = [DONE]
    await rig.ask(request(rig.config(provider, model), [SYSTEM, USER, *turn(own, "other.id")], TOOLS))
    messages = rig.bodies[0]["messages"]
    ids = [call["id"] for call in messages[2]["tool_calls"]]
    assert ids == [message["tool_call_id"] for message in messages[3:]]
    assert re.fullmatch(pattern, ids[0])
    assert ids[0] != ids[1]
