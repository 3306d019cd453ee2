"""What Gemini and its SDK say when something is wrong, as errors of this service."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
from google.genai import errors as genai_errors

from llm_service.errors import (
    ContentBlocked,
    ContextTooLong,
    InvalidRequest,
    LLMServiceError,
    MalformedToolCall,
    OutputTruncated,
    ProviderError,
    TransportError,
    as_service_error,
)
from llm_service.providers.shared.credentials import refused_credentials
from llm_service.providers.shared.http_status import error_for_status, parse_retry_after
from llm_service.providers.shared.refusals import is_too_long, refused_tools

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PROVIDER = "Gemini"

_FINE = frozenset({"STOP", "FINISH_REASON_UNSPECIFIED"})
_BLOCKED = frozenset(
    """SAFETY RECITATION LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII MODEL_ARMOR JAILBREAK
    IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION""".split()
)
_MALFORMED = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"})


def finish_error(reason: str) -> LLMServiceError | None:
    """Turn the reason why the model stopped into an error; None when it was simply done."""
    if reason in _FINE:
        return None
    if reason in _BLOCKED:
        return ContentBlocked(f"{PROVIDER}'s filters stopped the answer ({reason})")
    if reason in _MALFORMED:
        return MalformedToolCall(f"the model wrote a tool call that {PROVIDER} cannot read ({reason})")
    if reason == "MAX_TOKENS":
        return OutputTruncated("the answer hit the model's output limit (MAX_TOKENS)")
    return ProviderError(f"{PROVIDER} stopped the answer ({reason[:60]})")


def blocked_prompt(reason: str) -> LLMServiceError:
    """Build the error for a prompt that was not let through."""
    return ContentBlocked(f"{PROVIDER}'s filters stopped the request ({reason[:60]})")


def unreadable_answer() -> LLMServiceError:
    """Build the error for an answer that the SDK cannot read."""
    return TransportError(f"{PROVIDER} sent something that its SDK cannot read")


def map_error(error: BaseException, key_variable: str) -> LLMServiceError:
    """Choose the error for what the SDK raised. Its texts are left out: they may quote the prompt."""
    if isinstance(error, genai_errors.APIError):
        return _api_error(error, key_variable)
    if isinstance(error, httpx.InvalidURL | httpx.UnsupportedProtocol):
        return InvalidRequest("llm_config.base_url cannot be called")
    if isinstance(error, httpx.HTTPError):
        return TransportError(f"the connection to {PROVIDER} failed ({type(error).__name__})")
    return as_service_error(error if isinstance(error, Exception) else Exception())


def refused_by(error: BaseException, names: Sequence[str]) -> list[int]:
    """Numbers of the tools, by Gemini's names, because of which it refused the request."""
    if not isinstance(error, genai_errors.APIError):
        return []
    return refused_tools(error.code or 500, error.message or "", names)


def _api_error(error: genai_errors.APIError, key_variable: str) -> LLMServiceError:
    details = list(_details(error.details))
    # A wrong key is HTTP 400 here, told apart only by this reason.
    if any(detail.get("reason") in ("API_KEY_INVALID", "API_KEY_EXPIRED") for detail in details):
        return refused_credentials(key_variable, PROVIDER)
    status = error.code or 500
    if is_too_long(status, error.message or ""):
        return ContextTooLong(f"{PROVIDER}: the conversation is longer than the model can read")
    delays = [detail.get("retryDelay") for detail in details]
    headers = getattr(error.response, "headers", None) or {}
    asked = [headers.get("retry-after"), *delays]
    retry_after = next((seconds for text in asked if (seconds := parse_retry_after(_text(text))) is not None), None)
    return error_for_status(
        status,
        provider=PROVIDER,
        key_variable=key_variable,
        retry_after=retry_after,
        word=_text(error.status) or "",
    )


def _details(body: object) -> Iterator[dict[str, object]]:
    error = body.get("error", body) if isinstance(body, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    if isinstance(details, list):
        yield from (detail for detail in details if isinstance(detail, dict))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
