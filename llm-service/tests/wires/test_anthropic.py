"""Anthropic's Messages API."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from llm_service.providers.shared.text import CUT_NOTE
from tests.wires.anthropic_events import PING, START, STOP, block, end, text, thinking, tool_use
from tests.wires.conftest import KEY, SYSTEM, TOOLS, USER, Rig, next_turn, request, short
from tests.wires.wire import Reply, disturbed, named, oddly

if TYPE_CHECKING:
    from llm_service.proto.llm_service_pb2 import ConversationMessage

# The SDK warns about models near their end of life, which the table of families still contains.
pytestmark = pytest.mark.filterwarnings("ignore:The model:DeprecationWarning")

TEXT = named(START, PING, *text(0, "Größe: ", "90 % 💾"), end("end_turn"), STOP)
USAGE = ("usage", 25, 4, 8, 37)
TEXT_OUT = [("text", "Größe: "), ("text", "90 % 💾"), USAGE]
WORK = named(
    START,
    *thinking(0, "SIGNED0", "Look ", "first."),
    *block(1, {"type": "redacted_thinking", "data": "HIDDEN"}),
    *text(2, "I look."),
    *tool_use(3, "toolu_a", "host__disk_usage", "", '{"pa', 'th": "/"}'),
    *thinking(4, "SIGNED4", "And the other."),
    *tool_use(5, "toolu_b", "host__list-files", ""),
    end("tool_use"),
    STOP,
)
WORK_OUT = [
    ("thinking", "Look "),
    ("thinking", "first."),
    ("text", "I look."),
    ("thinking", "And the other."),
    ("call", "toolu_a", "host.disk_usage", '{"path": "/"}'),
    ("call", "toolu_b", "host.list-files", "{}"),
    USAGE,
]
CACHED = {"cache_control": {"type": "ephemeral"}}
TOOL_USES = [
    {"type": "tool_use", "id": "toolu_a", "name": "host__disk_usage", "input": {"path": "/"}},
    {"type": "tool_use", "id": "toolu_b", "name": "host__list-files", "input": {}},
]
RESULTS = {
    "role": "user",
    "content": [
        {"type": "tool_result", "tool_use_id": "toolu_a", "content": "90 %", "is_error": False},
        {"type": "tool_result", "tool_use_id": "toolu_b", "content": "Error: none", "is_error": True, **CACHED},
    ],
}


@pytest.mark.parametrize("pieces", [[TEXT], oddly(TEXT), oddly(disturbed(TEXT))], ids=["whole", "odd", "disturbed"])
async def test_text(rig: Rig, pieces: list[bytes]) -> None:
    rig.server.replies = [Reply(pieces)]
    assert short(await rig.ask(request(rig.config("anthropic", "claude-sonnet-5")))) == TEXT_OUT


async def test_the_request_matches(rig: Rig) -> None:
    rig.server.replies = [Reply([TEXT])]
    await rig.ask(request(rig.config("anthropic", "claude-sonnet-5"), tools=TOOLS[:1]))
    (sent,) = rig.server.requests
    assert (sent.method, sent.path) == ("POST", "/v1/messages")
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.headers["anthropic-version"]
    assert sent.body == {
        "model": "claude-sonnet-5",
        "stream": True,
        "max_tokens": 64000,
        "thinking": {"type": "adaptive", "display": "summarized"},
        "system": [{"type": "text", "text": SYSTEM.content, **CACHED}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": USER.content, **CACHED}]}],
        "tools": [
            {
                "name": "host__disk_usage",
                "description": "Shows disks",
                "input_schema": json.loads(TOOLS[0].parameters_schema),
                **CACHED,
            }
        ],
    }


ADAPTIVE = {"type": "adaptive"}
SHOWN = {"type": "adaptive", "display": "summarized"}
BUDGET = {"type": "enabled", "budget_tokens": 32000}


@pytest.mark.parametrize(
    ("model", "thinking_", "max_tokens"),
    [
        ("claude-3-haiku-20240307", None, 4096),
        ("claude-3-5-sonnet-20241022", None, 8192),
        ("claude-3-7-sonnet-20250219", BUDGET, 64000),
        ("claude-sonnet-4-20250514", BUDGET, 64000),
        ("claude-sonnet-4-5", BUDGET, 64000),
        ("claude-haiku-4-5-20251001", BUDGET, 64000),
        ("claude-opus-4-5", BUDGET, 64000),
        ("claude-opus-4-1-20250805", {"type": "enabled", "budget_tokens": 16000}, 32000),
        ("claude-opus-4-20250514", {"type": "enabled", "budget_tokens": 16000}, 32000),
        ("claude-opus-4-6", ADAPTIVE, 64000),
        ("claude-sonnet-4-6", ADAPTIVE, 64000),
        ("claude-opus-4-8", SHOWN, 64000),
        ("claude-opus-5-5", SHOWN, 64000),
        ("claude-haiku-5-5", SHOWN, 64000),
        ("something-else", None, 8192),
    ],
)
async def test_thinking_by_model_family(rig: Rig, model: str, thinking_: Any, max_tokens: int) -> None:
    rig.server.replies = [Reply([TEXT])]
    await rig.ask(request(rig.config("anthropic", model)))
    assert (rig.bodies[0].get("thinking"), rig.bodies[0]["max_tokens"]) == (thinking_, max_tokens)


@pytest.mark.parametrize("model", ["claude-sonnet-5", "claude-sonnet-4-5"])
async def test_thinking_blocks_are_sent_back_with_their_signatures(rig: Rig, model: str) -> None:
    rig.server.replies = [Reply(oddly(WORK)), Reply([TEXT])]
    config = rig.config("anthropic", model)
    responses = await rig.ask(request(config, tools=TOOLS))
    assert short(responses) == WORK_OUT
    await rig.ask(request(config, next_turn(responses, ["90 %", "Error: none"]), TOOLS))
    assert rig.bodies[1]["messages"][1:] == [
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Look first.", "signature": "SIGNED0"},
                {"type": "redacted_thinking", "data": "HIDDEN"},
                {"type": "text", "text": "I look."},
                TOOL_USES[0],
                {"type": "thinking", "thinking": "And the other.", "signature": "SIGNED4"},
                TOOL_USES[1],
            ],
        },
        RESULTS,
    ]
    assert rig.bodies[1]["thinking"] == rig.bodies[0]["thinking"]


async def test_blank_text_is_not_sent_back(rig: Rig) -> None:
    blocks = [*thinking(0, "SIGNED0", "Look."), *text(1, "\n\n"), *tool_use(2, "toolu_a", "host__disk_usage", "{}")]
    rig.server.replies = [Reply([named(START, *blocks, end("tool_use"), STOP)]), Reply([TEXT])]
    config = rig.config("anthropic", "claude-sonnet-5")
    responses = await rig.ask(request(config, tools=TOOLS))
    await rig.ask(request(config, next_turn(responses, ["90 %"]), TOOLS))
    assert [one["type"] for one in rig.bodies[1]["messages"][1]["content"]] == ["thinking", "tool_use"]


def without_turns(messages: list[ConversationMessage]) -> list[ConversationMessage]:
    """Removes the provider turns, as if another provider had written the answers."""
    for message in messages:
        message.provider_turn = b""
    return messages


async def test_turns_without_their_thinking_blocks_become_a_record(rig: Rig) -> None:
    rig.server.replies = [Reply([WORK]), Reply([TEXT])]
    config = rig.config("anthropic", "claude-sonnet-5")
    responses = await rig.ask(request(config, tools=TOOLS))
    await rig.ask(request(config, without_turns(next_turn(responses, ["90 %", "Error: none"])), TOOLS))
    assert rig.bodies[1]["messages"][1:] == [
        {"role": "assistant", "content": [{"type": "text", "text": "I look."}, *TOOL_USES]},
        RESULTS,
    ]
    assert rig.bodies[1]["thinking"] == SHOWN


async def test_ids_of_other_servers_are_converted(rig: Rig) -> None:
    rig.server.replies = [Reply([WORK]), Reply([TEXT])]
    config = rig.config("anthropic", "claude-sonnet-5")
    messages = without_turns(next_turn(await rig.ask(request(config, tools=TOOLS)), ["90 %", "none"]))
    for message in messages:
        for number, call in enumerate(message.tool_calls):
            call.id = f"functions.list:{number}"  # the form of Kimi's call ids
    for number, message in enumerate(message for message in messages if message.role == "tool"):
        message.tool_call_id = f"functions.list:{number}"
    await rig.ask(request(config, messages, TOOLS))
    _, answer, results = rig.bodies[1]["messages"]
    called = [part["id"] for part in answer["content"] if part["type"] == "tool_use"]
    assert len(set(called)) == 2
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]+", one) for one in called)
    assert [part["tool_use_id"] for part in results["content"]] == called


async def test_a_model_that_needs_lost_thinking_continues_from_a_record(rig: Rig) -> None:
    rig.server.replies = [Reply([WORK]), Reply([WORK.replace(b"toolu_", b"toolu2_")]), Reply([TEXT])]
    config = rig.config("anthropic", "claude-sonnet-4-5")
    responses = await rig.ask(request(config, tools=TOOLS))
    messages = without_turns(next_turn(responses, ["90 %", "Error: none"]))
    again = await rig.ask(request(config, messages, TOOLS))
    (only,) = rig.bodies[1]["messages"]
    question, record = only["content"]
    assert question["text"] == USER.content
    for received in ("I look.", 'Called host__disk_usage with {"path": "/"}; result:\n90 %', "failed:\nError: none"):
        assert received in record["text"]
    assert rig.bodies[1]["thinking"] == BUDGET
    # The model's second answer, with its thinking, follows the record of the first one's calls.
    await rig.ask(request(config, next_turn(again, ["1", "2"], messages), TOOLS))
    assert [message["role"] for message in rig.bodies[2]["messages"]] == ["user", "assistant", "user"]
    assert rig.bodies[2]["messages"][1]["content"][0]["type"] == "thinking"
    assert rig.bodies[2]["thinking"] == BUDGET


async def test_a_conclusion_without_tools_declares_the_called_ones(rig: Rig) -> None:
    rig.server.replies = [Reply([WORK]), Reply([TEXT])]
    config = rig.config("anthropic", "claude-sonnet-5")
    responses = await rig.ask(request(config, tools=TOOLS))
    assert short(await rig.ask(request(config, next_turn(responses, ["90 %", "x"])))) == TEXT_OUT
    sent = rig.bodies[1]
    assert [tool["name"] for tool in sent["tools"]] == ["host__disk_usage", "host__list-files"]
    assert sent["tool_choice"] == {"type": "none"}
    assert "tool_choice" not in rig.bodies[0]


BAD_ENDS: dict[str, tuple[bytes, list[Any]]] = {
    "refusal": (
        named(START, *text(0, "Half"), end("refusal"), STOP),
        [("text", "Half"), USAGE, ("error", "content_blocked", False)],
    ),
    "limit": (
        named(START, *text(0, "Half"), *tool_use(1, "t", "n", '{"pa'), end("max_tokens"), STOP),
        [("text", "Half"), USAGE, ("error", "output_truncated", False)],
    ),
    "context": (
        named(START, end("model_context_window_exceeded"), STOP),
        [USAGE, ("error", "context_too_long", False)],
    ),
    "context in the middle": (
        named(START, *text(0, "Half"), end("model_context_window_exceeded"), STOP),
        [("text", "Half"), ("text", CUT_NOTE), USAGE],
    ),
    "overloaded in the middle": (
        named(START, *text(0, "Half"), {"type": "error", "error": {"type": "overloaded_error", "message": "x"}}),
        [("text", "Half"), ("error", "partial_stream_error", True)],
    ),
    "ended early": (
        named(START, *text(0, "Half")),
        [("text", "Half"), ("usage", 25, 1, 0, 26), ("error", "partial_stream_error", True)],
    ),
    "arguments that are no JSON": (
        named(START, *text(0, "x"), *tool_use(1, "t", "n", "{oops"), end("tool_use"), STOP),
        [("text", "x"), ("call", "t", "n", "{oops"), USAGE],
    ),
}


@pytest.mark.parametrize(("body", "expected"), BAD_ENDS.values(), ids=BAD_ENDS.keys())
async def test_failed_ends_are_mapped(rig: Rig, body: bytes, expected: list[Any]) -> None:
    rig.server.replies = [Reply([body])]
    assert short(await rig.ask(request(rig.config("anthropic", "claude-sonnet-5"), tools=TOOLS))) == expected


async def test_a_lost_connection_is_reported(rig: Rig) -> None:
    rig.server.replies = [Reply([named(START, *text(0, "Half"))], cut=True)]
    responses = await rig.ask(request(rig.config("anthropic", "claude-sonnet-5")))
    assert short(responses) == [("text", "Half"), ("error", "partial_stream_error", True)]
