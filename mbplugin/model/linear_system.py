"""Tables [[transfer_function]] and [[state_space]]: linear systems between expressions.

    ẋ = A x + B u,   y = C x + D u

They are states and variables of the scene: `states` and `variables` say them as such tables would. A transfer
function b(σ)/a(σ) of degree n is that of the chain ẋ₁ = x₂, …, ẋₙ = u − Σ aₖ x, y = Σ (bₖ − b₀ aₖ) x + b₀ u.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar
from zipfile import BadZipFile

import numpy as np
from pydantic import Field, PrivateAttr

from mbplugin.errors import NOT_GIVEN, SceneError, errors_at
from mbplugin.model.quantities import Number
from mbplugin.model.symbols import State, Text, Variable
from mbplugin.model.table import Table

Array = Any
#: states of one system: each entry of A is a term of an expression
MOST_STATES = 100
MATRICES = ("A", "B", "C", "D")


class LinearSystem(Table):
    """Base of both tables."""

    table_name: ClassVar[str]

    #: A, B, C, D and x at t = 0; none before `attach`
    _numbers: tuple[Array, Array, Array, Array] = PrivateAttr((np.zeros((0, 0)),) * 4)
    _start: Array = PrivateAttr(np.zeros(0))

    name: str = Field(description="one word of letters, digits and _; in expressions its output")
    unit: str = Field(default="", description='of the outputs, for tables and plots, such as "N m"')

    def attach(self, folder: Path) -> None:
        """Check the matrices; a file is in `folder`. Raises SceneError."""
        raise NotImplementedError

    @property
    def signals(self) -> list[tuple[str, Any]]:
        """Key and expression of each input u."""
        raise NotImplementedError

    @property
    def state_names(self) -> list[str]:
        """Names of x in expressions."""
        return [f"{self.name}_x{k + 1}" for k in range(len(self._numbers[0]))]

    def names(self) -> list[str]:
        """All names that it gives to expressions."""
        return [*self.state_names, *(one.name for one in self.variables())]

    def states(self) -> list[State]:
        """x as states of a scene."""
        A, B, _, _ = self._numbers
        rates = [self.weighted(a, b) for a, b in zip(A, B)]
        return [
            State(name=name, rate=rate, start=float(start))
            for name, rate, start in zip(self.state_names, rates, self._start)
        ]

    def variables(self) -> list[Variable]:
        """y as variables of a scene: the name of the system, with a number if there are several."""
        _, _, C, D = self._numbers
        names = [self.name] if len(C) == 1 else [f"{self.name}_{k + 1}" for k in range(len(C))]
        values = [self.weighted(c, d) for c, d in zip(C, D)]
        return [Variable(name=name, value=value, unit=self.unit) for name, value in zip(names, values)]

    def weighted(self, of_states: Array, of_inputs: Array) -> str:
        """Σ a x + Σ b u as an expression."""
        signals = [f"({signal})" for _, signal in self.signals]
        pairs = [*zip(of_states, self.state_names), *zip(of_inputs, signals)]
        return " + ".join(f"{float(number)!r}*{word}" for number, word in pairs if number) or "0"


class TransferFunction(LinearSystem):
    """y = N(σ)/D(σ) u, an expression that follows another one: `[[transfer_function]]`."""

    table_name: ClassVar[str] = "transfer_function"

    input: Text = Field(description="u: number or expression")
    numerator: list[Number] = Field(description="coefficients of N, highest power first: [2, 1] is 2 σ + 1")
    denominator: list[Number] = Field(description="coefficients of D, likewise; of no lower degree")

    @property
    def signals(self) -> list[tuple[str, Any]]:
        return [("input", self.input)]

    def attach(self, folder: Path) -> None:
        N, D = (np.trim_zeros(np.array(given), "f") for given in (self.numerator, self.denominator))
        if not len(D):
            raise SceneError("denominator", self.denominator, "must have a coefficient that is not zero")
        if len(N) > len(D):
            mend = "has a higher degree than the denominator, so that the output had rates of the input; "
            raise SceneError("numerator", self.numerator, mend + "give the denominator fast poles as well")
        n = len(D) - 1
        check_size(n, "denominator", self.denominator)
        a, b = D / D[0], np.concatenate([np.zeros(len(D) - len(N)), N]) / D[0]
        A, B = np.eye(n, k=1), np.zeros((n, 1))
        if n:
            A[-1], B[-1] = -a[:0:-1], 1.0
        C = (b - b[0] * a)[:0:-1][None, :]
        self._numbers, self._start = (A, B, C, b[:1, None]), np.zeros(n)


class StateSpace(LinearSystem):
    """ẋ = A x + B u, y = C x + D u: `[[state_space]]`."""

    table_name: ClassVar[str] = "state_space"

    inputs: list[Text] = Field(description="u: numbers or expressions, one for each column of B")
    A: list[list[Number]] | None = Field(default=None, description="matrix (n, n), a list of rows")
    B: list[list[Number]] | None = Field(default=None, description="matrix (n, inputs)")
    C: list[list[Number]] | None = Field(default=None, description="matrix (outputs, n)")
    D: list[list[Number]] | None = Field(default=None, description="matrix (outputs, inputs); default zeros")
    file: str | None = Field(
        default=None, description="a .npz or .mat file in the scene's folder that holds A, B, C and D"
    )
    start: list[Number] | None = Field(default=None, description="x (n,) at t = 0; default zeros")

    @property
    def signals(self) -> list[tuple[str, Any]]:
        return [(f"inputs[{k}]", signal) for k, signal in enumerate(self.inputs)]

    def attach(self, folder: Path) -> None:
        given = {name: getattr(self, name) for name in MATRICES if getattr(self, name) is not None}
        if self.file is not None:
            if given:
                key = next(iter(given))
                raise SceneError(key, given[key], "`file` has the matrices; leave one of both out")
            given = matrices_of(folder / self.file, self.file)
        for name in ("A", "B", "C"):
            if name not in given:
                where = "`file` has none" if self.file is not None else "give `A`, `B` and `C`, or `file`"
                raise SceneError(name, NOT_GIVEN, f"is missing: {where}")
        n, inputs = len(given["A"]), len(self.inputs)
        check_size(n, "A", f"{n} rows")
        outputs = len(given["C"])
        given.setdefault("D", np.zeros((outputs, inputs)))
        shapes = {"A": (n, n), "B": (n, inputs), "C": (outputs, n), "D": (outputs, inputs)}
        self._numbers = tuple(matrix(given[name], name, shape) for name, shape in shapes.items())  # type: ignore[assignment]
        self._start = np.zeros(n) if self.start is None else np.array(self.start, float)
        if self._start.shape != (n,):
            raise SceneError("start", self.start, f"must have {n} numbers, as A has rows")


def check_size(n: int, key: str, value: Any) -> None:
    """Raises SceneError for too many states."""
    if n > MOST_STATES:
        raise SceneError(key, value, f"makes {n} states; at most {MOST_STATES} are accepted")


def matrix(given: Any, key: str, shape: tuple[int, int]) -> Array:
    """Finite numbers of this shape. Raises SceneError."""
    try:
        numbers = np.array(given, float)
    except ValueError:
        numbers = np.zeros(0)
    if numbers.shape != shape:
        found = " x ".join(map(str, numbers.shape)) if numbers.size else "rows of different lengths"
        raise SceneError(key, found, f"must be {shape[0]} x {shape[1]}, to fit the others and `inputs`")
    if not np.isfinite(numbers).all():
        raise SceneError(key, NOT_GIVEN, "has entries that are no finite numbers")
    return numbers


def matrices_of(path: Path, name: str) -> dict[str, Array]:
    """The matrices that a file holds. Raises SceneError."""
    try:
        with errors_at("file", name):
            if path.suffix == ".npz":
                with np.load(path, allow_pickle=False) as file:
                    return {key: file[key] for key in MATRICES if key in file}
            if path.suffix == ".mat":
                from scipy.io import loadmat

                file = loadmat(path)
                return {key: file[key] for key in MATRICES if key in file}
    except (OSError, ValueError, NotImplementedError, BadZipFile) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise SceneError("file", name, f"cannot be read: {why}") from None
    raise SceneError("file", name, "must be a .npz or a .mat file")
