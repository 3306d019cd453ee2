"""Words and what alerts and schemas are read as."""

from __future__ import annotations

import pytest

from llm_service.proto.llm_service_pb2 import ToolDefinition
from llm_service.providers.offline.blocks import find_blocks, outside_blocks
from llm_service.providers.offline.conversation import read_conversation
from llm_service.providers.offline.jsontext import object_spans, parse_json
from llm_service.providers.offline.rows import read_rows
from llm_service.providers.offline.stream import estimate_tokens, pieces
from llm_service.providers.offline.subject import Subject, read_subject
from llm_service.providers.offline.toolspec import read_tool
from llm_service.providers.offline.values import coerce, usual_count
from llm_service.providers.offline.words import TOPICS, content_words, stem, tokenize
from tests.conversations import request_of, user_message


def subject_of(alert: str) -> Subject:
    return read_subject(read_conversation(request_of([user_message(alert)])))


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)
def test_the_words_of_a_topic_are_stems(topic: object) -> None:
    assert topic in TOPICS
    (found,) = [one for one in TOPICS if one is topic]
    # A word that is no stem would never be met.
    assert {word for word in (*found.triggers, *found.related) if stem(word) != word} == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("KubePodCrashLooping", ["kubernetes", "pod", "crash", "loop"]),
        ("NodeFilesystemAlmostOutOfSpace", ["node", "filesystem", "almost", "out", "of", "space"]),
        ("list_log_files", ["list", "log", "file"]),
        ("HTTPProbe", ["http", "probe"]),
        ("PODS ns=x", ["pod", "namespace", "x"]),
        ("Größe 5xx", ["größe", "xx"]),
    ],
)
def test_names_come_apart(text: str, expected: list[str]) -> None:
    assert tokenize(text) == expected


def test_words_without_meaning_are_left_out() -> None:
    assert content_words("The alert is above the threshold on this host") == []


@pytest.mark.parametrize(
    ("alert", "kind", "expected"),
    [
        ("/ above 90%", "mount", []),
        ("disk / above 90%", "mount", ["/"]),
        ("disk: /var/lib is full, and/or I/O 9/10", "mount", ["/var/lib"]),
        ("Pod api-1 in namespace payments crashed", "pod", ["api-1"]),
        ("Pod crashed in the payments namespace", "namespace", ["payments"]),
        ("Pod crashed in the payments namespace", "pod", []),
        ("pod payments/api-1 restarts", "pod", ["api-1"]),
        ("service at 10.0.0.300 or 10.0.0.3", "host", ["10.0.0.3"]),
        ("see https://web.example.com/a?b=1.", "url", ["https://web.example.com/a?b=1"]),
        ("runbook: https://wiki.example.com/a", "url", []),
        ("instance=db1:9100", "host", ["db1"]),
        ("java.lang.OutOfMemoryError in Main.java", "host", []),
        ("pid 4711 hangs", "pid", ["4711"]),
        ("connection refused on port 5432", "port", ["5432"]),
        ("at 12:30:05 port 99999", "port", []),
    ],
)
def test_things_an_alert_names(alert: str, kind: str, expected: list[str]) -> None:
    assert subject_of(alert).entities.get(kind) == expected


@pytest.mark.parametrize(
    ("alert", "expected"),
    [
        ("above 90%", (90, True, False)),
        ("usage >= 85.5 %", (85.5, True, False)),
        ("less than 10 percent free", (10, False, True)),
        ("90% full", None),
    ],
)
def test_the_limit_an_alert_names(alert: str, expected: tuple[float, bool, bool] | None) -> None:
    limit = subject_of(alert).limit
    assert (limit and (limit.percent, limit.above, limit.of_free)) == expected


def test_blocks_end_only_at_their_own_marker() -> None:
    text = (
        "-----BEGIN ALERT DATA-----\na\n-----END RUNBOOK-----\n-----BEGIN ANALYSIS-----\nb\n-----END ALERT DATA-----\nc"
    )
    (block,) = find_blocks(text)
    assert (block.name, block.body) == ("ALERT DATA", "a\n-----END RUNBOOK-----\n-----BEGIN ANALYSIS-----\nb")
    assert find_blocks("text -----BEGIN RUNBOOK----- inline") == []
    (block,) = find_blocks("-----BEGIN RUNBOOK-----\nopen end")
    assert (block.name, block.body) == ("RUNBOOK", "open end")
    assert outside_blocks(f"before\n{text}") == "before\n \nc"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("NAME  READY  AGE\na     1/1    2d", {"name": "a", "ready": "1/1", "age": "2d"}),
        ("Filesystem 1K-blocks Use% Mounted on\n/dev/sda1 100 91% /", {"mounted on": "/", "use%": "91%"}),
        ('{"a": {"b": 1}, "c": "x"}', {"c": "x"}),
        ("Load average: 0.5", {"Load average": "0.5"}),
        ("state  S (sleeping)", {"state": "S (sleeping)"}),
    ],
)
def test_results_are_read_as_rows(text: str, expected: dict[str, str]) -> None:
    row = read_rows(text)[0]
    assert expected.items() <= row.fields.items()
    assert row.text in text


def test_object_spans_are_exact() -> None:
    text = '[{"a": "}{\\""}, {"b": {"c": 1}}]'
    assert [text[a:b] for a, b in object_spans(text, 10)] == ['{"a": "}{\\""}', '{"b": {"c": 1}}', '{"c": 1}']
    assert len(object_spans(text, 2)) == 2


DEEP = ["[" * 200 + "]" * 200, "[" * 100_000, '{"a":' * 50_000]


@pytest.mark.parametrize("text", ["", "x", "1", '"x"', "{", "[NaN]", "[" + "9" * 5000 + "]", *DEEP])
def test_nonsense_is_no_json(text: str) -> None:
    assert parse_json(text) is None


@pytest.mark.parametrize(
    ("value", "schema", "expected"),
    [
        ("811", {"type": "integer"}, 811),
        ("8.5", {"type": "integer"}, None),
        ("811", {"type": "integer", "maximum": 100}, None),
        ("5", {"type": "integer", "exclusiveMinimum": 5}, None),
        ("6", {"type": ["null", "integer"], "exclusiveMinimum": 5}, 6),
        (True, {"type": "integer"}, None),
        ("x", {"type": "string", "minLength": 2}, None),
        ("x", {"type": "array", "items": {"type": "string"}}, ["x"]),
        ("x", {"type": "array", "items": {"type": "integer"}}, None),
        ("x", {"type": "array", "minItems": 2}, None),
        ("CPU", {"enum": ["cpu", "memory"]}, "cpu"),
        ("disk", {"enum": ["cpu", "memory"]}, None),
        ("x", {"type": "object"}, None),
        ("1e999", {"type": "number"}, None),
    ],
)
def test_values_fit_their_schema(value: object, schema: dict[str, object], expected: object) -> None:
    assert coerce(value, schema) == expected


@pytest.mark.parametrize(("low", "high", "expected"), [(1, 50, 50), (None, None, 100), (500, 1000, 500), (2.5, 7.5, 7)])
def test_usual_counts_keep_the_bounds(low: float | None, high: float | None, expected: int) -> None:
    schema = {name: bound for name, bound in (("minimum", low), ("maximum", high)) if bound is not None}
    assert usual_count(schema) == expected


@pytest.mark.parametrize(
    "schema",
    ["{", "[]", "5", '{"properties": 5}', '{"properties": {"a": 5}}', '{"required": "a"}', '{"required": [5]}'],
)
def test_schemas_that_cannot_be_read(schema: str) -> None:
    assert read_tool(ToolDefinition(name="a.b", parameters_schema=schema)).parameters is None


@pytest.mark.parametrize(
    ("schema", "kinds"),
    [
        ("", []),
        ("{}", []),
        ('{"properties": {"a": true}}', [None]),
        ('{"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": "integer"}}}', ["integer"]),
        ('{"properties": {"a": {"$ref": "#/properties/a"}}}', ["unknown"]),
        ('{"properties": {"a": {"$ref": "http://x/y"}}}', ["unknown"]),
        ('{"properties": {"a": {"anyOf": [{"type": "null"}, {"type": "string"}]}}}', ["string"]),
        ('{"required": ["a"]}', [None]),
    ],
)
def test_schemas_are_resolved(schema: str, kinds: list[str | None]) -> None:
    parameters = read_tool(ToolDefinition(name="a.b", parameters_schema=schema)).parameters
    assert parameters is not None
    assert [parameter.schema.get("type") for parameter in parameters] == kinds


@pytest.mark.parametrize("text", ["", "a", "word " * 1000, "x" * 5000, "ä ö\n" * 333])
def test_pieces_give_the_text_again(text: str) -> None:
    cut = list(pieces(text))
    assert "".join(cut) == text
    assert all(cut)
    assert len(cut) <= 601


def test_tokens_are_rounded_up() -> None:
    assert [estimate_tokens(n) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]
