"""What an alert is about: weighted words, topics, named things, and the limit it speaks of."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from llm_service.providers.offline import textfacts
from llm_service.providers.offline.entities import Entities, kind_of, normalise
from llm_service.providers.offline.jsontext import parse_json
from llm_service.providers.offline.words import TOPICS, Topic, content_words, meaningful_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from llm_service.providers.offline.conversation import Conversation

SCAN_CHARS = 48_000
"""Of a long alert only so much is read: the beginning; what an alert is about stands there."""

MAX_FIELDS = 400
TITLE_CHARS = 200
_TITLE_KEYS = ("alertname", "title", "summary", "subject", "name", "message", "description", "reason", "text")
_TARGET_KINDS = (
    "pod", "deployment", "statefulset", "daemonset", "mount", "url", "service", "node", "process", "host",
    "namespace",
)  # fmt: skip
_LINK_KEYS = re.compile(r"runbook|dashboard|generator|silence|panel|external|fingerprint|callback", re.IGNORECASE)
_FIELD_LINE = re.compile(r"^[ \t>*-]{0,8}([A-Za-z][\w .-]{0,40}?)[ \t]{0,4}[:=][ \t]{0,4}(\S.{0,500})$", re.MULTILINE)
_PAIR = re.compile(r"\b([A-Za-z_]\w{0,40})=(\"[^\"\n]{0,300}\"|[^\s,;}\"]{1,300})")
_LIMIT = re.compile(
    r"(above|over|exceed(?:s|ed|ing)?|greater than|more than|>=?|below|under|less than|<=?)"
    r"\s{0,3}(?:threshold\s{0,3})?(?:of\s{0,3})?(\d{1,3}(?:\.\d{1,4})?)\s{0,2}(?:%|percent\b)",
    re.IGNORECASE,
)
_LINK = re.compile(r"\bhttps?://\S*", re.IGNORECASE)
_PATH = re.compile(r"(?<!\S)/\S*")
_FREE = re.compile(r"\b(?:free|available|avail|remaining|left)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Limit:
    """A percentage that the alert names.

    Attributes:
        percent: the number.
        above: the alert fires above it (else below).
        of_free: the number is of what is free, not of what is used.
    """

    percent: float
    above: bool
    of_free: bool


@dataclass(frozen=True)
class Subject:
    """What to investigate.

    Attributes:
        title: one line of the alert that says most.
        words: stems from the alert with their weight, heaviest first.
        query: the same with the words of the topics added; what tools are matched with.
        topics: fields of trouble, strongest first.
        entities: what the alert names.
        fields: keys of the alert (normalised) with their values.
        limit: the percentage it speaks of, if one.
        runbook: text of the runbook.
    """

    title: str
    words: dict[str, float]
    query: dict[str, float]
    topics: tuple[Topic, ...]
    entities: Entities
    fields: dict[str, str]
    limit: Limit | None
    runbook: str

    def shown_words(self) -> list[str]:
        """Words of the title that carry meaning, as they stand there."""
        return meaningful_words(self.title)[:8]

    def target(self) -> str | None:
        """The thing in trouble, if the alert names one."""
        first = ("mount",) if self.topics and self.topics[0].name == "disk space" else ()
        return self.entities.first(*first, *_TARGET_KINDS)


def read_subject(conversation: Conversation) -> Subject:
    """Read the alert, and the question asked about it if there is one."""
    text = conversation.alert
    parsed = parse_json(text)
    pairs = list(_flatten(parsed)) if parsed is not None else list(_text_pairs(text[:SCAN_CHARS]))
    if parsed is not None:
        text = "\n".join(f"{key}: {value}" for key, value in pairs if not _LINK_KEYS.search(key))
    text = text[:SCAN_CHARS]
    title = _title(pairs, text if parsed is None else "", conversation.alert)
    words = _words(title, pairs, text, structured=parsed is not None)
    for word in content_words(conversation.question[:SCAN_CHARS]):
        words[word] = max(words.get(word, 0), 1.5)
    topics = _topics(words)
    query = dict(words)
    for topic, strength in topics:
        for word, weight in topic.related.items():
            query[word] = max(query.get(word, 0), weight * strength)
    entities, fields = _entities(pairs, f"{conversation.question[:SCAN_CHARS]}\n{text}", topics)
    return Subject(
        title=title,
        words=dict(sorted(words.items(), key=lambda item: -item[1])),
        query=query,
        topics=tuple(topic for topic, _ in topics),
        entities=entities,
        fields=fields,
        limit=_limit(text),
        runbook=conversation.runbook[:SCAN_CHARS],
    )


def read_question(conversation: Conversation) -> Subject:
    """Read the question of a chat as what is to be looked at; what it leaves open is taken from the alert."""
    alert = read_subject(replace(conversation, question=""))
    question = conversation.question[:SCAN_CHARS]
    # "/var/log" asks for a folder and not for logs.
    words = _PATH.sub(" ", _LINK.sub(" http ", question))
    asked = read_subject(replace(conversation, alert=words, question="", runbook=""))
    textfacts.collect(question, asked.entities, about_disk=any(topic.name == "disk space" for topic in asked.topics))
    # "On this host", "the pod": the alert says which one.
    for kind, values in alert.entities.items():
        for value in values:
            asked.entities.add(kind, value)
    same = bool(asked.topics and alert.topics) and asked.topics[0] is alert.topics[0]
    limit = asked.limit or (alert.limit if same else None)
    return replace(asked, fields={**alert.fields, **asked.fields}, limit=limit)


def _flatten(value: Any) -> Iterator[tuple[str, str]]:
    """Scalars of a JSON value with their key, outer ones first; bounded."""
    queue: list[tuple[str, Any]] = [("", value)]
    found = 0
    for key, item in queue:  # grows while it is read: breadth first
        if isinstance(item, dict):
            queue.extend((str(name), inner) for name, inner in list(item.items())[:MAX_FIELDS])
        elif isinstance(item, list):
            queue.extend((key, inner) for inner in item[:50])
        elif isinstance(item, str | int | float) and not isinstance(item, bool):
            found += 1
            yield key, str(item)[:2000]
        if found >= MAX_FIELDS or len(queue) > 20 * MAX_FIELDS:
            return


def _text_pairs(text: str) -> Iterator[tuple[str, str]]:
    for count, match in enumerate(_FIELD_LINE.finditer(text)):
        if count >= MAX_FIELDS:
            return
        if not match[2].startswith("//"):  # a URL at the beginning of a line
            yield match[1], match[2].strip().strip("\"',")
    for count, match in enumerate(_PAIR.finditer(text)):
        if count >= MAX_FIELDS:
            return
        yield match[1], match[2].strip('"')


def _title(pairs: list[tuple[str, str]], text: str, alert: str) -> str:
    by_key: dict[str, str] = {}
    for key, value in pairs:
        by_key.setdefault(normalise(key), value)
    named = [by_key[key] for key in _TITLE_KEYS if by_key.get(key)]
    lines = [line.strip().lstrip("#>*- ") for line in text[:SCAN_CHARS].split("\n")]
    line = next((line for line in lines if re.search(r"\w", line)), "")
    if text and not (named and by_key.get("alertname")):
        chosen = line
    elif by_key.get("alertname") and len(named) > 1:
        chosen = f"{named[0]}: {named[1]}"
    else:
        chosen = named[0] if named else line or alert.strip()
    one_line = " ".join(chosen[: TITLE_CHARS * 4].split())
    return one_line if len(one_line) <= TITLE_CHARS else one_line[:TITLE_CHARS] + "…"


def _words(title: str, pairs: list[tuple[str, str]], text: str, *, structured: bool) -> dict[str, float]:
    words: dict[str, float] = {}

    def add(part: str, weight: float) -> None:
        for word in content_words(part):
            words[word] = max(words.get(word, 0), weight)

    add(title, 1.0)
    for key, value in pairs:
        if _LINK_KEYS.search(key):
            continue
        name = normalise(key)
        add(value, 1.0 if name in _TITLE_KEYS else 0.2)
        if kind_of(key):  # the alert has a pod, a mount point, … : that is what it is about
            add(key, 0.4)
    if not structured:
        add(text[:2000], 0.6)
        add(text, 0.3)
    return dict(list(words.items())[:500])


def _topics(words: dict[str, float]) -> list[tuple[Topic, float]]:
    found = []
    for topic in TOPICS:
        strength = max((words[word] for word in topic.triggers if word in words), default=0.0)
        hits = sum(words[word] for word in topic.triggers if word in words)
        if strength >= 0.3:
            found.append((topic, min(strength, 1.0), hits))
    found.sort(key=lambda item: (-item[1], -item[2]))
    return [(topic, strength) for topic, strength, _ in found[:4]]


def _entities(
    pairs: list[tuple[str, str]], text: str, topics: list[tuple[Topic, float]]
) -> tuple[Entities, dict[str, str]]:
    entities = Entities()
    fields: dict[str, str] = {}
    for key, value in pairs:
        if _LINK_KEYS.search(key) or not value:
            continue
        fields.setdefault(normalise(key), value)
        kind = kind_of(key)
        if kind == "mount" and not value.startswith("/"):
            kind = "device"  # fstype, volume names and the like
        # A key of running text may be any words before a colon; a thing's name has no blanks.
        if kind is not None and not re.search(r"\s", value):
            # Prometheus' instance is host:port of the exporter.
            value_only = re.sub(r":\d{1,5}$", "", value) if kind == "host" else value
            entities.add(kind, value_only)
            if kind == "host" and re.search(r"[A-Za-z]", value_only):
                entities.add("dnsname", value_only)
    about_disk = any(topic.name == "disk space" for topic, _ in topics)
    textfacts.collect(text[:SCAN_CHARS], entities, about_disk=about_disk)
    about_http = any(topic.name in ("HTTP", "network") for topic, _ in topics)
    if about_http and not entities.get("url"):
        for port in entities.get("port")[:2]:
            entities.add("url", f"http://{entities.first('host') or '127.0.0.1'}:{port}/")
    return entities, fields


def _limit(text: str) -> Limit | None:
    match = _LIMIT.search(text)
    if match is None:
        return None
    around = text[max(0, match.start() - 60) : match.end() + 30]
    word = match[1].lower()
    above = word.startswith(("above", "over", "exceed", "greater", "more", ">"))
    return Limit(percent=float(match[2]), above=above, of_free=bool(_FREE.search(around)))
