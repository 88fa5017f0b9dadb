"""The base of all analysis reports: text lines, a dictionary for scripts, and states for drawing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from mbplugin.analysis.redundancy.redundancy import Redundancy
from mbplugin.analysis.redundancy.redundancy_text import report
from mbplugin.tables.spec import Array


@dataclass
class States:
    """Times (n,) [s], and (n, …) q, v, v̇ and λ there; of rows that switch, inputs and inner states also the
    modes, memory and auxiliary states of `State`, if they change. touching: the list of contacts of a frame
    at state k, evaluated; None: there is none.
    """

    time: Array
    q: Array
    v: Array
    v_dot: Array
    lam: Array
    mode: Array | None = None
    memory: Array | None = None
    aux: Array | None = None
    touching: Callable[[int], dict[str, Array]] | None = None


#: lines of a report that are shown where it is the value of a line in an interpreter or notebook
SHOWN = 40


@dataclass(kw_only=True, repr=False)
class Report:
    """Base of reports: `lines` and `as_dict` are an analysis's own, `whole` and `document` have its counts
    too. messages: what else is to be known, one line each. has_forces: whether there are reactions at all.
    """

    what: ClassVar[str]
    messages: list[str] = field(default_factory=list)
    #: rows, rank and redundant rows of the position that the analysis is made at, and (nc,) multipliers there
    counted: Redundancy | None = None
    multipliers: Array | None = None
    has_forces: bool = True

    def __repr__(self) -> str:
        lines = self.lines()
        more = [f"... {len(lines) - SHOWN} more; print() shows all"] if len(lines) > SHOWN else []
        return "\n".join([f"{self.what} analysis", *lines[:SHOWN], *more])

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """The report for people."""
        raise NotImplementedError

    def as_dict(self) -> dict[str, Any]:
        """The report for scripts: numbers, lists and texts."""
        raise NotImplementedError

    def whole(self) -> list[str]:
        """All for people: the lines, and which rows are redundant."""
        if self.counted is None:
            return self.lines()
        counts = report(self.counted, self.multipliers, with_reactions=self.has_forces)
        return [*self.lines(), "", *counts.splitlines()]

    def document(self) -> dict[str, Any]:
        """All for scripts."""
        if self.counted is None:
            return self.as_dict()
        counts = self.counted.as_dict(self.multipliers)
        if not self.has_forces:
            del counts["reactions"]
        return self.as_dict() | {"redundancy": counts}

    def block(self) -> str:
        """Text for messages.txt."""
        return "".join(f"{line}\n" for line in [f"== {self.what} analysis ==", *self.whole()])


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """Columns under their heads; numbers with seven digits, to the right."""
    texts = [[value if isinstance(value, str) else f"{value:.7g}" for value in row] for row in rows]
    widths = [max(len(cell) for cell in column) for column in zip(head, *texts)]
    right = [bool(rows) and not isinstance(value, str) for value in (rows[0] if rows else head)]
    set_cell = lambda cell, width, r: cell.rjust(width) if r else cell.ljust(width)
    return [
        "  ".join(set_cell(*cell) for cell in zip(line, widths, right)).rstrip()
        for line in [list(head), *texts]
    ]


def plain(value: Any) -> Any:
    """`value` as JSON holds it; what is not finite becomes None."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value
