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

    from llm_service.providers.offline.conversation import Exchange
    from llm_service.providers.offline.subject import Subject

_FILE = re.compile(r"(?<![\w/.:-])/(?:[\w.@%+-]+/)+[\w.@%+-]+")
_TAKEN_FROM_KEYS = ("namespace", "pod", "deployment", "node", "container", "url", "service")
SCAN_CHARS = 100_000


def harvest(exchanges: Sequence[Exchange], subject: Subject) -> Entities:
    """Collect, best first, from the results that did not fail."""
    found = Entities()
    for exchange in exchanges:
        if exchange.result is None or exchange.failed:
            continue
        rows = read_rows(exchange.result[: 10 * SCAN_CHARS])
        for row in busiest(rows, subject)[:3]:
            pid = next((value for name, value in row.fields.items() if kind_of(name) == "pid"), "")
            if pid.isdecimal() and int(pid) > 1:
                found.add("pid", pid)
        words = tokenize(exchange.tool.split(".", 1)[-1])
        listed = next((word for word in words if word in _TAKEN_FROM_KEYS), None)
        # What looks troubled is worth a closer look first.
        for row in sorted(rows, key=lambda row: not TROUBLE.search(row.text[:1000])):
            for name, value in row.fields.items():
                kind = kind_of(name)
                if name.lower() == "name":
                    kind = listed
                if kind in _TAKEN_FROM_KEYS and re.fullmatch(r"[\w.:/@-]{1,253}", value):
                    found.add(kind, value)
        for match in _FILE.finditer(exchange.result[:SCAN_CHARS]):
            path = match[0].rstrip(".")
            found.add("logpath" if looks_like_log(path) else "file", path)
    return found


def looks_like_log(path: str) -> bool:
    """Tell whether a path is likely a log file that can be read as text."""
    name = path.rsplit("/", 1)[-1]
    if name.endswith((".gz", ".xz", ".bz2", ".zst", ".so", ".journal")) or ("." not in name and "/log" not in path):
        return False
    return ".log" in name or "/log/" in path or "/logs/" in path or name in ("syslog", "messages")
