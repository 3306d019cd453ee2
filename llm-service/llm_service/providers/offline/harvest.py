"""What tool results name that a later call can use: a pid, a log file, a pod."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from llm_service.providers.offline.entities import Entities, kind_of
from llm_service.providers.offline.readings import TROUBLE, busiest
from llm_service.providers.offline.rows import read_rows
from llm_service.providers.offline.words import tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llm_service.providers.offline.exchange import Exchange
    from llm_service.providers.offline.rows import Row
    from llm_service.providers.offline.subject import Subject

_FILE = re.compile(r"(?<![\w/.:-])/(?:[\w.@%+-]+/)+[\w.@%+-]+")
_TAKEN_FROM_KEYS = ("namespace", "pod", "deployment", "node", "container", "url", "service")
_EMPTY = re.compile(r"(?<![\d.])0 B\b")
_WEB_PORTS = frozenset(
    ["80", "443", "3000", "5000", "8443", "8888", "9090", *(str(port) for port in range(8000, 8100))]
)
SCAN_CHARS = 100_000
LINE_CHARS = 200
MAX_FILES = 500


def harvest(exchanges: Sequence[Exchange], subject: Subject, earlier: Sequence[Exchange] = ()) -> Entities:
    """Collect, best first, from the results that did not fail; of earlier ones what lasts longer than a process."""
    found = Entities()
    files: list[tuple[int, str]] = []
    for index, exchange in enumerate([*exchanges, *earlier]):
        if exchange.result is None or exchange.failed:
            continue
        rows = read_rows(exchange.result[: 10 * SCAN_CHARS])
        words = tokenize(exchange.tool.split(".", 1)[-1])
        if index < len(exchanges):
            _add_busiest(rows, found, subject)
        _add_named(rows, found, next((word for word in words if word in _TAKEN_FROM_KEYS), None))
        if {"listen", "port"}.intersection(words):
            _add_web_ports(rows, found)
        files += _files(exchange.result[:SCAN_CHARS], subject)
    for _, path in sorted(files, key=lambda file: file[0]):  # stable: the tool's order counts among equals
        found.add("logpath" if looks_like_log(path) else "file", path)
    return found


def _add_busiest(rows: list[Row], found: Entities, subject: Subject) -> None:
    for row in busiest(rows, subject)[:3]:
        pid = next((value for name, value in row.fields.items() if kind_of(name) == "pid"), "")
        if pid.isdecimal() and int(pid) > 1:
            found.add("pid", pid)


def _add_named(rows: list[Row], found: Entities, listed: str | None) -> None:
    """Values of keys like `pod`; a `name` is of the kind of thing that the tool lists."""
    # What looks troubled is worth a closer look first.
    for row in sorted(rows, key=lambda row: not TROUBLE.search(row.text[:1000])):
        for name, value in row.fields.items():
            kind = listed if name.lower() == "name" else kind_of(name)
            if kind in _TAKEN_FROM_KEYS and re.fullmatch(r"[\w.:/@-]{1,253}", value):
                found.add(kind, value)


def _files(text: str, subject: Subject) -> list[tuple[int, str]]:
    """Files that a result names: first those that are called like something in the alert, empty ones last."""
    called = [word for word, weight in subject.words.items() if weight >= 1 and len(word) >= 4]
    files = []
    for match in _FILE.finditer(text):
        path = match[0].rstrip(".")
        line_begin = text.rfind("\n", max(0, match.start() - LINE_CHARS), match.start()) + 1
        empty = _EMPTY.search(text, line_begin, match.start()) is not None
        files.append((2 if empty else 1 - any(word in path.lower() for word in called), path))
    return files[:MAX_FILES]


def _add_web_ports(rows: list[Row], found: Entities) -> None:
    """Ports that usually speak HTTP can be asked for a page; any other port could take that amiss."""
    for row in rows:
        port = next((value for name, value in row.fields.items() if kind_of(name) == "port"), "")
        if port in _WEB_PORTS:
            scheme = "https" if port in ("443", "8443") else "http"
            found.add("url", f"{scheme}://127.0.0.1:{port}/")


def looks_like_log(path: str) -> bool:
    """Tell whether a path is likely a log file that can be read as text."""
    name = path.rsplit("/", 1)[-1]
    if name.endswith((".gz", ".xz", ".bz2", ".zst", ".so", ".journal")) or ("." not in name and "/log" not in path):
        return False
    return ".log" in name or "/log/" in path or "/logs/" in path or name in ("syslog", "messages")
