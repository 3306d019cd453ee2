"""Thinking that a server leaves in the text: <think>…</think> at its start."""

from __future__ import annotations

_BEGIN = "<think>"
_END = "</think>"


class ThinkTag:
    """Tells text and thinking apart, piece by piece; a tag may come in pieces too."""

    def __init__(self) -> None:
        self._state = "start"
        self._held = ""

    def read(self, piece: str) -> list[tuple[str, str]]:
        """Give (kind, text) pairs, kind "text" or "thinking"."""
        if self._state == "text":
            return [("text", piece)]
        self._held += piece
        if self._state == "start":
            begun = self._held.lstrip()
            if len(begun) < len(_BEGIN) and _BEGIN.startswith(begun):
                return []
            if not begun.startswith(_BEGIN):
                self._state = "text"
                return [("text", self._take())]
            self._held, self._state = begun[len(_BEGIN) :], "thinking"
        thinking, tag, text = self._held.partition(_END)
        if tag:
            self._held, self._state = "", "text"
            return [("thinking", thinking), ("text", text.lstrip("\n"))]
        # What may be the beginning of the end waits.
        held = next((n for n in range(len(_END) - 1, 0, -1) if thinking.endswith(_END[:n])), 0)
        cut = len(thinking) - held
        self._held = thinking[cut:]
        return [("thinking", thinking[:cut])]

    def end(self) -> list[tuple[str, str]]:
        """Give what still waits."""
        return [("thinking" if self._state == "thinking" else "text", self._take())]

    def _take(self) -> str:
        held, self._held = self._held, ""
        return held
