"""Parameters that a server refused: left out from then on."""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

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

    def learn(self, served: Hashable, said: Said | None, droppable: Sequence[str], sent: dict[str, Any]) -> bool:
        """Look whether a refusal is about such a parameter; if so, it is worth another try.

        Args:
            served: who refused.
            said: what it said.
            droppable: parameters without which the request means the same.
            sent: the body that it refused.
        """
        if said is None or said.status not in _REFUSALS:
            return False
        known = self._left_out.get(served, frozenset())
        named = next((name for name in droppable if re.search(rf"\b{name}\b", f"{said.param} {said.text}")), None)
        if named is None or named in known or not (named in sent or (named in _NESTED and _holds(sent, named))):
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
        nested = names & _NESTED
        return type(prepared)(_without(body, nested) if nested else body, prepared.headers)


def _holds(value: Any, name: str) -> bool:
    if isinstance(value, dict):
        return name in value or any(_holds(one, name) for one in value.values())
    return isinstance(value, list) and any(_holds(one, name) for one in value)


def _without(value: Any, names: frozenset[str]) -> Any:
    if isinstance(value, dict):
        return {key: _without(one, names) for key, one in value.items() if key not in names}
    return [_without(one, names) for one in value] if isinstance(value, list) else value
