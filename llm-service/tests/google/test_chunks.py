"""Chunks of Gemini and the exact deltas that result."""

from __future__ import annotations

import pytest

from tests.google.gemini import Gemini, answer, chunk, events, text_part, tool, usage
from tests.shared.fake_http import Stream

USAGE = {"usage": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 17, "thinking_tokens": 2}}


async def test_thinking_text_and_usage_are_streamed(gemini: Gemini) -> None:
    gemini.http.replies.append(
        Stream(
            events(
                chunk(text_part("I wonder", thought=True)),
                chunk(text_part(" still", thought=True), text_part("The disk ")),
                chunk(text_part("is full.")) | usage(out=1),
                chunk(text_part("", thoughtSignature="c2ln"), finish="STOP") | usage(),
            )
        )
    )
    assert await gemini.ask() == [
        {"thinking": {"content": "I wonder"}},
        {"thinking": {"content": " still"}},
        {"text": {"content": "The disk "}},
        {"text": {"content": "is full."}},
        USAGE,
    ]


async def test_parallel_tool_calls_are_complete_and_have_canonical_names(gemini: Gemini) -> None:
    gemini.http.replies.append(
        answer(
            {"functionCall": {"id": "a", "name": "k8s__get_pod", "args": {"pod": "β\u2028", "n": 1.5}}},
            {"functionCall": {"id": "b", "name": "default_api:k8s__get_pod"}},
        )
    )
    assert await gemini.ask(tools=[tool("k8s.get_pod")]) == [
        {"tool_call": {"call_id": "a", "name": "k8s.get_pod", "arguments": '{"pod": "β\u2028", "n": 1.5}'}},
        {"tool_call": {"call_id": "b", "name": "k8s.get_pod", "arguments": "{}"}},
        USAGE,
    ]


async def test_missing_and_repeated_ids_are_made_unique(gemini: Gemini) -> None:
    call = {"functionCall": {"name": "k8s__get_pod", "args": {}}}
    same = {"functionCall": {"id": "same", "name": "k8s__get_pod", "args": {}}}
    gemini.http.replies.append(answer(call, call, same, same))
    received = await gemini.ask(tools=[tool("k8s.get_pod")])
    ids = [delta["tool_call"]["call_id"] for delta in received if "tool_call" in delta]
    assert len(set(ids)) == 4
    assert ids[2] == "same"
    assert all(ids)


async def test_a_call_without_a_name_is_malformed(gemini: Gemini) -> None:
    gemini.http.replies.append(answer(text_part("x"), {"functionCall": {"id": "a", "args": {}}}))
    _, _, error = await gemini.ask(tools=[tool("k8s.get_pod")])
    assert error["error"]["code"] == "malformed_tool_call"


async def test_an_unknown_tool_is_passed_on_to_the_engine(gemini: Gemini) -> None:
    gemini.http.replies.append(answer({"functionCall": {"id": "a", "name": "made__up", "args": {}}}))
    received = await gemini.ask(tools=[tool("k8s.get_pod")])
    assert received[0]["tool_call"]["name"] == "made.up"


async def test_code_and_its_result_stay_in_order(gemini: Gemini) -> None:
    gemini.http.replies.append(
        answer(
            text_part("Let me count. "),
            {"executableCode": {"language": "PYTHON", "code": "print(6 * 7)"}},
            {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "42\n"}},
            {"executableCode": {"language": "PYTHON", "code": "1 / 0"}},
            {"codeExecutionResult": {"outcome": "OUTCOME_FAILED"}},
            {"executableCode": {"language": "PYTHON", "code": "pass"}},
            {"codeExecutionResult": {"outcome": "OUTCOME_OK"}},
            text_part("42."),
        )
    )
    assert await gemini.ask(native_tools={"code_execution": True}) == [
        {"text": {"content": "Let me count. "}},
        {"code_execution": {"code": "print(6 * 7)"}},
        {"code_execution": {"result": "42\n"}},
        {"code_execution": {"code": "1 / 0"}},
        {"code_execution": {"result": "OUTCOME_FAILED"}},
        {"code_execution": {"code": "pass"}},
        {"text": {"content": "42."}},
        USAGE,
    ]


SEARCH = {
    "webSearchQueries": ["disk full linux"],
    "searchEntryPoint": {"renderedContent": "<div>search</div>"},
    "groundingChunks": [{"web": {"uri": "https://a.example/", "title": "A"}}],
    "groundingSupports": [
        {"segment": {"startIndex": 0, "endIndex": 4, "text": "Disk"}, "groundingChunkIndices": [0, 7]},
    ],
}
SEARCH_DELTA = {
    "grounding": {
        "web_search_queries": ["disk full linux"],
        "grounding_chunks": [{"uri": "https://a.example/", "title": "A"}],
        "grounding_supports": [{"end_index": 4, "text": "Disk", "grounding_chunk_indices": [0]}],
        "search_entry_point_html": "<div>search</div>",
    }
}


async def test_grounding_comes_after_the_content_and_before_the_usage(gemini: Gemini) -> None:
    first = chunk(text_part("Disk "), groundingMetadata=SEARCH) | usage(out=1)
    gemini.http.replies.append(Stream(events(first, chunk(text_part("usage."), finish="STOP") | usage())))
    assert await gemini.ask(native_tools={"google_search": True}) == [
        {"text": {"content": "Disk "}},
        {"text": {"content": "usage."}},
        SEARCH_DELTA,
        USAGE,
    ]


async def test_grounding_of_several_chunks_is_joined(gemini: Gemini) -> None:
    later = {
        "webSearchQueries": ["disk full linux", "inodes"],
        "groundingChunks": [
            {"web": {"uri": "https://b.example/", "title": "B"}},
            {"web": {"uri": "https://a.example/", "title": "A"}},
        ],
        "groundingSupports": [
            {"segment": {"startIndex": 5, "endIndex": 6, "text": "x"}, "groundingChunkIndices": [0, 1]},
        ],
    }
    gemini.http.replies.append(
        Stream(
            events(
                chunk(text_part("Disk x"), groundingMetadata=SEARCH),
                chunk(groundingMetadata={}),
                chunk(finish="STOP", groundingMetadata=later) | usage(),
            )
        )
    )
    grounding = (await gemini.ask(native_tools={"google_search": True}))[-2]["grounding"]
    assert grounding["web_search_queries"] == ["disk full linux", "inodes"]
    assert [source["title"] for source in grounding["grounding_chunks"]] == ["A", "B"]
    assert [support["grounding_chunk_indices"] for support in grounding["grounding_supports"]] == [[0], [1, 0]]


async def test_pages_read_are_sources_without_queries(gemini: Gemini) -> None:
    pages = {
        "urlMetadata": [
            {"retrievedUrl": "https://p.example/", "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_SUCCESS"},
            {"retrievedUrl": "https://q.example/", "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_ERROR"},
        ]
    }
    gemini.http.replies.append(
        Stream(events(chunk(text_part("ok"), finish="STOP", urlContextMetadata=pages) | usage()))
    )
    received = await gemini.ask(native_tools={"url_context": True})
    assert received == [
        {"text": {"content": "ok"}},
        {"grounding": {"grounding_chunks": [{"uri": "https://p.example/"}]}},
        USAGE,
    ]


@pytest.mark.parametrize(
    ("counts", "received"),
    [
        ({"promptTokenCount": 3}, {"input_tokens": 3, "total_tokens": 3}),
        (
            {"promptTokenCount": 3, "toolUsePromptTokenCount": 4, "candidatesTokenCount": 2, "thoughtsTokenCount": 1},
            {"input_tokens": 7, "output_tokens": 2, "thinking_tokens": 1, "total_tokens": 10},
        ),
    ],
)
async def test_usage_may_lack_counts(gemini: Gemini, counts: dict[str, int], received: dict[str, int]) -> None:
    last = chunk(text_part("x"), finish="STOP") | {"usageMetadata": counts}
    gemini.http.replies.append(Stream(events(last)))
    assert (await gemini.ask())[-1] == {"usage": received}


async def test_a_stream_without_usage_reports_none(gemini: Gemini) -> None:
    gemini.http.replies.append(Stream(events(chunk(text_part("x"), finish="STOP"))))
    assert await gemini.ask() == [{"text": {"content": "x"}}]


async def test_fields_unknown_to_the_sdk_are_ignored(gemini: Gemini) -> None:
    strange = chunk(text_part("x", novelty={"a": 1}), finish="STOP", fresh=[1]) | {"unheardOf": True}
    gemini.http.replies.append(Stream(events(strange)))
    assert await gemini.ask() == [{"text": {"content": "x"}}]


async def test_a_lone_surrogate_is_replaced(gemini: Gemini) -> None:
    raw = rb'data: {"candidates":[{"content":{"parts":[{"text":"a\ud83d"}]},"finishReason":"STOP"}]}' + b"\n\n"
    gemini.http.replies.append(Stream([raw]))
    assert await gemini.ask() == [{"text": {"content": "a?"}}]
