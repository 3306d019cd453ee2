"""The delimited blocks in which the engine hands over text from outside."""

from __future__ import annotations

import re
from dataclasses import dataclass

ALERT = "ALERT DATA"
RUNBOOK = "RUNBOOK"
ANALYSIS = "ANALYSIS"
PREVIOUS = "PREVIOUS ANALYSIS"
TOOL_RESULT = "TOOL RESULT"
AGENT_RESULT = "AGENT RESULT"
HISTORY = "HISTORY"
QUESTION = "QUESTION"

_MARKER = re.compile(r"^-----(BEGIN|END) ([A-Z][A-Z ]{0,60})-----[ \t]*\r?$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A block and where its markers begin and end in the text."""

    name: str
    body: str
    begin: int
    end: int


def find_blocks(text: str) -> list[Block]:
    """Find delimited blocks, outermost only; one that is never closed reaches to the end."""
    found: list[Block] = []
    opened: re.Match[str] | None = None
    for marker in _MARKER.finditer(text):
        name = marker[2].strip()
        if opened is None and marker[1] == "BEGIN":
            opened = marker
        elif opened is not None and marker[1] == "END" and name == opened[2].strip():
            body = text[opened.end() + 1 : marker.start()].removesuffix("\n")
            found.append(Block(name, body, opened.start(), marker.end()))
            opened = None
    if opened is not None:
        found.append(Block(opened[2].strip(), text[opened.end() + 1 :], opened.start(), len(text)))
    return found


def bodies(text: str, name: str) -> list[str]:
    """Contents of the blocks of one name."""
    return [block.body for block in find_blocks(text) if block.name == name]


def outside_blocks(text: str) -> str:
    """Give the text around the blocks: instructions, as opposed to data."""
    parts: list[str] = []
    begin = 0
    for block in find_blocks(text):
        parts.append(text[begin : block.begin])
        begin = block.end
    return " ".join([*parts, text[begin:]])
