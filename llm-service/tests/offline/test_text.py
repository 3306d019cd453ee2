"""Words, tables and subjects of texts."""

from __future__ import annotations

import pytest

from llm_service.providers.offline.outputs import Output, quotable_lines
from llm_service.providers.offline.provider import pieces
from llm_service.providers.offline.subject import read_subject
from llm_service.providers.offline.text import parse_json, words_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("KubePodCrashLooping", ["kubernetes", "pod", "crash", "loop"]),
        ("list_log_files", ["log", "file"]),
        ("HTTPProbe", ["http", "probe"]),
        ("PODS ns=x", ["pod", "namespace"]),
        ("Größe 5xx", ["größe", "xx"]),
        ("The alert is above the threshold on this host", []),
    ],
)
def test_words_that_carry_meaning(text: str, expected: list[str]) -> None:
    assert words_of(text) == expected


@pytest.mark.parametrize(
    ("alert", "kind", "expected"),
    [
        ("/ above 90%", "path", []),
        ("disk / above 90%", "path", ["/"]),
        ("disk: /var/lib is full, and/or I/O 9/10", "path", ["/var/lib"]),
        ("Pod api-1 in namespace payments crashed", "pod", ["api-1"]),
        ("Pod crashed in the payments namespace", "namespace", ["payments"]),
        ("Pod crashed in the payments namespace", "pod", []),
        ("Which process holds the file?", "process", []),
        ("process java is down", "process", ["java"]),
        ("see https://web.example.com/a?b=1.", "url", ["https://web.example.com/a?b=1"]),
        ("runbook: https://wiki.example.com/a", "url", []),
        ("instance=db1:9100", "host", ["db1"]),
        ("java.lang.OutOfMemoryError in Main.java", "host", []),
        ("pid 4711 hangs", "pid", ["4711"]),
        ("connection refused on port 5432", "port", ["5432"]),
        ("at 12:30:05", "port", []),
    ],
)
def test_entities_of_a_text_are_found(alert: str, kind: str, expected: list[str]) -> None:
    assert read_subject(alert).entities.kinds.get(kind, []) == expected


@pytest.mark.parametrize(
    ("alert", "expected"),
    [
        ("above 90%", (90, True, False)),
        ("usage >= 85.5 %", (85.5, True, False)),
        ("less than 10 percent free", (10, False, True)),
        ("90% full", None),
    ],
)
def test_the_limit_in_a_text_is_found(alert: str, expected: tuple[float, bool, bool] | None) -> None:
    limit = read_subject(alert).limit
    assert (limit and (limit.value, limit.above, limit.free)) == expected


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("NAME  READY  AGE\na     1/1    2d", {"name": "a", "ready": "1/1", "age": "2d"}),
        ("        total  used %\nmemory  8 GiB  93%", {"": "memory", "total": "8 GiB", "used %": "93%"}),
        ("state  S\nname   x", {}),
        ("Load average: 0.5", {}),
    ],
)
def test_rows_of_tables(text: str, cells: dict[str, str]) -> None:
    last = list(quotable_lines(Output("x.y", {}, text)))[-1]
    assert last.cells == cells
    assert last.text in text


@pytest.mark.parametrize("text", ["", "x", "1", '"x"', "{", "[" * 200 + "]" * 200, "[" * 100_000, '{"a":' * 50_000])
def test_invalid_json_is_rejected(text: str) -> None:
    assert parse_json(text) is None


@pytest.mark.parametrize("text", ["", "a", "word " * 1000, "x" * 5000, "ä ö\n" * 333])
def test_joined_pieces_equal_the_text(text: str) -> None:
    cut = list(pieces(text))
    assert "".join(cut) == text
    assert all(cut)
    assert len(cut) <= 601
