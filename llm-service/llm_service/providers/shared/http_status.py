"""A provider's HTTP error answer as an error of this service."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from llm_service.errors import InvalidRequest, LLMServiceError, ProviderError, ProviderUnavailable, RateLimited
from llm_service.providers.shared.credentials import refused_credentials

_MAX_WORD = 60


def error_for_status(
    status: int,
    *,
    provider: str,
    key_variable: str,
    retry_after: float | None = None,
    word: str = "",
    text: str = "",
) -> LLMServiceError:
    """Choose the error for an HTTP status.

    Args:
        status: the HTTP status, 400 or above.
        provider: its name for people, such as "Gemini".
        key_variable: the environment variable that holds the key or names the credentials file.
        retry_after: seconds that the provider asks to wait.
        word: the provider's machine-readable reason, such as RESOURCE_EXHAUSTED.
        text: what it says in words, masked and bounded.
    """
    what = f"HTTP {status}"
    if word and len(word) <= _MAX_WORD and word.replace("_", "").replace("-", "").isalnum():
        what = f"{what}, {word}"
    if text:
        what = f"{what}: {text}"
    if status in (401, 403):
        return refused_credentials(key_variable, f"{provider} ({what})")
    if status == 404:
        return InvalidRequest(f"{provider} does not know the model or the address ({what})")
    if status == 429:
        return RateLimited(f"{provider} limits the rate of calls ({what})", retry_after)
    if status in (408, 409, 425) or status >= 500:
        return ProviderUnavailable(f"{provider} is not able to answer now ({what})", retry_after)
    if status >= 400:
        return InvalidRequest(f"{provider} refused the request ({what})")
    return ProviderError(f"{provider} answered with {what}")


def parse_retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds of a Retry-After header (a number or an HTTP date) or of a duration like "34.5s"; None if unreadable."""
    text = (value or "").strip()
    if not text:
        return None
    try:
        seconds = float(text.removesuffix("s"))
    except ValueError:
        try:
            date = parsedate_to_datetime(text)
        except ValueError:
            return None
        if date.tzinfo is None:
            date = date.replace(tzinfo=UTC)
        seconds = (date - (now or datetime.now(UTC))).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None
