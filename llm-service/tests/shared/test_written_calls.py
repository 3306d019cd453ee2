"""Calls that a model wrote as text are found, and other text is left alone."""

from __future__ import annotations

from time import process_time

import pytest

from llm_service.providers.shared.written_calls import CallGate, WrittenCall

ARGUMENTS = '{"q": "x"}'
CALLS = {
    "JSON": '{"name":"plain__look","arguments":{"q":"x"}}',
    "a block after text": 'I will check the pod first.\n\n```json\n{"name":"plain__look","arguments":{"q":"x"}}\n```',
    "Llama": '<function=plain__look>{"q":"x"}</function>',
    "DeepSeek": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>plain__look\n"
    '```json\n{"q":"x"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    "DeepSeek 3.1": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>plain__look<｜tool▁sep｜>"
    '{"q":"x"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    "Hermes and Qwen": '<tool_call>\n{"name": "plain__look", "arguments": {"q": "x"}}\n</tool_call>',
    "Qwen 3 Coder": "<tool_call>\n<function=plain__look>\n<parameter=q>\nx\n</parameter>\n</function>\n</tool_call>",
    "GLM": "<tool_call>plain__look\n<arg_key>q</arg_key>\n<arg_value>x</arg_value>\n</tool_call>",
    "MiniMax": '<minimax:tool_call>\n<invoke name="plain__look">\n<parameter name="q">x</parameter>\n</invoke>\n'
    "</minimax:tool_call>",
    "Mistral's list": '[TOOL_CALLS][{"name":"plain__look","arguments":{"q":"x"}}]',
    "Mistral": '[TOOL_CALLS]plain__look[ARGS]{"q":"x"}',
    "Llama 3": '<|python_tag|>{"name":"plain__look","parameters":{"q":"x"}}',
    "Kimi": "<|tool_calls_section_begin|><|tool_call_begin|>plain__look<|tool_call_argument_begin|>"
    '{"q":"x"}<|tool_call_end|><|tool_calls_section_end|>',
    "Harmony": '<|channel|>commentary to=plain__look <|constrain|>json<|message|>{"q":"x"}<|call|>',
    "OpenAI's form": '{"tool_calls":[{"type":"function","function":'
    '{"name":"plain__look","arguments":"{\\"q\\": \\"x\\"}"}}]}',
}
SIZES = (1, 3, 7, 10_000)


def pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", CALLS)
def test_a_call_is_held_back_and_read(name: str, size: int) -> None:
    gate = CallGate()
    shown = "".join(gate.add(piece) for piece in pieces(CALLS[name], size))
    assert shown == ("I will check the pod first.\n\n" if name == "a block after text" else "")
    assert gate.end().calls == [WrittenCall("plain__look", ARGUMENTS)]


@pytest.mark.parametrize("size", SIZES)
def test_several_calls_are_read(size: int) -> None:
    gate = CallGate()
    text = '<tool_call>{"name":"a","arguments":{"n":1}}</tool_call>\n<tool_call>{"name":"b","arguments":{}}</tool_call>'
    assert "".join(gate.add(piece) for piece in pieces(text, size)) == ""
    assert gate.end().calls == [WrittenCall("a", '{"n": 1}'), WrittenCall("b", "{}")]


TEXTS = {
    "prose": "Root cause: exit code 137.\n- <b> and {braces} and [links](x)\n\n`code`",
    "a quoted call before more text": '```json\n{"name":"a","arguments":{}}\n```\n\nThis call failed twice.',
    "a JSON report": '{"verdict": "no action", "claims": [{"name": "a", "arguments": "b"}]}',
    "a manifest": "The manifest:\n\n```yaml\nname: a\narguments: {}\n```",
    "JSON without arguments": '```json\n{"name": "web-1", "status": "Running"}\n```',
    "JSON that does not end": '{"name": "web-1", "arguments": {"q": ',
    "a list of pods": '[{"name": "web-1"}, {"name": "web-2"}]',
    "an XML result": "<functional>yes</functional>",
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", TEXTS)
def test_other_text_passes_unchanged(name: str, size: int) -> None:
    gate = CallGate()
    shown = "".join(gate.add(piece) for piece in pieces(TEXTS[name], size))
    held = gate.end()
    assert shown + held.text == TEXTS[name]
    assert held.calls is None


def test_text_that_cannot_be_a_call_is_shown_at_once() -> None:
    gate = CallGate()
    assert gate.add('{"verdict": "no') == '{"verdict": "no'
    assert gate.add(" action\n") == " action\n"
    assert gate.add("```yaml\na: b") == "```yaml\na: b"
    quoted = '\n```json\n{"name": "a", "arguments": {}}\n```\n\nThis call'
    assert gate.add(quoted) == quoted


def test_an_unreadable_call_is_known_by_its_token() -> None:
    gate = CallGate()
    assert gate.add('<tool_call>{"name": "a", ') == ""
    held = gate.end()
    assert (held.calls, held.token) == (None, True)


LONG = {
    "a call": ('{"name": "a", "arguments": {"text": "', "x" * 100),
    "calls": ("", '{"name":"a","arguments":{}}\n'),
    "beginnings of calls": ("", '{"name":\n'),
    "brackets": ("", "{\n"),
    "tokens": ("", "<function=a>\n"),
    "parameters that do not end": ("<function=a>", "<parameter=b>"),
    "keys that do not end": ("<tool_call>a", "<arg_key>b"),
}


def seconds(text: str, size: int) -> float:
    gate = CallGate()
    begun = process_time()
    for piece in pieces(text, size):
        gate.add(piece)
    gate.end()
    return process_time() - begun


@pytest.mark.parametrize(("size", "length"), [(4, 60_000), (1_000_000, 1_000_000)])
@pytest.mark.parametrize("name", LONG)
def test_time_grows_with_the_length_alone(name: str, size: int, length: int) -> None:
    head, body = LONG[name]

    def shortest(length: int) -> float:
        text = head + body * (length // len(body))
        return min(seconds(text, size) for _ in range(3))

    assert shortest(length) < 9 * shortest(length // 4) + 0.02
