"""Acts as the engine: sends requests and answers the model's tool calls until the final answer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from llm_service.proto.llm_service_pb2 import (
    TOOL_CLASS_READS,
    ConversationMessage,
    GenerateRequest,
    GenerateResponse,
    LLMConfig,
    ReactForm,
    Task,
    ToolCall,
    ToolCallDelta,
    ToolClass,
    ToolDefinition,
    ToolOutput,
    UsageInfo,
    Work,
)
from llm_service.providers.offline.provider import OfflineProvider

if TYPE_CHECKING:
    from llm_service.providers.registry import LLMProvider

ToolBox = Callable[[str, dict[str, Any]], str]
FAILURE = "FAILED: "
"""Prefix of a toolbox answer that represents a failed call."""


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


def user_message(alert: str) -> ConversationMessage:
    return ConversationMessage(role="user", content=alert)


def request_of(
    messages: Sequence[ConversationMessage],
    tools: Sequence[ToolDefinition] = (),
    backend: str = "offline",
    purpose: str = "iteration",
    task: Task | None = None,
    react: ReactForm | None = None,
) -> GenerateRequest:
    return GenerateRequest(
        purpose=purpose,
        session_id="session-1",
        execution_id="execution-1",
        messages=messages,
        tools=tools,
        llm_config=LLMConfig(backend=backend, provider="offline", model="rules"),
        task=task,
        react=react,
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
    task: Task
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    turns: list[list[str]] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    report: str = ""
    thinking: str = ""
    messages: list[ConversationMessage] = field(default_factory=list)


def opening() -> list[ConversationMessage]:
    """Returns messages whose prose is about another task, to show that the backend reads only the `task` field."""
    return [
        ConversationMessage(role="system", content="You are an agent."),
        ConversationMessage(role="user", content="-----BEGIN ALERT DATA-----\nAnother alert\n-----END ALERT DATA-----"),
    ]


def result_of(toolbox: ToolBox, name: str, arguments: dict[str, Any]) -> tuple[str, str, bool]:
    """Returns the tool's output, the engine's message about it, and whether the call failed."""
    result = toolbox(name, arguments)
    failed = result.startswith(FAILURE)
    result = result.removeprefix(FAILURE)
    return result, f"-----BEGIN TOOL RESULT-----\n{result}\n-----END TOOL RESULT-----", failed


async def investigate(
    task: str | Task, tools: Sequence[ToolDefinition], toolbox: ToolBox, purpose: str = "iteration"
) -> Investigation:
    run = Investigation(Task(alert=task) if isinstance(task, str) else task, messages=opening())
    for _ in range(12):
        answer = await ask(request_of(run.messages, tools, purpose=purpose, task=run.task))
        run.thinking += answer.thinking
        if not answer.calls:
            run.report = answer.text
            return run
        assert not answer.text
        run.turns.append([call.name for call in answer.calls])
        asked = [ToolCall(id=call.call_id, name=call.name, arguments=call.arguments) for call in answer.calls]
        run.messages.append(ConversationMessage(role="assistant", tool_calls=asked))
        for call in asked:
            arguments = json.loads(call.arguments)
            result, content, failed = result_of(toolbox, call.name, arguments)
            run.calls.append((call.name, arguments))
            run.results.append(result)
            run.messages.append(
                ConversationMessage(
                    role="tool", tool_call_id=call.id, tool_name=call.name, content=content, failed=failed
                )
            )
    raise AssertionError("it never came to an end")


async def investigate_in_text(task: Task, tools: Sequence[ToolDefinition], toolbox: ToolBox) -> Investigation:
    """Runs the investigation of an agent without function calling."""
    run = Investigation(task, messages=opening())
    for _ in range(12):
        answer = await ask(request_of(run.messages, task=task, react=ReactForm(tools=tools)))
        assert not answer.calls
        assert not answer.thinking
        run.messages.append(ConversationMessage(role="assistant", content=answer.text))
        _, final, report = answer.text.partition("\nFinal Answer: ")
        if final:
            run.report = report
            return run
        call = re.fullmatch(r"Thought: [^\n]+\nAction: (\S+)\nAction Input: (\{.*\})", answer.text)
        assert call
        arguments = json.loads(call[2])
        result, content, failed = result_of(toolbox, call[1], arguments)
        run.calls.append((call[1], arguments))
        run.results.append(result)
        observation = f"Observation:\n{content}"
        run.messages.append(ConversationMessage(role="user", content=observation, tool_name=call[1], failed=failed))
    raise AssertionError("it never came to an end")


def work_of(run: Investigation, agent: str, status: str = "completed", error: str = "") -> Work:
    """Returns an agent's work as the engine describes it in later requests."""
    outputs = [
        ToolOutput(tool=name, arguments=json.dumps(arguments), content=result)
        for (name, arguments), result in zip(run.calls, run.results, strict=True)
    ]
    return Work(
        stage="look", agent=agent, status=status, error=error, analysis="" if error else run.report, outputs=outputs
    )


def quoted_lines(report: str) -> list[str]:
    """Returns the lines inside code blocks; a fence ends with one of the same length."""
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


def section(report: str, name: str) -> str:
    return report.split(f"## {name}\n")[1].split("\n## ")[0]


def names(run: Investigation) -> list[str]:
    return [name for name, _ in run.calls]
