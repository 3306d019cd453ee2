"""Reads the W3C trace context of a call, so that its log lines name the trace of the investigation."""

import re
from collections.abc import Iterable
from typing import Any

_TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?")


def trace_fields(metadata: Iterable[tuple[str, Any]] | None) -> dict[str, str]:
    """Returns trace_id and span_id for the log; nothing if the caller sent no valid `traceparent`."""
    sent = [str(value) for key, value in metadata or () if key == "traceparent"]
    found = _TRACEPARENT.fullmatch(sent[0]) if len(sent) == 1 else None
    return {"trace_id": found[1], "span_id": found[2]} if found else {}
