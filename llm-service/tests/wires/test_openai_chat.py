"""OpenAI Chat Completions, and compatible servers at any base_url."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.wires.chat_events import TEXT, TEXT_OUT, calls, delta, piece, usage
from tests.wires.conftest import KEY, SYSTEM, TOOLS, USER, Rig, next_turn, request, short
from tests.wires.wire import Reply, data, disturbed, oddly

if TYPE_CHECKING:
    from collections.abc import Sequence


@pytest.mark.parametrize(
    "pieces",
    [
        [TEXT],
        oddly(TEXT),
        [disturbed(TEXT)],
        oddly(disturbed(TEXT)),
        [event + b"\n\n" for event in TEXT.split(b"\n\n") if event],
        [TEXT.replace(b'{"id"', b'{\ndata: "id"')],
    ],
    ids=["one packet", "odd pieces", "CRLF and comments", "all of it", "a packet an event", "an event in lines"],
)
async def test_text_is_equal_for_any_packets(rig: Rig, pieces: list[bytes]) -> None:
    rig.server.replies = [Reply(pieces)]
    responses = await rig.ask(request(rig.config("openai", "local")))
    assert short(responses) == TEXT_OUT


async def test_the_request_matches(rig: Rig) -> None:
    rig.server.replies = [Reply([TEXT])]
    await rig.ask(request(rig.config("openai", "local"), tools=TOOLS))
    (sent,) = rig.server.requests
    assert (sent.method, sent.path) == ("POST", "/chat/completions")
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.body == {
        "model": "local",
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [
            {"role": "system", "content": SYSTEM.content},
            {"role": "user", "content": USER.content},
        ],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": name,
                    "description": tool.description,
                    "parameters": {key: value for key, value in json.loads(tool.parameters_schema).items() if value},
                },
            }
            for name, tool in zip(["host__disk_usage", "host__list-files"], TOOLS, strict=True)
        ],
    }


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_is_thinking(rig: Rig, field: str) -> None:
    body = data(delta(**{field: "Let me "}), delta(**{field: "see."}), delta(content="Full."), delta("stop"), "[DONE]")
    rig.server.replies = [Reply(oddly(body))]
    responses = await rig.ask(request(rig.config("openai", "local")))
    assert short(responses) == [("thinking", "Let me "), ("thinking", "see."), ("text", "Full.")]


A = ("call", "call_a", "host.disk_usage", '{"path": "/"}')
B = ("call", "call_b", "host.list-files", '{"path":"/var","depth":2}')
CHUNKINGS: dict[str, tuple[Sequence[dict[str, Any]], list[Any]]] = {
    "whole": ([calls(piece(0, '{"path": "/"}', "call_a", "host__disk_usage"))], [A]),
    "in pieces": (
        [calls(piece(0, "", "call_a", "host__disk_usage"))] + [calls(piece(0, char)) for char in '{"path": "/"}'],
        [A],
    ),
    "parallel, interleaved": (
        [
            calls(piece(0, "", "call_a", "host__disk_usage"), piece(1, "", "call_b", "host__list-files")),
            calls(piece(1, '{"path":"/var",'), piece(0, '{"path": ')),
            calls(piece(0, '"/"}')),
            calls(piece(1, '"depth":2}')),
        ],
        [A, B],
    ),
    "same index, other ids": (
        [
            calls(piece(0, '{"path": "/"}', "call_a", "host__disk_usage")),
            calls(piece(0, '{"path":"/var","depth":2}', "call_b", "host__list-files")),
        ],
        [A, B],
    ),
    "no index": (
        [
            calls(piece(None, '{"path": "/"}', "call_a", "host__disk_usage")),
            calls(piece(None, '{"path":"/var",', "call_b", "host__list-files")),
            calls(piece(None, '"depth":2}')),
        ],
        [A, B],
    ),
    "id and name again and again": (
        [calls(piece(0, char, "call_a", "host__disk_usage")) for char in '{"path": "/"}'],
        [A],
    ),
    "another id in each piece": (
        [
            calls(piece(0, "", "call_a", "host__disk_usage")),
            *(calls(piece(0, char, f"call_{at}")) for at, char in enumerate('{"path": "/"}')),
            calls(piece(1, "", "call_b", "host__list-files")),
            calls(piece(1, B[3], "call_c")),
        ],
        [A, B],
    ),
    "ids alone tell the calls apart": (
        [
            calls(piece(None, "", "call_a", "host__disk_usage"), piece(None, "", "call_b", "host__list-files")),
            calls(piece(None, '{"path":"/var",', "call_b"), piece(None, '{"path": ', "call_a")),
            calls(piece(None, '"/"}', "call_a"), piece(None, '"depth":2}', "call_b")),
        ],
        [A, B],
    ),
    "name in pieces": (
        [calls(piece(0, None, "call_a", "host__")), calls(piece(0, None, None, "disk_usage")), calls(piece(0, A[3]))],
        [A],
    ),
    "empty arguments": (
        [calls(piece(0, "", "call_a", "host__disk_usage")), calls(piece(1, None, "call_b", "host__list-files"))],
        [("call", "call_a", "host.disk_usage", "{}"), ("call", "call_b", "host.list-files", "{}")],
    ),
    "an object in a string": ([calls(piece(0, json.dumps(A[3]), "call_a", "host__disk_usage"))], [A]),
}


@pytest.mark.parametrize(("chunks", "expected"), CHUNKINGS.values(), ids=CHUNKINGS.keys())
async def test_tool_calls_are_complete(rig: Rig, chunks: Sequence[dict[str, Any]], expected: list[Any]) -> None:
    body = data(delta(content="I look."), *chunks, delta("tool_calls"), usage(5, 2), "[DONE]")
    rig.server.replies = [Reply(oddly(body))]
    responses = await rig.ask(request(rig.config("openai", "local"), tools=TOOLS))
    assert short(responses) == [("text", "I look."), *expected, ("usage", 5, 2, 0, 7)]


async def test_missing_and_taken_ids_are_replaced(rig: Rig) -> None:
    first = data(calls(piece(0, "{}", "call_0", "host__disk_usage")), delta("tool_calls"), "[DONE]")
    again = data(
        calls(piece(0, "{}", "call_0", "host__disk_usage")),
        calls(piece(1, "{}", None, "host__list-files"), piece(2, "{}", "x" * 200, "host__list-files")),
        delta("tool_calls"),
        "[DONE]",
    )
    rig.server.replies = [Reply([first]), Reply([again]), Reply([TEXT])]
    config = rig.config("openai", "local")
    responses = await rig.ask(request(config, tools=TOOLS))
    messages = next_turn(responses, ["90 %"])
    responses = await rig.ask(request(config, messages, TOOLS))
    made = [entry[1] for entry in short(responses)]
    assert len(set(made)) == 3
    assert "call_0" not in made
    assert all(call_id.startswith("call_") for call_id in made)
    await rig.ask(request(config, next_turn(responses, ["1", "2", "3"], messages), TOOLS))
    sent = rig.bodies[-1]["messages"]
    # An id of 200 characters may contain a signature, so the server that sent it receives it unchanged.
    expected = [*made[:2], "x" * 200]
    assert [call["id"] for call in sent[4]["tool_calls"]] == expected
    assert [message["tool_call_id"] for message in sent[5:]] == expected


async def test_the_next_turn(rig: Rig) -> None:
    chunks, expected = CHUNKINGS["parallel, interleaved"]
    rig.server.replies = [
        Reply([data(delta(reasoning_content="Hm."), delta(content="I look."), *chunks, delta("stop"), "[DONE]")]),
        Reply([TEXT]),
    ]
    config = rig.config("openai", "local")
    responses = await rig.ask(request(config, tools=TOOLS))
    assert short(responses) == [("thinking", "Hm."), ("text", "I look."), *expected]
    await rig.ask(request(config, next_turn(responses, ["90 %", "Error: no such file"]), TOOLS))
    assert rig.bodies[1]["messages"][2:] == [
        {
            "role": "assistant",
            "content": "I look.",
            "reasoning_content": "Hm.",
            "tool_calls": [
                {
                    "type": "function",
                    "id": "call_a",
                    "function": {"name": "host__disk_usage", "arguments": '{"path": "/"}'},
                },
                {
                    "type": "function",
                    "id": "call_b",
                    "function": {"name": "host__list-files", "arguments": '{"path":"/var","depth":2}'},
                },
            ],
        },
        {"role": "tool", "tool_call_id": "call_a", "content": "90 %"},
        {"role": "tool", "tool_call_id": "call_b", "content": "Error: no such file"},
    ]


async def test_a_server_needs_no_key(rig: Rig) -> None:
    rig.server.replies = [Reply([TEXT])]
    assert short(await rig.ask(request(rig.config("openai", "local", api_key_env="")))) == TEXT_OUT
    assert KEY not in rig.server.requests[0].headers["authorization"]


async def test_a_module_shared_with_another_sdk_is_loaded_before_use() -> None:
    code = """
import sys, threading
from importlib.abc import MetaPathFinder

class Slow(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "httpx._api":
            begun.set()
            used.wait(5)

import openai, llm_service.providers.families
import llm_service.providers.shared.answer, llm_service.providers.shared.transport
begun, used = threading.Event(), threading.Event()
sys.meta_path.insert(0, Slow())
threading.Thread(target=__import__, args=("httpx",)).start()
assert begun.wait(60)
import llm_service.providers.openai_chat
from openai._httpx2 import http_response_types
assert len(http_response_types()) == 2
used.set()
"""
    made = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stderr=asyncio.subprocess.PIPE)
    _, received = await made.communicate()
    assert made.returncode == 0, received.decode()
