"""Sources of an answer: from Google Search, or from the pages that URL context read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llm_service.proto.llm_service_pb2 import (
    GenerateResponse,
    GroundingChunkInfo,
    GroundingDelta,
    GroundingSupport,
)
from llm_service.providers.shared.text import well_formed

if TYPE_CHECKING:
    from google.genai import types


class Grounding:
    """Collects the metadata of all chunks of a stream; a chunk may repeat what an earlier one told."""

    def __init__(self) -> None:
        self._queries: dict[str, None] = {}
        self._sources: dict[tuple[str, str], int] = {}
        self._supports: dict[tuple[int, int, str, tuple[int, ...]], None] = {}
        self._html = ""
        self._urls: dict[str, None] = {}

    def add(self, candidate: types.Candidate) -> None:
        """Take over what a chunk tells."""
        if candidate.grounding_metadata is not None:
            self._add_metadata(candidate.grounding_metadata)
        pages = candidate.url_context_metadata
        for page in (pages.url_metadata or []) if pages is not None else []:
            status = page.url_retrieval_status
            if page.retrieved_url and (status is None or status.value.endswith("_SUCCESS")):
                self._urls[page.retrieved_url] = None

    def deltas(self) -> list[GenerateResponse]:
        """Build what is sent: at most one delta for the grounding and one for further pages that were read."""
        deltas = []
        if self._queries or self._sources or self._supports or self._html:
            deltas.append(
                GroundingDelta(
                    web_search_queries=list(self._queries),
                    grounding_chunks=[GroundingChunkInfo(uri=uri, title=title) for uri, title in self._sources],
                    grounding_supports=[
                        GroundingSupport(start_index=start, end_index=end, text=text, grounding_chunk_indices=indices)
                        for start, end, text, indices in self._supports
                    ],
                    search_entry_point_html=self._html,
                )
            )
        known = {uri for uri, _ in self._sources}
        pages = [GroundingChunkInfo(uri=uri) for uri in self._urls if uri not in known]
        if pages:
            deltas.append(GroundingDelta(grounding_chunks=pages))
        return [GenerateResponse(grounding=delta) for delta in deltas]

    def _add_metadata(self, metadata: types.GroundingMetadata) -> None:
        for query in metadata.web_search_queries or []:
            self._queries[well_formed(query)] = None
        # Indices count within one chunk's list; here they count within the list of all.
        indices: list[int] = []
        for chunk in metadata.grounding_chunks or []:
            source = chunk.web or chunk.retrieved_context
            key = (well_formed((source and source.uri) or ""), well_formed((source and source.title) or ""))
            indices.append(self._sources.setdefault(key, len(self._sources)))
        for support in metadata.grounding_supports or []:
            segment = support.segment
            cited = tuple(indices[i] for i in support.grounding_chunk_indices or [] if 0 <= i < len(indices))
            start, end, text = 0, 0, ""
            if segment is not None:
                start, end, text = segment.start_index or 0, segment.end_index or 0, segment.text or ""
            self._supports[start, end, well_formed(text), cited] = None
        entry = metadata.search_entry_point
        if entry is not None and entry.rendered_content:
            self._html = well_formed(entry.rendered_content)
