"""What a request says, taken apart: what is asked for, the alert, what tools have returned so far."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from llm_service.providers.offline import blocks
from llm_service.providers.offline.agents import AgentResult, read_agents
from llm_service.providers.offline.blocks import find_blocks, outside_blocks
from llm_service.providers.offline.exchange import Exchange, read_exchanges
from llm_service.providers.offline.history import HistoryItem, calls_of, parse_history

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llm_service.proto.llm_service_pb2 import ConversationMessage, GenerateRequest

Kind: TypeAlias = Literal["investigation", "synthesis", "chat"]

SCAN_CHARS = 100_000
_INSTRUCTIONS = re.compile(r"^## Instructions for this agent[ \t]*\r?$", re.MULTILINE)
# What follows an agent's own instructions in the engine's system messages.
_INSTRUCTIONS_END = re.compile(r"^(?:## |Investigate this alert now with the tools you have)", re.MULTILINE)
_QUESTION_HEADING = re.compile(r"^## The question[ \t]*\r?$", re.MULTILINE)
_TITLE = re.compile(r"^### (.{1,300})$", re.MULTILINE)


@dataclass(frozen=True)
class HistoryPart:
    """The work of one agent, or of one stage, in a session that is asked about; title as the engine gives it."""

    title: str
    items: tuple[HistoryItem, ...]


@dataclass(frozen=True)
class Conversation:
    """A request as the planner sees it.

    Attributes:
        kind: what is asked for.
        alert: the alert text; the whole user message when it is not delimited.
        question: what a user asks after an analysis was given, else "".
        runbook: runbook text or "".
        instructions: what the operator tells this agent to look at, or "".
        analysis: text to be summarised, or None.
        loose_results: tool results outside of tool messages (a request to summarise one).
        previous: analyses of earlier stages.
        agents: whose results are to be joined.
        history: the session that a question is about, oldest first.
        exchanges: all tool calls of this conversation, in order.
        turns: assistant messages with tool calls since the last answer.
        wants_summary: the request asks for an executive summary.
    """

    kind: Kind
    alert: str
    question: str
    runbook: str
    instructions: str
    analysis: str | None
    loose_results: tuple[str, ...]
    previous: tuple[str, ...]
    agents: tuple[AgentResult, ...]
    history: tuple[HistoryPart, ...]
    exchanges: tuple[Exchange, ...]
    turns: int
    wants_summary: bool

    def earlier_calls(self) -> list[Exchange]:
        """Tool calls of the session that a question is about."""
        return calls_of(item for part in self.history for item in part.items)


def read_conversation(request: GenerateRequest) -> Conversation:
    """Take a request apart."""
    messages = list(request.messages)
    answered = _last_answer(messages)
    users = [message.content for message in messages if message.role == "user"]
    system = "\n\n".join(message.content for message in messages if message.role == "system")
    found = [block for text in users for block in find_blocks(text)]

    def contents(name: str) -> list[str]:
        return [block.body for block in found if block.name == name]

    names = {block.name for block in found}
    kind = _kind(request.purpose, names)
    alerts = contents(blocks.ALERT)
    analyses = contents(blocks.ANALYSIS)
    wants_summary = request.purpose == "executive_summary"
    later = [m.content for m in messages[answered + 1 :] if m.role == "user"] if answered >= 0 else []
    question = later[-1] if later else ""
    if kind == "chat" and not question:
        question = _question(users[0] if users else "", contents(blocks.QUESTION))
    return Conversation(
        kind=kind,
        alert=alerts[0] if alerts else (users[0] if users and kind == "investigation" else ""),
        question=question,
        runbook="\n".join(contents(blocks.RUNBOOK)),
        instructions=_own_instructions(system),
        analysis=analyses[-1] if analyses else (users[-1] if wants_summary and users else None),
        loose_results=tuple(contents(blocks.TOOL_RESULT)),
        previous=tuple(contents(blocks.PREVIOUS)),
        agents=read_agents(users[0]) if users and kind == "synthesis" else (),
        history=tuple(part for text in users[:1] for part in _history(text)) if kind == "chat" else (),
        exchanges=tuple(read_exchanges(messages)),
        turns=sum(1 for m in messages[answered + 1 :] if m.role == "assistant" and m.tool_calls),
        wants_summary=wants_summary and kind == "investigation",
    )


def _kind(purpose: str, names: set[str]) -> Kind:
    """By what the request says; a forced conclusion may be of any kind, which its blocks tell."""
    if purpose == "synthesis" or blocks.AGENT_RESULT in names:
        return "synthesis"
    return "chat" if purpose == "chat_response" or blocks.QUESTION in names else "investigation"


def _question(message: str, delimited: list[str]) -> str:
    """The question; without delimiters what stands below its heading, else the whole message."""
    if delimited:
        return delimited[-1].strip()
    headings = list(_QUESTION_HEADING.finditer(message))
    text = message[headings[-1].end() :] if headings else outside_blocks(message)
    return text.strip().removesuffix("You have no tools.").strip()


def _own_instructions(system: str) -> str:
    heading = _INSTRUCTIONS.search(system)
    if heading is None:
        return ""
    end = _INSTRUCTIONS_END.search(system, heading.end())
    return system[heading.end() : end.start() if end else len(system)].strip()[:SCAN_CHARS]


def _history(message: str) -> list[HistoryPart]:
    parts = []
    begin = 0
    for block in find_blocks(message):
        if block.name == blocks.HISTORY:
            titles = _TITLE.findall(message, begin, block.begin)
            parts.append(HistoryPart(titles[-1].strip() if titles else "", tuple(parse_history(block.body))))
        begin = block.end
    return parts


def _last_answer(messages: Sequence[ConversationMessage]) -> int:
    """Index of the last assistant message that ended an investigation, or -1."""
    last = -1
    for index, message in enumerate(messages):
        if message.role == "assistant" and not message.tool_calls and message.content:
            last = index
    return last
