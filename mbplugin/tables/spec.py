"""How a table is declared: its element type and its number of columns (0: one index)."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple, get_type_hints

from numpy.typing import NDArray


class Spec(NamedTuple):
    dtype: str
    columns: int


Array = NDArray[Any]
Floats = Annotated[Array, Spec("float64", 0)]
Floats3 = Annotated[Array, Spec("float64", 3)]
Floats6 = Annotated[Array, Spec("float64", 6)]
Ints = Annotated[Array, Spec("int64", 0)]
Ints2 = Annotated[Array, Spec("int64", 2)]
Ints3 = Annotated[Array, Spec("int64", 3)]
Ints4 = Annotated[Array, Spec("int64", 4)]
Ints5 = Annotated[Array, Spec("int64", 5)]
Ints6 = Annotated[Array, Spec("int64", 6)]
Ints7 = Annotated[Array, Spec("int64", 7)]
Ints8 = Annotated[Array, Spec("int64", 8)]
Ints10 = Annotated[Array, Spec("int64", 10)]


def specs(group: type) -> dict[str, Spec]:
    """Field name -> Spec of one group of tables."""
    hints = get_type_hints(group, include_extras=True)
    return {name: hint.__metadata__[0] for name, hint in hints.items()}
