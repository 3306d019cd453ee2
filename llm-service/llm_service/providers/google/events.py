"""Chunks of a Gemini stream, and its sources: from Google Search, or from the pages that URL context read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llm_service.proto.llm_service_pb2 import GenerateResponse, GroundingChunkInfo, GroundingDelta, GroundingSupport
from llm_service.providers.google.next_turn import keep
from llm_service.providers.shared.failures import StreamedError
from llm_service.providers.shared.json_parts import as_dict, as_text, dicts_in
from llm_service.providers.shared.text import arguments_to_json, well_formed
from llm_service.providers.shared.turns import Turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from llm_service.providers.shared.answer import Answer


def continuation(event: Any) -> object:
    """What an answer of which one request gives no more is gone on with; None mostly."""
    first = next(iter(dicts_in(as_dict(event).get("candidates"))), {})
    return first.get("continuationToken") if first.get("finishReason") == "CONTINUATION" else None


class Events:
    """Reads one answer, part by part."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._parts: list[dict[str, Any]] = []
        self._ids: list[str | None] = []
        self._grounding = _Grounding()

    def read(self, event: Any) -> Iterator[GenerateResponse]:
        """Take a chunk in; StreamedError when it tells of a failure."""
        answer, chunk = self._answer, as_dict(event)
        if chunk.get("error"):
            raise StreamedError(chunk)
        answer.usage.add(chunk.get("usageMetadata"))
        blocked = as_dict(chunk.get("promptFeedback")).get("blockReason")
        if blocked:
            answer.stop, answer.stop_details = "prompt_blocked", str(blocked)
        for candidate in dicts_in(chunk.get("candidates"))[:1]:
            self._grounding.add(candidate)
            stop = candidate.get("finishReason") or "FINISH_REASON_UNSPECIFIED"
            if continuation(chunk):
                answer.usage.next_request()
            elif stop != "FINISH_REASON_UNSPECIFIED":
                answer.stop, answer.stop_details = str(stop), as_text(candidate.get("finishMessage"))[:200]
            for part in dicts_in(as_dict(candidate.get("content")).get("parts")):
                self._parts.append(part)
                yield from self._part(part)

    def end(self) -> Iterator[GenerateResponse]:
        """Keep the sources for the end."""
        self._answer.later(self._grounding.deltas())
        return iter(())

    def turn(self) -> Turn | None:
        """Give the parts as they came."""
        content = keep(self._parts)
        calls = zip(self._answer.finished, self._ids, strict=True)
        return Turn(content, {call.id: own for call, own in calls if call.id != own}) if content is not None else None

    def _part(self, part: dict[str, Any]) -> Iterator[GenerateResponse]:
        answer = self._answer
        if isinstance(call := part.get("functionCall"), dict):
            # Gemini's ids are unique within an answer only, and older models give none.
            arguments = arguments_to_json(call.get("args"))
            answer.calls.add(len(self._ids), as_text(call.get("id")), as_text(call.get("name")), arguments)
            self._ids.append(call.get("id"))
        elif isinstance(code := part.get("executableCode"), dict):
            yield from answer.code(code=as_text(code.get("code")))
        elif isinstance(result := part.get("codeExecutionResult"), dict):
            outcome = result.get("outcome")
            yield from answer.code(result=as_text(result.get("output") or ("" if outcome == "OUTCOME_OK" else outcome)))
        elif part.get("text"):
            yield from answer.thinking(part["text"]) if part.get("thought") else answer.text(part["text"])


class _Grounding:
    """Collects the metadata of all chunks of a stream; a chunk may repeat what an earlier one told."""

    def __init__(self) -> None:
        self._queries: dict[str, None] = {}
        self._sources: dict[tuple[str, str], int] = {}
        self._supports: dict[tuple[int, int, str, tuple[int, ...]], None] = {}
        self._html = ""
        self._urls: dict[str, None] = {}

    def add(self, candidate: dict[str, Any]) -> None:
        """Take over what a chunk tells."""
        metadata = as_dict(candidate.get("groundingMetadata"))
        for query in metadata.get("webSearchQueries") or []:
            self._queries[well_formed(str(query))] = None
        # Indices count within one chunk's list; here they count within the list of all.
        indices: list[int] = []
        for chunk in dicts_in(metadata.get("groundingChunks")):
            source = as_dict(chunk.get("web") or chunk.get("retrievedContext"))
            key = (well_formed(as_text(source.get("uri"))), well_formed(as_text(source.get("title"))))
            indices.append(self._sources.setdefault(key, len(self._sources)))
        for support in dicts_in(metadata.get("groundingSupports")):
            segment = as_dict(support.get("segment"))
            cited = tuple(indices[i] for i in support.get("groundingChunkIndices") or [] if 0 <= i < len(indices))
            start, end = segment.get("startIndex") or 0, segment.get("endIndex") or 0
            self._supports[start, end, well_formed(as_text(segment.get("text"))), cited] = None
        html = as_dict(metadata.get("searchEntryPoint")).get("renderedContent")
        self._html = well_formed(html) if isinstance(html, str) and html else self._html
        for page in dicts_in(as_dict(candidate.get("urlContextMetadata")).get("urlMetadata")):
            status = as_text(page.get("urlRetrievalStatus"))
            if page.get("retrievedUrl") and (not status or status.endswith("_SUCCESS")):
                self._urls[as_text(page["retrievedUrl"])] = None

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
