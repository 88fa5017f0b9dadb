"""Tables whose `type` is a kind of a plugin that is asked at frames: sensors and drawings."""

from __future__ import annotations

from typing import Any

from pydantic import PrivateAttr

from mbplugin.model.table import Element


class OfPlugin(Element):
    """A table with `name` and `type`; the parameters stay unchecked in `raw` until plugins are known."""

    _kind: Any = PrivateAttr(None)
    _params: Any = PrivateAttr(None)

    @property
    def kind(self) -> Any:
        """The kind of its type, once plugins are known."""
        return self._kind

    @property
    def params(self) -> Any:
        """Its validated parameters, once plugins are known."""
        return self._params

    def complete(self, kind: Any, params: Any) -> None:
        """Take the kind of its type, and its parameters."""
        self._kind, self._params = kind, params
