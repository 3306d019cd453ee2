"""Token usage of an answer, as reported by any provider or gateway."""

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

MAX_TOKENS = 100_000_000  # larger values are ignored as errors


class Usage:
    """The tokens of one answer; the last value wins if a count is reported several times."""

    def __init__(self) -> None:
        self._raw: dict[str, int] = {}
        self._before: Counter[str] = Counter()
        # True for Anthropic, which counts cache reads and writes apart from the input.
        self.input_excludes_cache = False

    def add(self, reported: object) -> None:
        """Adds a usage object; missing and invalid counts leave earlier ones unchanged."""
        usage = as_dict(reported)
        for part in (usage, *(as_dict(usage.get(key)) for key in _DETAILS)):
            for key, value in part.items():
                # A count of 0 replaces no earlier count, because some gateways end the stream with zeros.
                if type(value) in (int, float) and (0 < value <= MAX_TOKENS or (value == 0 and key not in self._raw)):
                    self._raw[key] = int(value)

    def next_request(self) -> None:
        """Starts counting for a further request of the same answer, which the provider bills separately."""
        self._before.update(self._raw)
        self._raw = {}

    def info(self) -> UsageInfo | None:
        """Returns the usage; None if none was reported."""
        raw = self._before.copy()
        raw.update(self._raw)
        found = {keys: max((raw[key] for key in keys if key in raw), default=None) for keys in _ALL}
        if found[_INPUT] is None and found[_OUTPUT] is None:
            return None
        read, written, output, thinking = (found[keys] or 0 for keys in (_READ, _WRITTEN, _OUTPUT, _THINKING))
        cache = read + written if self.input_excludes_cache else 0
        all_input = (found[_INPUT] or 0) + raw["toolUsePromptTokenCount"] + cache
        # The total tells if output excludes thinking, as it does for xAI, Gemini and some gateways.
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
