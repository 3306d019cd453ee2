"""Arguments of calls are read as models and gateways really write them."""

from __future__ import annotations

import json

import pytest

from llm_service.providers.shared.arguments import is_complete, read_arguments

SCHEMA = {
    "properties": {
        "count": {"type": "integer"},
        "ratio": {"type": ["number", "null"]},
        "all": {"type": "boolean"},
        "names": {"type": "array", "items": {"type": "integer"}},
        "filter": {"type": "object", "properties": {"depth": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}},
        "text": {"type": "string"},
        "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
    }
}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        # An empty object before or after the real one, several objects in one text, and tokens of a chat template.
        ('{}{"q":"x"}', [{"q": "x"}]),
        ('{"q":"x"}{}', [{"q": "x"}]),
        ('{"q":"a"}{"q":"b"}', [{"q": "a"}, {"q": "b"}]),
        ('{"q":"a"}\n{"q":"b"}\n{"q":"a"}', [{"q": "a"}, {"q": "b"}]),
        ('{"q":"x"}</tool_call>', [{"q": "x"}]),
        ('{"q":"x"}<|tool_call_end|>', [{"q": "x"}]),
        ('{"q":"x"}<｜tool▁call▁end｜>\n', [{"q": "x"}]),
        ('<tool_call>{"q":"x"}', [{"q": "x"}]),
        ('```json\n{"q":"x"}\n```', [{"q": "x"}]),
        # An object written as a JSON string, raw line breaks, and a Python dictionary.
        ('"{\\"q\\": \\"x\\"}"', [{"q": "x"}]),
        ('{"q":"two\nlines"}', [{"q": "two\nlines"}]),
        ("{'q': 'x', 'all': True, 'none': None}", [{"q": "x", "all": True, "none": None}]),
        ("", [{}]),
        (" \n", [{}]),
        ("null", [{}]),
        ("{}", [{}]),
        ("{}{}", [{}]),
    ],
)
def test_arguments_are_read(written: str, expected: list[object]) -> None:
    read = read_arguments(written)
    assert read is not None
    assert [json.loads(one) for one in read] == expected


@pytest.mark.parametrize(
    "written", ["[]", "1", '"x"', "{", '{"q":', '{"q":"x"} and more', "{'q': open('x')}", "[" * 100_000, "q: x"]
)
def test_other_texts_are_not_guessed(written: str) -> None:
    assert read_arguments(written) is None
    assert not is_complete(written)


@pytest.mark.parametrize("written", ['{"a":1}', '{ "a" : "\\ud800" }', '{"count": 20, "text": "20"}'])
def test_readable_text_stays_as_it_was_written(written: str) -> None:
    assert read_arguments(written, SCHEMA) == [written]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"count": "20"}, {"count": 20}),
        ({"ratio": " 0.5 "}, {"ratio": 0.5}),
        ({"all": "true"}, {"all": True}),
        ({"all": "False"}, {"all": False}),
        ({"names": '["1", 2]'}, {"names": [1, 2]}),
        ({"names": ["1"]}, {"names": [1]}),
        ({"filter": '{"depth": "3"}'}, {"filter": {"depth": 3}}),
        # Unchanged: values that the schema allows, texts that are no such value, and names that the schema lacks.
        ({"text": "20"}, {"text": "20"}),
        ({"either": "20"}, {"either": "20"}),
        ({"count": "twenty"}, {"count": "twenty"}),
        ({"count": "20.5"}, {"count": "20.5"}),
        ({"all": "1"}, {"all": "1"}),
        ({"other": "20"}, {"other": "20"}),
    ],
)
def test_values_are_converted_to_the_type_of_the_schema(given: object, expected: object) -> None:
    read = read_arguments(json.dumps(given), SCHEMA)
    assert read is not None
    assert [json.loads(one) for one in read] == [expected]
