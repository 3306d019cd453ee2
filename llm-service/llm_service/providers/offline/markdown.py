"""Puts text from outside into Markdown without letting it become Markdown."""

from __future__ import annotations

import re

MAX_QUOTED_CHARS = 240


def inline_code(text: str, limit: int = 80) -> str:
    """Show a value in one line. Backticks cannot be shown inside and become quotes."""
    one_line = " ".join(text[: limit * 4].replace("`", "'").split())
    return f"`{one_line if len(one_line) <= limit else one_line[:limit] + '…'}`" if one_line else "(empty)"


def plain(text: str, limit: int = 300) -> str:
    """Show running text in one line, with what Markdown or HTML would act on made harmless."""
    one_line = " ".join(text[: limit * 4].split())
    one_line = one_line if len(one_line) <= limit else one_line[:limit] + "…"
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", one_line)


def code_block(lines: list[str]) -> list[str]:
    """Quote lines as they are, in a fence longer than any that they contain."""
    longest = max((len(run) for line in lines for run in re.findall(r"`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", *lines, fence]


def quotable(line: str) -> str | None:
    """A line that can be quoted verbatim: cut at its end if long; None when it has control characters."""
    cut = line.rstrip("\r\n")[:MAX_QUOTED_CHARS].rstrip()
    return cut if cut and cut.replace("\t", " ").isprintable() else None
