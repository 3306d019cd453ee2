"""Tool names on both sides of a backend: canonical "server.tool" here, what providers accept there.

Most names become server__tool. A name for which that could not be undone (it holds "__" already, has other
characters, is too long) gets a digest of itself at the end. The provider's name depends on nothing but the
canonical one, so it is the same in every turn of a conversation, whatever other tools come and go.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

DEFAULT_MAX_LENGTH = 64
"""The shortest limit among the providers (OpenAI, Gemini, Anthropic)."""
MIN_MAX_LENGTH = 24

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_DIGEST_LENGTH = 12
_DIGESTED = re.compile(r".*_x[0-9a-f]{12,}")
_OTHER_CHARACTERS = re.compile(r"[^A-Za-z0-9-]+")


class ToolNames:
    """The names of one request. Two canonical names never share a provider name."""

    def __init__(self, canonical: Iterable[str], *, max_length: int = DEFAULT_MAX_LENGTH) -> None:
        """Enter the request's tools; names that only the conversation has are entered when they are asked for."""
        if max_length < MIN_MAX_LENGTH:
            raise ValueError(f"max_length must be at least {MIN_MAX_LENGTH}")
        self._max_length = max_length
        self._provider_names: dict[str, str] = {}
        self._canonical_names: dict[str, str] = {}
        for name in canonical:
            self.to_provider(name)

    def to_provider(self, canonical: str) -> str:
        """Name to send: only [A-Za-z0-9_-], starting with a letter or "_", within the limit."""
        if canonical in self._provider_names:
            return self._provider_names[canonical]
        name = canonical.replace(".", "__")
        # Only what can be undone: at most one canonical name gives this provider name.
        plain = len(name) <= self._max_length and _PLAIN.fullmatch(name) and not _DIGESTED.fullmatch(name)
        fits = bool(plain) and name.replace("__", ".") == canonical
        length = _DIGEST_LENGTH
        while not fits or name in self._canonical_names:
            name, fits = self._digested_name(canonical, length), True
            length += 1
        self._provider_names[canonical] = name
        self._canonical_names[name] = canonical
        return name

    def from_provider(self, name: str) -> str:
        """Canonical name of what a model called.

        A name that was never sent is made canonical as far as that goes: the engine answers it as an unknown tool.
        """
        # Gemini at times writes a namespace in front: default_api:server__tool.
        last = name.rpartition(":")[2]
        for candidate in (name, last):
            if candidate in self._canonical_names:
                return self._canonical_names[candidate]
            if candidate in self._provider_names:
                return candidate
        return last.replace("__", ".") or name

    def _digested_name(self, canonical: str, digest_length: int) -> str:
        digest = hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()
        ending = f"_x{digest[: min(digest_length, self._max_length - 3)]}"
        slug = _OTHER_CHARACTERS.sub("_", canonical)
        slug = slug if slug[:1].isalpha() else f"_{slug}"
        return slug[: self._max_length - len(ending)] + ending
