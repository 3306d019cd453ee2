"""Reads tools that Anthropic runs itself (web search and fetch, code execution, connectors): code, results, sources."""

from collections.abc import Iterator
from typing import Any

from llm_service.proto.llm_service_pb2 import GenerateResponse, GroundingChunkInfo, GroundingDelta
from llm_service.providers.shared.answer import Answer
from llm_service.providers.shared.text import as_dict, as_text, dicts_in

USES = ("server_tool_use", "mcp_tool_use")


class ServerTools:
    """Collects the queries, sources and code of the tools that Anthropic ran for one answer."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._queries: dict[str, None] = {}
        self._sources: dict[str, str] = {}

    def use(self, block: dict[str, Any]) -> Iterator[GenerateResponse]:
        """Reads the complete call of a server tool: its search query or its code."""
        given = as_dict(block.get("input"))
        if query := as_text(given.get("query")):
            self._queries[query] = None
        name = as_text(block.get("name"))
        if name.endswith("code_execution"):
            yield from self._answer.code(code=as_text(given.get("code") or given.get("command")))

    def result(self, block: dict[str, Any]) -> Iterator[GenerateResponse]:
        """Reads the result of a server tool, which arrives as one whole block."""
        content = block.get("content")
        kind = as_text(block.get("type"))
        found = [*dicts_in(content), *([content] if isinstance(content, dict) else [])]
        for one in found:
            if url := as_text(one.get("url")):
                self._sources[url] = as_text(one.get("title") or as_dict(one.get("content")).get("title"))
        if kind.endswith("code_execution_tool_result"):
            result = as_dict(content)
            texts = (as_text(result.get(key)) for key in ("stdout", "stderr", "error_code"))
            yield from self._answer.code(result="\n".join(filter(None, texts)))

    def cite(self, block: dict[str, Any]) -> None:
        """Adds the sources that a text block cites."""
        for citation in dicts_in(block.get("citations")):
            if url := as_text(citation.get("url")):
                self._sources.setdefault(url, as_text(citation.get("title")))

    def sources(self) -> list[GenerateResponse]:
        """Returns the sources of the answer."""
        chunks = [GroundingChunkInfo(uri=uri, title=title) for uri, title in self._sources.items()]
        if not chunks:
            return []
        delta = GroundingDelta(web_search_queries=list(self._queries), grounding_chunks=chunks)
        return [GenerateResponse(grounding=delta)]
