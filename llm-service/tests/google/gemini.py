"""A fake Gemini, requests for it, and the service that calls it, reached over a real channel."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from google.protobuf.json_format import MessageToDict

from llm_service.proto.llm_service_pb2 import (
    ConversationMessage,
    GenerateRequest,
    GenerateResponse,
    LLMConfig,
    ToolCall,
    ToolDefinition,
)
from llm_service.providers.provider import ModelProvider
from llm_service.providers.shared.limits import StreamLimits
from llm_service.providers.shared.retry import RetryPolicy
from tests.conftest import Deltas, Running, serving
from tests.shared.fake_http import Answer, FakeHttp, Sent, Stream

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence


KEY = "gemini-key-0123456789"
ENV = {"GEMINI_KEY": KEY, "OTHER_KEY": "other-key", "EMPTY_KEY": "  ", "ODD_KEY": "clé\n"}
MODEL = "gemini-3-pro-preview"


def text_part(text: str, **more: object) -> dict[str, object]:
    return {"text": text, **more}


def chunk(*parts: Mapping[str, object], finish: str | None = None, **more: object) -> dict[str, object]:
    """Returns one chunk of the stream; `more` is added to its candidate."""
    candidate: dict[str, object] = {"content": {"role": "model", "parts": list(parts)}, "index": 0, **more}
    if finish is not None:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "modelVersion": MODEL, "responseId": "r"}


def usage(prompt: int = 10, out: int = 5, thoughts: int = 2, **more: int) -> dict[str, object]:
    counts = {"promptTokenCount": prompt, "candidatesTokenCount": out, "thoughtsTokenCount": thoughts}
    return {"usageMetadata": counts | {"totalTokenCount": prompt + out + thoughts} | more}


def events(*chunks: Mapping[str, object], newline: str = "\r\n") -> list[bytes]:
    return [f"data: {json.dumps(item, ensure_ascii=False)}{newline}{newline}".encode() for item in chunks]


def answer(*parts: Mapping[str, object]) -> Stream:
    """Returns a complete, successful answer."""
    return Stream(events(chunk(*parts), chunk(finish="STOP") | usage()))


def failure(
    status: int,
    word: str,
    details: Sequence[Mapping[str, object]] = (),
    message: str = "quotes the prompt: SECRET-PROMPT",
    **headers: str,
) -> Answer:
    error = {"code": status, "message": message, "status": word, "details": list(details)}
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, json.dumps({"error": error}).encode(), {"Content-Type": "application/json"} | names)


@dataclass
class Waits:
    """Replaces the waits between retries and records them."""

    seconds: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)


@dataclass
class Gemini:
    """The fake server and the LLM service that calls it."""

    http: FakeHttp
    running: Running
    waits: Waits
    turns: list[bytes] = field(default_factory=list)

    def request(self, *messages: ConversationMessage, **config: Any) -> GenerateRequest:
        tools = config.pop("tools", [])
        execution_id = config.pop("execution_id", "execution-1")
        settings: dict[str, Any] = {
            "backend": "google-native",
            "provider": "google",
            "model": MODEL,
            "api_key_env": "GEMINI_KEY",
            "base_url": self.http.url,
        }
        return GenerateRequest(
            session_id="session-1",
            execution_id=execution_id,
            messages=messages or [user("hello")],
            tools=tools,
            llm_config=LLMConfig(**(settings | config)),
        )

    async def ask(self, *messages: ConversationMessage, **config: Any) -> list[dict[str, Any]]:
        """Makes one call and returns the deltas as dictionaries. Only the last response is final."""
        responses = [response async for response in self.running.llm.Generate(self.request(*messages, **config))]
        assert [response.is_final for response in responses] == [False] * (len(responses) - 1) + [True]
        self.turns = [response.provider_turn.data for response in responses if response.HasField("provider_turn")]
        unseen = (None, "waiting", "provider_turn")
        return Deltas(shown(response) for response in responses if response.WhichOneof("content") not in unseen)

    async def asked(self, reply: Answer | Stream | None = None, *messages: ConversationMessage, **config: Any) -> Sent:
        """Makes one successful call and returns the request that the provider received."""
        self.http.replies.append(reply if reply is not None else answer(text_part("fine")))
        received = await self.ask(*messages, **config)
        assert not any("error" in delta for delta in received), received
        return self.http.requests[-1]


def shown(response: GenerateResponse) -> dict[str, Any]:
    shown_ = MessageToDict(response, preserving_proto_field_name=True)
    shown_.pop("is_final", None)
    return shown_


@asynccontextmanager
async def start_gemini(limits: StreamLimits | None = None, **policy: Any) -> AsyncIterator[Gemini]:
    waits = Waits()
    retries = RetryPolicy(**({"sleep": waits.sleep, "rand": lambda: 1.0} | policy))
    provider = ModelProvider(ENV, limits or StreamLimits(), retries)
    async with FakeHttp().run() as http, serving({"google-native": provider}) as running:
        yield Gemini(http, running, waits)


def user(text: str) -> ConversationMessage:
    return ConversationMessage(role="user", content=text)


def system(text: str) -> ConversationMessage:
    return ConversationMessage(role="system", content=text)


def assistant(text: str, *calls: ToolCall, turn: bytes = b"") -> ConversationMessage:
    return ConversationMessage(role="assistant", content=text, tool_calls=calls, provider_turn=turn)


def result(call_id: str, name: str, text: str, *, failed: bool = False) -> ConversationMessage:
    return ConversationMessage(role="tool", tool_call_id=call_id, tool_name=name, content=text, failed=failed)


def tool(name: str, schema: object = None) -> ToolDefinition:
    text = json.dumps(schema) if schema is not None else '{"type":"object","properties":{"pod":{"type":"string"}}}'
    return ToolDefinition(name=name, description=f"what {name} does", parameters_schema=text)
