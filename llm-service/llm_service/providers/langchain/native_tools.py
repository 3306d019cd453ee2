"""Tools that Google runs itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llm_service.providers.langchain.settings import Api

if TYPE_CHECKING:
    import logging

    from llm_service.proto.llm_service_pb2 import GenerateRequest
    from llm_service.providers.langchain.settings import ModelSettings

NATIVE_TOOLS = ("google_search", "code_execution", "url_context")


def native_tools(
    request: GenerateRequest, settings: ModelSettings, log: logging.LoggerAdapter[logging.Logger]
) -> list[dict[str, Any]]:
    """Give the native tools that are on and can be used; of the others a warning is logged."""
    wanted = [name for name, on in sorted(request.llm_config.native_tools.items()) if on]
    known = [name for name in wanted if name in NATIVE_TOOLS]
    reason = ""
    if settings.api not in (Api.GOOGLE, Api.GOOGLE_VERTEX):
        reason = "only Gemini has them"
    elif request.tools:
        reason = "through LangChain they do not go together with function tools; the backend google-native can"
    elif len(known) < len(wanted):
        reason = "not known"
    if wanted and reason:
        log.warning("native tools are left out", extra={"native_tools": wanted, "reason": reason})
    if request.tools or settings.api not in (Api.GOOGLE, Api.GOOGLE_VERTEX):
        return []
    return [{name: {}} for name in known]
