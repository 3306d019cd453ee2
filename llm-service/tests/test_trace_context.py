"""Tests that only a valid W3C trace context reaches the log."""

import pytest

from llm_service.trace_context import trace_fields

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


def test_a_valid_context_names_trace_and_span() -> None:
    assert trace_fields([("traceparent", f"00-{TRACE}-{SPAN}-01")]) == {"trace_id": TRACE, "span_id": SPAN}


@pytest.mark.parametrize(
    "header",
    ["", "x", f"ff-{TRACE}-{SPAN}-01", f"00-{'0' * 32}-{SPAN}-01", f"00-{TRACE}-{'0' * 16}-01", f"00-{TRACE}-{SPAN}"],
)
def test_an_invalid_context_is_ignored(header: str) -> None:
    assert trace_fields([("traceparent", header)]) == {}
    assert trace_fields([("traceparent", f"00-{TRACE}-{SPAN}-01")] * 2) == {}
    assert trace_fields(None) == {}
