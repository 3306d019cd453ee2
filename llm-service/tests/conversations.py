"""Plays the engine: sends a conversation, answers tool calls, until the answer comes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from llm_service.proto.llm_service_pb2 import (
    TOOL_CLASS_READS,
    ConversationMessage,
    GenerateRequest,
    GenerateResponse,
    LLMConfig,
    ToolCall,
    ToolCallDelta,
    ToolClass,
    ToolDefinition,
    UsageInfo,
)
from llm_service.providers.offline.provider import OfflineProvider

if TYPE_CHECKING:
    from llm_service.providers.registry import LLMProvider

SYNTHESIS = "You join the results of several agents that investigated the same production alert side by side."
CHAT = "You are the agent ChatAgent.\n\n## Your task\n\nAn engineer asks a follow-up question about an investigation."

ToolBox = Callable[[str, dict[str, Any]], str]


def tool(
    name: str,
    description: str = "",
    properties: dict[str, Any] | None = None,
    required: Sequence[str] = (),
    tool_class: ToolClass.ValueType = TOOL_CLASS_READS,
) -> ToolDefinition:
    schema = {"type": "object", "properties": properties or {}, "required": list(required)}
    return ToolDefinition(
        name=name, description=description, parameters_schema=json.dumps(schema), tool_class=tool_class
    )


def user_message(alert: str, *, runbook: str = "", previous: str = "") -> ConversationMessage:
    parts = [f"## The alert\n\n-----BEGIN ALERT DATA-----\n{alert}\n-----END ALERT DATA-----"]
    if runbook:
        parts.append(f"## Runbook\n\n-----BEGIN RUNBOOK-----\n{runbook}\n-----END RUNBOOK-----")
    if previous:
        parts.append(f"-----BEGIN PREVIOUS ANALYSIS-----\n{previous}\n-----END PREVIOUS ANALYSIS-----")
    parts.append("Investigate with the tools, then answer.")
    return ConversationMessage(role="user", content="\n\n".join(parts))


def request_of(
    messages: Sequence[ConversationMessage],
    tools: Sequence[ToolDefinition] = (),
    backend: str = "offline",
    purpose: str = "iteration",
) -> GenerateRequest:
    return GenerateRequest(
        purpose=purpose,
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
    purpose: str = "iteration",
    max_turns: int = 12,
) -> Investigation:
    if messages is None:
        messages = [
            ConversationMessage(role="system", content="You are an experienced engineer."),
            user_message(alert, runbook=runbook, previous=previous),
        ]
    run = Investigation([], [], [], [], "", "", messages)
    for _ in range(max_turns):
        answer = await ask(request_of(messages, tools, purpose=purpose))
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


def history_of(run: Investigation, *, analysis: bool = True) -> str:
    """The text in which the engine hands an investigation on."""
    parts = ["**Thought**\n\nFirst I look at the disk."]
    for (name, arguments), result in zip(run.calls, run.results, strict=True):
        parts.append(f"**Tool call**: {name} {json.dumps(arguments)}\n\nResult:\n{result}")
    if analysis:
        parts.append(f"**Final analysis**\n\n{run.report.strip()}")
    return "\n\n".join(parts)


@dataclass
class Part:
    name: str
    history: str
    status: str = "completed"
    error: str = ""


def synthesis_messages(
    alert: str, parts: Sequence[Part], *, delimited: bool = True, system: str = SYNTHESIS
) -> list[ConversationMessage]:
    sections = []
    for number, part in enumerate(parts, 1):
        error = f"\n\nEnded with: {part.error}" if part.error else ""
        body = part.history
        if delimited and part.error:
            error = f"\n\nEnded with:\n\n-----BEGIN AGENT ERROR-----\n{part.error}\n-----END AGENT ERROR-----"
        if delimited:
            body = f"-----BEGIN AGENT RESULT-----\n{body}\n-----END AGENT RESULT-----"
        facts = f"strategy langchain, provider offline, status {part.status}"
        sections.append(f"### Agent {number}: {part.name}\n\n{facts}{error}\n\n{body}")
    alert_part = f"## The alert\n\nType: host\n\n-----BEGIN ALERT DATA-----\n{alert}\n-----END ALERT DATA-----"
    found = "\n\n".join(sections)
    content = f"Join the results of {len(parts)} agents.\n\n{alert_part}\n\n## What the agents did and found\n\n{found}"
    content += "\n\n## Your task\n\nWrite one final analysis, in Markdown."
    return [ConversationMessage(role="system", content=system), ConversationMessage(role="user", content=content)]


def chat_messages(
    alert: str, history: Sequence[tuple[str, str]], question: str, *, system: str = CHAT
) -> list[ConversationMessage]:
    parts = [f"### {title}\n\n-----BEGIN HISTORY-----\n{text}\n-----END HISTORY-----" for title, text in history]
    found = "\n\n".join(parts) or "(nothing was found)"
    content = (
        f"## The alert\n\n-----BEGIN ALERT DATA-----\n{alert}\n-----END ALERT DATA-----\n\n"
        f"## The investigation so far\n\n{found}\n\n"
        f"## The question\n\n-----BEGIN QUESTION-----\n{question}\n-----END QUESTION-----"
    )
    return [ConversationMessage(role="system", content=system), ConversationMessage(role="user", content=content)]
