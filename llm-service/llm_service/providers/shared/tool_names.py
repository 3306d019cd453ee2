"""Converts tool names: canonical "server.tool" to server__tool and back, with a digest where that is ambiguous.

The provider's name depends only on the canonical name, so it is the same in every turn of a conversation.
"""

import hashlib
import re
from collections.abc import Iterable

MAX_LENGTH = 64  # the shortest limit of the providers (OpenAI, Gemini, Anthropic)

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_DIGEST_LENGTH = 12
_DIGESTED = re.compile(r".*_x[0-9a-f]{12,}")
_OTHER_CHARACTERS = re.compile(r"[^A-Za-z0-9-]+")


class ToolNames:
    """The tool names of one request. Two canonical names never share a provider name."""

    def __init__(self, canonical: Iterable[str]) -> None:
        """Registers the request's tools; names that only the history contains are registered on first use."""
        self._provider_names: dict[str, str] = {}
        self._canonical_names: dict[str, str] = {}
        for name in canonical:
            self.to_provider(name)

    def to_provider(self, canonical: str) -> str:
        """Returns the provider's name: [A-Za-z0-9_-] only, starting with a letter or "_", at most 64 characters."""
        if canonical in self._provider_names:
            return self._provider_names[canonical]
        name = canonical.replace(".", "__")
        # Used only if it converts back, so that no other canonical name gives this provider name.
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
        # Gemini sometimes adds a namespace: default_api:server__tool.
        last = name.rpartition(":")[2]
        for candidate in (name, last):
            if candidate in self._canonical_names:
                return self._canonical_names[candidate]
            if candidate in self._provider_names:
                return candidate
        return last.replace("__", ".") or name


def _digested(canonical: str, digest_length: int) -> str:
    digest = hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()
    ending = f"_x{digest[: min(digest_length, MAX_LENGTH - 3)]}"
    slug = _OTHER_CHARACTERS.sub("_", canonical)
    slug = slug if slug[:1].isalpha() else f"_{slug}"
    return slug[: MAX_LENGTH - len(ending)] + ending
