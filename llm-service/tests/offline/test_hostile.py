"""Huge, broken and malicious input."""

from __future__ import annotations

import json
import time

import pytest

from llm_service.proto.llm_service_pb2 import Task, ToolOutput, Work
from tests.conversations import ask, investigate, opening, quoted_lines, request_of, tool
from tests.toolboxes import HOST_TOOLS, host

MIB = 1024 * 1024
LIMIT_SECONDS = 1.0
"""Limit of processor time (s): ten times that of an answer, because machines differ. Quadratic code takes minutes."""

BIG = {
    "words": "disk full " * (MIB // 10),
    "one word": "a" * MIB,
    "upper case": "A" * MIB,
    "one path": "disk /" + "a/" * (MIB // 2),
    "path without end": " /" + "a" * MIB + "!",
    "dots": "a." * (MIB // 2),
    "dashes": "a-" * (MIB // 2),
    "urls": "https://a.example.com/x " * (MIB // 24),
    "blanks": "disk" + " " * MIB + "full",
    "newlines": "\n" * MIB,
    "pairs": "key=value " * (MIB // 10),
    "field lines": "key: value\n" * (MIB // 11),
    "columns": "a  b  c\n" * (MIB // 8),
    "spaces and colons": " " * 1000 + ": " * (MIB // 2),
    "percent": "above 9" * (MIB // 7),
    "digits": "1" * MIB,
    "addresses": "1.1.1." * (MIB // 6),
    "unicode": "磁盘已满 " * (MIB // 15),
    "emoji": "💾" * (MIB // 4),
    "flat json": json.dumps([{"alertname": "x", "n": n} for n in range(MIB // 32)]),
    "wide json": json.dumps({f"k{n}": "v" for n in range(MIB // 16)}),
    "deep json": '{"a":' * 5000 + "1" + "}" * 5000,
    "quotes": '{"a": "' + '\\"' * (MIB // 2) + '"}',
}


@pytest.mark.parametrize("text", BIG.values(), ids=BIG.keys())
async def test_large_texts_are_answered_in_time(text: str) -> None:
    cut = text[:100_000]
    started = time.thread_time()
    answer = await ask(request_of(opening(), HOST_TOOLS, task=Task(alert=text, runbook=text, instructions=cut)))
    assert time.thread_time() - started < LIMIT_SECONDS
    assert answer.calls or answer.text
    work = Work(agent="A", analysis=cut, outputs=[ToolOutput(tool="a.disk", arguments=cut, content=cut)])
    started = time.thread_time()
    task = Task(alert="disk / full, above 90%", question=f"disk {cut}", works=[work, work])
    for purpose in ("chat_response", "synthesis"):
        answer = await ask(request_of(opening(), purpose=purpose, task=task))
        assert "No language model was involved" in answer.text
        assert len(answer.text) < 30_000
    assert time.thread_time() - started < 2 * LIMIT_SECONDS


@pytest.mark.parametrize("unit", BIG.values(), ids=BIG.keys())
async def test_large_results_are_reported_in_time(unit: str) -> None:
    result = unit[:100_000]
    tools = [tool("a.disk_usage", "disk"), tool("a.disk_files", "disk files"), tool("a.disk_log", "disk log")]
    started = time.thread_time()
    run = await investigate("disk / full, above 90%", tools, lambda *_: result)
    assert time.thread_time() - started < 3 * LIMIT_SECONDS
    for line in quoted_lines(run.report):
        assert line in result


async def test_lone_surrogates_in_json_do_not_reach_the_wire() -> None:
    alert = '{"alertname": "Disk \\ud800 full", "pod": "x\\udfff-1", "path": "/\\udfff"}'
    answer = await ask(request_of(opening(), HOST_TOOLS, task=Task(alert=alert)))
    assert answer.calls
    run = await investigate(alert, HOST_TOOLS[:1], lambda *_: '{"mount": "/\\ud800", "used_percent": 95}')
    assert "95" in run.report


@pytest.mark.parametrize("alert", ["", " ", "\x00", "{}", "[]", "null", '""', "🔥", "---", "%"])
async def test_an_alert_without_content_still_gets_a_report(alert: str) -> None:
    run = await investigate(alert, HOST_TOOLS, host)
    assert "## Summary" in run.report


async def test_a_request_without_data_is_answered_from_its_last_message() -> None:
    answer = await ask(request_of(opening(), HOST_TOOLS))
    assert answer.calls or "## Summary" in answer.text
