"""Word stems, JSON parsing, and safe Markdown for untrusted text."""

import json
import re
from typing import Any

MAX_JSON_CHARS = 2_000_000
MAX_JSON_DEPTH = 100
LINE_CHARS = 240  # maximum characters of a quoted line

_WORD = re.compile(r"[^\W\d_]+")
_PLURAL = re.compile(r"(?<=..)ies$|(?<=.ss|.sh|.ch|..x)es$|(?<=..[^sui])s$")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
# Words that tell nothing about a subject: grammar, words of every alert, verbs of tool names.
STOPWORDS = frozenset(
    """a about above after again alert alertname all almost also am an and any are as at average be because been
    before being below best both but by can check cluster could critical current currently data description detail
    do does down each else environment error ever exceed fail false few fire firing first full for from get give go
    had has have he her here high host hour how i if in info information instance into investigate is it its job
    just label last less level list low machine make many may me message minute more most much must my name near
    new no not now number of off ok on once one only or other our out over own percent please prod production
    read resolved result return runbook same second see server set severity should show since so some source
    stage start state status still such summary system t than that the their them then there these they this
    threshold through time to too true type under unknown until up url use used user value very via warning was
    we were what when where which while who why will with within without would yes you your""".split()
)
_SAME = dict(
    pair.split("=")
    for pair in """mem=memory ram=memory fs=filesystem db=database kube=kubernetes kubernete=kubernetes proc=process
    svc=service ns=namespace crashloop=crash crashloopbackoff=crash folder=directory utilization=usage
    utilisation=usage oomkilled=oom biggest=largest""".split()
)


def words_of(text: str) -> list[str]:
    """Returns rough stems of the meaningful words, in order, each once. CamelCase and snake_case names are split."""
    found: dict[str, None] = {}
    for word in _WORD.findall(text):
        mixed = word.isascii() and not word.islower() and not word.isupper()
        for part in _CAMEL.findall(word) if mixed else [word]:
            one = _PLURAL.sub(lambda ending: "y" if ending[0] == "ies" else "", part.lower())
            one = re.sub(r"(?<=....)ing$", "", one)
            one = _SAME.get(one, one)
            if 1 < len(one) <= 40 and not STOPWORDS.intersection((part.lower(), one)):
                found[one] = None
    return list(found)


def parse_json(text: str) -> Any | None:
    """Parses an object or array. Returns None for anything else, including invalid or too deeply nested JSON."""
    if not text.lstrip().startswith(("{", "[")) or len(text) > MAX_JSON_CHARS:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    level, depth = [value], 0
    while level and depth < MAX_JSON_DEPTH:
        inner = (item.values() if isinstance(item, dict) else item for item in level if isinstance(item, dict | list))
        level, depth = [one for part in inner for one in part], depth + 1
    return None if level else value


def to_json(value: object) -> str:
    """Returns compact ASCII JSON, so that equal values give equal text and no lone surrogate reaches the wire."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def one_line(text: str, limit: int) -> str:
    """Returns the text as one line, cut at the limit."""
    line = " ".join(text[: limit * 4].split())
    return line if len(line) <= limit else line[:limit] + "…"


def code(text: str, limit: int = 160) -> str:
    """Returns a value as inline code. Backticks inside become quotation marks."""
    line = one_line(text.replace("`", "'"), limit)
    return f"`{line}`" if line else "(empty)"


def plain(text: str, limit: int = 300) -> str:
    """Returns text as one line with Markdown and HTML escaped."""
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", one_line(text, limit))


def code_block(lines: list[str]) -> list[str]:
    """Returns the lines in a fence longer than any fence they contain."""
    longest = max((len(run) for line in lines for run in re.findall(r"`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", *lines, fence]
