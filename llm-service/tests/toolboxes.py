"""Tool sets with realistic descriptions, schemas and results."""

from __future__ import annotations

import json
from typing import Any

from llm_service.proto.llm_service_pb2 import TOOL_CLASS_CHANGES
from tests.conversations import tool

HOST_TOOLS = [
    tool(
        "host.disk_usage",
        "Disk space of this host: every mounted filesystem with size, used, available, used percent and inodes used "
        "percent. Use it for alerts about disk full, low disk space, no space left on device.",
        {"path": {"type": "string", "description": "A file or directory."}},
    ),
    tool(
        "host.memory_and_load",
        "Memory, swap, CPU and load of this host: total, available and used memory, load averages.",
    ),
    tool(
        "host.processes",
        "Top processes of this host by CPU or memory: pid, user, resident memory (RSS), CPU percent, command line.",
        {
            "sort": {"type": "string", "enum": ["cpu", "memory"], "default": "cpu"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 15},
            "match": {"type": "string", "minLength": 1},
        },
    ),
    tool(
        "host.listening_ports",
        "Listening TCP and UDP ports with the process behind each.",
        {"port": {"type": "integer"}},
    ),
    tool(
        "host.open_files",
        "Open files, sockets and pipes of one process by pid (like lsof), with deleted files that still hold space.",
        {"pid": {"type": "integer", "minimum": 1}},
        ["pid"],
    ),
    tool(
        "host.list_logs", "Lists the log files of this host: path, size, last write. For log files that fill the disk."
    ),
    tool(
        "host.tail_log",
        "Last lines of a log file.",
        {"path": {"type": "string"}, "lines": {"type": "integer", "minimum": 1, "maximum": 50}},
        ["path"],
    ),
    tool(
        "host.search_log",
        "Lines of a log file that match a pattern.",
        {"path": {"type": "string"}, "pattern": {"type": "string"}},
        ["path", "pattern"],
    ),
    tool(
        "host.http_probe",
        "Sends one HTTP GET to a service and shows status code.",
        {"url": {"type": "string"}},
        ["url"],
    ),
    tool("host.dns_lookup", "Resolves a name with DNS.", {"name": {"type": "string"}}, ["name"]),
]

DF_TABLE = """Filesystems of web1:
mounted on  device     type   size      used      available  used %  inodes used %
/           /dev/sda1  ext4   50.0 GiB  45.5 GiB  4.5 GiB    91%     12%
/boot       /dev/sda2  ext4   1.0 GiB   0.2 GiB   0.8 GiB    20%     1%
/data       /dev/sdb1  xfs    1.0 TiB   0.3 TiB   0.7 TiB    30%     1%
Fullest: / with 91% used, 4.5 GiB available."""

PS_TABLE = """132 processes on web1: 1 running, 0 zombies (Z).
pid   user      rss        cpu %  state  command
1     root      12.0 MiB   0.1%   S      /sbin/init
77    root      0 B        9.9%   I      [kswapd0]
811   app       1.2 GiB    55.0%  S      /usr/bin/java -jar shop.jar
912   postgres  200.0 MiB  3.0%   S      postgres: checkpointer"""

HOST_RESULTS = {
    "host.disk_usage": DF_TABLE,
    "host.memory_and_load": """Memory and load of web1:
          total     used      available  used %
memory    23.5 GiB  21.9 GiB  1.6 GiB    93.2%
swap      0 B       0 B       0 B        -
Load average: 0.51, 0.40, 0.30 (1, 5, 15 min) on 2 CPUs
CPU over the last 0.5 s: busy 97.5%, waiting for I/O 0.0%""",
    "host.processes": PS_TABLE,
    "host.listening_ports": "proto  port  pid\ntcp    22    500\ntcp    8080  811",
    "host.open_files": "fd  kind  size     target\n"
    "3   file  9.1 GiB  /var/log/shop/shop.log\n"
    "4   pipe  -        pipe:[1]",
    "host.list_logs": "size     last write  path\n"
    "9.1 GiB  1 min ago   /var/log/shop/shop.log\n"
    "10 KiB   2 h ago     /var/log/syslog",
    "host.tail_log": "\n".join(f"2026-11-21T10:00:{n:02d} INFO request {n} done" for n in range(40))
    + "\n2026-11-21T10:01:00 ERROR write failed: No space left on device",
    "host.search_log": "17: No space left on device",
    "host.http_probe": "GET http://127.0.0.1:8080/\nstatus 502 Bad Gateway after 12 ms",
    "host.dns_lookup": "db.internal: NXDOMAIN",
}


def host(name: str, arguments: dict[str, Any]) -> str:
    return HOST_RESULTS[name]


K8S_TOOLS = [
    tool("k8s.namespaces_list", "List all the Kubernetes namespaces in the current cluster"),
    tool(
        "k8s.pods_list_in_namespace",
        "List all the Kubernetes pods in the specified namespace",
        {"namespace": {"type": "string"}, "labelSelector": {"type": "string"}},
        ["namespace"],
    ),
    tool(
        "k8s.pods_get",
        "Get a Kubernetes Pod in the current or provided namespace with the provided name",
        {"name": {"type": "string"}, "namespace": {"type": "string"}},
        ["name"],
    ),
    tool(
        "k8s.pods_log",
        "Get the logs of a Kubernetes Pod",
        {
            "name": {"type": "string"},
            "namespace": {"type": "string"},
            "container": {"type": "string"},
            "previous": {"type": "boolean"},
        },
        ["name", "namespace"],
    ),
    tool("k8s.events_list", "List all the Kubernetes events", {"namespace": {"type": "string"}}),
    tool(
        "k8s.resources_get",
        "Get a Kubernetes resource",
        {k: {"type": "string"} for k in ("apiVersion", "kind", "namespace", "name")},
        ["apiVersion", "kind", "name"],
    ),
    tool(
        "k8s.pods_delete",
        "Delete a Kubernetes Pod",
        {"name": {"type": "string"}, "namespace": {"type": "string"}},
        ["name"],
        TOOL_CLASS_CHANGES,
    ),
    tool(
        "k8s.pods_exec",
        "Execute a command in a Kubernetes Pod",
        {"name": {"type": "string"}, "command": {"type": "array", "items": {"type": "string"}}},
        ["name", "command"],
        TOOL_CLASS_CHANGES,
    ),
    tool(
        "k8s.resources_scale",
        "Get or update the scale of a resource",
        {"name": {"type": "string"}},
        ["name"],
        TOOL_CLASS_CHANGES,
    ),
]

POD_JSON = json.dumps(
    {
        "metadata": {"name": "api-7c9f5d-x2x", "namespace": "payments"},
        "status": {
            "phase": "Running",
            "containerStatuses": [
                {"name": "api", "restartCount": 17, "ready": False, "reason": "CrashLoopBackOff"},
            ],
        },
    },
    indent=2,
)

K8S_RESULTS = {
    "k8s.namespaces_list": "NAME      STATUS  AGE\npayments  Active  12d",
    "k8s.pods_list_in_namespace": "NAME            READY  STATUS            RESTARTS  AGE\n"
    "api-7c9f5d-x2x  0/1    CrashLoopBackOff  17        2h\nweb-1           1/1    Running           0         12d",
    "k8s.pods_get": POD_JSON,
    "k8s.pods_log": "starting\nconnecting to db.payments.svc\npanic: connection refused",
    "k8s.events_list": "LAST  TYPE     REASON   OBJECT              MESSAGE\n"
    "2m    Warning  BackOff  pod/api-7c9f5d-x2x  Back-off restarting failed container",
    "k8s.resources_get": POD_JSON,
}


def k8s(name: str, arguments: dict[str, Any]) -> str:
    return K8S_RESULTS[name]


ALERTMANAGER = json.dumps(
    {
        "version": "4",
        "status": "firing",
        "externalURL": "http://alertmanager.example.com",
        "alerts": [
            {
                "status": "firing",
                "labels": {
                    "alertname": "KubePodCrashLooping",
                    "namespace": "payments",
                    "pod": "api-7c9f5d-x2x",
                    "container": "api",
                    "severity": "critical",
                },
                "annotations": {
                    "summary": "Pod is crash looping.",
                    "runbook_url": "https://runbooks.example.com/crash",
                },
                "generatorURL": "http://prometheus.example.com/graph",
            }
        ],
    }
)
