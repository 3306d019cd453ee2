"""The backend and a fake provider, called directly or through the gRPC service."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

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
from tests.conversations import tool
from tests.wires.wire import FakeServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

KEY = "sk-test-0123456789"
ENV = {"TEST_KEY": KEY}
LIMIT = 20
"""Seconds after which a test fails; every step is much faster."""
SYSTEM = ConversationMessage(role="system", content="You are an engineer.")
USER = ConversationMessage(role="user", content="Why is the disk full?")
TOOLS = [
    tool("host.disk_usage", "Shows disks", {"path": {"type": "string"}}, ["path"]),
    tool("host.list-files", "Lists files", {"path": {"type": "string"}, "depth": {"type": "integer"}}),
]


@dataclass
class Rig:
    """A fake provider and the backend that calls it."""

    server: FakeServer
    provider: ModelProvider
    running: Running
    waits: list[float] = field(default_factory=list)

    def config(self, provider: str, model: str, **fields: Any) -> LLMConfig:
        base = {"base_url": self.server.url, "api_key_env": "TEST_KEY", "backend": "langchain"}
        return LLMConfig(provider=provider, model=model, **(base | fields))

    async def ask(self, request: GenerateRequest) -> list[GenerateResponse]:
        """Sends a request through the gRPC service; the last response is the final one."""
        async with asyncio.timeout(LIMIT):
            responses = [response async for response in self.running.llm.Generate(request)]
        assert [r.is_final for r in responses] == [False] * (len(responses) - 1) + [True]
        return responses

    @property
    def bodies(self) -> list[Any]:
        return [request.body for request in self.server.requests]


@contextlib.asynccontextmanager
async def rigged(
    env: dict[str, str] | None = None,
    limits: StreamLimits | None = None,
    sleep: Callable[[float], Awaitable[None]] | None = None,
) -> AsyncIterator[Rig]:
    """Starts the fake provider and the service for a block.

    Waits between attempts are recorded and skipped unless `sleep` is given.
    """
    waits: list[float] = []

    async def note(seconds: float) -> None:
        waits.append(seconds)

    policy = RetryPolicy(sleep=sleep or note, rand=lambda: 1.0)
    provider = ModelProvider(ENV if env is None else env, limits or StreamLimits(), policy)
    async with FakeServer().run() as server, serving({"langchain": provider, "google-native": provider}) as running:
        yield Rig(server, provider, running, waits)


@pytest.fixture
async def rig() -> AsyncIterator[Rig]:
    async with rigged() as made:
        yield made


def request(
    config: LLMConfig,
    messages: Sequence[ConversationMessage] = (SYSTEM, USER),
    tools: Sequence[ToolDefinition] = (),
    execution_id: str = "execution-1",
) -> GenerateRequest:
    return GenerateRequest(
        session_id="session-1", execution_id=execution_id, messages=messages, tools=tools, llm_config=config
    )


def short(responses: Sequence[GenerateResponse]) -> list[Any]:
    """Returns responses as tuples: ("text", "…"), ("thinking", "…"), ("call", id, name, arguments), ("usage", …)."""
    unseen = (None, "waiting", "provider_turn")
    return Deltas(_short(response) for response in responses if response.WhichOneof("content") not in unseen)


def unbilled(received: Sequence[Any]) -> list[Any]:
    """Returns the responses without usage, because usage depends on the number of attempts."""
    return Deltas(one for one in received if one[0] != "usage")


def _short(response: GenerateResponse) -> Any:
    kind = response.WhichOneof("content")
    match kind:
        case "text":
            return ("text", response.text.content)
        case "thinking":
            return ("thinking", response.thinking.content)
        case "tool_call":
            call = response.tool_call
            return ("call", call.call_id, call.name, call.arguments)
        case "usage":
            usage = response.usage
            tokens = (usage.input_tokens, usage.output_tokens, usage.thinking_tokens, usage.total_tokens)
            return ("usage", *tokens)
        case "error":
            return ("error", response.error.code, response.error.retryable)
        case "code_execution":
            return ("code", response.code_execution.code, response.code_execution.result)
    return (kind,)


def next_turn(
    responses: Sequence[GenerateResponse],
    results: Sequence[str],
    before: Sequence[ConversationMessage] = (SYSTEM, USER),
) -> list[ConversationMessage]:
    """Returns the next conversation as the engine builds it: the answer, then the results of its calls."""
    turns = [r.provider_turn.data for r in responses if r.HasField("provider_turn")]
    text = "".join(r.text.content for r in responses if r.HasField("text"))
    calls = [r.tool_call for r in responses if r.HasField("tool_call")]
    answer = ConversationMessage(
        role="assistant",
        content=text,
        tool_calls=[ToolCall(id=c.call_id, name=c.name, arguments=c.arguments) for c in calls],
        provider_turn=turns[-1] if turns else b"",
    )
    answers = [
        ConversationMessage(
            role="tool",
            tool_call_id=call.call_id,
            tool_name=call.name,
            content=result,
            failed=result.startswith("Error"),
        )
        for call, result in zip(calls, results, strict=True)
    ]
    return [*before, answer, *answers]


def error_of(responses: Sequence[GenerateResponse]) -> tuple[str, bool, str]:
    error = responses[-1].error
    assert responses[-1].is_final
    assert KEY not in error.message
    return error.code, error.retryable, error.message
