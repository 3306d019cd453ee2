"""Parameters that a server refused: left out from then on."""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING

from llm_service.providers.shared.json_parts import without

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from llm_service.providers.shared.failures import Said
    from llm_service.providers.wire import Prepared

MAX_KEPT = 1000
_REFUSALS = (400, 404, 422)
_NESTED = frozenset({"cache_control"})
"""Not at the top of a request, but within it."""


class Quirks:
    """What is known of servers, by endpoint and model."""

    def __init__(self) -> None:
        self._left_out: OrderedDict[Hashable, frozenset[str]] = OrderedDict()

    def learn(self, served: Hashable, said: Said | None, droppable: Sequence[str], sent: Prepared) -> bool:
        """Look whether what was said of a request is about a parameter without which it means the same.

        If so, it is worth another try.
        """
        if said is None or said.status not in _REFUSALS:
            return False
        known = self._left_out.get(served, frozenset())
        named = next((name for name in droppable if re.search(rf"\b{name}\b", f"{said.param} {said.text}")), None)
        there = named in sent.body or (named in _NESTED and f'"{named}":' in json.dumps(sent.body))
        if named is None or named in known or not there:
            return False
        self._left_out[served] = known | {named}
        self._left_out.move_to_end(served)
        while len(self._left_out) > MAX_KEPT:
            self._left_out.popitem(last=False)
        return True

    def apply(self, served: Hashable, prepared: Prepared) -> Prepared:
        """Leave out what the server is known to refuse."""
        names = self._left_out.get(served)
        if not names:
            return prepared
        body = {key: value for key, value in prepared.body.items() if key not in names}
        return replace(prepared, body=without(body, names & _NESTED) if names & _NESTED else body)
