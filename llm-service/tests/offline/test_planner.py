"""Several alerts against several tool sets."""

from __future__ import annotations

import json
from typing import Any

import pytest

from llm_service.proto.llm_service_pb2 import (
    TOOL_CLASS_CHANGES,
    TOOL_CLASS_UNDECLARED,
    TOOL_CLASS_UNSPECIFIED,
    ConversationMessage,
    ToolClass,
    ToolDefinition,
)
from llm_service.providers.offline.planner import INVESTIGATION
from tests.conversations import (
    Investigation,
    ToolBox,
    arguments_of,
    ask,
    investigate,
    names,
    request_of,
    tool,
    user_message,
)
from tests.toolboxes import ALERTMANAGER, HOST_TOOLS, K8S_TOOLS, host, k8s

DISK = "Disk almost full on this host: / above 90%"

CASES: list[tuple[str, str, list[ToolDefinition], ToolBox, list[tuple[str, dict[str, Any]]]]] = [
    ("disk", DISK, HOST_TOOLS, host, [
        ("host.disk_usage", {}),
        ("host.processes", {}),
        ("host.open_files", {"pid": 811}),
        ("host.tail_log", {"path": "/var/log/shop/shop.log", "lines": 50}),
    ]),
    ("other disk", "Filesystem /data has less than 5% free", HOST_TOOLS, host, [
        ("host.disk_usage", {"path": "/data"}),
    ]),
    ("memory as json", '{"alertname":"HostOutOfMemory","labels":{"job":"node"}}', HOST_TOOLS, host, [
        ("host.memory_and_load", {}),
        ("host.processes", {"sort": "memory"}),
    ]),
    ("http", "GET http://127.0.0.1:8080/ returns 502", HOST_TOOLS, host, [
        ("host.http_probe", {"url": "http://127.0.0.1:8080/"}),
        ("host.listening_ports", {"port": 8080}),
    ]),
    ("dns", "DNS lookup of db.internal fails with NXDOMAIN", HOST_TOOLS, host, [
        ("host.dns_lookup", {"name": "db.internal"}),
    ]),
    ("process", "process java is down on this host", HOST_TOOLS, host, [
        ("host.processes", {"match": "java"}),
    ]),
    ("log file", "Errors in log /var/log/app/app.log", HOST_TOOLS, host, [
        ("host.tail_log", {"path": "/var/log/app/app.log", "lines": 50}),
        ("host.search_log", {"path": "/var/log/app/app.log", "pattern": "error"}),
    ]),
    ("alertmanager", ALERTMANAGER, K8S_TOOLS, k8s, [
        ("k8s.pods_get", {"name": "api-7c9f5d-x2x", "namespace": "payments"}),
        ("k8s.pods_log", {"name": "api-7c9f5d-x2x", "namespace": "payments", "container": "api"}),
        ("k8s.events_list", {"namespace": "payments"}),
        ("k8s.pods_list_in_namespace", {"namespace": "payments"}),
    ]),
    ("kubernetes as text", "Pod api-7c9f5d-x2x in namespace payments is in CrashLoopBackOff", K8S_TOOLS, k8s, [
        ("k8s.pods_get", {"name": "api-7c9f5d-x2x", "namespace": "payments"}),
        ("k8s.pods_log", {"name": "api-7c9f5d-x2x", "namespace": "payments"}),
    ]),
    ("labels as text", "alertname=KubePodCrashLooping\nnamespace=payments\npod=api-7c9f5d-x2x", K8S_TOOLS, k8s, [
        ("k8s.pods_get", {"name": "api-7c9f5d-x2x", "namespace": "payments"}),
    ]),
    ("pod found in a result", "Pods are crash looping in namespace payments", K8S_TOOLS, k8s, [
        ("k8s.pods_list_in_namespace", {"namespace": "payments"}),
        ("k8s.pods_log", {"name": "api-7c9f5d-x2x", "namespace": "payments"}),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("alert", "tools", "toolbox", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
async def test_calls_that_fit_the_alert(
    alert: str, tools: list[ToolDefinition], toolbox: ToolBox, expected: list[tuple[str, dict[str, Any]]]
) -> None:
    run = await investigate(alert, tools, toolbox)
    for call in expected:
        assert call in run.calls
    _check_bounds(run)
    assert len(set(names(run))) >= 2


def _check_bounds(run: Investigation) -> None:
    keys = [(name, json.dumps(arguments, sort_keys=True)) for name, arguments in run.calls]
    assert len(keys) == len(set(keys)), "a call was made twice"
    assert len(run.call_ids) == len(set(run.call_ids))
    assert len(run.turns) <= INVESTIGATION.turns
    assert all(1 <= len(turn) <= INVESTIGATION.calls_per_turn for turn in run.turns)
    assert len(run.calls) <= INVESTIGATION.calls


async def test_the_same_conversation_gets_the_same_answer() -> None:
    first = await investigate(DISK, HOST_TOOLS, host)
    second = await investigate(DISK, HOST_TOOLS, host)
    assert first.messages == second.messages
    assert first.report == second.report


async def test_the_order_of_the_tools_does_not_matter() -> None:
    forward = await investigate(ALERTMANAGER, K8S_TOOLS, k8s)
    backward = await investigate(ALERTMANAGER, K8S_TOOLS[::-1], k8s)
    assert forward.calls == backward.calls


@pytest.mark.parametrize("alert", [ALERTMANAGER, "Delete pod api-1 in namespace payments, restart and scale it now"])
async def test_tools_that_change_something_are_left_alone(alert: str) -> None:
    run = await investigate(alert, K8S_TOOLS, k8s)
    assert not set(names(run)) & {"k8s.pods_delete", "k8s.pods_exec", "k8s.resources_scale"}
    assert "`k8s.pods_delete`" in run.report.split("## What is not known")[1]


CHANGING = (
    "cordon drain uncordon taint cleanup prune wipe purge silence acknowledge failover switchover resolve page "
    "escalate restart reboot scale rollback rollout_undo evict kill_process truncate_log vacuum flush_cache "
    "rotate_log resize_disk disable_alert mute run_playbook"
).split()
ALARMING = (
    "Disk full on node worker-3: cordon and drain it, cleanup, prune images, wipe cache, silence the alert, failover "
    "the database, resolve the incident, page someone, restart, reboot, scale, rollback, kill the process now"
)


@pytest.mark.parametrize("tool_class", [TOOL_CLASS_UNSPECIFIED, TOOL_CLASS_CHANGES, TOOL_CLASS_UNDECLARED])
@pytest.mark.parametrize("alert", [ALARMING, "Run cleanup {} and cordon node worker-3 (node=worker-3)"])
async def test_only_tools_that_are_said_to_read_are_called(alert: str, tool_class: ToolClass.ValueType) -> None:
    forms: list[tuple[dict[str, Any], list[str]]] = [
        ({}, []),
        ({"node": {"type": "string"}, "force": {"type": "boolean"}}, ["node", "force"]),
        ({"mode": {"type": "string", "enum": ["all", "one"]}}, ["mode"]),
    ]
    changing = [
        tool(f"ops.{name}", f"Does {name} of a node, disk or alert", *forms[at % 3], tool_class)
        for at, name in enumerate(CHANGING)
    ]
    run = await investigate(alert, [*HOST_TOOLS, *changing], host)
    assert len(changing) == 30
    assert run.calls
    assert not set(names(run)) & {definition.name for definition in changing}
    assert not (await investigate(alert, changing, host)).calls


async def test_a_tool_that_is_said_to_read_is_called_whatever_its_name() -> None:
    run = await investigate("the disk is full", [tool("x.run_disk_query", "Executes a query")], lambda *_: "x 1")
    assert names(run) == ["x.run_disk_query"]


async def test_tools_are_not_searched_for() -> None:
    search = tool(
        "tarsy.find_tools", "Finds more tools: disk, of these servers", {"query": {"type": "string"}}, ["query"]
    )
    run = await investigate("find tools: the disk is full", [search, *HOST_TOOLS], host)
    assert run.calls
    assert "tarsy.find_tools" not in names(run)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "enum": ["delete", "memory"]},
        {"anyOf": [{"const": "delete"}, {"const": "memory"}]},
        {"oneOf": [{"type": "null"}, {"const": "delete"}, {"const": "memory"}]},
    ],
)
async def test_a_choice_that_the_alert_does_not_make_is_not_made(schema: dict[str, Any]) -> None:
    run = await investigate("disk is full", [tool("x.disk", "Disks", {"sort": schema}, ["sort"])], lambda *_: "x 1")
    assert run.calls == []
    run = await investigate("disk memory", [tool("x.disk", "Disks", {"sort": schema}, ["sort"])], lambda *_: "x 1")
    assert run.calls == [("x.disk", {"sort": "memory"})]


async def test_a_tool_whose_required_arguments_are_unknown_is_not_called() -> None:
    run = await investigate("memory is almost used up", HOST_TOOLS, lambda *_: "nothing of use")
    assert not set(names(run)) & {"host.open_files", "host.tail_log", "host.http_probe", "host.dns_lookup"}


async def test_two_tools_are_called_even_if_only_one_fits() -> None:
    tools = [
        tool("a.disk_usage", "Disk space"),
        tool("a.weather", "Weather"),
        tool("a.get_item", "", {"id": {}}, ["id"]),
    ]
    run = await investigate(DISK, tools, lambda *_: "x 1")
    assert names(run) == ["a.disk_usage", "a.weather"]


async def test_the_runbook_brings_in_the_tools_it_names() -> None:
    extra = [*HOST_TOOLS, tool("shop.queue_depth", "Depth of the order queue")]

    def toolbox(name: str, arguments: dict[str, Any]) -> str:
        return "depth 5" if name.startswith("shop") else host(name, arguments)

    without = await investigate(DISK, extra, toolbox)
    with_runbook = await investigate(DISK, extra, toolbox, runbook="First look at shop.queue_depth.")
    assert "shop.queue_depth" not in names(without)
    assert "shop.queue_depth" in names(with_runbook)


async def test_other_pods_are_left_out_when_the_alert_names_one() -> None:
    run = await investigate(ALERTMANAGER, K8S_TOOLS, k8s)
    assert {arguments["name"] for _, arguments in run.calls if "name" in arguments} == {"api-7c9f5d-x2x"}


async def test_a_failed_call_is_not_made_again() -> None:
    run = await investigate(DISK, HOST_TOOLS, lambda name, _: f"NOT_PERMITTED: {name} may not be used")
    _check_bounds(run)
    assert "every tool call failed" in run.report
    assert run.report.count("NOT_PERMITTED") >= 2


async def test_call_ids_skip_those_that_are_taken() -> None:
    run = await investigate(DISK, HOST_TOOLS[:2], host)
    question = [*run.messages, ConversationMessage(role="assistant", content=run.report)]
    question.append(ConversationMessage(role="user", content="And what about the open files and ports?"))
    answer = await ask(request_of(question, HOST_TOOLS))
    assert answer.calls
    assert not {call.call_id for call in answer.calls} & set(run.call_ids)


async def test_a_question_after_the_answer_is_looked_into() -> None:
    run = await investigate(DISK, HOST_TOOLS, host)
    made = set(names(run))
    messages = [*run.messages, ConversationMessage(role="assistant", content=run.report)]
    messages.append(ConversationMessage(role="user", content="Which ports are listening?"))
    more = await investigate("", HOST_TOOLS, host, messages=messages)
    assert "host.listening_ports" not in made
    assert "host.listening_ports" in names(more)
    assert "**Question:** Which ports are listening?" in more.report


async def test_an_alert_without_markers_is_read_too() -> None:
    message = ConversationMessage(role="user", content=DISK)
    run = await investigate("", HOST_TOOLS, host, messages=[message])
    assert arguments_of(run, "host.disk_usage") == [{}]


async def test_monitoring_links_are_not_taken_for_the_thing_in_trouble() -> None:
    alert = json.dumps(
        {"alertname": "HttpDown", "generatorURL": "http://prometheus/graph", "runbook_url": "http://wiki/x"}
    )
    run = await investigate(alert, HOST_TOOLS, host)
    assert arguments_of(run, "host.http_probe") == [{"url": "http://127.0.0.1:8080/"}]


async def test_thoughts_tell_what_is_called_and_why() -> None:
    answer = await ask(request_of([user_message(DISK)], HOST_TOOLS))
    assert "No language model" in answer.thinking
    for call in answer.calls:
        assert call.name in answer.thinking
    kinds = list(dict.fromkeys(response.WhichOneof("content") for response in answer.responses))
    assert kinds == ["thinking", "tool_call", "usage"]
