"""Kinds of trouble, by the words that logs and states use for them everywhere."""

import re
from typing import NamedTuple


class Kind(NamedTuple):
    """A kind of trouble. `label`: its words in reports, which also choose a cause from a list.

    `symptom`: the kind usually follows from trouble elsewhere.
    """

    label: str
    pattern: re.Pattern[str]
    symptom: bool = False


def _kind(label: str, pattern: str, *, symptom: bool = False) -> Kind:
    return Kind(label, re.compile(pattern, re.IGNORECASE), symptom)


# The first that matches counts, so that specific kinds come before general ones.
KINDS = (
    _kind("out of memory: a limit is exceeded", r"oom-?kill|out of memory|cannot allocate memory|heap space"),
    _kind("disk full: no space is left", r"no space left|disk (?:is )?full|disk ?pressure|quota exceeded"),
    _kind("certificate expired", r"certificate (?:has |is )?expired|x509|cert\w* .{0,40}not valid|tls.{0,20}expired"),
    _kind(
        "DNS does not resolve a name",
        r"no such host|nxdomain|servfail|name resolution|could not resolve|unknown host|"
        r"lookup \S+.{0,150}(?:timeout|timed out|refused)",
    ),
    _kind(
        "database connections exhausted",
        r"too many (?:clients|connections)|connection slots|no free connection|"
        r"connection pool.{0,30}(?:exhaust|time|full)",
    ),
    _kind(
        "image cannot be pulled",
        r"image ?pull|manifest unknown|failed to pull|pull access denied|manifest for \S+ not found",
    ),
    _kind(
        "configuration refused at start, crash",
        r"not a valid|invalid (?:config|value|setting)|(?:env\w*|variable|key|setting|config\w*) .{0,60}"
        r"(?:not set|missing|required|invalid)|unknown (?:setting|option)|parse config",
    ),
    _kind("lock or slow query in the database", r"deadlock|lock (?:wait )?timeout|statement timeout|slow query"),
    _kind(
        "exception in a release",
        r"nullpointer|typeerror|traceback|unhandled exception|undefined|stack ?trace|assertion",
    ),
    _kind("message consumer stuck", r"consumer.{0,40}(?:stuck|stopped|rebalanc|lost)|no consumer"),
    _kind("evicted", r"evicted"),
    _kind("crash", r"crashloop|crash|panic|segfault|core dumped|back-?off restarting", symptom=True),
    _kind("connection refused or lost", r"refused|unreachable|connection reset|no route", symptom=True),
    _kind("timeout", r"time[ds]?[ -]?out|deadline exceeded", symptom=True),
)

# Values of a state that mean trouble, those that may, and those that mean health.
BAD = re.compile(
    r"crashloopbackoff|error|oomkill\w+|imagepullbackoff|errimagepull|createcontainer\w*error|runcontainererror|"
    r"failed|failing|failure|fatal|critical|down|dead|unhealthy|degraded|not ?ready|unreachable|expired|stuck|evicted|"
    r"broken|unavailable|(?:disk|memory|pid)pressure|readonly|corrupt\w*|revoked|idle in transaction \(aborted\)",
    re.IGNORECASE,
)
DOUBTFUL = re.compile(
    r"pending|inactive|unknown|stopped|terminating|degrading|warning|stale|paused|disconnected|waiting|"
    r"idle in transaction|containercreating|lagging",
    re.IGNORECASE,
)
GOOD = re.compile(
    r"running|ready|ok|up|healthy|active|available|succeeded|success|completed|passed|valid|true|bound|online|normal|"
    r"connected|serving|synced|in sync|green|200|alive|enabled",
    re.IGNORECASE,
)
# Matches the value of a figure that monitoring does not have.
NO_DATA = re.compile(r"no data|nan|n/a|no series|absent|stale|missing", re.IGNORECASE)


def kind_of_trouble(text: str) -> Kind | None:
    """Returns the first kind of trouble in the text; None if there is none."""
    return next((kind for kind in KINDS if kind.pattern.search(text)), None)
