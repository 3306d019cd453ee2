"""Sources of a Gemini answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llm_service.proto.llm_service_pb2 import GroundingChunkInfo, GroundingDelta, GroundingSupport

if TYPE_CHECKING:
    from collections.abc import Mapping


def read_grounding(metadata: Mapping[str, Any]) -> GroundingDelta | None:
    """Read the grounding metadata of a LangChain message; None when it names no source."""
    found = metadata.get("grounding_metadata") or {}
    chunks = [chunk.get("web") or chunk.get("retrieved_context") or {} for chunk in found.get("grounding_chunks") or []]
    queries = found.get("web_search_queries") or []
    if not chunks and not queries:
        return None
    return GroundingDelta(
        web_search_queries=queries,
        grounding_chunks=[GroundingChunkInfo(uri=c.get("uri") or "", title=c.get("title") or "") for c in chunks],
        grounding_supports=[_support(support) for support in found.get("grounding_supports") or []],
        search_entry_point_html=(found.get("search_entry_point") or {}).get("rendered_content") or "",
    )


def _support(support: Mapping[str, Any]) -> GroundingSupport:
    segment = support.get("segment") or {}
    return GroundingSupport(
        start_index=segment.get("start_index") or 0,
        end_index=segment.get("end_index") or 0,
        text=segment.get("text") or "",
        grounding_chunk_indices=support.get("grounding_chunk_indices") or [],
    )
