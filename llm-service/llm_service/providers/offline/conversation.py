"""What a request says, taken apart: the alert, what was asked, what tools have returned so far."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from llm_service.providers.offline.jsontext import parse_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llm_service.proto.llm_service_pb2 import ConversationMessage, GenerateRequest

ALERT = "ALERT DATA"
RUNBOOK = "RUNBOOK"
ANALYSIS = "ANALYSIS"
PREVIOUS = "PREVIOUS ANALYSIS"
TOOL_RESULT = "TOOL RESULT"

_MARKER = re.compile(r"^-----(BEGIN|END) ([A-Z][A-Z ]{0,60})-----[ \t]*\r?$", re.MULTILINE)

# How the engine and MCP servers begin a failure. Only the beginning of a result is looked at: a log
# that has the word "error" somewhere is not a failed call.
_FAILURE = re.compile(
    r"\W{0,4}(?:(?:mcp|tool|call|execution|server|input|validation)\b[\s:.\-]{0,3}){0,3}(?:[\w.]{1,120}\s+)?"
    r"(?:error|failed|failure|exception|timed out|timeout|not allowed|outcome unknown)\b",
    re.IGNORECASE,
)
_FAILURE_CODE = re.compile(r"(?:[A-Z]{2,20}_[A-Z_]{2,40}|FAILED): ")
_MAX_FAILURE_CHARS = 4000
"""A longer result is data whose first line happens to speak of an error."""


@dataclass(frozen=True)
class Exchange:
    """One tool call and what came of it.

    Attributes:
        call_id: id of the call.
        tool: canonical name.
        arguments: the arguments, {} when they cannot be read.
        result: what the tool returned, without the engine's delimiters; None = no answer yet.
        failed: the result tells of an error.
        turn: which assistant message made the call, counted from 1.
    """

    call_id: str
    tool: str
    arguments: dict[str, Any]
    result: str | None
    failed: bool
    turn: int


@dataclass(frozen=True)
class Conversation:
    """A request as the planner sees it.

    Attributes:
        alert: the alert text; the whole user message when it is not delimited.
        question: what a user asks after an analysis was given, else "".
        runbook: runbook text or "".
        analysis: text to be summarised, or None.
        loose_results: tool results outside of tool messages (a request to summarise one).
        previous: analyses of earlier stages.
        exchanges: all tool calls, in order.
        turns: assistant messages with tool calls since the last answer.
        wants_summary: the request asks for an executive summary.
    """

    alert: str
    question: str
    runbook: str
    analysis: str | None
    loose_results: tuple[str, ...]
    previous: tuple[str, ...]
    exchanges: tuple[Exchange, ...]
    turns: int
    wants_summary: bool


def read_conversation(request: GenerateRequest) -> Conversation:
    """Take a request apart."""
    messages = list(request.messages)
    answered = _last_answer(messages)
    users = [message.content for message in messages if message.role == "user"]
    blocks = [block for text in users for block in find_blocks(text)]

    def contents(name: str) -> list[str]:
        return [body for found, body in blocks if found == name]

    alerts = contents(ALERT)
    analyses = contents(ANALYSIS)
    instructions = " ".join(_outside_blocks(m.content) for m in messages if m.role in ("system", "user"))
    wants_summary = bool(re.search(r"executive[ -]summary", instructions, re.IGNORECASE))
    later = [m.content for m in messages[answered + 1 :] if m.role == "user"] if answered >= 0 else []
    return Conversation(
        alert=alerts[0] if alerts else (users[0] if users else ""),
        question=later[-1] if later else "",
        runbook="\n".join(contents(RUNBOOK)),
        analysis=analyses[-1] if analyses else (users[-1] if wants_summary and users else None),
        loose_results=tuple(contents(TOOL_RESULT)),
        previous=tuple(contents(PREVIOUS)),
        exchanges=tuple(_exchanges(messages)),
        turns=sum(1 for m in messages[answered + 1 :] if m.role == "assistant" and m.tool_calls),
        wants_summary=wants_summary,
    )


def find_blocks(text: str) -> list[tuple[str, str]]:
    """Find delimited blocks, outermost only; one that is never closed reaches to the end."""
    found: list[tuple[str, str]] = []
    name = ""
    begin = 0
    for marker in _MARKER.finditer(text):
        if not name and marker[1] == "BEGIN":
            name = marker[2].strip()
            begin = marker.end() + 1
        elif name and marker[1] == "END" and marker[2].strip() == name:
            found.append((name, text[begin : marker.start()].removesuffix("\n")))
            name = ""
    if name:
        found.append((name, text[begin:]))
    return found


def is_failure(result: str) -> bool:
    """Tell whether a tool result tells of an error instead of carrying data."""
    if len(result) > _MAX_FAILURE_CHARS:
        return False
    value = parse_json(result)
    if isinstance(value, dict):
        if value.get("isError") is True or value.get("ok") is False or value.get("success") is False:
            return True
        return bool(value.get("error")) and len(value) <= 4
    start = result[:300].lstrip()
    return bool(_FAILURE.match(start) or _FAILURE_CODE.match(start))


def strip_result(content: str) -> str:
    """Take the engine's delimiters off a tool result."""
    blocks = [body for name, body in find_blocks(content) if name == TOOL_RESULT]
    return "\n".join(blocks) if blocks else content


def _outside_blocks(text: str) -> str:
    """Give the text around the blocks: instructions, as opposed to data."""
    for _, body in find_blocks(text):
        text = text.replace(body, " ", 1) if body else text
    return text[:100_000]


def _last_answer(messages: Sequence[ConversationMessage]) -> int:
    """Index of the last assistant message that ended an investigation, or -1."""
    last = -1
    for index, message in enumerate(messages):
        if message.role == "assistant" and not message.tool_calls and message.content:
            last = index
    return last


def _exchanges(messages: Sequence[ConversationMessage]) -> list[Exchange]:
    results = {m.tool_call_id: m.content for m in messages if m.role == "tool"}
    found: list[Exchange] = []
    turn = 0
    for message in messages:
        if message.role != "assistant" or not message.tool_calls:
            continue
        turn += 1
        for call in message.tool_calls:
            arguments = parse_json(call.arguments)
            content = results.get(call.id)
            result = None if content is None else strip_result(content)
            found.append(
                Exchange(
                    call_id=call.id,
                    tool=call.name,
                    arguments=arguments if isinstance(arguments, dict) else {},
                    result=result,
                    failed=result is not None and (is_failure(result) or is_failure(content or "")),
                    turn=turn,
                )
            )
    return found
