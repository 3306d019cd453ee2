"""Words: splitting, stems, and the topics that connect an alert's words with a tool's words."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORD = re.compile(r"[^\W\d_]+")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_MAX_WORD = 40

# Words that say nothing about what is to be looked at: grammar, alert jargon, verbs of tool names.
STOPWORDS = frozenset(
    """a about above after again alert alertname all almost also am an and any are as at average be because been
    before being below below best both but by can cannot category cause check cluster could critical current
    currently data day days description detail details did do does doing done down during each else env
    environment error errors event ever exceed exceeds expr fail fails failing false few fingerprint fire firing
    for from generator get gets getting give given go had has have having he her here high host hour hours how i
    if in info information instance into investigate is it its itself just label labels last less level list low
    machine made make many may me message minute minutes monitor monitoring more most much must my name near new
    no not now number of off ok old on once one only or other our out over own page percent please prod
    production read receiver region resolved return returns runbook s same second seconds see server set
    severity should show shown shows since so some source staging starts start state status still such summary
    system t team test than that the their them then there these they this threshold through time to too top
    true type under unknown until up url use used user using usage value values very via was warning was we were
    what when where which while who why will with within without would yes you your""".split()
)

_ALIASES = {
    "mem": "memory",
    "ram": "memory",
    "fs": "filesystem",
    "vol": "volume",
    "procs": "process",
    "proc": "process",
    "ns": "namespace",
    "svc": "service",
    "deploy": "deployment",
    "sts": "statefulset",
    "ds": "daemonset",
    "cm": "configmap",
    "db": "database",
    "postgresql": "postgres",
    "kube": "kubernetes",
    "filesys": "filesystem",
    "crashloop": "crash",
    "crashloopbackoff": "crash",
    "conn": "connection",
    "nic": "network",
    "utilisation": "usage",
    "utilization": "usage",
    # What the rules below would cut too short to be shown to people.
    "postgre": "postgres",
    "kubernete": "kubernetes",
    "coredn": "coredns",
    "refus": "refused",
    "someth": "something",
    "anyth": "anything",
    "noth": "nothing",
}


def stem(word: str) -> str:
    """Bring the forms of an English word together, roughly."""
    if word in _ALIASES:
        return _ALIASES[word]
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes")):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    if len(word) > 6 and word.endswith("ing"):
        word = word[:-3]
    elif len(word) > 5 and word.endswith("ed"):
        word = word[:-2]
    return _ALIASES.get(word, word)


def split_words(text: str) -> list[str]:
    """Split into words in lower case, in order. CamelCase and snake_case names come apart."""
    found: list[str] = []
    for word in _WORD.findall(text):
        parts = [word]
        if word.isascii() and not word.islower() and not word.isupper():
            parts = _CAMEL.findall(word)
        found.extend(part.lower() for part in parts if len(part) <= _MAX_WORD)
    return found


def tokenize(text: str) -> list[str]:
    """Split into stems, in order."""
    return [stem(word) for word in split_words(text)]


def meaningful_words(text: str) -> list[str]:
    """Words that carry meaning, in order, each once, as they stand there but in lower case."""
    return [
        word
        for word in dict.fromkeys(split_words(text))
        if len(word) > 1 and word not in STOPWORDS and stem(word) not in STOPWORDS
    ]


def content_words(text: str) -> list[str]:
    """Stems of the words that carry meaning, in order, each once."""
    return list(dict.fromkeys(stem(word) for word in meaningful_words(text)))


@dataclass(frozen=True)
class Topic:
    """A field of trouble.

    Attributes:
        name: for people.
        triggers: stems of an alert that point at this topic.
        related: stems of tool names and descriptions that help with it, with a weight up to 1.
        search: what to look for in logs; plain enough to be a regular expression too.
        checks: what a person should check next; `{target}` stands for what the alert names.
    """

    name: str
    triggers: frozenset[str]
    related: dict[str, float]
    search: str
    checks: tuple[str, ...]


def _topic(name: str, triggers: str, strong: str, weak: str, search: str, checks: tuple[str, ...]) -> Topic:
    related = dict.fromkeys(weak.split(), 0.4) | dict.fromkeys(strong.split(), 1.0)
    return Topic(name, frozenset(triggers.split()), related, search, checks)


TOPICS: tuple[Topic, ...] = (
    _topic(
        "disk space",
        "disk filesystem storage volume inode diskspace mount mountpoint partition pvc enospc df",
        "disk filesystem mount volume storage inode df du space",
        "file open log process directory largest",
        "No space left",
        (
            "Check which folders take the space on {target} (`du -xh --max-depth=2 {path} | sort -h`).",
            "Check for deleted files that a process still holds open (`lsof +L1`): their space is not free yet.",
            "Check whether log rotation and clean-up jobs ran, and when they last succeeded.",
            "Check whether inodes, not bytes, are used up (`df -i {path}`).",
        ),
    ),
    _topic(
        "memory",
        "memory oom oomkill swap rss heap outofmemory",
        "memory swap rss heap oom",
        "load process pod log event limit",
        "Out of memory",
        (
            "Check whether the memory of the largest process grows steadily (a leak) or rose at once (load).",
            "Check the kernel log for processes that were killed for want of memory.",
            "Check memory limits and requests against what {target} really uses.",
        ),
    ),
    _topic(
        "CPU and load",
        "cpu load throttl throttle saturation loadavg steal iowait",
        "cpu load processor",
        "memory process pod log limit",
        "timeout",
        (
            "Check which process or thread burns the CPU, and since when.",
            "Check whether the load comes with traffic or from a job that should have ended.",
            "Check CPU limits and throttling of {target}.",
        ),
    ),
    _topic(
        "HTTP",
        "http url endpoint website latency tls ssl certificate gateway probe blackbox",
        "http url probe endpoint",
        "port listen dns log process connection",
        "error",
        (
            "Check {target} from inside and from outside: is it the service or the way to it?",
            "Check the upstreams of the service, and its error log at the time of the alert.",
        ),
    ),
    _topic(
        "network",
        "network port connection refused tcp udp listen listener unreachable socket packet firewall timeout",
        "port listen connection network socket tcp",
        "http probe dns process log",
        "refused",
        (
            "Check whether the process that should listen on {target} is running and bound to the right address.",
            "Check firewall rules and routes on the way.",
        ),
    ),
    _topic(
        "DNS",
        "dns resolve resolver nxdomain hostname lookup coredns",
        "dns lookup resolve resolver",
        "network port log",
        "NXDOMAIN",
        ("Check that {target} resolves on the resolver of this machine and on an outside one.",),
    ),
    _topic(
        "Kubernetes workload",
        """pod container crash loop backoff deployment namespace kubernetes imagepull evict replica
        statefulset daemonset replicaset job cronjob hpa restart pend finalizer terminate terminat kubelet""",
        "pod container log event deployment replica namespace",
        "describe resource node statefulset daemonset job kubernetes limit",
        "error",
        (
            "Check the log of the previous container of {target}: it shows why it ended.",
            "Check what was deployed or configured shortly before the alert.",
            "Check requests, limits and probes of {target}.",
        ),
    ),
    _topic(
        "process",
        "process daemon systemd unit zombie segfault pid crash thread",
        "process pid",
        "open file port log memory load",
        "fatal",
        (
            "Check whether {target} runs, since when, and how often it was restarted.",
            "Check its last log lines before it ended.",
        ),
    ),
    _topic(
        "logs",
        "log exception panic traceback stacktrace fatal",
        "log search tail",
        "file process",
        "error",
        ("Check whether the same message came up before, and what was changed since.",),
    ),
    _topic(
        "database",
        "database postgres mysql mariadb mongo mongodb redis replication deadlock query transaction sql",
        "database query replication connection postgres mysql redis mongo lock",
        "process log port disk memory",
        "error",
        ("Check long-running transactions, locks and the number of connections.",),
    ),
    _topic(
        "queue",
        "queue kafka rabbitmq consumer lag topic backlog broker",
        "queue consumer topic lag broker",
        "process log connection",
        "error",
        ("Check whether consumers run and keep up, and which partition or queue is behind.",),
    ),
)
