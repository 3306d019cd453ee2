"""Plays the engine: sends a conversation, answers tool calls, until the answer comes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from llm_service.proto.llm_service_pb2 import (
    ConversationMessage,
    GenerateRequest,
    GenerateResponse,
    LLMConfig,
    ToolCall,
    ToolCallDelta,
    ToolDefinition,
    UsageInfo,
)
from llm_service.providers.offline.provider import OfflineProvider

if TYPE_CHECKING:
    from llm_service.providers.base import LLMProvider

ToolBox = Callable[[str, dict[str, Any]], str]


def tool(
    name: str, description: str = "", properties: dict[str, Any] | None = None, required: Sequence[str] = ()
) -> ToolDefinition:
    schema = {"type": "object", "properties": properties or {}, "required": list(required)}
    return ToolDefinition(name=name, description=description, parameters_schema=json.dumps(schema))


def user_message(alert: str, *, runbook: str = "", previous: str = "") -> ConversationMessage:
    parts = [f"## The alert\n\n-----BEGIN ALERT DATA-----\n{alert}\n-----END ALERT DATA-----"]
    if runbook:
        parts.append(f"## Runbook\n\n-----BEGIN RUNBOOK-----\n{runbook}\n-----END RUNBOOK-----")
    if previous:
        parts.append(f"-----BEGIN PREVIOUS ANALYSIS-----\n{previous}\n-----END PREVIOUS ANALYSIS-----")
    parts.append("Investigate with the tools, then answer.")
    return ConversationMessage(role="user", content="\n\n".join(parts))


def request_of(
    messages: Sequence[ConversationMessage], tools: Sequence[ToolDefinition] = (), backend: str = "offline"
) -> GenerateRequest:
    return GenerateRequest(
        session_id="session-1",
        execution_id="execution-1",
        messages=messages,
        tools=tools,
        llm_config=LLMConfig(backend=backend, provider="offline", model="rules"),
    )


@dataclass
class Answer:
    thinking: str = ""
    text: str = ""
    calls: list[ToolCallDelta] = field(default_factory=list)
    usage: UsageInfo | None = None
    responses: list[GenerateResponse] = field(default_factory=list)


async def ask(request: GenerateRequest, provider: LLMProvider | None = None) -> Answer:
    answer = Answer()
    async for response in (provider or OfflineProvider(0)).generate(request):
        answer.responses.append(response)
        match response.WhichOneof("content"):
            case "thinking":
                answer.thinking += response.thinking.content
            case "text":
                answer.text += response.text.content
            case "tool_call":
                answer.calls.append(response.tool_call)
            case "usage":
                answer.usage = response.usage
    return answer


@dataclass
class Investigation:
    calls: list[tuple[str, dict[str, Any]]]
    turns: list[list[str]]
    results: list[str]
    call_ids: list[str]
    report: str
    thinking: str
    messages: list[ConversationMessage]


async def investigate(
    alert: str,
    tools: Sequence[ToolDefinition],
    toolbox: ToolBox,
    *,
    runbook: str = "",
    previous: str = "",
    messages: list[ConversationMessage] | None = None,
    max_turns: int = 12,
) -> Investigation:
    if messages is None:
        messages = [
            ConversationMessage(role="system", content="You are an experienced engineer."),
            user_message(alert, runbook=runbook, previous=previous),
        ]
    run = Investigation([], [], [], [], "", "", messages)
    for _ in range(max_turns):
        answer = await ask(request_of(messages, tools))
        run.thinking += answer.thinking
        if not answer.calls:
            run.report = answer.text
            return run
        assert not answer.text
        run.turns.append([call.name for call in answer.calls])
        messages.append(
            ConversationMessage(
                role="assistant",
                tool_calls=[ToolCall(id=c.call_id, name=c.name, arguments=c.arguments) for c in answer.calls],
            )
        )
        for call in answer.calls:
            arguments = json.loads(call.arguments)
            assert isinstance(arguments, dict)
            run.calls.append((call.name, arguments))
            run.call_ids.append(call.call_id)
            result = toolbox(call.name, arguments)
            run.results.append(result)
            content = f"-----BEGIN TOOL RESULT-----\n{result}\n-----END TOOL RESULT-----"
            messages.append(
                ConversationMessage(role="tool", tool_call_id=call.call_id, tool_name=call.name, content=content)
            )
    raise AssertionError("the planner never came to an end")


def quoted_lines(report: str) -> list[str]:
    """Lines inside of code blocks; a fence is closed by one of the same length."""
    lines: list[str] = []
    fence = ""
    for line in report.split("\n"):
        if not fence and line.startswith("```"):
            fence = line[: len(line) - len(line.lstrip("`"))]
        elif fence and line == fence:
            fence = ""
        elif fence:
            lines.append(line)
    assert not fence, "a code block is not closed"
    return lines


def names(run: Investigation) -> list[str]:
    return [name for name, _ in run.calls]


def arguments_of(run: Investigation, name: str) -> list[dict[str, Any]]:
    return [arguments for called, arguments in run.calls if called == name]
