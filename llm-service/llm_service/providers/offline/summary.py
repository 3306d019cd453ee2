"""Short extracts: of an analysis for the executive summary, of one long tool result."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from llm_service.providers.offline.quotes import choose_quotes
from llm_service.providers.offline.sections import read_sections, summing_up

if TYPE_CHECKING:
    from llm_service.providers.offline.subject import Subject

MAX_LINES = 3
MAX_CHARS = 280
NOTE = "(Extract made by rules; no language model was involved.)"


def executive_summary(analysis: str) -> str:
    """One to four lines of an analysis, its own words, without Markdown."""
    lines = key_lines(analysis, MAX_LINES)
    if not lines:
        return f"The analysis is empty.\n{NOTE}"
    return "\n".join([*lines, NOTE])


def key_lines(analysis: str, count: int) -> list[str]:
    """The lines that say most: of the section that sums up, else from the beginning."""
    lines = [text for line in summing_up(read_sections(analysis)) if (text := _plain(line))]
    # "HostAgent found:" only announces what follows.
    return ([line for line in lines if not line.endswith(":")] or lines)[:count]


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
