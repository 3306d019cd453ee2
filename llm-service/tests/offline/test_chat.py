"""Questions about an investigation that has ended."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from llm_service.proto.llm_service_pb2 import ConversationMessage
from llm_service.providers.offline.conversation import read_conversation
from llm_service.providers.offline.planner import QUESTION
from tests.conversations import (
    CHAT,
    Investigation,
    ask,
    chat_messages,
    history_of,
    investigate,
    names,
    quoted_lines,
    request_of,
)
from tests.toolboxes import ALERTMANAGER, HOST_TOOLS, K8S_TOOLS, host, k8s

if TYPE_CHECKING:
    from llm_service.proto.llm_service_pb2 import ToolDefinition
    from tests.conversations import ToolBox

DISK = "Disk almost full on this host: / above 90%"


async def history(
    alert: str = DISK, tools: list[ToolDefinition] | None = None, box: ToolBox = host
) -> list[tuple[str, str]]:
    run = await investigate(alert, HOST_TOOLS if tools is None else tools, box)
    return [("1. investigation · HostAgent", history_of(run))]


async def question(
    text: str, tools: list[ToolDefinition] = HOST_TOOLS, box: ToolBox = host, past: list[tuple[str, str]] | None = None
) -> Investigation:
    messages = chat_messages(DISK, await history() if past is None else past, text)
    run = await investigate("", tools, box, messages=messages)
    assert len(run.turns) <= QUESTION.turns
    assert len(run.calls) <= QUESTION.calls
    return run


def section(answer: str, name: str) -> str:
    return answer.split(f"## {name}\n")[1].split("\n## ")[0]


CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("Which process uses most memory?", "host.processes", {"sort": "memory"}),
    ("Is port 8080 open?", "host.listening_ports", {"port": 8080}),
    ("How full is /data by now?", "host.disk_usage", {}),
    ("Is the disk of /data full?", "host.disk_usage", {"path": "/data"}),
    ("What does http://127.0.0.1:8080/health answer?", "host.http_probe", {"url": "http://127.0.0.1:8080/health"}),
    ("Which files does pid 912 have open?", "host.open_files", {"pid": 912}),
    ("Does dns resolve db.internal?", "host.dns_lookup", {"name": "db.internal"}),
    ("What is in the log /var/log/syslog?", "host.tail_log", {"path": "/var/log/syslog", "lines": 50}),
    ("Is it still so?", "host.disk_usage", {}),
    ("", "host.disk_usage", {}),
]


@pytest.mark.parametrize(("text", "name", "arguments"), CASES, ids=[case[0] for case in CASES])
async def test_the_question_chooses_the_tools(text: str, name: str, arguments: dict[str, Any]) -> None:
    run = await question(text)
    assert (name, arguments) in run.calls


async def test_what_the_question_leaves_open_is_taken_from_the_alert() -> None:
    past = await history(ALERTMANAGER, K8S_TOOLS, k8s)
    messages = chat_messages(ALERTMANAGER, past, "What do the logs of the pod say?")
    run = await investigate("", K8S_TOOLS, k8s, messages=messages)
    assert run.calls[0] == (
        "k8s.pods_log",
        {"name": "api-7c9f5d-x2x", "namespace": "payments", "container": "api"},
    )


async def test_a_log_that_the_investigation_found_can_be_asked_for_by_its_name() -> None:
    past = [
        (
            "1. investigation",
            "**Tool call**: host.list_logs {}\n\nResult:\n1 KiB  /var/log/a.log\n2 KiB  /var/log/shop.log",
        )
    ]
    run = await question("Show the last log lines of shop", past=past)
    assert ("host.tail_log", {"path": "/var/log/shop.log", "lines": 50}) in run.calls


async def test_a_pid_of_the_past_is_not_taken_for_one_of_today() -> None:
    run = await question("Which files are open?", [HOST_TOOLS[4]])
    assert run.calls == []
    assert "What `host.open_files` would show: neither the question nor a result gives `pid`" in run.report


@pytest.mark.parametrize("text", ["Who is the president of France?", "Thanks!", "🔥"])
async def test_a_question_about_something_else_calls_nothing_that_does_not_fit(text: str) -> None:
    run = await question(text, [tool for tool in HOST_TOOLS if tool.name != "host.disk_usage"])
    assert run.calls == []


async def test_every_quoted_line_is_of_the_history_or_of_a_result() -> None:
    past = await history()
    run = await question("Which process holds the log that fills the disk?", past=past)
    lines = quoted_lines(run.report)
    assert len(lines) >= 4
    sources = [*(text for _, text in past), *run.results]
    for line in lines:
        assert any(line in source for source in sources), line
    assert "No language model was involved" in run.report


async def test_first_the_investigation_then_what_is_true_now() -> None:
    box: dict[str, str] = {"host.disk_usage": "Filesystem  Use%  Mounted on\n/dev/sda1   55%   /"}
    run = await question("Is the disk / still full?", HOST_TOOLS[:1], lambda name, _: box[name])
    past, now = section(run.report, "From the investigation"), section(run.report, "Looked up now")
    assert run.report.index("## From the investigation") < run.report.index("## Looked up now")
    assert "91%" in "\n".join(quoted_lines(past))
    assert quoted_lines(now) == ["Filesystem  Use%  Mounted on", "/dev/sda1   55%   /"]
    assert "`55%`" in run.report.split("## From")[0]
    assert "the alert's condition does not hold now" in run.report.split("## From")[0]
    assert "**1. investigation · HostAgent**, `host.disk_usage`" in past


async def test_without_tools_only_the_history_answers() -> None:
    run = await question("Which process uses most memory?", [])
    assert names(run) == []
    assert "## Looked up now" not in run.report
    assert "- Then: `host.processes`" in run.report
    assert any("shop.jar" in line for line in quoted_lines(run.report))


async def test_the_limit_of_the_alert_is_not_held_against_something_else() -> None:
    run = await question("How much memory is used?")
    assert "host.memory_and_load" in names(run)
    assert "the alert's condition" not in run.report.split("## From")[0]
    assert "`93.2%`" in run.report.split("## From")[0]


async def test_why_is_not_answered() -> None:
    run = await question("Why is the disk full and what should we do?")
    assert "rules cannot draw conclusions" in section(run.report, "What this does not answer")


async def test_words_that_nothing_has_are_named() -> None:
    run = await question("Is kafka lagging?", [])
    assert "Nothing in it matches the question." in run.report
    assert "Nothing was found for: kafka, lagging." in run.report


async def test_earlier_answers_are_part_of_the_history() -> None:
    past = [
        ("4. Chat · ChatAgent", "**Question**\n\nwho owns it?\n\n**Final analysis**\n\nThe shop team owns the volume.")
    ]
    run = await question("Who is the owner of the shop volume?", [], past=past)
    assert quoted_lines(run.report) == ["The shop team owns the volume."]
    assert "**4. Chat · ChatAgent**, final analysis" in run.report


async def test_failures_of_now_are_told() -> None:
    run = await question("How full is the disk?", HOST_TOOLS[:1], lambda *_: "NOT_PERMITTED: no")
    assert "`host.disk_usage` failed: `NOT_PERMITTED: no`" in run.report


async def test_tools_that_change_something_are_left_alone() -> None:
    run = await question("Delete the pod and restart it", K8S_TOOLS, k8s)
    assert not set(names(run)) & {"k8s.pods_delete", "k8s.pods_exec", "k8s.resources_scale"}
    assert "`k8s.pods_delete`" in run.report


async def test_the_forced_end_reports_what_was_looked_up() -> None:
    run = await question("Which process uses most memory?")
    messages = [
        *run.messages,
        ConversationMessage(role="user", content="You have used 2 of 2 iterations. Conclude now."),
    ]
    answer = await ask(request_of(messages, purpose="chat_response"))
    assert not answer.calls
    assert "**Question:** Which process uses most memory?" in answer.text
    assert "## Looked up now" in answer.text


@pytest.mark.parametrize(
    ("content", "asked"),
    [
        ("## The question\n\nWhich ports are open?\n\nYou have no tools.", "Which ports are open?"),
        ("Which ports are open?", "Which ports are open?"),
        ("-----BEGIN QUESTION-----\nWhich ports are open?", "Which ports are open?"),
        ("", ""),
    ],
)
async def test_missing_markers(content: str, asked: str) -> None:
    messages = [ConversationMessage(role="system", content=CHAT), ConversationMessage(role="user", content=content)]
    conversation = read_conversation(request_of(messages, purpose="chat_response"))
    assert conversation.kind == "chat"
    assert conversation.question == asked
    run = await investigate("", HOST_TOOLS, host, messages=messages, purpose="chat_response")
    assert ("host.listening_ports" in names(run)) is bool(asked)
    assert "The request holds no investigation." in run.report


async def test_text_from_outside_cannot_become_markdown() -> None:
    past = [
        (
            "x <b>",
            f"**Tool call**: host.disk_usage {json.dumps({'path': '<i>`'})}\n\nResult:\n/ disk 91%\n```\n# disk / BIG",
        )
    ]
    run = await question("How full is the disk / ? <img src=x> # [a](b)", [], past=past)
    outside = run.report
    for line in quoted_lines(run.report):
        outside = outside.replace(line, "", 1)
    assert "<img" not in outside.replace("\\<img", "")
    assert "<b>" not in outside.replace("\\<b\\>", "")
    assert "[a](" not in outside
