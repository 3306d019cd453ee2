"""Tokens of an answer, in whatever form a provider or a gateway tells them."""

from collections import Counter

from llm_service.proto.llm_service_pb2 import UsageInfo
from llm_service.providers.shared.text import as_dict

_INPUT = ("prompt_tokens", "input_tokens", "promptTokenCount")
_OUTPUT = ("completion_tokens", "output_tokens", "candidatesTokenCount")
_TOTAL = ("total_tokens", "totalTokenCount")
_DETAILS = ("prompt_tokens_details", "input_tokens_details", "completion_tokens_details", "output_tokens_details")
_THINKING = ("reasoning_tokens", "thinking_tokens", "thoughtsTokenCount")
_READ = ("cached_tokens", "cache_read_input_tokens", "cachedContentTokenCount", "prompt_cache_hit_tokens")
_WRITTEN = ("cache_creation_input_tokens", "cache_write_tokens", "cache_creation_tokens")
_ALL = (_INPUT, _OUTPUT, _TOTAL, _THINKING, _READ, _WRITTEN)

MAX_TOKENS = 100_000_000  # of one figure; what is more is no count of tokens


class Usage:
    """The tokens of one answer; of several words about a figure the largest counts."""

    def __init__(self) -> None:
        self._raw: dict[str, int] = {}
        self._before: Counter[str] = Counter()
        self.input_excludes_cache = False  # Anthropic's input_tokens leaves out what a cache was read or written for

    def add(self, told: object) -> None:
        """Take in a usage object; what is no number in it, or not there, leaves what was known."""
        usage = as_dict(told)
        for part in (usage, *(as_dict(usage.get(key)) for key in _DETAILS)):
            for key, value in part.items():
                if type(value) in (int, float) and 0 <= value <= MAX_TOKENS:
                    # Figures only grow; some gateways tell one of them as 0 at the other end of the stream.
                    self._raw[key] = max(self._raw.get(key, 0), int(value))

    def next_request(self) -> None:
        """Count on: the answer goes on in another request, which is billed as well."""
        self._before.update(self._raw)
        self._raw = {}

    def info(self) -> UsageInfo | None:
        """Give the figures; None when none were told."""
        raw = self._before.copy()
        raw.update(self._raw)
        found = {keys: max((raw[key] for key in keys if key in raw), default=None) for keys in _ALL}
        if found[_INPUT] is None and found[_OUTPUT] is None:
            return None
        read, written, output, thinking = (found[keys] or 0 for keys in (_READ, _WRITTEN, _OUTPUT, _THINKING))
        cache = read + written if self.input_excludes_cache else 0
        all_input = (found[_INPUT] or 0) + raw["toolUsePromptTokenCount"] + cache
        # xAI, Gemini and some gateways count thinking beside the output, the others within it; the total tells.
        total = None if self.input_excludes_cache else found[_TOTAL]
        beside = "thoughtsTokenCount" in raw or thinking > output
        if total is not None and thinking:
            beside = abs(total - (all_input + output + thinking)) < abs(total - (all_input + output))
        answer = output if beside else output - thinking
        return UsageInfo(
            input_tokens=all_input,
            output_tokens=answer,
            total_tokens=max(all_input + answer + thinking, total or 0),
            thinking_tokens=thinking,
            cached_input_tokens=min(read, all_input),
            cache_write_tokens=min(written, all_input),
        )
