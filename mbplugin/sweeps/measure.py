"""Measures of each run of a sweep: stored quantities by name, over time or reduced, or a function's numbers.

Texts are `NAME`, `FORM(NAME)`, `REDUCTION(NAME)` or `REDUCTION(FORM(NAME))`, with a name as for plots. They
are parsed by this file and never run as code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from mbplugin.decoder.rotation import Array
from mbplugin.errors import SceneError, listed, suggestion, value_text
from mbplugin.results.curve import Curve
from mbplugin.results.quantities import curves


def mean(x: Array, t: Array) -> float:
    """Mean over time, by the trapezoidal rule."""
    return float(np.trapezoid(x, t) / (t[-1] - t[0])) if len(t) > 1 and t[-1] > t[0] else float(x[-1])


#: of values (frames,) at times (frames,) [s]
REDUCTIONS: dict[str, Callable[[Array, Array], float]] = {
    "max": lambda x, t: float(x.max()),
    "min": lambda x, t: float(x.min()),
    "range": lambda x, t: float(x.max() - x.min()),
    "mean": mean,
    "rms": lambda x, t: float(np.sqrt(mean(x * x, t))),
    "first": lambda x, t: float(x[0]),
    "last": lambda x, t: float(x[-1]),
}
#: of the components of one quantity: each without its sign, and their Euclidean norm
FORMS = ("abs", "norm")
CALL = re.compile(r"(\w+)\s*\(\s*(.*?)\s*\)")
#: variables of a sweep beside its measures
RESERVED = ("time", "frame", "point", "status", "message")


class Quantity(NamedTuple):
    """One array of one run."""

    label: str
    values: Array  # (frames,) of a time course
    unit: str
    course: bool  # over the frames


class Measure(Protocol):
    """Measure of each run of a sweep."""

    @property
    def label(self) -> str:
        """Its name in the dataset."""

    def read(self, result: Any) -> Iterator[Quantity]:
        """Its quantities of a `Result`. Raises SceneError if there are none of this name."""


class Column(NamedTuple):
    """A stored quantity: each of its components by itself, or their norm."""

    label: str
    name: str
    form: str  # of FORMS, or ""
    reduction: str  # of REDUCTIONS, or "": over time

    def read(self, result: Any) -> Iterator[Quantity]:
        found = curves(result.raw, self.name)
        for curve in self.formed(found):
            component = "" if self.form == "norm" else curve.label.removeprefix(common(found))
            inner = f"{self.name}{component}"
            inner = f"{self.form}({inner})" if self.form else inner
            whole = f"{self.reduction}({inner})" if self.reduction else inner
            label = whole if self.label == self.text else f"{self.label}{component}"
            if self.reduction:
                values = np.array(REDUCTIONS[self.reduction](curve.values, result.time))
            else:
                values = np.array(curve.values, float)
            yield Quantity(label, values, curve.unit, not self.reduction)

    def formed(self, found: list[Curve]) -> list[Curve]:
        """The curves of the form."""
        if self.form == "abs":
            return [curve._replace(values=np.abs(curve.values)) for curve in found]
        if self.form == "norm":
            if " and " in found[0].unit:
                raise SceneError("measure", self.text, f"has components in {found[0].unit}: it has no norm")
            square = sum(curve.values * curve.values for curve in found)
            return [found[0]._replace(values=np.sqrt(square))]
        return found

    @property
    def text(self) -> str:
        """The measure as it is written."""
        inner = f"{self.form}({self.name})" if self.form else self.name
        return f"{self.reduction}({inner})" if self.reduction else inner


def common(found: Sequence[Curve]) -> str:
    """The label of a quantity without its component; the whole label of a scalar, or of one component."""
    return found[0].label.rpartition(".")[0] if len(found) > 1 else found[0].label


class Function(NamedTuple):
    """A function of a `Result`: a number, an array, or several of them by name."""

    label: str
    function: Callable[[Any], Any]

    def read(self, result: Any) -> Iterator[Quantity]:
        value = self.function(result)
        named = value if isinstance(value, Mapping) else {self.label: value}
        for label, number in named.items():
            array = np.asarray(number)
            if array.dtype.kind not in "fiub":
                raise TypeError(
                    f"{label} is {value_text(number)}; a measure is a number or an array of numbers"
                )
            yield Quantity(str(label), array.astype(float), "", False)


def parse(text: str, label: str = "") -> Column:
    """The measure of a text. Raises SceneError."""
    name, calls = text.strip(), []
    while (found := CALL.fullmatch(name)) is not None:
        calls.append(found[1])
        name = found[2]
    form = calls.pop() if calls and calls[-1] in FORMS else ""
    reduction = calls.pop(0) if calls and calls[0] in REDUCTIONS else ""
    known = [*REDUCTIONS, *FORMS]
    if calls:
        mend = f'there is no "{calls[0]}" here{suggestion(calls[0], known)}'
        if calls[0] in known:
            mend = f"a reduction ({', '.join(REDUCTIONS)}) stands outside of {' and '.join(FORMS)}, each once"
        raise SceneError("measure", text, mend)
    if not name or re.search(r"[()]", name):
        raise SceneError("measure", text, "write a name, or such as max(norm(joint.hinge.force))")
    column = Column(label, name, form, reduction)
    return column if label else column._replace(label=column.text)


def measures_of(given: Any) -> list[Measure]:
    """The measures of what a user gives: a text, a function, several, or several by label. Raises
    SceneError.
    """
    if isinstance(given, str) or callable(given):
        given = [given]
    if isinstance(given, Mapping):
        pairs = [(str(label), each) for label, each in given.items()]
    elif isinstance(given, Sequence):
        pairs = [("", each) for each in given]
    else:
        raise SceneError("measure", repr(given), "is neither a text nor a function")
    if not pairs:
        raise SceneError("measure", mend="needs a measure, such as max(norm(joint.hinge.force))")
    return [measure_of(label, each) for label, each in pairs]


def measure_of(label: str, given: Any) -> Measure:
    """One measure. Raises SceneError."""
    if isinstance(given, str):
        return parse(given, label)
    if callable(given):
        return Function(label or getattr(given, "__name__", "measure"), given)
    raise SceneError("measure", repr(given), "is neither a text nor a function")


def refuse_labels(labels: Sequence[str], taken: Sequence[str]) -> None:
    """Raises SceneError for a label that stands for something else in the dataset, or twice in it."""
    for label in labels:
        if labels.count(label) > 1:
            raise SceneError("measure", label, "is given twice; name them: measure={NAME: measure, ...}")
        if label in RESERVED or label in taken:
            mend = f"is the name of something else in a sweep ({listed([*taken, *RESERVED])}); choose another"
            raise SceneError("measure", label, mend)
