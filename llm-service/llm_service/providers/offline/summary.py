"""Short extracts: of an analysis for the executive summary, of one long tool result."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from llm_service.providers.offline.quotes import choose_quotes

if TYPE_CHECKING:
    from llm_service.providers.offline.subject import Subject

MAX_LINES = 3
MAX_CHARS = 280
SCAN_CHARS = 60_000
NOTE = "(Extract made by rules; no language model was involved.)"

_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.{1,120})$|^\s{0,3}\d{0,2}\.?\s{0,3}\*\*([^*]{1,80})\*\*:?\s*$")
_WANTED = ("executive summary", "summary", "conclusion", "root cause", "finding", "result", "current state")
_SKIPPED = re.compile(r"no language model was involved", re.IGNORECASE)


def executive_summary(analysis: str) -> str:
    """One to four lines of an analysis, its own words, without Markdown."""
    lines = key_lines(analysis, MAX_LINES)
    if not lines:
        return f"The analysis is empty.\n{NOTE}"
    return "\n".join([*lines, NOTE])


def key_lines(analysis: str, count: int) -> list[str]:
    """The lines that say most: of the section that sums up, else from the beginning."""
    sections: dict[str, list[str]] = {"": []}
    name = ""
    in_code = False
    for line in analysis[:SCAN_CHARS].split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
            continue
        if in_code:
            continue
        heading = _HEADING.match(line)
        if heading:
            name = (heading[1] or heading[2]).lower()
            sections.setdefault(name, [])
            continue
        text = _plain(line)
        if text and not _SKIPPED.search(text):
            sections[name].append(text)
    wanted = (lines for word in _WANTED for heading, lines in sections.items() if word in heading and lines)
    chosen = next(wanted, None) or [line for lines in sections.values() for line in lines]
    return chosen[:count]


def _plain(line: str) -> str:
    """Take the Markdown off one line and bound it."""
    text = re.sub(r"^\s*(?:[-*+>]\s+|\d{1,3}[.)]\s+)*", "", line[: MAX_CHARS * 4])
    text = re.sub(r"\\([\\`*_\[\]<>#|])", r"\1", text.replace("**", "").replace("`", ""))
    text = " ".join(text.split())
    return text if len(text) <= MAX_CHARS else text[:MAX_CHARS].rsplit(" ", 1)[0] + " …"


def condensed_results(results: tuple[str, ...], subject: Subject) -> str:
    """The lines of tool results that matter for the alert, verbatim."""
    lines = [line for result in results for line in choose_quotes(result, subject)]
    return "\n".join([*lines, NOTE])
