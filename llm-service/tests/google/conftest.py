"""Provides the fake Gemini as a fixture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.google.gemini import Gemini, start_gemini

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest.fixture
async def gemini() -> AsyncIterator[Gemini]:
    async with start_gemini() as started:
        yield started
