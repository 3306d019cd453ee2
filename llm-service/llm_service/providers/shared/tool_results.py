"""Tool results, cut to what the configuration allows, and whether they tell of a failure."""

from __future__ import annotations

import re

CHARACTERS_PER_TOKEN = 4
"""The usual estimate for English text and JSON; the engine counts with the same one."""

# The engine puts tool results between such lines, because they are untrusted text.
_BEGIN = re.compile(r"\A-----BEGIN [A-Z ]+-----\n")
_END = re.compile(r"\n-----END [A-Z ]+-----\s*\Z")
_ERROR = re.compile(r"\s*error\b", re.IGNORECASE)


def cut_tool_result(text: str, max_tokens: int) -> str:
    """Cut a tool result to about this many tokens and say so; 0 or less means no limit.

    The line that marks the end of untrusted text is kept.
    """
    limit = max_tokens * CHARACTERS_PER_TOKEN
    if max_tokens <= 0 or len(text) <= limit:
        return text
    end = _END.search(text)
    ending = end.group() if end is not None else ""
    return f"{text[:limit]}\n\n[cut: {len(text)} characters, only the first {limit} are shown]{ending}"


def is_tool_error(text: str) -> bool:
    """Whether the text of a result begins with the word "error", as the engine's own failure texts do."""
    begin = _BEGIN.match(text)
    return _ERROR.match(text, begin.end() if begin is not None else 0) is not None
