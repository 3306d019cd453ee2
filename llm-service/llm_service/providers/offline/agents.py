"""The agents of a synthesis: who they are, how they ended, what they did."""

from __future__ import annotations

import re
from dataclasses import dataclass

from llm_service.providers.offline.blocks import AGENT_RESULT, Block, find_blocks
from llm_service.providers.offline.history import HistoryItem, analysis_of, parse_history
from llm_service.providers.offline.markdown import plain

_NAME = re.compile(r"^### Agent \d{1,4}: (.{1,200})$", re.MULTILINE)
_STATUS = re.compile(r"\bstatus ([a-z_]{1,40})\b")
_ENDED = re.compile(
    r"^Ended with:\s*(?:-----BEGIN AGENT ERROR-----\n)?(.*?)(?:\n-----END AGENT ERROR-----|\Z)",
    re.MULTILINE | re.DOTALL,
)
_DONE = ("", "completed")


@dataclass(frozen=True)
class AgentResult:
    """One agent's work.

    Attributes:
        name: as configured; "an agent" when the request does not say.
        status: as the engine writes it ("completed", "failed", …), or "".
        error: why it ended before its time, or "".
        items: what it did.
    """

    name: str
    status: str
    error: str
    items: tuple[HistoryItem, ...]

    @property
    def finished(self) -> bool:
        """It came to its own end, with an analysis."""
        return self.status in _DONE and not self.error and bool(self.analysis)

    @property
    def analysis(self) -> str:
        """Its final analysis; for text without any headings that text."""
        plain = "\n".join(item.text for item in self.items) if not any(item.kind for item in self.items) else ""
        return analysis_of(self.items) or plain


def read_agents(message: str) -> tuple[AgentResult, ...]:
    """Read the agents of a request; without delimiters by their headings, without these as one agent."""
    blocks = [block for block in find_blocks(message) if block.name == AGENT_RESULT]
    if blocks:
        return tuple(_agents_of_blocks(message, blocks))
    message = message.rpartition("\n## Your task")[0] or message
    heads = list(_NAME.finditer(message))
    if not heads:
        return (AgentResult("an agent", "", "", tuple(parse_history(message))),) if message.strip() else ()
    ends = [head.start() for head in heads[1:]] + [len(message)]
    return tuple(_undelimited(message[head.start() : end]) for head, end in zip(heads, ends, strict=True))


def _agents_of_blocks(message: str, blocks: list[Block]) -> list[AgentResult]:
    begin = 0
    found = []
    for block in blocks:
        found.append(_agent(message[begin : block.begin], block.body))
        begin = block.end
    return found


def _undelimited(text: str) -> AgentResult:
    """Split where the history begins: at its first item, else after the line of facts."""
    item = re.search(r"^\*\*(?=[A-Z])", text, re.MULTILINE)
    facts = re.match(r"[^\n]*\n*(?:strategy [^\n]*\n*)?(?:Ended with: [^\n]*)?", text)
    begin = item.start() if item else facts.end() if facts else 0
    return _agent(text[:begin], text[begin:])


def _agent(head: str, body: str) -> AgentResult:
    names = list(_NAME.finditer(head))
    facts = head[names[-1].end() :] if names else ""
    ended = _ENDED.search(facts)
    status = _STATUS.search(facts[: ended.start()] if ended else facts)
    text = "" if body.strip() == "(nothing)" else body
    return AgentResult(
        name=names[-1][1].strip() if names else "an agent",
        status=status[1] if status else "",
        error=ended[1].strip() if ended else "",
        items=tuple(parse_history(text)),
    )


def names_of(agents: list[AgentResult]) -> str:
    """Names in a sentence, each once, as Markdown."""
    names = list(dict.fromkeys(plain(agent.name) for agent in agents))
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
