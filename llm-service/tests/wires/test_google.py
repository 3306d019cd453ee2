"""Gemini with strategies other than the native one."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from llm_service.proto.llm_service_pb2 import ConversationMessage
from tests.wires.conftest import KEY, SYSTEM, TOOLS, USER, Rig, error_of, next_turn, request, short, unbilled
from tests.wires.wire import Reply, data, disturbed, failure, oddly

CUT = "\n\n[The answer was cut here: it reached the output limit of the model.]"
MODEL = "gemini-3.7-flash"
SIGNATURE = base64.b64encode(b"signed").decode()
OTHER_SIGNATURE = base64.b64encode(b"signed too").decode()


def chunk(
    *parts: dict[str, Any], finish: str | None = None, usage: dict[str, int] | None = None, **more: Any
) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}, "index": 0, **more}
    if finish:
        candidate["finishReason"] = finish
    made: dict[str, Any] = {"candidates": [candidate], "modelVersion": MODEL, "responseId": "r1"}
    return made | ({"usageMetadata": usage} if usage else {})


def usage(output: int, thoughts: int) -> dict[str, int]:
    counts = {"promptTokenCount": 20, "candidatesTokenCount": output, "thoughtsTokenCount": thoughts}
    return {**counts, "totalTokenCount": 20 + output + thoughts}


def call(name: str, args: dict[str, Any], call_id: str | None = None, signature: str | None = None) -> dict[str, Any]:
    function = {"name": name, "args": args} | ({"id": call_id} if call_id else {})
    return {"functionCall": function} | ({"thoughtSignature": signature} if signature else {})


TEXT = data(
    chunk({"text": "Größe: "}, usage=usage(2, 8)),
    chunk({"text": "90 % 💾"}, usage=usage(4, 8)),
    chunk({"text": "", "thoughtSignature": SIGNATURE}, finish="STOP", usage=usage(4, 8)),
)
TEXT_OUT = [("text", "Größe: "), ("text", "90 % 💾"), ("usage", 20, 4, 8, 32)]
WORK = data(
    chunk({"text": "Look ", "thought": True}, usage=usage(0, 3)),
    chunk({"text": "first.", "thought": True}, usage=usage(0, 8)),
    chunk({"text": "I look."}, usage=usage(2, 8)),
    chunk(
        call("host__disk_usage", {"path": "/"}, "a1", SIGNATURE),
        call("host__list-files", {}, None),
        usage=usage(9, 8),
    ),
    chunk(finish="STOP", usage=usage(9, 8)),
)


@pytest.mark.parametrize("pieces", [[TEXT], oddly(TEXT), oddly(disturbed(TEXT))], ids=["whole", "odd", "disturbed"])
async def test_text(rig: Rig, pieces: list[bytes]) -> None:
    rig.server.replies = [Reply(pieces)]
    assert short(await rig.ask(request(rig.config("google", MODEL)))) == TEXT_OUT


async def test_the_request_matches(rig: Rig) -> None:
    rig.server.replies = [Reply([TEXT])]
    await rig.ask(request(rig.config("google", MODEL), tools=TOOLS[:1]))
    (sent,) = rig.server.requests
    assert (sent.method, sent.path) == ("POST", f"/v1beta/models/{MODEL}:streamGenerateContent?alt=sse")
    assert sent.headers["x-goog-api-key"] == KEY
    assert sent.body["systemInstruction"]["parts"] == [{"text": SYSTEM.content}]
    assert sent.body["contents"] == [{"role": "user", "parts": [{"text": USER.content}]}]
    assert sent.body["generationConfig"] == {
        "thinkingConfig": {"includeThoughts": True, "thinkingLevel": "HIGH"},
    }
    (declared,) = sent.body["tools"][0]["functionDeclarations"]
    assert (declared["name"], declared["description"]) == ("host__disk_usage", "Shows disks")


@pytest.mark.parametrize(("model", "budget"), [("gemini-2.5-pro", 32768), ("gemini-2.5-flash", 24576)])
async def test_older_models_have_a_budget(rig: Rig, model: str, budget: int) -> None:
    rig.server.replies = [Reply([TEXT])]
    await rig.ask(request(rig.config("google", model)))
    thinking = rig.bodies[0]["generationConfig"]["thinkingConfig"]
    assert thinking == {"includeThoughts": True, "thinkingBudget": budget}


async def test_thinking_calls_and_the_next_turn(rig: Rig) -> None:
    rig.server.replies = [Reply(oddly(WORK)), Reply([TEXT])]
    config = rig.config("google", MODEL)
    responses = await rig.ask(request(config, tools=TOOLS))
    out = short(responses)
    made_id = out[-2][1]
    assert made_id
    assert out == [
        ("thinking", "Look "),
        ("thinking", "first."),
        ("text", "I look."),
        ("call", "a1", "host.disk_usage", '{"path": "/"}'),
        ("call", made_id, "host.list-files", "{}"),
        ("usage", 20, 9, 8, 37),
    ]
    await rig.ask(request(config, next_turn(responses, ["90 %", "Error: none"]), TOOLS))
    model_turn, results = rig.bodies[1]["contents"][1:]
    assert model_turn["role"] == "model"
    calls = [part for part in model_turn["parts"] if "functionCall" in part]
    assert [part["functionCall"] for part in calls] == [
        {"id": "a1", "name": "host__disk_usage", "args": {"path": "/"}},
        {"name": "host__list-files", "args": {}},
    ]
    assert calls[0]["thoughtSignature"] == SIGNATURE
    assert {"text": "I look."} in model_turn["parts"]
    assert [part["functionResponse"]["name"] for part in results["parts"]] == ["host__disk_usage", "host__list-files"]


async def test_grounding_and_code_come_before_the_usage(rig: Rig) -> None:
    metadata = {
        "webSearchQueries": ["disk full"],
        "groundingChunks": [{"web": {"uri": "https://example.org/a", "title": "A"}}],
        "groundingSupports": [
            {"segment": {"startIndex": 0, "endIndex": 4, "text": "Full"}, "groundingChunkIndices": [0]},
        ],
        "searchEntryPoint": {"renderedContent": "<b>s</b>"},
    }
    body = data(
        chunk({"executableCode": {"language": "PYTHON", "code": "print(1)"}}),
        chunk({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1\n"}}),
        chunk({"text": "Full"}),
        chunk(finish="STOP", usage=usage(4, 0), groundingMetadata=metadata),
    )
    rig.server.replies = [Reply([body])]
    config = rig.config("google", MODEL, native_tools={"google_search": True, "code_execution": True})
    responses = await rig.ask(request(config))
    assert short(responses) == [
        ("code", "print(1)", ""),
        ("code", "", "1\n"),
        ("text", "Full"),
        ("grounding",),
        ("usage", 20, 4, 0, 24),
    ]
    grounding = responses[3].grounding
    assert list(grounding.web_search_queries) == ["disk full"]
    assert [(c.uri, c.title) for c in grounding.grounding_chunks] == [("https://example.org/a", "A")]
    assert list(grounding.grounding_supports[0].grounding_chunk_indices) == [0]
    assert grounding.search_entry_point_html == "<b>s</b>"
    assert rig.bodies[0]["tools"] == [{"codeExecution": {}}, {"googleSearch": {}}]


SAFETY = [{"category": "HARM_CATEGORY_HARASSMENT", "probability": "HIGH"}]
BAD_ENDS: dict[str, tuple[bytes, list[Any]]] = {
    "safety": (
        data(chunk({"text": "Half"}), chunk(finish="SAFETY", safetyRatings=SAFETY, usage=usage(1, 0))),
        [("text", "Half"), ("usage", 20, 1, 0, 21), ("error", "content_blocked", False)],
    ),
    "blocked prompt": (
        data({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "modelVersion": MODEL}),
        [("error", "content_blocked", False)],
    ),
    "limit": (data(chunk({"text": "Half"}), chunk(finish="MAX_TOKENS")), [("text", "Half"), ("text", CUT)]),
    "ended early": (data(chunk({"text": "Half"})), [("text", "Half"), ("error", "partial_stream_error", True)]),
    "malformed call": (
        data(chunk({"text": "x"}), chunk(finish="MALFORMED_FUNCTION_CALL")),
        [("text", "x"), ("error", "malformed_tool_call", True)],
    ),
}


@pytest.mark.parametrize(("body", "expected"), BAD_ENDS.values(), ids=BAD_ENDS.keys())
async def test_failed_ends_are_mapped(rig: Rig, body: bytes, expected: list[Any]) -> None:
    rig.server.replies = [Reply([body])]
    assert short(await rig.ask(request(rig.config("google", MODEL)))) == expected


async def test_a_lost_connection_is_reported(rig: Rig) -> None:
    rig.server.replies = [Reply([data(chunk({"text": "Half"}))], cut=True)]
    responses = await rig.ask(request(rig.config("google", MODEL)))
    assert short(responses) == [("text", "Half"), ("error", "partial_stream_error", True)]


def google_error(status: int, word: str, *details: dict[str, Any], message: str = USER.content) -> Reply:
    return failure(status, {"error": {"code": status, "message": message, "status": word, "details": list(details)}})


RETRY_INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "5s"}


@pytest.mark.parametrize(
    ("reply", "wait"),
    [
        (google_error(429, "RESOURCE_EXHAUSTED", RETRY_INFO), 6.0),
        (google_error(500, "INTERNAL"), 2.0),
        (google_error(503, "UNAVAILABLE"), 2.0),
        (Reply([data({"candidates": [], "usageMetadata": usage(0, 0)})]), 2.0),
        (Reply([data(chunk(finish="STOP"))]), 2.0),
        (Reply([b""]), 2.0),
        (Reply([], cut=True), 2.0),
    ],
    ids=["429", "500", "503", "no candidates", "empty", "nothing", "lost"],
)
async def test_temporary_failures_are_retried(rig: Rig, reply: Reply, wait: float) -> None:
    rig.server.replies = [reply, Reply([TEXT])]
    assert unbilled(short(await rig.ask(request(rig.config("google", MODEL))))) == unbilled(TEXT_OUT)
    assert rig.waits == [wait]


BAD_KEY = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (google_error(400, "INVALID_ARGUMENT"), "invalid_request"),
        (google_error(400, "INVALID_ARGUMENT", BAD_KEY), "invalid_credentials"),
        (google_error(403, "PERMISSION_DENIED"), "invalid_credentials"),
        (google_error(404, "NOT_FOUND"), "invalid_request"),
        (
            google_error(
                400, "INVALID_ARGUMENT", message="The input token count exceeds the maximum number of tokens allowed"
            ),
            "context_too_long",
        ),
    ],
    ids=["400", "wrong key", "403", "404", "too long"],
)
async def test_refusals_are_final(rig: Rig, reply: Reply, code: str) -> None:
    rig.server.replies = [reply]
    assert error_of(await rig.ask(request(rig.config("google", MODEL))))[:2] == (code, False)


async def test_a_call_without_its_signature_is_still_sent(rig: Rig) -> None:
    rig.server.replies = [Reply([WORK]), Reply([TEXT])]
    config = rig.config("google", MODEL)
    responses = await rig.ask(request(config, tools=TOOLS))
    messages = next_turn(responses, ["90 %", "x"])
    messages[2].provider_turn = b""
    await rig.ask(request(config, messages, TOOLS))
    calls = [part for part in rig.bodies[1]["contents"][1]["parts"] if "functionCall" in part]
    # base64 of the constant that Gemini accepts in place of a signature.
    assert calls[0]["thoughtSignature"] == base64.b64encode(b"skip_thought_signature_validator").decode()


async def test_several_system_messages_become_one(rig: Rig) -> None:
    rig.server.replies = [Reply([TEXT])]
    later = ConversationMessage(role="system", content="Be brief.")
    await rig.ask(request(rig.config("google", MODEL), [SYSTEM, USER, later]))
    assert rig.bodies[0]["systemInstruction"]["parts"] == [{"text": f"{SYSTEM.content}\n\nBe brief."}]
