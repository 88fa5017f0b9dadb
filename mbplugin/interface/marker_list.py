"""The markers of an element that has any number of them: `m[k]` and `len(m)` in a kernel."""

from __future__ import annotations

import operator
from typing import Any

from numba import types
from numba.extending import make_attribute_wrapper, models, overload, register_model

from mbplugin.interface.marker import Marker
from mbplugin.math.emitters.arrays import Unowned, lowered, structure
from mbplugin.math.vec3 import load, load_matrix
from mbplugin.tables.spec import Array

FIELDS = ("slot", "x", "R", "v", "w")


class MarkerList:
    """The markers of one element, as a kernel gets them when `markers` of its kind is None.

    slot: (n,) numbers of the markers, in the tables x, R, v, w of all markers
    """

    def __init__(self, slot: Array, x: Array, R: Array, v: Array, w: Array) -> None:
        self.slot, self.x, self.R, self.v, self.w = slot, x, R, v, w

    def __len__(self) -> int:
        return len(self.slot)

    def __getitem__(self, k: int) -> Marker:
        n = self.slot[k]
        return Marker(
            *(part.py_func(table, n) for part, table in zip((load, load_matrix, load, load), self.tables))
        )

    @property
    def tables(self) -> tuple[Array, Array, Array, Array]:
        return self.x, self.R, self.v, self.w


def marker_list(slot: Array, x: Array, R: Array, v: Array, w: Array) -> Any:
    """The markers `slot` of the tables; this body is for Python."""
    return MarkerList(slot, x, R, v, w)


class MarkerListType(types.Type):
    """`MarkerList` in compiled code."""

    def __init__(self) -> None:
        super().__init__("MarkerList")


MARKERS = MarkerListType()
ARRAYS = dict(zip(FIELDS, (Unowned(types.int64, 1), *(Unowned(types.float64, 2) for _ in range(4)))))


@register_model(MarkerListType)
class MarkerListModel(models.StructModel):
    """A structure of the five arrays."""

    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, list(ARRAYS.items()))


for _name in FIELDS:
    make_attribute_wrapper(MarkerListType, _name, _name)


@lowered(marker_list, lambda slot, x, R, v, w: MARKERS, *(types.Array for _ in FIELDS))
def _marker_list(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return structure(context, builder, MARKERS, dict(zip(FIELDS, args)))


@overload(len)
def _length(m):  # type: ignore[no-untyped-def]
    if isinstance(m, MarkerListType):
        return lambda m: m.slot.shape[0]
    return None


@overload(operator.getitem)
def _item(m, k):  # type: ignore[no-untyped-def]
    if not isinstance(m, MarkerListType) or not isinstance(k, types.Integer | types.IntegerLiteral):
        return None

    def item(m, k):  # type: ignore[no-untyped-def]
        n = m.slot[k] if k >= 0 else m.slot[k + m.slot.shape[0]]
        return Marker(load(m.x, n), load_matrix(m.R, n), load(m.v, n), load(m.w, n))

    return item
