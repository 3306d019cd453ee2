"""Forms of a request that some servers demand, recognised by the texts of their refusals."""

import re
from collections.abc import Iterable
from enum import StrEnum

# HTTP statuses of refused requests; servers report failing chat templates with 500.
REFUSING = frozenset({400, 404, 413, 422, 500})
_SHOWN = 4000  # characters of an error text to search, because a quoted prompt may follow


class Quirk(StrEnum):
    """A form of a request that a server needs."""

    TEXT_CONTENT = "text_content"  # the content of an answer without text is "", not null
    # The system's text begins the first user message, because the server refuses the role `system`.
    NO_SYSTEM_ROLE = "no_system_role"
    NO_TOOL_ROLE = "no_tool_role"  # calls and their results are sent as text of assistant and user
    DECLARED_TOOLS = "declared_tools"  # tools called in the history are declared, even if the model may call none
    SHORT_IDS = "short_ids"  # tool call ids have nine letters and digits
    NO_THOUGHTS = "no_thoughts"  # thinking of earlier answers is not sent back
    EFFORT_XHIGH = "effort_xhigh"  # the greatest effort is "xhigh"
    EFFORT_HIGH = "effort_high"  # the greatest effort is "high"


_ALTERNATE = r"roles? must alternate|alternat\w+ user|only user and assistant roles"
_PATTERNS = {
    Quirk.TEXT_CONTENT: r"NoneType|content.{0,120}?(?:\bnull\b|\bnone\b|<nil>|valid string|a string|field required)",
    Quirk.NO_SYSTEM_ROLE: (
        r"system\W{0,3} ?(?:role|message|prompt|instruction)s?.{0,40}?"
        r"(?:not (?:be )?(?:supported|allowed|enabled)|unsupported)"
        rf"|(?:unexpected|invalid|unsupported|unknown)\s+role:?\W{{0,3}}system|{_ALTERNATE}"
    ),
    Quirk.NO_TOOL_ROLE: (rf"(?:unexpected|invalid|unsupported|unknown)\s+role:?\W{{0,3}}tool|{_ALTERNATE}"),
    Quirk.DECLARED_TOOLS: r"tools=|toolConfig|tools.{0,40}(?:must|should|need to) be (?:defined|provided|specified)",
    Quirk.SHORT_IDS: r"length of 9|exactly 9",
    Quirk.NO_THOUGHTS: (
        r"signature.{0,20}thinking|thinking.{0,40}blocks?\b.{0,120}(?:cannot be modified|bound|different model)"
    ),
    Quirk.EFFORT_XHIGH: r"effort.{0,200}?\bmax\b|\bmax\b.{0,200}?effort",
    Quirk.EFFORT_HIGH: r"effort.{0,200}?\bxhigh\b|\bxhigh\b.{0,200}?effort",
}
_COMPILED = {quirk: re.compile(pattern, re.IGNORECASE | re.DOTALL) for quirk, pattern in _PATTERNS.items()}


def quirks_in(status: int, text: str, candidates: Iterable[Quirk]) -> list[Quirk]:
    """Returns the candidates that the text of a refusal names."""
    if status not in REFUSING:
        return []
    return [quirk for quirk in candidates if _COMPILED[quirk].search(text[:_SHOWN])]
