"""Separates thinking from text by the tags <think> and </think>, which some servers leave in the text."""

_BEGIN = "<think>"
_END = "</think>"


class ThinkTag:
    """Splits a streamed text, even if a tag is split over pieces.

    Text that starts with <think> is thinking up to the end tag. Some chat templates open the thinking themselves, so
    that the stream has only the end tag. Then all text before the end tag is thinking.
    """

    def __init__(self) -> None:
        self._state = "start"
        self._held_back = ""
        self._last = "\n"  # end of the text that was returned so far

    def read(self, piece: str) -> list[tuple[str, str]]:
        """Splits the next piece into (kind, text) pairs: "text", "thinking", or "was_thinking".

        "was_thinking" declares all text returned so far to be thinking.
        """
        if self._state == "answer":
            return [("text", piece)]
        if self._state == "gap":  # blank lines between thinking and text
            text = piece.lstrip("\n ")
            self._state = "answer" if text else "gap"
            return [("text", text)]
        self._held_back += piece
        if self._state == "start":
            begun = self._held_back.lstrip()
            if len(begun) < len(_BEGIN) and _BEGIN.startswith(begun):
                return []
            self._state = "thinking" if begun.startswith(_BEGIN) else "text"
            self._held_back = begun[len(_BEGIN) :] if self._state == "thinking" else self._held_back
        return self._thinking() if self._state == "thinking" else self._text(ended=False)

    def end(self) -> list[tuple[str, str]]:
        """Returns what is still held back, as (kind, text) pairs."""
        if self._state == "text":
            return self._text(ended=True)
        return [("thinking" if self._state == "thinking" else "text", self._held_back)]

    def _thinking(self) -> list[tuple[str, str]]:
        thinking, tag, text = self._held_back.partition(_END)
        if tag:
            self._held_back, self._state = "", "gap"
            return [("thinking", thinking), *self.read(text)]
        return [("thinking", self._release(len(thinking) - _begun(thinking)))]

    def _text(self, *, ended: bool) -> list[tuple[str, str]]:
        """Looks for an end tag at the end of a line; a tag followed by text in its line counts as quoted."""
        before, tag, after = self._held_back.partition(_END)
        if _BEGIN in self._last + self._held_back:
            self._state = "answer"
            return [("text", self._release(len(self._held_back)))]
        if not tag:
            return [("text", self._release(len(before) - (0 if ended else _begun(before))))]
        if not after.strip(" ") and not ended:
            return [("text", self._release(len(before)))]
        if after.strip(" ")[:1] in ("", "\n"):
            self._held_back, self._state = "", "gap"
            return [("text", before), ("was_thinking", ""), *self.read(after)]
        first = self._release(len(before) + len(tag))
        return [("text", first), *self._text(ended=ended)]

    def _release(self, size: int) -> str:
        released, self._held_back = self._held_back[:size], self._held_back[size:]
        self._last = (self._last + released)[-len(_BEGIN) :]
        return released


def _begun(text: str) -> int:
    """Returns the number of characters at the end of the text that may begin an end tag."""
    return next((size for size in range(len(_END) - 1, 0, -1) if text.endswith(_END[:size])), 0)
