"""Documented answers of providers in tables: the result, the next request, and interruptions after each event.

recorded/*.json contains the events of an answer, the expected result and the body of the next request.
RECORD=1 rewrites the bodies; review them before a commit.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.wires.conftest import TOOLS, Rig, error_of, next_turn, request
from tests.wires.test_openai_responses import own_endpoint
from tests.wires.wire import Reply, data, named, oddly

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llm_service.proto.llm_service_pb2 import GenerateResponse, LLMConfig

__all__ = ["own_endpoint"]

FOLDER = Path(__file__).parent.parent / "recorded"
APIS = ("anthropic", "openai_responses", "openai_chat", "google")
TABLES: dict[str, list[dict[str, Any]]] = {
    api: json.loads((FOLDER / f"{api}.json").read_text(encoding="utf-8")) for api in APIS
}
CASES = [pytest.param(api, case, id=f"{api}: {case['case']}") for api in APIS for case in TABLES[api]]
FAULTS = json.loads((FOLDER / "faults.json").read_text(encoding="utf-8"))
BROKEN = {"partial_stream_error", "transport", "max_retries"}


def config_of(rig: Rig, api: str, model: str) -> LLMConfig:
    provider = api.partition("_")[0]
    return rig.config(provider, model, **({"base_url": ""} if api == "openai_responses" else {}))


def framed(api: str, events: Sequence[Any]) -> bytes:
    return (named if api in ("anthropic", "openai_responses") else data)(*events)


def summed_up(responses: Sequence[GenerateResponse]) -> dict[str, Any]:
    """Returns the result of an answer in the format of the tables."""
    kinds = [(response.WhichOneof("content"), response) for response in responses]
    usage = next((r.usage for kind, r in kinds if kind == "usage"), None)
    received: dict[str, Any] = {
        "thinking": "".join(r.thinking.content for kind, r in kinds if kind == "thinking"),
        "text": "".join(r.text.content for kind, r in kinds if kind == "text"),
        "code": [[r.code_execution.code, r.code_execution.result] for kind, r in kinds if kind == "code_execution"],
        "calls": [
            [r.tool_call.call_id, r.tool_call.name, r.tool_call.arguments] for kind, r in kinds if kind == "tool_call"
        ],
        "sources": [chunk.uri for kind, r in kinds if kind == "grounding" for chunk in r.grounding.grounding_chunks],
        "error": responses[-1].error.code,
    }
    if usage is not None:
        tokens = [usage.input_tokens, usage.output_tokens, usage.thinking_tokens, usage.total_tokens]
        received["usage"] = [*tokens, usage.cached_input_tokens, usage.cache_write_tokens]
    return {key: value for key, value in received.items() if value}


def matched(received: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """Returns the received result with "*" for generated ids."""
    wanted = answer.get("calls", [])
    calls = [
        ["*", *call[1:]] if index < len(wanted) and wanted[index][0] == "*" else call
        for index, call in enumerate(received.get("calls", []))
    ]
    return {**received, **({"calls": calls} if calls else {})}


@pytest.mark.parametrize("api", APIS)
def test_there_are_enough_cases(api: str) -> None:
    assert len({case["case"] for case in TABLES[api]}) == len(TABLES[api]) >= 25


@pytest.mark.parametrize(("api", "case"), CASES)
async def test_an_answer_and_the_next_turn(rig: Rig, api: str, case: dict[str, Any]) -> None:
    replies = [case["events"], *([case["then"]] if "then" in case else [])]
    rig.server.replies = [Reply(oddly(framed(api, events))) for events in replies]
    config = config_of(rig, api, case["model"])
    responses = await rig.ask(request(config, tools=TOOLS))
    received = summed_up(responses)
    assert matched(received, case["answer"]) == case["answer"]
    assert rig.waits == []
    if "error" in received:
        assert "next" not in case
        return
    rig.server.replies = [Reply([framed(api, TABLES[api][0]["events"])])]
    results = [f"Result {number}." if number else "Error: no." for number, _ in enumerate(received.get("calls", []))]
    await rig.ask(request(config, next_turn(responses, results), TOOLS))
    sent = rig.server.requests[-1]
    body = {**sent.body, "tools": "…"}  # left out, because all cases declare equal tools and other tests check them
    if os.environ.get("RECORD"):
        case["next"] = body
        record(api)
    # Compares the order of keys too, because a prefix that differs in one byte misses the provider's cache.
    assert json.dumps(body, ensure_ascii=False) == json.dumps(case["next"], ensure_ascii=False)
    compact = json.dumps(sent.body, ensure_ascii=False, separators=(",", ":")).encode()
    assert sent.raw in (compact, json.dumps(sent.body).encode())


def record(api: str) -> None:
    """Writes the table of an API with one line for each event and one for each next request."""

    def line(value: object) -> str:
        return json.dumps(value, ensure_ascii=False)

    cases = []
    for case in TABLES[api]:
        parts = [f'"{key}": {line(case[key])}' for key in ("case", "model", "answer")]
        listed = [key for key in ("events", "then") if key in case]
        parts += [f'"{key}": [\n  ' + ",\n  ".join(map(line, case[key])) + "\n ]" for key in listed]
        parts += [f'"next": {line(case["next"])}'] if "next" in case else []
        cases.append("{" + ",\n ".join(parts) + "}")
    (FOLDER / f"{api}.json").write_text("[\n" + ",\n".join(cases) + "\n]\n", encoding="utf-8")


@pytest.mark.parametrize(("api", "case"), CASES)
async def test_an_answer_interrupted_after_each_event(rig: Rig, api: str, case: dict[str, Any]) -> None:
    """An interrupted answer repeats and invents nothing, ends in time, and never counts as complete."""
    config, answer, events = config_of(rig, api, case["model"]), case["answer"], case["events"]
    for cut in (True, False):
        for number in range(len(events)):
            body = framed(api, events[:number])
            rig.server.make_reply = lambda _sent, body=body, cut=cut: Reply([body], cut=cut)
            responses = await rig.ask(request(config, tools=TOOLS))
            received = summed_up(responses)
            where = (api, case["case"], number, cut, received)
            for kind in ("thinking", "text"):
                begun = received.get(kind, "")
                assert answer.get(kind, "").startswith(begun) or "<think>".startswith(begun), where
            if "error" in received:
                assert received["error"] in {*BROKEN, answer.get("error")}, where
                assert not (received["error"] == "transport" and received.keys() & {"text", "calls"}), where
            else:
                made, wanted = matched(received, answer).get("calls", []), answer.get("calls", [])
                if api == "openai_chat" and not cut:  # some servers end a complete answer without a stop reason
                    assert made == wanted[: len(made)], where
                else:
                    assert (made, received.get("text")) == (wanted, answer.get("text")), where


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: str(fault["fault"]))
@pytest.mark.parametrize("api", APIS)
async def test_a_fault_is_mapped(rig: Rig, api: str, fault: dict[str, Any]) -> None:
    body = fault["body"] if isinstance(fault["body"], str) else json.dumps(fault["body"])
    reply = Reply([body.encode("latin-1")], fault["status"], fault.get("headers", {}), content_type=fault["type"])
    rig.server.make_reply = lambda _sent: reply
    responses = await rig.ask(request(config_of(rig, api, TABLES[api][0]["model"])))
    code, retryable, message = error_of(responses)
    assert (code, retryable) == (fault["code"], fault["retryable"]), message
    assert len(rig.server.requests) == fault["tries"]
    assert fault.get("told", "") in message
