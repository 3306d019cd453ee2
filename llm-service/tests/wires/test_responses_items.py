"""Responses streams whose items have no index, as llama.cpp sends them."""

from typing import Any

import pytest

from tests.wires.conftest import TOOLS, Rig, next_turn, request, short
from tests.wires.wire import Reply, named

REASONING = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "hidden"}
MESSAGE = {"id": "msg_1", "type": "message", "role": "assistant", "content": []}
SAID = {**MESSAGE, "content": [{"type": "output_text", "text": "I look.", "annotations": []}]}
CALLS = [
    {"type": "function_call", "call_id": "fc_1", "name": "host__disk_usage", "arguments": '{"path": "/"}'},
    {"type": "function_call", "call_id": "fc_2", "name": "host__list-files", "arguments": "{}"},
]
USAGE = {"input_tokens": 20, "output_tokens": 4}


def added(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "response.output_item.added", "item": item}


def done(*items: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"type": "response.output_item.done", "item": item} for item in items]


def piece(item_id: str, text: str) -> dict[str, Any]:
    return {"type": "response.function_call_arguments.delta", "item_id": item_id, "delta": text}


BEGUN = [
    added(REASONING),
    added(MESSAGE),
    {"type": "response.output_text.delta", "item_id": "msg_1", "delta": "I look."},
    *(added({**call, "arguments": ""}) for call in CALLS),
    piece("fc_1", '{"path": '),
    piece("fc_2", "{}"),
    piece("fc_1", '"/"}'),
]
COMPLETED = {"type": "response.completed", "response": {"status": "completed", "usage": USAGE}}


@pytest.mark.parametrize(
    "events",
    [BEGUN, [*BEGUN, *done(REASONING, SAID, *CALLS)], done(REASONING, SAID, *CALLS)],
    ids=["begun", "begun and done", "done"],
)
async def test_items_without_an_index_are_told_apart_by_their_ids(rig: Rig, events: list[dict[str, Any]]) -> None:
    rig.server.replies = [Reply([named(*events, COMPLETED)]), Reply([named(*done(SAID), COMPLETED)])]
    config = rig.config("openai", "local", api="responses")
    responses = await rig.ask(request(config, tools=TOOLS))
    assert [one for one in short(responses) if one[0] == "call"] == [
        ("call", "fc_1", "host.disk_usage", '{"path": "/"}'),
        ("call", "fc_2", "host.list-files", "{}"),
    ]
    await rig.ask(request(config, next_turn(responses, ["90 %", "none"]), TOOLS))
    assert rig.bodies[1]["input"][2:] == [
        REASONING,
        SAID,
        *CALLS,
        {"type": "function_call_output", "call_id": "fc_1", "output": "90 %"},
        {"type": "function_call_output", "call_id": "fc_2", "output": "none"},
    ]
