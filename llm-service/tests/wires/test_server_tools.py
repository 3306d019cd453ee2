"""Claude's answers with tools that Anthropic runs itself, and turns without thinking."""

from __future__ import annotations

from typing import Any

from llm_service.proto.llm_service_pb2 import ConversationMessage
from tests.wires.anthropic_events import START, STOP, block, end, text, thinking, tool_use
from tests.wires.conftest import SYSTEM, TOOLS, USER, Rig, next_turn, request, short, unbilled
from tests.wires.wire import Reply, failure, named

MODEL = "claude-sonnet-5"


def use(index: int, kind: str, name: str, *pieces: str) -> list[dict[str, Any]]:
    content = {"type": kind, "id": f"srvtoolu_{index}", "name": name, "input": {}}
    return block(index, content, *({"type": "input_json_delta", "partial_json": piece} for piece in pieces))


def result(index: int, kind: str, content: Any) -> list[dict[str, Any]]:
    return block(index, {"type": f"{kind}_tool_result", "tool_use_id": f"srvtoolu_{index - 1}", "content": content})


SOURCE = {"type": "web_search_result", "url": "https://status.example.org", "title": "Status", "encrypted_content": "x"}
CITATION = {"type": "web_search_result_location", "url": "https://status.example.org", "title": "Status"}
SEARCH = [
    *use(0, "server_tool_use", "web_search", '{"que', 'ry": "outage"}'),
    *result(1, "web_search", [SOURCE]),
    *block(
        2,
        {"type": "text", "text": ""},
        {"type": "text_delta", "text": "It is down."},
        {"type": "citations_delta", "citation": CITATION},
    ),
]


async def test_a_web_search_gives_its_sources_and_goes_back_unchanged(rig: Rig) -> None:
    call = tool_use(3, "toolu_1", "host__disk_usage", '{"path": "/"}')
    rig.server.replies = [
        Reply([named(START, *SEARCH, *call, end("tool_use"), STOP)]),
        Reply([named(START, *text(0, "Full."), end("end_turn"), STOP)]),
    ]
    config = rig.config("anthropic", MODEL)
    responses = await rig.ask(request(config, tools=TOOLS))
    assert [one[0] for one in short(responses)] == ["text", "call", "grounding", "usage"]
    (grounding,) = [one.grounding for one in responses if one.HasField("grounding")]
    assert list(grounding.web_search_queries) == ["outage"]
    assert [(one.uri, one.title) for one in grounding.grounding_chunks] == [("https://status.example.org", "Status")]
    await rig.ask(request(config, next_turn(responses, ["90 %"]), TOOLS))
    sent = rig.bodies[1]["messages"][1]["content"]
    assert [part["type"] for part in sent] == ["server_tool_use", "web_search_tool_result", "text", "tool_use"]
    assert sent[0]["input"] == {"query": "outage"}
    assert sent[1]["content"] == [SOURCE]
    assert sent[2]["citations"] == [CITATION]


async def test_code_that_ran_is_shown_with_its_result(rig: Rig) -> None:
    ran = {"type": "code_execution_result", "stdout": "4\n", "stderr": "", "return_code": 0}
    events = [
        *use(0, "server_tool_use", "code_execution", '{"code": "print(2+2)"}'),
        *result(1, "code_execution", ran),
        *text(2, "It is 4."),
    ]
    rig.server.replies = [Reply([named(START, *events, end("end_turn"), STOP)])]
    answer = unbilled(short(await rig.ask(request(rig.config("anthropic", MODEL)))))
    assert list(answer) == [("code", "print(2+2)", ""), ("code", "", "4\n"), ("text", "It is 4.")]


async def test_a_connector_and_an_unknown_tool_do_not_fail_the_answer(rig: Rig) -> None:
    events = [
        *use(0, "mcp_tool_use", "find", '{"a": ', "1}"),
        *result(1, "mcp", [{"type": "text", "text": "found"}]),
        *use(2, "server_tool_use", "new_tool", '{"b": 2}'),
        *result(3, "new", {"type": "new_result"}),
        *text(4, "Found."),
    ]
    rig.server.replies = [Reply([named(START, *events, end("end_turn"), STOP)])]
    answer = unbilled(short(await rig.ask(request(rig.config("anthropic", MODEL)))))
    assert list(answer) == [("text", "Found.")]


async def test_a_paused_answer_is_continued(rig: Rig) -> None:
    rig.server.replies = [
        Reply([named(START, *SEARCH[:4], end("pause_turn"), STOP)]),
        Reply([named(START, *result(0, "web_search", [SOURCE]), *text(1, "It is down."), end("end_turn"), STOP)]),
    ]
    answer = short(await rig.ask(request(rig.config("anthropic", MODEL))))
    assert [one[0] for one in answer] == ["text", "grounding", "usage"]
    assert answer[-1] == ("usage", 50, 8, 16, 74)  # both requests are billed
    last = rig.bodies[1]["messages"][-1]
    assert (last["role"], last["content"][0]["input"]) == ("assistant", {"query": "outage"})


async def test_one_turn_without_thinking_leaves_the_others_as_they_are(rig: Rig) -> None:
    def step(number: int, *, thinks: bool) -> Reply:
        thoughts = thinking(0, f"sig{number}", "Hm.") if thinks else []
        call = tool_use(1, f"toolu_{number}", "host__disk_usage", '{"path": "/"}')
        return Reply([named(START, *thoughts, *call, end("tool_use"), STOP)])

    config = rig.config("anthropic", "claude-sonnet-4-5")
    messages = [SYSTEM, USER]
    for number, thinks in enumerate([True, False, True]):
        rig.server.replies = [step(number, thinks=thinks)]
        messages = next_turn(await rig.ask(request(config, messages, TOOLS)), [f"result {number}"], messages)
    rig.server.replies = [Reply([named(START, *text(0, "Full."), end("end_turn"), STOP)])]
    await rig.ask(request(config, messages, TOOLS))
    sent = rig.bodies[-1]["messages"]
    kinds = [[part["type"] for part in message["content"]] for message in sent]
    asked, answered = ["thinking", "tool_use"], ["tool_result"]
    assert kinds == [["text"], asked, [*answered, "text"], asked, answered]
    assert "result 1" in sent[2]["content"][1]["text"]


async def test_thinking_that_is_refused_is_left_out(rig: Rig) -> None:
    said = "messages.1.content.0: `thinking` blocks in the latest assistant message cannot be modified."
    reply = named(START, *thinking(0, "sig", "Hm."), *tool_use(1, "t1", "host__disk_usage", ""), end("tool_use"), STOP)
    rig.server.replies = [
        Reply([reply]),
        failure(400, {"type": "error", "error": {"type": "invalid_request_error", "message": said}}),
        Reply([named(START, *text(0, "Full."), end("end_turn"), STOP)]),
    ]
    config = rig.config("anthropic", MODEL)
    messages = next_turn(await rig.ask(request(config, tools=TOOLS)), ["90 %"])
    responses = await rig.ask(request(config, messages, TOOLS))
    assert not responses[-1].HasField("error"), responses[-1].error
    assert [part["type"] for part in rig.bodies[2]["messages"][1]["content"]] == ["tool_use"]


async def test_news_after_results_stays_in_their_message(rig: Rig) -> None:
    reply = named(START, *tool_use(0, "t1", "host__disk_usage", ""), end("tool_use"), STOP)
    rig.server.replies = [Reply([reply]), Reply([named(START, *text(0, "Full."), end("end_turn"), STOP)])]
    config = rig.config("anthropic", MODEL)
    messages = next_turn(await rig.ask(request(config, tools=TOOLS)), ["90 %"])
    await rig.ask(request(config, [*messages, ConversationMessage(role="user", content="News.")], TOOLS))
    sent = rig.bodies[1]["messages"]
    assert [message["role"] for message in sent] == ["user", "assistant", "user"]
    assert [part["type"] for part in sent[2]["content"]] == ["tool_result", "text"]
