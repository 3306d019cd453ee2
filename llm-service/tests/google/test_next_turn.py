"""Requests to Gemini: the conversation, and in the next turn Gemini's own parts unchanged."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from llm_service.proto.llm_service_pb2 import ToolCall
from tests.google.gemini import (
    MODEL,
    Gemini,
    answer,
    assistant,
    chunk,
    events,
    result,
    system,
    text_part,
    tool,
    usage,
    user,
)
from tests.shared.fake_http import Stream

if TYPE_CHECKING:
    from llm_service.proto.llm_service_pb2 import ConversationMessage

SIGNATURE = base64.b64encode(b"\x00\xffsignature").decode()
LAST_SIGNATURE = base64.b64encode(b"of the text").decode()
LOST = base64.b64encode(b"skip_thought_signature_validator").decode()
TOOLS = [tool("k8s.get_pod"), tool("k8s.logs")]

FIRST_ANSWER = Stream(
    events(
        chunk(text_part("think", thought=True)),
        chunk(text_part("ing", thought=True)),
        chunk(text_part("I look ")),
        chunk(text_part("at it.")),
        chunk(
            {"functionCall": {"id": "p1", "name": "k8s__get_pod", "args": {"pod": "a"}}, "thoughtSignature": SIGNATURE}
        ),
        chunk({"functionCall": {"name": "k8s__logs", "args": {}}}, finish="STOP") | usage(),
    )
)


def calls_of(received: list[dict[str, Any]]) -> list[ToolCall]:
    """Returns the received calls in the form in which the engine stores them."""
    return [
        ToolCall(id=call["call_id"], name=call["name"], arguments=call["arguments"])
        for call in (delta["tool_call"] for delta in received if "tool_call" in delta)
    ]


async def first_turn(gemini: Gemini, **config: Any) -> list[ConversationMessage]:
    """Makes the model call two tools. Returns the conversation with the results, the second call's result first."""
    gemini.http.replies.append(FIRST_ANSWER)
    calls = calls_of(await gemini.ask(user("why?"), tools=TOOLS, **config))
    return [
        user("why?"),
        assistant("I look at it.", *calls, turn=gemini.turns[0]),
        result(calls[1].id, "k8s.logs", "log text"),
        result(calls[0].id, "k8s.get_pod", "Running"),
    ]


OWN_PARTS = [
    {"text": "thinking", "thought": True},
    {"text": "I look at it."},
    {"functionCall": {"id": "p1", "name": "k8s__get_pod", "args": {"pod": "a"}}, "thoughtSignature": SIGNATURE},
    {"functionCall": {"name": "k8s__logs", "args": {}}},
]
RESULTS = [
    {"functionResponse": {"id": "p1", "name": "k8s__get_pod", "response": {"output": "Running"}}},
    {"functionResponse": {"name": "k8s__logs", "response": {"output": "log text"}}},
]


async def test_the_models_parts_are_sent_back_with_their_signatures(gemini: Gemini) -> None:
    conversation = await first_turn(gemini)
    sent = await gemini.asked(None, *conversation, tools=TOOLS)
    assert sent.json["contents"] == [
        {"role": "user", "parts": [{"text": "why?"}]},
        {"role": "model", "parts": OWN_PARTS},
        {"role": "user", "parts": RESULTS},
    ]


async def test_a_text_answer_is_sent_back_with_its_signature(gemini: Gemini) -> None:
    gemini.http.replies.append(
        Stream(
            events(
                chunk(text_part("All ")),
                chunk(text_part("good.")),
                chunk(text_part("", thoughtSignature=LAST_SIGNATURE), finish="STOP"),
            )
        )
    )
    await gemini.ask(user("why?"))
    sent = await gemini.asked(None, user("why?"), assistant("All good.", turn=gemini.turns[0]), user("sure?"))
    assert sent.json["contents"][1:] == [
        {"role": "model", "parts": [{"text": "All good."}, {"text": "", "thoughtSignature": LAST_SIGNATURE}]},
        {"role": "user", "parts": [{"text": "sure?"}]},
    ]


async def test_an_empty_part_is_not_sent_back(gemini: Gemini) -> None:
    call: dict[str, object] = {"functionCall": {"id": "p1", "name": "k8s__logs", "args": {}}}
    chunks = [chunk(call), chunk(text_part("", thought=True)), chunk(text_part(""), finish="STOP")]
    gemini.http.replies.append(Stream(events(*chunks)))
    calls = calls_of(await gemini.ask(user("why?"), tools=TOOLS))
    conversation = [user("why?"), assistant("", *calls, turn=gemini.turns[0]), result("p1", "k8s.logs", "x")]
    sent = await gemini.asked(None, *conversation, tools=TOOLS)
    assert sent.json["contents"][1] == {"role": "model", "parts": [call]}


async def test_code_and_server_side_tools_are_sent_back(gemini: Gemini) -> None:
    parts: list[dict[str, object]] = [
        {"executableCode": {"language": "PYTHON", "code": "1", "id": "c"}, "thoughtSignature": SIGNATURE},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1", "id": "c"}},
        {"toolCall": {"id": "s", "toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["q"]}}},
        {"toolResponse": {"id": "s", "toolType": "GOOGLE_SEARCH_WEB", "response": {"r": 1}}},
        {"functionCall": {"id": "p1", "name": "k8s__logs", "args": {}}},
    ]
    gemini.http.replies.append(answer(*parts))
    calls = calls_of(await gemini.ask(user("why?"), tools=TOOLS, native_tools={"google_search": True}))
    conversation = [user("why?"), assistant("", *calls, turn=gemini.turns[0]), result("p1", "k8s.logs", "x")]
    sent = await gemini.asked(None, *conversation, tools=TOOLS)
    assert sent.json["contents"][1] == {"role": "model", "parts": parts}


def rebuilt(calls: list[ToolCall], signature: dict[str, str]) -> dict[str, Any]:
    first = {"functionCall": {"id": calls[0].id, "name": "k8s__get_pod", "args": {"pod": "a"}}} | signature
    second = {"functionCall": {"id": calls[1].id, "name": "k8s__logs", "args": {}}}
    return {"role": "model", "parts": [{"text": "I look at it."}, first, second]}


async def test_answers_of_other_models_and_servers_are_rebuilt(gemini: Gemini) -> None:
    conversation = await first_turn(gemini)
    calls = list(conversation[1].tool_calls)
    other_model = await gemini.asked(None, *conversation, tools=TOOLS, model=f"{MODEL}-2")
    other_server = await gemini.asked(None, *conversation, tools=TOOLS, base_url=f"{gemini.http.url}/proxy")
    conversation[1].provider_turn = b"no turn of ours"
    other_turn = await gemini.asked(None, *conversation, tools=TOOLS)
    for sent in (other_model, other_server, other_turn):
        assert sent.json["contents"][1] == rebuilt(calls, {"thoughtSignature": LOST})
        responses = [part["functionResponse"]["id"] for part in sent.json["contents"][2]["parts"]]
        assert responses == [call.id for call in calls]
    older = await gemini.asked(None, *conversation, tools=TOOLS, model="gemini-2.5-pro")
    assert older.json["contents"][1] == rebuilt(calls, {})


async def test_a_turn_of_another_message_is_not_used(gemini: Gemini) -> None:
    conversation = await first_turn(gemini)
    # The engine stored only one of the two calls, so the turn no longer fits and is rebuilt.
    del conversation[1].tool_calls[1]
    del conversation[2]
    sent = await gemini.asked(None, *conversation, tools=TOOLS)
    assert next(list(part) for part in sent.json["contents"][1]["parts"]) == ["text"]
    assert len(sent.json["contents"][2]["parts"]) == 1


async def test_a_failed_answer_has_no_provider_turn(gemini: Gemini) -> None:
    broken = chunk(text_part("half", thoughtSignature=SIGNATURE), finish="MAX_TOKENS")
    gemini.http.replies.append(Stream(events(broken)))
    await gemini.ask(user("why?"))
    assert gemini.turns == []


async def test_system_messages_are_the_system_instruction(gemini: Gemini) -> None:
    sent = await gemini.asked(None, system("Be short."), user("why?"), system("Be kind."))
    assert sent.json["systemInstruction"]["parts"] == [{"text": "Be short.\n\nBe kind."}]
    assert sent.json["contents"] == [{"role": "user", "parts": [{"text": "why?"}]}]
    sent = await gemini.asked(None, user("why?"))
    assert "systemInstruction" not in sent.json


async def test_tool_errors_and_missing_results_are_sent(gemini: Gemini) -> None:
    calls = [ToolCall(id=str(n), name="gone.tool", arguments=text) for n, text in enumerate(["[1]", "no json", ""])]
    marked = "-----BEGIN TOOL RESULT-----\nError: no such pod\n-----END TOOL RESULT-----"
    conversation = [
        user("why?"),
        assistant("", *calls),
        result("0", "gone.tool", marked, failed=True),
        result("2", "gone.tool", "fine, no error"),
    ]
    sent = await gemini.asked(None, *conversation)
    _, model, answers = sent.json["contents"]
    assert [part["functionCall"]["args"] for part in model["parts"]] == [{"input": [1]}, {"input": "no json"}, {}]
    assert [part["functionResponse"]["response"] for part in answers["parts"]] == [
        {"error": marked},
        {"error": "the tool gave no result"},
        {"output": "fine, no error"},
    ]
    assert {part["functionResponse"]["name"] for part in answers["parts"]} == {"gone__tool"}


async def test_empty_messages_are_left_out(gemini: Gemini) -> None:
    sent = await gemini.asked(None, user(""), user("why?"), assistant(""), user("so?"))
    assert [content["parts"] for content in sent.json["contents"]] == [[{"text": "why?"}], [{"text": "so?"}]]
    (received,) = await gemini.ask(user(""))
    assert received["error"]["code"] == "invalid_request"
