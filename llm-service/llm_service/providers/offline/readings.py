"""Picks out of rows what matters for an alert: the rows about its subject, percentages, trouble words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llm_service.providers.offline.entities import kind_of
from llm_service.providers.offline.words import tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llm_service.providers.offline.rows import Row
    from llm_service.providers.offline.subject import Subject

TROUBLE = re.compile(
    r"(?<![\w-])(?:errors?|fail(?:ed|ure|ing)?|fatal|panic|crit(?:ical)?|exception|crashloopbackoff|oomkilled|"
    r"out of memory|oom-?kill(?:ed|er)|killed|evicted|back-?off|unhealthy|refused|timed? ?out|denied|no space left|"
    r"imagepullbackoff|errimagepull|unschedulable|unreachable|warn(?:ing)?|segfault|corrupt(?:ed|ion)?|zombie|degraded)\b",
    re.IGNORECASE,
)
_PERCENT_NAME = re.compile(r"%|percent|pct|pcent|\buse\b")
_PERCENT = re.compile(r"^(\d{1,3}(?:\.\d{1,6})?)\s?(%?)$")
_FREE_NAME = re.compile(r"free|avail|idle|remaining", re.IGNORECASE)
_INODE_NAME = re.compile(r"inode|iuse", re.IGNORECASE)
_COMMAND_NAME = re.compile(r"comm|cmd|process|program|args", re.IGNORECASE)
_KERNEL_THREAD = re.compile(r"(?:\s|\")\[[\w/:.+-]{1,60}\]\"?,?\s*}?$")
_LABEL_KINDS = (
    "mount",
    "pod",
    "pid",
    "deployment",
    "node",
    "path",
    "service",
    "host",
    "container",
    "url",
    "process",
)


def troubled(row: Row) -> bool:
    """Tell whether a row speaks of trouble. A command line does not: words in it are options and file names."""
    if not row.header:
        return bool(TROUBLE.search(row.text[:2000]))
    cells = (value for name, value in row.fields.items() if not _COMMAND_NAME.search(name))
    return any(TROUBLE.search(value) for value in cells)


@dataclass(frozen=True)
class Percentage:
    """A percentage that a row tells; name and text are the tool's own."""

    name: str
    text: str
    value: float
    of_free: bool


def scored(rows: Sequence[Row], subject: Subject) -> list[tuple[float, Row]]:
    """Rows that have to do with the subject, best first."""
    target = {value.lower() for _, values in subject.entities.items() for value in values}
    # A short target as "/" or "80" only counts as a whole field; in running text it is everywhere.
    long_targets = [value for value in target if len(value) >= 4][:20]
    key_words = {word for word, weight in subject.words.items() if weight >= 0.5}
    found: list[tuple[float, Row]] = []
    for row in rows:
        lowered = row.text[:2000].lower()
        score = 0.0
        if any(value.lower() in target for value in row.fields.values()):
            score += 5
        elif any(value in lowered for value in long_targets):
            score += 3
        if troubled(row):
            score += 3
        hits = sum(1 for word in set(tokenize(row.text[:300])) if word in key_words)
        score += min(hits, 3)
        percentage = percent_of(row, subject)
        if percentage is not None and percentage.value >= 80 and not percentage.of_free:
            score += 2
        if score > 0:
            found.append((score, row))
    found.sort(key=lambda item: (-item[0], item[1].order))
    return found


def is_log(rows: Sequence[Row]) -> bool:
    """Tell whether a result is a run of lines, where the last ones count, and not a table or a list."""
    if len(rows) < 10 or any(row.header for row in rows):
        return False
    names = [name for row in rows for name in row.fields]
    return len(names) < len(rows) / 2 or len(set(names)) < len(names) / 2


def percent_of(row: Row, subject: Subject) -> Percentage | None:
    """The percentage of a row that fits the alert: of what is used, unless the alert counts what is free."""
    want_free = subject.limit is not None and subject.limit.of_free
    want_inodes = "inode" in subject.words
    best: Percentage | None = None
    best_rank = -1
    for name, text in row.fields.items():
        number = _PERCENT.match(text)
        if number is None or not (number[2] or _PERCENT_NAME.search(name.lower())):
            continue
        free = bool(_FREE_NAME.search(name))
        rank = 2 * (free == want_free) + 4 * (bool(_INODE_NAME.search(name)) == want_inodes)
        if rank > best_rank:
            best, best_rank = Percentage(name, text, float(number[1]), free), rank
    return best


def label_of(row: Row) -> tuple[str, str] | None:
    """Field that names what a row is about."""
    by_kind = {kind_of(name): (name, value) for name, value in reversed(row.fields.items())}
    for kind in _LABEL_KINDS:
        if kind in by_kind:
            return by_kind[kind]
    return next(((name, value) for name, value in row.fields.items() if name.lower() == "name"), None)


def number_of(text: str) -> float | None:
    """A number with or without a unit of bytes or percent; None when it is something else."""
    match = re.match(r"^(\d{1,20}(?:\.\d{1,9})?)\s?([KMGTP]?)(?:i?B|i)?%?$", text.strip(), re.IGNORECASE)
    if match is None:
        return None
    return float(match[1]) * float(1024 ** " KMGTP".index(match[2].upper() or " "))


def busiest(rows: Sequence[Row], subject: Subject) -> list[Row]:
    """Rows about processes, the one that uses most first; by memory when memory is the subject."""
    with_pid = [row for row in rows if any(kind_of(name) == "pid" for name in row.fields)]
    memory = bool(subject.topics) and subject.topics[0].name == "memory"
    wanted = r"rss|mem" if memory else r"cpu"

    def usage(row: Row) -> float:
        values = [number_of(value) for name, value in row.fields.items() if re.search(wanted, name.lower())]
        return max((value for value in values if value is not None), default=0.0)

    names = [word for word in subject.entities.get("process") + subject.entities.get("service") if len(word) > 2]

    def order(row: Row) -> tuple[bool, bool, float]:
        # Kernel threads open no files, and a tool server is busy because it was just asked.
        dull = bool(_KERNEL_THREAD.search(row.text)) or "mcp" in row.text.lower()
        return (not any(name in row.text for name in names), dull, -usage(row))

    return sorted(with_pid, key=order)  # stable: what is not measured keeps the tool's order
