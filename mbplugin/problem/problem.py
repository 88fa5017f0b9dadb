"""The compiled system as solvers and methods use it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np

from mbplugin.codegen.compiled import Compiled
from mbplugin.codegen.core_functions import core_units, load, loaded_address
from mbplugin.errors import MbpluginError, PhysicsError, SceneError
from mbplugin.interface.method import MethodKind
from mbplugin.kernels import entries
from mbplugin.kernels.form_tangent import form_present
from mbplugin.problem import failures, step_matrix, tangent_matrices
from mbplugin.problem.arrays import Arrays
from mbplugin.problem.joint_quantities import JointQuantities
from mbplugin.problem.method import Method
from mbplugin.problem.names import Names
from mbplugin.problem.tangent_plan import plan_tangents
from mbplugin.tables.groups import Enforced, EntryPoints, State, TangentBlocks, Trees
from mbplugin.tables.records import COMPLIANT
from mbplugin.tables.spec import Array
from mbplugin.tables.status import METHOD_FAILED


class Problem(JointQuantities, Arrays):
    """A compiled system: tables for compiled code, arrays for numpy, and the method for accelerations."""

    def __init__(self, groups: dict[type, Any], kernels: list[Compiled], names: Names) -> None:
        super().__init__(groups, kernels, names)
        self.method: Method | None = None
        #: what the solver of a run stores in each frame (`run/solver_outputs.py`); None without one
        self.solver_outputs: Any = None
        #: data that analyses keep between calls, by name
        self.cache: dict[str, Any] = {}
        #: its system, and how that is changed and run (`api.py`); None: compiled for an analysis
        self.source: Any = None
        #: what problems of the same machine code agree in (`compile/refill.py`)
        self.structure: Any = None
        #: its draft (`compile/draft.py`), from which that in joint coordinates is made
        self.draft: Any = None
        #: in joint coordinates, what became of bodies and rows (`compile/tree/fold.py`); else None
        self.folded: Any = None
        #: whether the tables of tangents use what kinds give; None: there are none
        self.closed_form: bool | None = None
        #: those of bodies with parts (`problem/part_tangents.py`); None: there are none
        self.part_tangents: Any = None

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse new names, which would be accepted and do nothing. Raises SceneError."""
        own = vars(self)
        if own.get("source") is not None and name not in own:
            mend = "is no attribute of a problem; `Problem.set_parameter` changes a key of the system"
            raise SceneError(f"Problem.{name}", mend=mend)
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        names = self.names
        counts = f"{len(names.bodies)} bodies, {len(names.joints)} joints and motions"
        return f"Problem: {counts}; {self.nv} velocities, {self.nc} constraint rows"

    def copy(self) -> Self:
        """An independent copy: state, tables and method; nothing is compiled.

        Each may be changed, and used in another thread. The integrator of a run is not copied.
        """
        other = object.__new__(type(self))
        vars(other).update(
            vars(self),
            cache={},
            evaluated=False,
            solver_outputs=None,
            # a run adds those of its solver
            kernels=list(self.kernels),
            tangent_kernels=list(self.tangent_kernels),
        )
        other.copy_tables(self)
        other.bind_method()
        return other

    def become(self, other: Problem) -> None:
        """Take over everything of another problem, which is not used any more."""
        vars(self).clear()
        vars(self).update(vars(other))
        self.bind_method()

    def bind_method(self) -> None:
        """Let the method work on this problem."""
        if self.method is not None:
            self.method = self.method.of(self)
            self.array(EntryPoints, "method")[0] = self.method.address

    def set_parameter(self, name: str, value: Any) -> None:
        """Change one key of the system, and assemble the initial state anew. Nothing is compiled.

        name: a parameter of the scene ("stiffness"), or a key of a table as messages name it:
        "force[0].damping", "body[1].mass", or with the element's name, "body.upper.mass"

        The problem is then the same, bit for bit, as one compiled from the changed scene. Raises SceneError
        if there is no such key, if the value is not valid, or if it changes the structure (rows, kinds,
        names); PhysicsError if the system cannot be assembled. The problem is unchanged then.
        """
        self.set_parameters({name: value})

    def set_parameters(self, values: Mapping[str, Any]) -> None:
        """Change several keys at once, as `set_parameter` does one: what lies between is not assembled."""
        self.source.set_parameters(self, values)

    def run(
        self, end: float | None = None, *, inputs: Mapping[str, Any] | None = None, every: float | None = None
    ) -> Any:
        """Simulate from the initial state to `end` [s], by default the end of the scene. Returns a `Result`
        in memory; writes no files, and the problem stays as it is.

        inputs, every: as in `System.run`

        Raises SceneError, PhysicsError, PluginError.
        """
        return self.source.run(self, end, inputs, every)

    def simulate(
        self, record: bool | str | Path = False, *, every: float | None = None, resume: bool = False
    ) -> Any:
        """A `Simulation` that the caller steps, from the initial state; the problem stays as it is.

        record, every, resume: as in `System.simulate`

        Raises SceneError, PhysicsError, PluginError, StoreError.
        """
        return self.source.simulate(self, record, every, resume)

    def jacobian(self, marker: str | None = None) -> Array:
        """G (nc, nv) of the last evaluation.

        marker: the Jacobian of a marker "arm.tool", or of the mass centre of a body "arm", at the present
        state instead: (6, n) J of [v; ω] = J ṡ in world axes; ṡ are the velocities of `joint_names`. Raises
        SceneError.
        """
        if marker is None:
            return super().jacobian()
        return self._joint_space().jacobian(marker)  # type: ignore[no-any-return]

    def kane(self, speeds: Mapping[str, str]) -> Any:
        """Kane's equations at the present state, in speeds of one's own (`KaneEquations`).

        speeds: name -> expression that is linear in rates, "rate(pin.angle) + 2*rate(slide.length)"; as many
        as degrees of freedom

        Raises SceneError.
        """
        return self.source.kane(self, speeds)

    def _joint_space(self) -> Any:
        """Joint space at the present state; made by the first call."""
        space = self.cache.get("joint space")
        if space is None:
            space = self.cache["joint space"] = self.source.joint_space(self)
        return space.take(self)

    def use(self, kind: type[MethodKind]) -> None:
        """Use this method for accelerations from now on. Raises PluginError."""
        self.method = Method(kind, self)
        self[EntryPoints].method[0] = self.method.address

    def call_function(self, function: Any, first: int = 0) -> int:
        """Call a function of the engine that is called by its address. Returns a status."""
        return self.call(loaded_address(function), first, 0)

    def prepare_masses(self) -> None:
        """Compile what puts the mass matrices of trees into a matrix: `add_mass` of `mbplugin.matrix`.
        Without trees nothing is needed.
        """
        if len(self[Trees].index):
            load(core_units("mass of trees"))

    def prepare_step_matrix(self) -> None:
        """Make the tables of an implicit step for the rows that are active: `problem/step_matrix.py`.

        Raises SceneError for a body with parts, which no implicit step takes.
        """
        mend = "has nodes with velocities of their own, which no implicit solver takes; take another solver"
        self.refuse_parts(f"{mend}, such as rk or contact")
        self.prepare_tangents()
        step_matrix.prepare(self)

    @property
    def iterates_loads(self) -> bool:
        """Whether an enforcement iterates the loads of some rows (augmented Lagrangian)."""
        enforced = self[Enforced]
        compliant = self[State].mode[enforced.index.row] == COMPLIANT
        return bool((compliant & (enforced.tolerance > 0.0)).any())

    def begin_implicit(self) -> None:
        """Compute the implicit variables at the present state. Raises PhysicsError if undetermined."""
        if self.names.implicit:
            self.check(entries.begin_implicit(self.addresses))

    def check(self, status: int) -> None:
        """Raise the error of a status of a compiled function. Raises PluginError, PhysicsError."""
        if status == METHOD_FAILED:
            assert self.method is not None
            raise self.method.failure()
        super().check(status)

    def refuse_parts(self, why: str) -> None:
        """Raises SceneError, with the name of the first body with parts, if there is one."""
        for number, kind in enumerate(self.names.kinds):
            if kind.parts:
                raise SceneError("body", self.names.body(number), why)

    def prepare_tangents(self, closed_form: bool = True) -> None:
        """Compile what `form_tangent` needs, and make its tables, once. Raises PluginError.

        closed_form: False to take differences even of what gives tangents, for checks
        """
        if self.closed_form is not closed_form:
            plan_tangents(self, closed_form)
            self.closed_form = closed_form
            self.cache.pop("tangent entries", None)

    def form_tangent(self, a: float, b: float, c: float, s: float = 0.0) -> None:
        """a M + b D + c K into `TangentBlocks`, at the present state, evaluated, and `Rows.lam`:
        `kernels/tangents.py`. Raises PluginError.
        """
        if self.closed_form is None:
            self.prepare_tangents()
        blocks = self[TangentBlocks]
        blocks.weight[:4], blocks.by_increments[0], blocks.hold_rates[0] = (a, b, c, s), 0, 0
        if self.part_tangents is not None and c != 0.0:
            self.part_tangents.refuse_motion(self)
        self.check(self.call_function(form_present))
        tangent_matrices.refuse_nan(self)
        if self.part_tangents is not None:
            self.part_tangents.form(self)

    def tangent(self) -> Any:
        """The matrix that `form_tangent` has formed, (nv, nv), as a sparse array of scipy (CSC)."""
        return tangent_matrices.sparse(self)

    def not_finite(self) -> MbpluginError | None:
        """The error of the expression or function whose output, but no input, is not finite; or None."""
        return failures.not_finite(self)

    def check_rows(self, rows: Array, values: Array) -> None:
        """Raises PhysicsError or PluginError, which names the cause, unless the values (rows, ...) of these
        rows of G are finite.
        """
        finite = np.isfinite(values)
        if not finite.all():
            wrong = self.names.rows[int(rows[np.argwhere(~finite)[0, 0]])]
            raise self.not_finite() or PhysicsError(
                f'the derivative of the row "{wrong.label}" of {wrong.owner} is not finite', time=self.time
            )

    def expression_without_value(self, which: slice) -> PhysicsError | None:
        """The error of the first expression whose value (0) or derivative (1, 2) is not finite; or None."""
        return failures.expression_without_value(self, which)
