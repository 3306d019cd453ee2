"""What the SDKs raise, as errors of this service.

A provider's own text is read here, but never passed on: it may quote the prompt.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import httpx
import httpx2
from google.auth.exceptions import GoogleAuthError
from google.auth.exceptions import TransportError as GoogleTransportError
from langchain_core.exceptions import ContextOverflowError

from llm_service.errors import (
    ContentBlocked,
    ContextTooLong,
    InvalidRequest,
    LLMServiceError,
    ProviderError,
    ProviderUnavailable,
    RateLimited,
    TransportError,
    as_service_error,
)
from llm_service.providers.shared.credentials import refused_credentials
from llm_service.providers.shared.http_status import error_for_status, parse_retry_after
from llm_service.providers.shared.refusals import is_too_long, refused_tools

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from llm_service.providers.langchain.settings import ModelSettings

QUOTA_SECONDS = 86_400.0
"""Stands for "not soon": a quota that is used up is not there again within the time of a retry."""

_WORD_IN_TEXT = re.compile(r"code='(\w{1,60})'|^(\w{1,60}): ")
_HTTP_ERRORS = (httpx.HTTPError, httpx2.HTTPError)
_CONNECTION_ERRORS = ("APIConnectionError", "APITimeoutError")
_UNREADABLE = {"JSONDecodeError", "UnicodeDecodeError", "UnknownApiResponseError"}
_UNKNOWN = {"APIError", "ValidationError"}
_KINDS = {
    "context": "context_length_exceeded exceed_context_size_error request_too_large string_above_max_length",
    "blocked": "content_filter content_policy_violation responsibleaipolicyviolation invalid_prompt",
    "credentials": "invalid_api_key api_key_invalid authentication_error permission_error",
    "quota": "insufficient_quota billing_error",
    "rate": "rate_limit_exceeded rate_limit_error",
    "down": "server_error api_error internal_error overloaded_error service_unavailable vector_store_timeout",
    "request": "invalid_request_error not_found_error model_not_found",
}
_KIND_BY_WORD = {word: kind for kind, words in _KINDS.items() for word in words.split()}


def map_failure(raised: BaseException, settings: ModelSettings) -> LLMServiceError:
    """Map an exception of a provider call. What is not known here is masked as an internal error."""
    chain = list(_chain(raised))
    name = settings.provider_name
    for error in chain:
        if isinstance(error, LLMServiceError):
            return error
        if isinstance(error, ContextOverflowError):
            return ContextTooLong(f"{name}: the conversation is longer than the model can read")
    answered = next((error for error in chain if _status(error)), None) or next(
        (error for error in chain if _body(error)), None
    )
    if answered is not None:
        return _map_answer(answered, settings)
    for error in chain:
        if isinstance(error, _HTTP_ERRORS) or type(error).__name__ in _CONNECTION_ERRORS:
            return TransportError(f"the connection to {name} failed ({type(_root(chain)).__name__})")
        if isinstance(error, GoogleTransportError):
            return TransportError(f"Google's token server could not be reached ({type(error).__name__})")
        if isinstance(error, GoogleAuthError):
            return refused_credentials(settings.key_variable, name)
    return _map_other(raised, name)


def refused_by(raised: BaseException, names: Sequence[str]) -> list[int]:
    """Numbers of the tools, by the provider's names, because of which it refused the request."""
    answered = next((error for error in _chain(raised) if _status(error)), None)
    if answered is None:
        return []
    param = _body(answered).get("param")
    text = f"{param} {_text(answered)}" if isinstance(param, str) else _text(answered)
    return refused_tools(_status(answered), text, names)


def _map_answer(error: BaseException, settings: ModelSettings) -> LLMServiceError:
    """Map an error that the provider sent, as an HTTP status or in the middle of a stream."""
    status, name = _status(error), settings.provider_name
    retry_after = _retry_after(error)
    words = [word for word in _words(error) if word]
    kinds = {_KIND_BY_WORD.get(word.lower()) for word in words}
    if "context" in kinds or is_too_long(status, _text(error)):
        return ContextTooLong(f"{name}: the conversation is longer than the model can read")
    if "blocked" in kinds:
        return ContentBlocked(f"{name}'s filters stopped the request")
    if "credentials" in kinds:
        return refused_credentials(settings.key_variable, name)
    if "quota" in kinds:
        return RateLimited(f"the quota at {name} is used up", QUOTA_SECONDS)
    if status >= 400:
        return error_for_status(
            status,
            provider=name,
            key_variable=settings.key_variable,
            retry_after=retry_after,
            word=words[0] if words else "",
        )
    return _map_kind(kinds, name)


def _map_kind(kinds: set[str | None], name: str) -> LLMServiceError:
    if "rate" in kinds:
        return RateLimited(f"{name} limits the rate of calls")
    if "down" in kinds:
        return ProviderUnavailable(f"{name} is not able to answer now")
    if "request" in kinds:
        return InvalidRequest(f"{name} refused the request")
    return ProviderError(f"{name} sent an error in the middle of its answer")


def _map_other(raised: BaseException, name: str) -> LLMServiceError:
    """Map what has neither a status nor a body."""
    classes = {cls.__name__ for cls in type(raised).__mro__}
    if classes & _UNREADABLE:
        return ProviderUnavailable(f"{name} sent something that cannot be read")
    if classes & _UNKNOWN:
        return ProviderError(f"{name} sent something that its SDK does not know ({type(raised).__name__})")
    if type(raised) is ValueError:
        # What LangChain makes of an event that tells of a failure: the code is in the text.
        found = _WORD_IN_TEXT.search(str(raised))
        kind = _KIND_BY_WORD.get((found[1] or found[2]).lower()) if found else None
        if kind == "context":
            return ContextTooLong(f"{name}: the conversation is longer than the model can read")
        if kind == "blocked":
            return ContentBlocked(f"{name}'s filters stopped the request")
        if found is not None:
            return _map_kind({kind}, name)
    return as_service_error(raised if isinstance(raised, Exception) else RuntimeError())


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _root(chain: list[BaseException]) -> BaseException:
    return next((error for error in reversed(chain) if isinstance(error, _HTTP_ERRORS)), chain[0])


def _status(error: BaseException) -> int:
    """Give the HTTP status, 0 when there is none.

    It is the status_code of OpenAI and Anthropic, the code of Google, or in the body of an error that came in
    the middle of a stream.
    """
    candidates = (getattr(error, "status_code", None), getattr(error, "code", None), _body(error).get("code"))
    return next((value for value in candidates if type(value) is int and value >= 400), 0)


def _body(error: BaseException) -> dict[str, Any]:
    body = getattr(error, "body", None) or getattr(error, "details", None)
    if not isinstance(body, dict):
        return {}
    inner = body.get("error")
    return inner if isinstance(inner, dict) else body


def _text(error: BaseException) -> str:
    """Give all that the provider says in words; only OpenAI's own form of it is in the SDK's message."""
    body = getattr(error, "body", None)
    values = [body, *(body.values() if isinstance(body, dict) else ())]
    return " ".join([str(error), *(value for value in values if isinstance(value, str))])


def _words(error: BaseException) -> Iterator[str]:
    """Machine-readable reasons, the most telling first."""
    body = _body(error)
    details = body.get("details")
    for detail in details if isinstance(details, list) else []:
        if isinstance(detail, dict) and detail.get("reason"):
            yield str(detail["reason"])
    for key in ("code", "type", "status"):
        if isinstance(body.get(key), str):
            yield body[key]


def _retry_after(error: BaseException) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    milliseconds = parse_retry_after(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    seconds = parse_retry_after(headers.get("retry-after"))
    details = _body(error).get("details")
    for detail in details if isinstance(details, list) and seconds is None else []:
        if isinstance(detail, dict) and detail.get("retryDelay"):
            seconds = parse_retry_after(str(detail["retryDelay"]))
    return seconds
