"""Records of JSON outputs: objects with their fields, names and exact texts."""

from __future__ import annotations

import json

import pytest

from llm_service.providers.offline.outputs import Output
from llm_service.providers.offline.records import MAX_OBJECTS, records
from llm_service.providers.offline.signs import find_signs, healthy_lines
from llm_service.providers.offline.subject import read_subject

POD = json.dumps(
    {
        "kind": "Pod",
        "metadata": {"name": "basket-7c5d8f9b64-x9k2m", "namespace": "store"},
        "status": {
            "phase": "Running",
            "containerStatuses": [
                {"name": "app", "ready": False, "state": {"waiting": {"reason": "CrashLoopBackOff"}}},
            ],
        },
    },
    indent=2,
)
NODES = """[
  {"node": "a7", "type": "MemoryPressure", "status": "True"},
  {"node": "b2", "type": "Ready", "status": "True"}
]"""
SUBJECT = read_subject("PodNotReady: pod basket-7c5d8f9b64-x9k2m, namespace store")


def out(content: str, tool: str = "k8s.pods_get") -> Output:
    return Output(tool, {"pod": "basket-7c5d8f9b64-x9k2m"}, content, number=1)


def test_objects_have_their_fields_and_exact_texts() -> None:
    first, second = records(out(NODES))
    assert first.cells == {"node": "a7", "type": "MemoryPressure", "status": "True"}
    assert second.text == '{"node": "b2", "type": "Ready", "status": "True"}'
    assert second.text in NODES


def test_objects_in_a_list_have_the_named_object_around_them() -> None:
    pod, container = records(out(POD))
    assert pod.cells["phase"] == "Running"
    assert container.cells["object"] == "pod/basket-7c5d8f9b64-x9k2m"
    assert container.cells["reason"] == "CrashLoopBackOff"
    assert not container.flat


def test_signs_of_json_name_the_workload() -> None:
    signs = find_signs([out(POD)], SUBJECT)
    assert {sign.label for sign in signs} == {"crash"}
    assert all(sign.own and sign.of[0] == "workload basket" for sign in signs)
    assert [sign.of for sign in find_signs([out(NODES, "k8s.nodes")], SUBJECT)] == [("node a7",)]


def test_log_lines_in_json_prove_trouble_but_no_health() -> None:
    bad = '{"level":"error","msg":"cannot allocate memory"}\n{"level":"info","msg":"fine","status":"healthy"}'
    output = out(bad, "loki.pod_log")
    assert [sign.label for sign in find_signs([output], SUBJECT)] == ["out of memory: a limit is exceeded"]
    assert healthy_lines([output], SUBJECT) == []


@pytest.mark.parametrize("content", ["{", "[1, 2]", '{"a": ', "[" * 500, '{"a":"\\', "{}" * (MAX_OBJECTS + 1), "plain"])
def test_other_texts_are_read_by_lines(content: str) -> None:
    assert not any(line.cells for line in records(out(content)))


def test_open_files_of_a_process_are_no_entities() -> None:
    files = "\n".join(f"{number:<4} pipe  -     pipe:[{number * 1000}]" for number in (1, 2, 3, 4, 251))
    output = out(f"fd   kind  size  target\n{files}", "host.open_files")
    assert [sign for sign in find_signs([output], read_subject("Disk almost full: / above 10%")) if sign.of] == []
