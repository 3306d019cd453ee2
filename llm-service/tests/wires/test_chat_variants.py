"""Chat Completions as compatible servers implement it, beyond OpenAI's documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.wires.chat_events import calls, delta, piece
from tests.wires.conftest import TOOLS, Rig, next_turn, request, short
from tests.wires.wire import Reply, data, oddly

if TYPE_CHECKING:
    from collections.abc import Sequence

T = [("text", "Full.")]
CALL = ("call", "a", "host.disk_usage", '{"path": "/"}')
WHOLE_CALL = calls(piece(0, '{"path": "/"}', "a", "host__disk_usage"))
THINK = [("thinking", "Hm."), ("text", "Full.")]


def received(usage: dict[str, Any]) -> dict[str, Any]:
    return {"choices": [], "usage": usage}


SPOKEN: dict[str, tuple[Sequence[Any], list[Any]]] = {
    "the end is [DONE] alone": ([delta(content="Full."), "[DONE]"], T),
    "the end is a clean close": ([delta(content="Full.")], T),
    "a whole call and a clean close": ([WHOLE_CALL], [CALL]),
    "a call whose arguments are an object": (
        [
            calls({**piece(0, None, "a"), "function": {"name": "host__disk_usage", "arguments": {"path": "/"}}}),
            "[DONE]",
        ],
        [CALL],
    ),
    "think tags": ([delta(content="<think>Hm.</think>\n\nFull."), delta("stop")], THINK),
    "a think tag in pieces": (
        [delta(content=part) for part in ("\n<th", "ink>H", "m.</", "thi", "nk>\n", "Full.")] + [delta("stop")],
        [("thinking", "H"), ("thinking", "m."), ("text", "Full.")],
    ),
    "a tag that is none": ([delta(content="<thin"), delta(content=" air>"), delta("stop")], [("text", "<thin air>")]),
    "a think tag that is never closed": (
        [delta(content="<think>Hm."), delta(content="</th"), delta(content="Full."), delta("stop")],
        [("thinking", "Hm."), ("thinking", "</thFull."), ("error", "empty_response", True)],
    ),
    "a think tag in the middle is text": (
        [delta(content="Full. <think>x</think>"), delta("stop")],
        [("text", "Full. <think>x</think>")],
    ),
    "a list of texts": ([delta(content=[{"type": "text", "text": "Full."}]), delta("stop")], T),
    "Mistral's list with thinking": (
        [
            delta(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]),
            delta(content=[{"type": "text", "text": "Full."}]),
            delta("stop"),
        ],
        THINK,
    ),
    "reasoning details only": (
        [
            delta(reasoning_details=[{"type": "reasoning.summary", "summary": "Hm."}]),
            delta(content="Full."),
            delta("stop"),
        ],
        THINK,
    ),
    "the same reasoning in two fields": (
        [delta(reasoning="Hm.", reasoning_content="Hm."), delta(content="Full."), delta("stop")],
        THINK,
    ),
    "a whole message instead of deltas": (
        [{"choices": [{"index": 0, "message": {"role": "assistant", "content": "Full."}, "finish_reason": "stop"}]}],
        T,
    ),
    "an error in a choice": (
        [
            {
                "choices": [
                    {"index": 0, "delta": {}, "error": {"code": 502, "message": "upstream"}, "finish_reason": "error"}
                ]
            }
        ],
        [],
    ),
    "usage in a choice": (
        [delta(content="Full."), {"choices": [{"delta": {}, "finish_reason": "stop", "usage": {"prompt_tokens": 9}}]}],
        [*T, ("usage", 9, 0, 0, 9)],
    ),
    "thinking beside the output": (
        [
            delta(content="Full."),
            delta("stop"),
            received(
                {
                    "prompt_tokens": 10,
                    "completion_tokens": 9,
                    "total_tokens": 26,
                    "completion_tokens_details": {"reasoning_tokens": 7},
                }
            ),
        ],
        [*T, ("usage", 10, 9, 7, 26)],
    ),
    "figures that are none": (
        [delta(content="Full."), delta("stop"), received({"prompt_tokens": None, "completion_tokens": "x"})],
        T,
    ),
}


@pytest.mark.parametrize(("events", "expected"), SPOKEN.values(), ids=SPOKEN.keys())
async def test_an_answer(rig: Rig, events: Sequence[Any], expected: list[Any]) -> None:
    rig.server.replies = [Reply(oddly(data(*events)))]
    if not expected:
        rig.server.replies.append(Reply([data(delta(content="Full."), "[DONE]")]))
    assert short(await rig.ask(request(rig.config("openai", "local"), tools=TOOLS))) == (expected or T)


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": 100, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 80}},
        {"prompt_tokens": 100, "completion_tokens": 1, "prompt_cache_hit_tokens": 80, "prompt_cache_miss_tokens": 20},
        {"prompt_tokens": 100, "completion_tokens": 1, "cached_tokens": 80},
        {"prompt_tokens": 100, "completion_tokens": 1, "cache_read_input_tokens": 80},
    ],
    ids=["OpenAI", "DeepSeek", "Kimi", "LiteLLM"],
)
async def test_cached_tokens(rig: Rig, usage: dict[str, Any]) -> None:
    rig.server.replies = [Reply([data(delta(content="Full."), delta("stop"), received(usage), "[DONE]")])]
    responses = await rig.ask(request(rig.config("openai", "local")))
    (found,) = [response.usage for response in responses if response.HasField("usage")]
    assert (found.input_tokens, found.cached_input_tokens) == (100, 80)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"thinking_blocks": [{"type": "thinking", "thinking": "Hm.", "signature": "S"}]},
            {"thinking_blocks": [{"type": "thinking", "thinking": "Hm.", "signature": "S"}]},
        ),
        ({"extra_content": {"google": {"thought_signature": "S"}}},) * 2,
        ({"provider_specific_fields": {"thought_signature": "S"}},) * 2,
    ],
    ids=["LiteLLM's blocks", "Gemini's text", "LiteLLM's fields"],
)
async def test_message_fields_are_sent_back(rig: Rig, fields: dict[str, Any], expected: dict[str, Any]) -> None:
    rig.server.replies = [
        Reply([data(delta(**fields), WHOLE_CALL, delta("tool_calls"), "[DONE]")]),
        Reply([data(delta(content="Full."), "[DONE]")]),
    ]
    config = rig.config("openai", "local")
    responses = await rig.ask(request(config, tools=TOOLS))
    await rig.ask(request(config, next_turn(responses, ["90 %"]), TOOLS))
    assistant = rig.bodies[1]["messages"][2]
    assert {key: assistant[key] for key in expected} == expected


async def test_call_fields_are_sent_back(rig: Rig) -> None:
    signed = {**piece(0, "{}", "a", "host__disk_usage"), "extra_content": {"google": {"thought_signature": "S"}}}
    plain = piece(1, "{}", "b", "host__list-files")
    rig.server.replies = [
        Reply([data(calls(signed, plain), delta("tool_calls"), "[DONE]")]),
        Reply([data(delta(content="Full."), "[DONE]")]),
    ]
    config = rig.config("openai", "local")
    responses = await rig.ask(request(config, tools=TOOLS))
    await rig.ask(request(config, next_turn(responses, ["1", "2"]), TOOLS))
    first, second = rig.bodies[1]["messages"][2]["tool_calls"]
    assert first["extra_content"] == {"google": {"thought_signature": "S"}}
    assert "extra_content" not in second


async def test_servers_without_reasoning_receive_none(rig: Rig) -> None:
    rig.server.replies = [
        Reply([data(delta(content="I look."), WHOLE_CALL, delta("tool_calls"), "[DONE]")]),
        Reply([data(delta(content="Full."), "[DONE]")]),
    ]
    config = rig.config("openai", "local")
    responses = await rig.ask(request(config, tools=TOOLS))
    assert not any(response.HasField("provider_turn") for response in responses)
    await rig.ask(request(config, next_turn(responses, ["90 %"]), TOOLS))
    assert rig.bodies[1]["messages"][2].keys() == {"role", "content", "tool_calls"}
