"""What an agent did, read from the text that the engine writes of it: calls with results, analyses, errors."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from llm_service.providers.offline.exchange import Exchange, is_failure
from llm_service.providers.offline.jsontext import parse_json

if TYPE_CHECKING:
    from collections.abc import Iterable

TOOL_CALL = "Tool call"
FINAL_ANALYSIS = "Final analysis"
ERROR = "Error"

MAX_ITEMS = 1000
"""More than any agent does; of more the first and the last are read."""

_HEADING = re.compile(
    r"\*\*(Thought|Response|Final analysis|Executive summary|Error|Question|Code execution|Web search|Web pages)\*\*\s*"
)
_CALL = re.compile(r"\*\*Tool call\*\*: (\S{1,300})(?: (.*))?")
_STATUS = re.compile(r" \(([a-z][a-z_ ]{0,30})\)$")
_RESULT = re.compile(r"\s*Result(, summarized)?:\n")
# Lines that may begin an item, or begin or end a code block.
_MARK = re.compile(r"^(?:\*\*[A-Z]|(`{3,}|~{3,})).*$", re.MULTILINE)


@dataclass(frozen=True)
class HistoryItem:
    """One thing that an agent did.

    Attributes:
        kind: what the heading says, as "Tool call" or "Final analysis"; "" for text before any heading.
        text: result or content, verbatim.
        tool: canonical name of the tool that was called, else "".
        arguments: of the call.
        failed: the call did not complete.
    """

    kind: str
    text: str
    tool: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    failed: bool = False


def parse_history(text: str) -> list[HistoryItem]:
    """Take a history apart. A heading that an analysis quotes in a code block is not taken for one."""
    items: list[HistoryItem] = []
    head = HistoryItem("", "")
    begin = 0
    fence = ""
    for mark in _MARK.finditer(text):
        line = mark[0]
        if not line.startswith("**"):
            if head.kind == FINAL_ANALYSIS and not fence:
                fence = mark[1]
            elif line.strip() == fence:
                fence = ""
            continue
        following = None if fence else _head(line)
        if following is not None:
            items.append(_item(head, text[begin : mark.start()]))
            head, begin = following, mark.end() + 1
    items.append(_item(head, text[begin:]))
    items = [item for item in items if item.kind or item.text]
    return items if len(items) <= MAX_ITEMS else items[: MAX_ITEMS // 2] + items[-MAX_ITEMS // 2 :]


def _head(line: str) -> HistoryItem | None:
    heading = _HEADING.fullmatch(line)
    if heading:
        return HistoryItem(heading[1], "")
    call = _CALL.fullmatch(line.rstrip("\r"))
    if call is None:
        return None
    rest = call[2] or "{}"
    status = _STATUS.search(rest[-40:])
    arguments = parse_json(rest[: -len(status[0])] if status else rest)
    return HistoryItem(
        TOOL_CALL, "", call[1], arguments if isinstance(arguments, dict) else {}, failed=status is not None
    )


def _item(head: HistoryItem, text: str) -> HistoryItem:
    if head.kind == TOOL_CALL:
        begin = _RESULT.match(text)
        text = text[begin.end() :] if begin else text
    text = text.strip("\n")
    return HistoryItem(head.kind, "" if text == "(nothing)" else text, head.tool, head.arguments, head.failed)


def calls_of(items: Iterable[HistoryItem]) -> list[Exchange]:
    """Give the tool calls as if they had been made in this conversation."""
    return [
        Exchange("", item.tool, item.arguments, item.text, item.failed or is_failure(item.text), turn=0)
        for item in items
        if item.kind == TOOL_CALL
    ]


def analysis_of(items: Iterable[HistoryItem]) -> str:
    """Give the last final analysis, or "": text that only looks like one stands before the true one."""
    return next((item.text for item in reversed(list(items)) if item.kind == FINAL_ANALYSIS), "")
