"""Questions about a finished investigation."""

from __future__ import annotations

from typing import Any

import pytest

from llm_service.proto.llm_service_pb2 import Task, ToolDefinition, ToolOutput, Work
from llm_service.providers.offline.choose import QUESTION
from tests.conversations import (
    FAILURE,
    Investigation,
    ToolBox,
    ask,
    investigate,
    names,
    quoted_lines,
    request_of,
    section,
    tool,
    work_of,
)
from tests.toolboxes import ALERTMANAGER, HOST_TOOLS, K8S_TOOLS, host, k8s

DISK = "Disk almost full on this host: / above 90%"


async def question(
    text: str,
    tools: list[ToolDefinition] = HOST_TOOLS,
    box: ToolBox = host,
    works: list[Work] | None = None,
    alert: str = DISK,
) -> Investigation:
    if works is None:
        works = [work_of(await investigate(DISK, HOST_TOOLS, host), "HostAgent")]
    run = await investigate(Task(alert=alert, question=text, works=works), tools, box, "chat_response")
    assert len(run.calls) <= QUESTION.calls
    assert "No language model was involved" in run.report
    return run


CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("Which process uses most memory?", "host.processes", {"sort": "memory"}),
    ("Is port 8080 open?", "host.listening_ports", {"port": 8080}),
    ("Is the disk of /data full?", "host.disk_usage", {"path": "/data"}),
    ("What does http://127.0.0.1:8080/health answer?", "host.http_probe", {"url": "http://127.0.0.1:8080/health"}),
    ("Which files does pid 912 have open?", "host.open_files", {"pid": 912}),
    ("Does dns resolve db.internal?", "host.dns_lookup", {"name": "db.internal"}),
    ("What is in the log /var/log/syslog.log?", "host.tail_log", {"path": "/var/log/syslog.log"}),
    ("Is it still so?", "host.disk_usage", {"path": "/"}),
]


@pytest.mark.parametrize(("text", "name", "arguments"), CASES, ids=[case[0] for case in CASES])
async def test_the_question_chooses_the_tools(text: str, name: str, arguments: dict[str, Any]) -> None:
    run = await question(text)
    assert (name, arguments) in run.calls


async def test_much_less_suitable_tools_are_left_out() -> None:
    tools = [tool("a.disk_usage"), tool("a.weather", "Space for a disk")]
    run = await question("How much space has the disk?", tools, lambda *_: "x 1")
    assert names(run) == ["a.disk_usage"]


async def test_missing_details_of_a_question_come_from_the_alert() -> None:
    run = await question("What do the logs of the pod say?", K8S_TOOLS, k8s, [], ALERTMANAGER)
    assert run.calls[0] == ("k8s.pods_log", {"name": "api-7c9f5d-x2x", "namespace": "payments", "container": "api"})


async def test_a_question_about_something_else_calls_nothing_and_says_so() -> None:
    run = await question("Who is the president of France?")
    assert run.calls == []
    assert "Nothing that was found before, and no tool, has anything on the question's words." in run.report
    assert quoted_lines(run.report) == []


async def test_earlier_findings_are_quoted_from_the_outputs() -> None:
    run = await question("How full was /boot?", [])
    past = section(run.report, "From the investigation")
    assert "HostAgent: `host.disk_usage`" in past
    assert quoted_lines(past) == ["/boot       /dev/sda2  ext4   1.0 GiB   0.2 GiB   0.8 GiB    20%     1%"]
    assert "## Looked up now" not in run.report


async def test_current_and_earlier_findings_are_separate() -> None:
    run = await question("Is the disk / still full?", HOST_TOOLS[:1], lambda *_: "Disk: / at 55%")
    assert "55 % is below the 90 % that the alert names" in run.report.split("## ")[0]
    assert quoted_lines(section(run.report, "Looked up now")) == ["Disk: / at 55%"]
    assert "91%" in section(run.report, "From the investigation")


async def test_reports_of_models_are_quoted_and_those_of_the_rules_are_not() -> None:
    owner = Work(agent="ChatAgent", question="who?", analysis="## Answer\n\nThe shop team owns the volume.")
    run = await question("Who is the owner of the shop volume?", [], works=[owner])
    assert quoted_lines(run.report) == ["The shop team owns the volume."]
    own = await question("Which rules understand a cause?", [])
    assert quoted_lines(own.report) == []


async def test_the_alerts_limit_is_not_compared_with_another_entity() -> None:
    run = await question("How much memory is used?")
    assert "host.memory_and_load" in names(run)
    assert "the alert's condition" not in run.report


async def test_failures_and_tools_that_cannot_be_called_are_reported() -> None:
    output = ToolOutput(tool="host.x", arguments="{}", content="disk of yore", failed=True)
    run = await question("How full is the disk?", HOST_TOOLS[:1], lambda *_: f"{FAILURE}no", [Work(outputs=[output])])
    assert '- `host.disk_usage` with `{"path":"/"}`: `no`' in section(run.report, "What failed")
    assert "yore" not in run.report
    run = await question("Delete the pod and restart it", K8S_TOOLS, k8s)
    assert not set(names(run)) & {"k8s.pods_delete", "k8s.pods_exec", "k8s.resources_scale"}
    assert "`k8s.pods_delete`" in run.report


async def test_a_forced_conclusion_reports_the_lookups() -> None:
    run = await question("Which process uses most memory?")
    answer = await ask(request_of(run.messages, purpose="forced_conclusion", task=run.task))
    assert not answer.calls
    assert "**Question:** Which process uses most memory?" in answer.text
    assert "## Looked up now" in answer.text


async def test_a_table_is_quoted_with_its_rows_if_the_question_matches_its_header() -> None:
    table = "queue   ready  consumers  oldest\norders  48211  0          41m"
    output = ToolOutput(tool="mq.depth", arguments="{}", content=table, number=2)
    run = await question("Which queue is stuck?", [], works=[Work(agent="A", outputs=[output])], alert="Backlog")
    assert quoted_lines(run.report) == table.split("\n")
