"""Holds the limit that an alert names against what the tools measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from llm_service.providers.offline.entities import kind_of
from llm_service.providers.offline.readings import Percentage, label_of, percent_of
from llm_service.providers.offline.rows import Row, read_rows
from llm_service.providers.offline.words import tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llm_service.providers.offline.exchange import Exchange
    from llm_service.providers.offline.subject import Subject


@dataclass(frozen=True)
class Measurement:
    """A percentage that a tool returned for what the alert is about; label names the thing or is ""."""

    tool: str
    label: str
    percentage: Percentage
    row: Row


def measure(exchanges: Sequence[Exchange], subject: Subject) -> Measurement | None:
    """Find the percentage that the alert is about: of the thing it names, else the highest one."""
    if not subject.topics:
        return None
    topic = subject.topics[0]
    named = {value for kind in ("mount", "pod", "node", "device") for value in subject.entities.get(kind)}
    found: list[tuple[bool, float, Measurement]] = []
    for exchange in exchanges:
        words = set(tokenize(exchange.tool.split(".", 1)[-1]))
        if exchange.result is None or exchange.failed or not _on_topic(words, topic.related):
            continue
        for row in read_rows(exchange.result):
            percentage = percent_of(row, subject)
            if percentage is None or any(kind_of(name) == "pid" for name in row.fields):
                continue
            label = label_of(row)
            is_named = any(value in named for value in row.fields.values())
            # A tool for several things ("memory and load") must speak of the right one in this row.
            if not is_named and "and" in words and not set(tokenize(row.text[:300])) & topic.triggers:
                continue
            found.append(
                (
                    is_named,
                    -percentage.value if percentage.of_free else percentage.value,
                    Measurement(exchange.tool, label[1] if label else "", percentage, row),
                )
            )
    if not found:
        return None
    return max(found, key=lambda item: item[:2])[2]


def _on_topic(words: set[str], related: dict[str, float]) -> bool:
    return any(related.get(word, 0) >= 1 for word in words)
