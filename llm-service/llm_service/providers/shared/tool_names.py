"""Converts tool names: canonical "server.tool" to server__tool and back, with a digest where that is ambiguous.

The provider's name depends only on the canonical name, so it is the same in every turn of a conversation.
"""

import hashlib
import re
from collections.abc import Iterable

MAX_DECORATED = 200  # characters; longer names are not searched for decorations
MAX_LENGTH = 64  # characters; the shortest limit among OpenAI, Gemini and Anthropic

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_DIGEST_LENGTH = 12
_DIGESTED = re.compile(r".*_x[0-9a-f]{12,}")
_OTHER_CHARACTERS = re.compile(r"[^A-Za-z0-9-]+")
# Matches additions of models to a tool's name. At the end: a template token with all that follows, an index or "()".
# At the beginning: a namespace.
_ENDING = re.compile(r"(?:<[|｜].*|:\d+|\(\s*\)|[\s\"'`]+)\Z", re.DOTALL)
_NAMESPACE = re.compile(r"[\s\"'`]*(?:functions?|tools?|mcp|default_api|namespace)(?:\.|:+|/|__)", re.IGNORECASE)
_SEPARATOR = re.compile(r"[.:/]|__")


class ToolNames:
    """The tool names of one request. Two canonical names never share a provider name."""

    def __init__(self, canonical: Iterable[str]) -> None:
        """Registers the request's tools; names that only the history contains are registered on first use."""
        self._provider_names: dict[str, str] = {}
        self._canonical_names: dict[str, str] = {}
        self.offered = list(canonical)
        for name in self.offered:
            self.to_provider(name)

    @property
    def known(self) -> bool:
        """True if there are names, of offered tools or of calls in the history."""
        return len(self._provider_names) > 0

    def is_known(self, name: str) -> bool:
        """Returns True if a decorated name means an offered tool, or a tool called in the history."""
        bare = _undecorated(name)
        return self.find_offered(name) is not None or bare in self._canonical_names or bare in self._provider_names

    def to_provider(self, canonical: str) -> str:
        """Returns the provider's name: [A-Za-z0-9_-] only, starting with a letter or "_", at most 64 characters."""
        if canonical in self._provider_names:
            return self._provider_names[canonical]
        name = canonical.replace(".", "__")
        # The plain form is used only if it converts back, so that no other canonical name gets the same name.
        plain = len(name) <= MAX_LENGTH and _PLAIN.fullmatch(name) and not _DIGESTED.fullmatch(name)
        fits = bool(plain) and name.replace("__", ".") == canonical
        length = _DIGEST_LENGTH
        while not fits or name in self._canonical_names:
            name, fits = _digested(canonical, length), True
            length += 1
        self._provider_names[canonical] = name
        self._canonical_names[name] = canonical
        return name

    def from_provider(self, name: str) -> str:
        """Returns the canonical name of a called tool; the engine reports unknown names to the model."""
        if name in self._canonical_names:
            return self._canonical_names[name]
        if name in self._provider_names:
            return name
        bare = _undecorated(name)
        return self.find_offered(name) or bare.replace("__", ".") or name

    def find_offered(self, name: str) -> str | None:
        """Returns the only offered tool that a decorated name can mean; None if none or several fit."""
        for form in dict.fromkeys((name, _without_ending(name), _undecorated(name))):
            if self._canonical_names.get(form, "") in self.offered:
                return self._canonical_names[form]
            fits = [tool for tool in self.offered if _spelled(tool) == _spelled(form)]
            if not fits and not _SEPARATOR.search(form):
                fits = [tool for tool in self.offered if _spelled(tool.partition(".")[2]) == _spelled(form)]
            if fits:
                return fits[0] if len(fits) == 1 else None
        return None


def _without_ending(name: str) -> str:
    before = "" if len(name) <= MAX_DECORATED else name
    while name != before:
        before, name = name, _ENDING.sub("", name).strip()
    return name


def _undecorated(name: str) -> str:
    before, name = "", _without_ending(name)
    while name != before:
        before, name = name, _NAMESPACE.sub("", name, count=1)
    return name


def _spelled(name: str) -> str:
    """Returns the name's letters and digits, with "_" for all else: server.tool equals Server-Tool."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def _digested(canonical: str, digest_length: int) -> str:
    digest = hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()
    ending = f"_x{digest[: min(digest_length, MAX_LENGTH - 3)]}"
    slug = _OTHER_CHARACTERS.sub("_", canonical)
    slug = slug if slug[:1].isalpha() else f"_{slug}"
    return slug[: MAX_LENGTH - len(ending)] + ending
