"""Tokens of an answer, in whatever form a provider or a gateway tells them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llm_service.proto.llm_service_pb2 import UsageInfo

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_INPUT = ("prompt_tokens", "input_tokens", "prompt_token_count")
_OUTPUT = ("completion_tokens", "output_tokens", "candidates_token_count")
_TOTAL = ("total_tokens", "total_token_count")
_INPUT_DETAILS = ("prompt_tokens_details", "input_tokens_details")
_OUTPUT_DETAILS = ("completion_tokens_details", "output_tokens_details")
_THINKING = ("reasoning_tokens", "thinking_tokens", "thoughts_token_count")
_READ = ("cached_tokens", "cache_read_input_tokens", "cached_content_token_count", "prompt_cache_hit_tokens")
_WRITTEN = ("cache_creation_input_tokens", "cache_write_tokens", "cache_creation_tokens")


class Usage:
    """The tokens of one answer; of several words about a figure the largest counts."""

    def __init__(self, *, input_excludes_cache: bool = False) -> None:
        """Start; Anthropic's input_tokens leaves out what a cache was read or written for."""
        self._raw: dict[str, int] = {}
        self._excludes = input_excludes_cache

    def add(self, told: object) -> None:
        """Take in a usage object; what is no number in it, or not there, leaves what was known."""
        if not isinstance(told, dict):
            return
        flat = {**told}
        for key in (*_INPUT_DETAILS, *_OUTPUT_DETAILS):
            if isinstance(told.get(key), dict):
                flat |= told[key]
        for key, value in flat.items():
            if type(value) in (int, float) and value >= 0:
                # Figures only grow; some gateways tell one of them as 0 at the other end of the stream.
                self._raw[key] = max(self._raw.get(key, 0), int(value))

    def info(self) -> UsageInfo | None:
        """Give the figures; None when none were told."""
        if self._find(_INPUT) is None and self._find(_OUTPUT) is None:
            return None
        read, written = self._find(_READ) or 0, self._find(_WRITTEN) or 0
        all_input = (self._find(_INPUT) or 0) + self._raw.get("tool_use_prompt_token_count", 0)
        if self._excludes:
            all_input += read + written
        output, thinking = self._find(_OUTPUT) or 0, self._find(_THINKING) or 0
        # xAI, Gemini and some gateways count thinking beside the output, the others within it; the total tells.
        total = self._find(_TOTAL)
        beside = "thoughts_token_count" in self._raw or thinking > output
        if total is not None and not self._excludes and thinking:
            beside = abs(total - (all_input + output + thinking)) < abs(total - (all_input + output))
        answer = output if beside else output - thinking
        return UsageInfo(
            input_tokens=all_input,
            output_tokens=answer,
            total_tokens=max(all_input + answer + thinking, 0 if total is None or self._excludes else total),
            thinking_tokens=thinking,
            cached_input_tokens=min(read, all_input),
            cache_write_tokens=min(written, all_input),
        )

    def _find(self, keys: Iterable[str]) -> int | None:
        raw: Mapping[str, int] = self._raw
        found = [raw[key] for key in keys if key in raw]
        return max(found) if found else None
