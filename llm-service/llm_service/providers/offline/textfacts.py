"""Finds what running text names: URLs, paths, hosts, workloads. Every pattern is linear."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from llm_service.providers.offline.words import STOPWORDS, stem

if TYPE_CHECKING:
    from llm_service.providers.offline.entities import Entities

_URL = re.compile(r"(\S{0,20}\s?)\bhttps?://([^\s\"'<>\\)\]}`,|]{1,480})")
# A link of the monitoring system itself is not the thing that is in trouble.
_LINK_HINT = re.compile(r"runbook|dashboard|generator|silence|panel|grafana|docs|wiki", re.IGNORECASE)
_PATH = re.compile(r"(?<![^\s\"'`(=:,\[])/(?:[\w.@%+-]+(?:/[\w.@%+-]+)*/?)?(?![^\s\"'`),.;:\]?!])")
_IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]\w)")
_HOST = re.compile(
    r"(?<![\w@./-])(?:[a-z0-9][a-z0-9-]{0,62}\.){1,8}"
    r"(?:com|org|net|io|dev|app|local|internal|intern|lan|corp|cloud|svc|test|example|info|edu|gov|eu|de|uk|us|fr|ch|nl)"
    r"(?![\w-])"
)
_PORT = re.compile(
    r"\bport\s{0,3}[:=]?\s{0,3}(\d{1,5})\b|(?:(?<=[A-Za-z\]])|\.\d{1,3}):(\d{2,5})\b(?![.:\d])", re.IGNORECASE
)
_PID = re.compile(r"\b(?:pid|process id)\s{0,3}[:=#]?\s{0,3}(\d{1,9})\b", re.IGNORECASE)
_NAMED = re.compile(
    r"\b(namespace|pod|deployment|container|node|service|statefulset|daemonset|process|unit|host|server)"
    r"(\s{0,3}[:=]\s{0,3}|\s{1,3})([\"'`]?)([A-Za-z0-9][\w./@-]{0,250})",
    re.IGNORECASE,
)
_NAMESPACE_AFTER = re.compile(r"\b([a-z0-9][a-z0-9-]{1,62})\s{1,3}namespace\b")
_POD_SLASH = re.compile(r"\bpods?\s{1,3}[\"'`]?([a-z0-9][a-z0-9-]{0,62})/([a-z0-9][a-z0-9.-]{0,250})", re.IGNORECASE)
# "Which process holds …" names no process.
_ASKED = re.compile(r"\b(?:which|what|any|each|every|no)\s{1,3}\Z", re.IGNORECASE)
_KINDS = {"unit": "service", "server": "host"}


def collect(text: str, into: Entities, *, about_disk: bool) -> None:
    """Add what the text names. A lone "/" counts as the root filesystem only where disks are the subject."""
    for match in _URL.finditer(text):
        if not _LINK_HINT.search(match[1]) and not _LINK_HINT.search(match[2]):
            into.add("url", match[0][len(match[1]) :].rstrip(".,;:!?"))
            name = re.split(r"[/:?#]", match[2], maxsplit=1)[0]
            if not _IPV4.fullmatch(name) and re.fullmatch(r"[\w.-]{1,253}", name):
                into.add("dnsname", name)
    _collect_named(text, into)
    _collect_paths(text, into, about_disk=about_disk)
    _collect_hosts(text, into)
    for match in _PORT.finditer(text):
        number = int(match[1] or match[2])
        if 0 < number < 65536:
            into.add("port", str(number))
    for match in _PID.finditer(text):
        into.add("pid", match[1])


def _collect_paths(text: str, into: Entities, *, about_disk: bool) -> None:
    for match in _PATH.finditer(text):
        path = match[0] if match[0] == "/" else match[0].rstrip("/.")
        if about_disk:
            into.add("mount", path)
        if path != "/":
            into.add("path", path)


def _collect_hosts(text: str, into: Entities) -> None:
    for match in _IPV4.finditer(text):
        if all(int(part) < 256 for part in match[0].split(".")):
            into.add("host", match[0])
    for match in _HOST.finditer(text):
        into.add("host", match[0])
        into.add("dnsname", match[0])
    if re.search(r"\blocalhost\b", text):
        into.add("host", "localhost")


def _collect_named(text: str, into: Entities) -> None:
    for match in _POD_SLASH.finditer(text):
        into.add("namespace", match[1])
        into.add("pod", match[2])
    for match in _NAMED.finditer(text):
        kind = match[1].lower()
        value = match[4].rstrip("./")
        marked = bool(match[3]) or not match[2].isspace()
        # "pod crashed" names no pod; a name has a digit, a hyphen, a dot, a mark or is a namespace.
        asked = _ASKED.search(text[max(0, match.start() - 12) : match.start()]) is not None
        named = marked or bool(re.search(r"[\d.-]", value)) or kind in ("namespace", "process", "unit")
        word = value.lower()
        if named and not asked and "/" not in value and not {word, stem(word)} & (STOPWORDS | _NOT_NAMES):
            into.add(_KINDS.get(kind, kind), value)
    for match in _NAMESPACE_AFTER.finditer(text):
        if match[1] not in STOPWORDS:
            into.add("namespace", match[1])


_NOT_NAMES = frozenset(
    """namespace pod deployment container node service process unit host crash crashed killed""".split()
)
