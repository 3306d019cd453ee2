"""Things an alert or a result names: a pod, a path, a host. Each kind has an ordered list of values."""

from __future__ import annotations

import re

MAX_VALUES = 20
MAX_VALUE_CHARS = 500

# What a key or a parameter of this name holds. Names are compared without case and separators.
_KINDS: dict[str, str] = {
    name: kind
    for kind, names in {
        "namespace": "namespace ns namespacename kubernetesnamespace k8snamespace",
        "pod": "pod podname kubernetespodname k8spod",
        "container": "container containername",
        "deployment": "deployment deploymentname deploy",
        "statefulset": "statefulset statefulsetname",
        "daemonset": "daemonset daemonsetname",
        "job": "jobname cronjob",
        "node": "node nodename",
        "service": "service servicename svc unit systemdunit",
        "host": "host hostname fqdn address ip ipaddress hostip instance domain domainname dnsname server target",
        "url": "url uri endpoint link targeturl",
        "mount": "mount mountpoint mountedon mountpath filesystem fs volume partition",
        "path": "path file filename filepath logfile logpath logfilepath directory dir folder",
        "device": "device disk blockdevice",
        "pid": "pid processid",
        "port": "port portnumber",
        "process": "process processname command comm cmd program executable exe",
        "cluster": "cluster clustername context",
    }.items()
    for name in names.split()
}


def normalise(name: str) -> str:
    """Bring `pod_name`, `podName` and `Pod Name` together."""
    return re.sub(r"[^a-z0-9]", "", name[:100].lower())


def kind_of(name: str) -> str | None:
    """Kind of thing that a key or parameter of this name holds."""
    return _KINDS.get(normalise(name))


class Entities:
    """Values by kind, in the order in which they were found, each once."""

    def __init__(self) -> None:
        self._values: dict[str, list[str]] = {}

    def add(self, kind: str, value: str) -> None:
        """Keep a value, unless it is empty, too long, unprintable or one too many."""
        value = value.strip().strip("\"'`")
        values = self._values.setdefault(kind, [])
        usable = bool(value) and len(value) <= MAX_VALUE_CHARS and value.isprintable()
        if usable and value not in values and len(values) < MAX_VALUES:
            values.append(value)

    def get(self, kind: str) -> list[str]:
        """Values of a kind, best first."""
        return list(self._values.get(kind, []))

    def first(self, *kinds: str) -> str | None:
        """The best value of the first kind that has one."""
        return next((values[0] for kind in kinds if (values := self._values.get(kind))), None)

    def items(self) -> list[tuple[str, list[str]]]:
        """All kinds that have values."""
        return [(kind, list(values)) for kind, values in self._values.items() if values]
