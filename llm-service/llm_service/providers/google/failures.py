"""What Gemini and its SDK say in an error."""

from __future__ import annotations

from google.genai import errors

from llm_service.providers.shared.failures import Said, said_in


def said(error: BaseException) -> Said | None:
    """Read the SDK's error; a wrong key is HTTP 400 here, told apart only by a reason in its details."""
    if not isinstance(error, errors.APIError):
        return None
    headers = getattr(error.response, "headers", None)
    return said_in(error.details, error.code or 500, headers, text=error.message or "")
