"""Extracts the subject of a text: its words, the entities it names, and the limit it gives."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

from llm_service.providers.offline.quantities import Limit, find_limit
from llm_service.providers.offline.text import parse_json, words_of

SCAN_CHARS = 48_000  # maximum characters read of a text
MAX_PAIRS, MAX_VALUES, TITLE_CHARS = 400, 20, 200
OTHER_WORDS = 0.4  # weight of a word outside the title (a word of the title has 1)

# Kinds of entities by alias. Each string is a kind and its aliases; case and separators are ignored.
_KINDS = {
    name: names.split()[0]
    for names in (
        "namespace ns namespacename", "pod podname", "container containername", "deployment deploymentname",
        "node nodename", "service servicename svc unit", "url uri endpoint", "pid processid", "port portnumber",
        "host hostname fqdn address ip ipaddress instance domain domainname server target",
        "path file filename filepath logfile directory dir folder mount mountpoint mountedon volume",
        "process processname comm match",
    )
    for name in names.split()
}  # fmt: skip
_TITLE_KEYS = ("alertname", "title", "summary", "subject", "message", "description", "reason")
# Matches keys and texts that link to the monitoring system instead of the affected entity.
_LINK = re.compile(r"runbook|dashboard|generator|silence|panel|external|fingerprint|grafana|docs|wiki", re.IGNORECASE)
_LINE = re.compile(r"^[ \t>*-]{0,8}([A-Za-z][\w .-]{0,40}?)[ \t]{0,4}[:=][ \t]{0,4}(\S.{0,300})$", re.MULTILINE)
_PAIR = re.compile(r"\b([A-Za-z_]\w{0,40})=(\"[^\"\n]{0,300}\"|[^\s,;}\")]{1,300})")
# Matches a line of a text that only leads to the monitoring system.
_SHOWN_AT = re.compile(r"^Shown at: \S+$", re.MULTILINE)
_URL = re.compile(r"(\S{0,20}\s?)\b(https?://([^\s/:?#\"'<>)\]}`,|]{1,253})[^\s\"'<>)\]}`,|]{0,300})")
_NAMED = re.compile(
    r"(?i:(?<!which )(?<!what )(?<!any )\b(namespace|pod|deployment|container|node|service|process|unit|host))"
    r"\s{0,3}[:=]?\s{0,3}[\"'`]?([a-z0-9][\w.-]{1,250})"
)
_PATH = re.compile(r"(?<![^\s\"'`(=:,\[])(/(?:[\w.@%+-]+(?:/[\w.@%+-]+)*/?)?)(?![^\s\"'`),.;:\]?!])")
# Matches a method of HTTP before a path, which is then no file.
_METHOD = re.compile(r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\s$")
_SIMPLE = {
    "namespace": re.compile(r"\b([a-z0-9][a-z0-9-]{1,62})\s{1,3}namespace\b"),
    "host": re.compile(
        r"(?<![\w@./-])((?:[a-z0-9][a-z0-9-]{0,62}\.){1,8}(?:com|org|net|io|dev|app|local|internal|intern|lan|corp|cloud"
        r"|svc|test|example|info|edu|gov|eu|de|uk|us|fr|ch|nl)|(?:\d{1,3}\.){3}\d{1,3}|localhost)(?![\w-])(?!\.\w)"
    ),
    "port": re.compile(r"(?i:\bport\s{0,3}[:=]?\s{0,3}|(?<=[A-Za-z\]]):|(?<=\.\d):|(?<=\.\d\d):)(\d{1,5})\b(?![.:\d])"),
    "pid": re.compile(r"(?i:\bpid\s{0,3}[:=#]?\s{0,3})(\d{1,9})\b"),
}
_DISK = re.compile(r"disk|filesystem|mount|volume|space|inode", re.IGNORECASE)


@dataclass
class Entities:
    """Names of entities by kind, in order of appearance; `fields` holds the text's values by their key."""

    kinds: dict[str, list[str]] = field(default_factory=dict)
    fields: dict[str, str] = field(default_factory=dict)

    def add(self, kind: str, value: str) -> None:
        """Adds a value once, unless it is malformed or the kind is full."""
        value, values = value.strip().strip("\"'`"), self.kinds.setdefault(kind, [])
        if 0 < len(value) <= 300 and value.isprintable() and value not in values and len(values) < MAX_VALUES:
            values.append(value)


@dataclass(frozen=True)
class Subject:
    """The subject of a text; `words` maps stems to their weight."""

    title: str
    words: dict[str, float]
    entities: Entities
    limit: Limit | None


def normalise(name: str) -> str:
    """Returns a form that is equal for `pod_name`, `podName` and `Pod Name`."""
    return re.sub(r"[^a-z0-9]", "", name[:100].lower())


def kind_of(name: str) -> str | None:
    """Returns the kind of entity that a key, column or parameter with this name holds; None if unknown."""
    return _KINDS.get(normalise(name))


def read_subject(text: str) -> Subject:
    """Returns the subject of a text such as an alert or a question."""
    text = _SHOWN_AT.sub("", text)
    parsed = parse_json(text)
    found = _flatten(parsed) if parsed is not None else map(re.Match.groups, _LINE.finditer(text[:SCAN_CHARS]))
    pairs = [(key, value) for key, value in islice(found, MAX_PAIRS) if not _LINK.search(key)]
    text = (text if parsed is None else "\n".join(map(": ".join, pairs)))[:SCAN_CHARS]
    keys = {normalise(key): value for key, value in reversed(pairs)}
    titles = [keys[key] for key in _TITLE_KEYS if keys.get(key)] if parsed is not None or "alertname" in keys else []
    first = next((line for line in text.split("\n") if re.search(r"\w", line)), "")
    title = " ".join((": ".join(titles[:2]) or first).strip("#>*- ")[: 2 * TITLE_CHARS].split())[:TITLE_CHARS]
    words = dict.fromkeys(words_of(text)[:500], OTHER_WORDS) | dict.fromkeys(words_of(title), 1.0)
    return Subject(title, words, _things(text, pairs), find_limit(text))


def _flatten(value: Any) -> Iterator[tuple[str, str]]:
    """Yields the scalar values of parsed JSON with their keys, outermost first."""
    queue: list[tuple[str, Any]] = [("", value)]
    for key, item in islice(queue, 20 * MAX_PAIRS):  # the queue grows while it is read
        if isinstance(item, dict):
            queue.extend((str(name), inner) for name, inner in islice(item.items(), MAX_PAIRS))
        elif isinstance(item, list):
            queue.extend((key, inner) for inner in item[:50])
        elif isinstance(item, str | int | float) and not isinstance(item, bool):
            yield key, str(item)[:2000]


def _things(text: str, pairs: list[tuple[str, str]]) -> Entities:
    entities = Entities()
    for key, value in chain(pairs, ((m[1], m[2].strip('"')) for m in islice(_PAIR.finditer(text), MAX_PAIRS))):
        kind = None if _LINK.search(key) else kind_of(key)
        entities.fields.setdefault(normalise(key), value)
        # Skips values with blanks: running text has colons too, but an entity name contains no blanks.
        if kind is not None and not re.search(r"\s", value):
            entities.add(kind, re.sub(r":\d{1,5}$", "", value) if kind == "host" else value)
    _add_running(text, entities)
    return entities


def _add_running(text: str, entities: Entities) -> None:
    for before, url, host in _URL.findall(text):
        if not _LINK.search(before + url):
            entities.add("url", url.rstrip(".,;:!?"))
            entities.add("host", host)
    for word, name in _NAMED.findall(text):
        # "pod crashed" names no pod: a name needs a digit or punctuation. Namespaces and processes are exempt.
        kind = _KINDS[word.lower()]
        if re.search(r"[\d.-]", name) or (kind in ("namespace", "process") and words_of(name)):
            entities.add(kind, name.rstrip("."))
    of_disks = _DISK.search(text)
    for found in _PATH.finditer(text):
        path, of_request = found[1], _METHOD.search(text, max(0, found.start() - 10), found.start())
        if (path != "/" or of_disks) and not of_request:
            entities.add("path", path.rstrip("/.") or "/")
    for kind, pattern in _SIMPLE.items():
        for name in pattern.findall(text):
            if kind != "namespace" or words_of(name):
                entities.add(kind, name)
