"""Reads the chunks of a Gemini stream, and the sources (Google Search, pages that URL context read)."""

from collections.abc import Iterator
from typing import Any

from llm_service.proto.llm_service_pb2 import GenerateResponse, GroundingChunkInfo, GroundingDelta, GroundingSupport
from llm_service.providers.shared.answer import Answer, EventReader
from llm_service.providers.shared.conversation import Turn
from llm_service.providers.shared.text import as_dict, as_list, as_text, dicts_in, to_json


def continuation(event: Any) -> object:
    """Returns the token that requests the rest of a partial answer; None for chunks that end no partial answer."""
    first = next(iter(dicts_in(as_dict(event).get("candidates"))), {})
    return first.get("continuationToken") if first.get("finishReason") == "CONTINUATION" else None


class Events(EventReader):
    """Adds the chunks of a Gemini stream to an answer. A source that several chunks repeat is stored once."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        # Gemini ends an empty answer without a candidate and stop reason, but with token counts.
        answer.counts_nothing = True
        self._parts: list[dict[str, Any]] = []
        self._ids: list[str | None] = []
        self._grounding = GroundingDelta()
        self._sources: dict[tuple[str, str], int] = {}
        self._pages: dict[str, None] = {}

    def read(self, event: dict[str, Any]) -> Iterator[GenerateResponse]:
        """Reads one chunk and yields the responses to send to the engine."""
        answer = self._answer
        answer.usage.add(event.get("usageMetadata"))
        if blocked := as_dict(event.get("promptFeedback")).get("blockReason"):
            answer.stop, answer.stop_details = "prompt_blocked", str(blocked)
        for candidate in dicts_in(event.get("candidates"))[:1]:
            self._ground(candidate)
            stop = candidate.get("finishReason") or "FINISH_REASON_UNSPECIFIED"
            if continuation(event):
                answer.usage.next_request()
            elif stop != "FINISH_REASON_UNSPECIFIED":
                answer.stop, answer.stop_details = str(stop), as_text(candidate.get("finishMessage"))
            for part in dicts_in(as_dict(candidate.get("content")).get("parts")):
                self._keep(part)
                yield from self._part(part)

    def sources(self) -> list[GenerateResponse]:
        """Returns the answer's sources: at most one delta for grounding, and one for other pages read."""
        self._grounding.grounding_chunks.extend(
            GroundingChunkInfo(uri=uri, title=title) for uri, title in self._sources
        )
        known = {uri for uri, _ in self._sources}
        further = [GroundingChunkInfo(uri=uri) for uri in self._pages if uri not in known]
        deltas = (self._grounding, GroundingDelta(grounding_chunks=further))
        return [GenerateResponse(grounding=delta) for delta in deltas if delta.ByteSize()]

    def turn(self) -> Turn | None:
        """Returns the parts in the form that the next request sends back; None if there are none."""
        if self._answer.rebuilt:
            return None
        content = {"role": "model", "parts": self._parts}
        calls = zip(self._answer.finished, self._ids, strict=True)
        return Turn(content, {call.id: own for call, own in calls if call.id != own}) if self._parts else None

    def _keep(self, part: dict[str, Any]) -> None:
        last = self._parts[-1] if self._parts else {}
        if _is_plain(part) and not part["text"]:
            return  # the API refuses empty parts in the next request
        if _is_plain(last) and _is_plain(part) and last.get("thought") == part.get("thought"):
            self._parts[-1] = {**last, "text": last["text"] + part["text"]}
        else:
            self._parts.append(part)

    def _part(self, part: dict[str, Any]) -> Iterator[GenerateResponse]:
        answer = self._answer
        if isinstance(call := part.get("functionCall"), dict):
            # Keeps the call id that Gemini sent (None if missing) for the next request. Ids are unique only within one
            # answer.
            arguments = to_json(call.get("args") or {})
            answer.call(len(self._ids), as_text(call.get("id")), as_text(call.get("name")), arguments)
            self._ids.append(call.get("id"))
        elif isinstance(code := part.get("executableCode"), dict):
            yield from answer.code(code=as_text(code.get("code")))
        elif isinstance(result := part.get("codeExecutionResult"), dict):
            outcome = result.get("outcome")
            yield from answer.code(result=as_text(result.get("output") or ("" if outcome == "OUTCOME_OK" else outcome)))
        elif part.get("text"):
            yield from answer.thinking(part["text"]) if part.get("thought") else answer.text(part["text"])

    def _ground(self, candidate: dict[str, Any]) -> None:
        metadata, grounding = as_dict(candidate.get("groundingMetadata")), self._grounding
        for query in as_list(metadata.get("webSearchQueries")):
            if str(query) not in grounding.web_search_queries:
                grounding.web_search_queries.append(str(query))
        # Positions in the answer's list of sources at which the sources in this chunk of the stream stand.
        indices: list[int] = []
        for chunk in dicts_in(metadata.get("groundingChunks")):
            source = as_dict(chunk.get("web") or chunk.get("retrievedContext"))
            key = (as_text(source.get("uri")), as_text(source.get("title")))
            indices.append(self._sources.setdefault(key, len(self._sources)))
        for one in dicts_in(metadata.get("groundingSupports")):
            segment = as_dict(one.get("segment"))
            own = as_list(one.get("groundingChunkIndices"))
            support = GroundingSupport(
                start_index=segment.get("startIndex") or 0,
                end_index=segment.get("endIndex") or 0,
                text=as_text(segment.get("text")),
                grounding_chunk_indices=[indices[i] for i in own if i in range(len(indices))],
            )
            if support not in grounding.grounding_supports:
                grounding.grounding_supports.append(support)
        html = as_text(as_dict(metadata.get("searchEntryPoint")).get("renderedContent"))
        grounding.search_entry_point_html = html or grounding.search_entry_point_html
        for page in dicts_in(as_dict(candidate.get("urlContextMetadata")).get("urlMetadata")):
            status = as_text(page.get("urlRetrievalStatus"))
            if page.get("retrievedUrl") and (not status or status.endswith("_SUCCESS")):
                self._pages[as_text(page["retrievedUrl"])] = None


def _is_plain(part: dict[str, Any]) -> bool:
    """Returns True if a part is only text and may be merged. A part with a signature must stay unchanged."""
    return isinstance(part.get("text"), str) and part.keys() <= {"text", "thought"}
