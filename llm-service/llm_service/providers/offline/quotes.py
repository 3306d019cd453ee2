"""Chooses the lines of a tool result that a report quotes. Every line is an exact part of the result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llm_service.providers.offline.jsontext import parse_json
from llm_service.providers.offline.markdown import quotable
from llm_service.providers.offline.readings import busiest, is_log, scored
from llm_service.providers.offline.rows import Row, read_rows

if TYPE_CHECKING:
    from llm_service.providers.offline.subject import Subject

MAX_LINES = 12
MAX_ROWS = 8
MAX_PROCESSES = 6
MAX_OBJECT_LINES = 12


def choose_quotes(result: str, subject: Subject) -> list[str]:
    """Lines to quote, in the order of the result."""
    rows = read_rows(result)
    if parse_json(result) is not None:
        return _from_json(result, rows, subject)
    chosen = busiest(rows, subject)[:MAX_PROCESSES] or [row for _, row in scored(rows, subject)][:MAX_ROWS]
    taken = {row.order for row in chosen}
    rest = [row for row in rows if row.order not in taken]
    # Of a table and of a list the first rows count most, of a log the last ones.
    room = MAX_ROWS - len(chosen)
    if is_log(rows):
        chosen += rest[len(rest) - room :]
    else:
        chosen += ([row for row in rest if row.fields] or rest)[:room]
    lines: list[str] = []
    header = ""
    for row in sorted(chosen, key=lambda row: row.order):
        if row.header and row.header != header:
            header = row.header
            lines.append(row.header)
        lines.append(row.text)
    return _verbatim(lines)


def _from_json(result: str, rows: list[Row], subject: Subject) -> list[str]:
    # The innermost objects are the rows of a table; what encloses them would repeat them.
    leaves = [row for row in rows if row.fields and "{" not in row.text[1:]] or [row for row in rows if row.fields]
    processes = busiest(leaves, subject)
    ranked = processes[:3] or [row for _, row in scored(leaves, subject)][:3] or leaves[:3]
    lines: list[str] = []
    for row in sorted(ranked, key=lambda row: row.order):
        lines.extend(row.text.split("\n")[:MAX_OBJECT_LINES])
    if not lines:
        lines = result.split("\n", MAX_LINES)[:MAX_LINES]
    return _verbatim(lines, limit=3 * MAX_OBJECT_LINES)


def _verbatim(lines: list[str], limit: int = MAX_LINES) -> list[str]:
    return [cut for line in lines if (cut := quotable(line)) is not None][:limit]
