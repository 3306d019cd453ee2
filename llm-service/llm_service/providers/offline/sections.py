"""The sections of an analysis, whoever wrote it; their lines verbatim."""

from __future__ import annotations

import re

from llm_service.providers.offline.markdown import plain

SCAN_CHARS = 60_000
MAX_LINE = 400

# Names that analyses use for their parts; with these also "**Root cause**: …" in one line counts as a heading.
_KNOWN = (
    "executive summary|summary|conclusion|root cause|findings?|results?|current state|what to do|next checks|"
    "next steps|prevention|what is not known|unknown|gaps|what failed|recommendations?"
)
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.{1,120})$|^\s{0,3}\d{0,2}[.)]?\s{0,3}\*\*([^*]{1,80})\*\*:?\s*$")
_RUN_IN = re.compile(
    rf"^\s{{0,3}}(?:\d{{1,2}}[.)]|[-*])?\s{{0,3}}\*\*({_KNOWN}):?\*\*:?\s{{1,3}}(\S.*)$", re.IGNORECASE
)
_SKIPPED = re.compile(r"no language model was involved", re.IGNORECASE)
_MARK = re.compile(r"^\s*(?:(?:[-*+>]|\d{1,3}[.)])\s+)*")
SUMMING_UP = (
    "executive summary", "summary", "conclusion", "root cause", "finding", "result", "current state",
)  # fmt: skip


def read_sections(analysis: str) -> dict[str, list[str]]:
    """Lines by heading in lower case ("" = before any); without code blocks and notes on how it was made."""
    sections: dict[str, list[str]] = {"": []}
    name = ""
    in_code = False
    for line in analysis[:SCAN_CHARS].split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
            continue
        if in_code:
            continue
        bounded = line[: 4 * MAX_LINE]
        heading = _HEADING.match(bounded)
        run_in = None if heading else _RUN_IN.match(bounded)
        named = heading or run_in
        if named:
            name = next(part for part in named.groups() if part).lower()
            sections.setdefault(name, [])
            if run_in is None:
                continue
            bounded = run_in[2]
        if bounded.strip() and not _SKIPPED.search(bounded):
            sections[name].append(bounded)
    return sections


def summing_up(sections: dict[str, list[str]]) -> list[str]:
    """Lines of the section that sums up, else all."""
    named = (lines for word in SUMMING_UP for heading, lines in sections.items() if word in heading and lines)
    return next(named, None) or [line for lines in sections.values() for line in lines]


def lines_about(sections: dict[str, list[str]], *words: str) -> list[str]:
    """Lines of the sections whose headings have one of the words."""
    return [line for heading, lines in sections.items() if any(word in heading for word in words) for line in lines]


def unmarked(line: str) -> str:
    """A line without the marks of lists and quotes."""
    return _MARK.sub("", line, count=1).strip()


def _cut(text: str) -> str:
    """Cut after a part of the sentence, so that no code span is broken."""
    end = text.rfind("; ", MAX_LINE // 2, MAX_LINE)
    while end > 0 and text.count("`", 0, end) % 2:
        end = text.rfind("; ", MAX_LINE // 2, end)
    return text[: end if end > 0 else MAX_LINE] + " …"


def quoted(line: str) -> str:
    """A line of an analysis as it stands there, cut if long; made harmless if it holds more than simple marks."""
    text = unmarked(line)
    cut = text if len(text) <= MAX_LINE else _cut(text)
    bare = re.sub(r"\\.", "", re.sub(r"`[^`]*`", "", cut))
    # HTML, links, pictures, tables and headings would act beyond their line.
    if re.search(r"[<>\[\]|`]|^#", bare) or bare.count("**") % 2:
        return plain(cut, MAX_LINE + 2)
    return cut
