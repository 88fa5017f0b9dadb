"""Constraint kinds: a list of basic constraints, or a kernel."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from mbplugin.errors import PluginError
from mbplugin.interface.bearing import Bearing, Pressed
from mbplugin.interface.derived import DerivedRows, derive_anew
from mbplugin.interface.measure import Basic, Measure
from mbplugin.tables.records import POSITION_LEVEL

#: `lines` of a kind for any number of markers: from each to the next
CHAIN = "chain"
#: attributes that were replaced by those of `Planar`
OLD_NAMES = {
    "planar_basics": "basics",
    "planar_coordinates": "coordinates",
    "planar_free_directions": "free_directions",
    "planar_form": "kernel",
}


class ConstraintKind:
    """Base of constraint kinds.

    Its rows come from `basics`, or from `phi`, `psi` or a `kernel` with one label per row. Between planar
    bodies its nested class `Planar`, if it has one, tells what is different there. A kind
    with coordinates alone constrains nothing: its motion drives it, and the driving force is its reaction.

    Rows are in metres or radians, so that multipliers are forces [N] or torques [N·m]. Functions take the
    arguments that they name, out of `interface.names`.
    """

    name: ClassVar[str]
    parameters: ClassVar[Any] = None  # pydantic class of the kind's keys
    basics: ClassVar[Sequence[Basic]] = ()  # measure = target, of which its rows are made
    # between planar bodies: a class with those of `basics`, `coordinates`, `free_directions`, ... that are
    # different there, or a whole ConstraintKind with a kernel. z of the markers is the normal; where it has a
    # coordinate "length", z lies in the plane and y is the normal. None: it has no rows there
    Planar: ClassVar[type | None] = None
    instead: ClassVar[str] = ""  # kind to suggest between planar bodies, of one without rows there
    formula: ClassVar[str] = ""  # of a kernel: Φ, if short G and γ, in LaTeX, one equation a line; for docs
    spatial: ClassVar[bool] = True  # False: between planar bodies only
    # name -> measure, or its registered name; motions, `start` and results use these names
    coordinates: ClassVar[dict[str, Measure | str]] = {}
    #: further coordinates, each of which a joint has if the scene names it: in a key of the joint, a motion,
    #: a force or an expression. They are no states in joint coordinates
    optional_coordinates: ClassVar[dict[str, Measure | str]] = {}
    # unconstrained directions such as "rotation about z"; zero in the reaction in the joint's axes; between
    # planar bodies none but those that `Planar` names
    free_directions: ClassVar[Sequence[str]] = ()
    bearings: ClassVar[Mapping[str, Bearing]] = {}  # coordinate -> what presses on it, for `friction`
    singular: ClassVar[str] = ""  # poses that satisfy it, but with dependent rows; in words
    # why its kernel has written NaN, and what to change; for messages
    undefined: ClassVar[str] = ""
    # how a scene avoids these poses at t = 0, in words; for messages
    avoided: ClassVar[str] = "move or turn its bodies, or name other markers"
    # whether a bare body stands for its mass centre, as in forces; otherwise all bare names are one point
    at_mass_centres: ClassVar[bool] = False
    #: pairs of markers to join in pictures: ((0, 1),) of a rod; CHAIN: each marker and the next
    lines: ClassVar[Sequence[tuple[int, int]] | str] = ()
    markers: ClassVar[int | None] = 2  # of an element; None: as many as the scene names
    #: Φ as a function of markers (`a`, `b` or `m`), `p`, `t`, `u`, `mem`, `x` and `active`: a number, or a
    #: tuple of one for each label. Kernel and tangent are derived from it. Of a kind for any number of
    #: markers a sum along them, `sum_along(m, part)`
    phi: ClassVar[Any] = None
    #: Φ̇ of rows at velocity level as a function of poses and of `v` and `w` of markers, linear in these
    psi: ClassVar[Any] = None
    #: inner unknowns of Φ and ψ, which name them as arguments (ψ also their rates, `s_dot`), such as the
    #: place on a curve: name -> parameter with its value at t = 0. At most two; they are kept in the memory
    unknowns: ClassVar[Mapping[str, str]] = {}
    #: F as a function like Φ, one value for each unknown: zero where they are right
    equations: ClassVar[Any] = None
    #: unknowns that move at most an eighth of a range in a step, since others are solutions too: name ->
    #: parameter with the range. For rows that open: others show it themselves
    ranges: ClassVar[Mapping[str, str]] = {}
    #: ẋ of a kind with `phi` or `psi` and inner states `states`, which these get as `x`: a function like
    #: `psi` with a value for each state; of states that Φ reads of poses alone
    state_rates: ClassVar[Any] = None
    #: the outputs of a kind with `phi` or `psi`, as a function like Φ: a value for each of `outputs`
    output_values: ClassVar[Any] = None
    #: writes `phi`, `G`, `gamma`, and if needed `phi_t`, `x_dot`; default: derived from `phi` or `psi`
    kernel: ClassVar[Any] = DerivedRows("constraint")
    #: writes `K` in closed form; default: derived from `phi`; None: the engine takes differences
    tangent: ClassVar[Any] = DerivedRows("tangent")
    labels: ClassVar[Sequence[str]] = ()  # of each row of the kernel
    units: ClassVar[Sequence[str]] = ()  # of each row of the kernel, "m" or "rad"; default "m"
    level: ClassVar[int | Sequence[int]] = POSITION_LEVEL  # of the kernel's rows: one for all, or for each
    #: what its multipliers obey, all of them or row by row: "equality": any value; "nonnegative": λ ≥ 0 ⊥
    #: Φ ≥ 0, of rows at velocity level ⊥ Φ̇ ≥ 0; "box": Φ̇ = 0 with λ within `bounds`, else λ is that bound;
    #: "cone", of all rows: a gap Φ ≥ 0 with λ ≥ 0, then one or two slip rows, whose forces are together at
    #: most `friction` λ, and where they slip against the slip with this size. All are rows with bounds, as
    #: limits and friction are
    row_type: ClassVar[str | Sequence[str]] = "equality"
    #: names of its rows with bounds in results, such as "tension", after that of the joint, one for each
    #: row; the last word of a name says what its statuses are called. Default: the row's label, then "push"
    #: or "hold"
    bound_names: ClassVar[Sequence[str]] = ()
    pressed: ClassVar[Mapping[int, Pressed]] = {}  # row of the type "box" -> what multiplies its bounds
    #: inner states: their number, their names, or name -> unit
    states: ClassVar[int | Sequence[str] | Mapping[str, str]] = 0
    #: name -> unit of numbers that each frame stores; the kernel has an output (1,) of each name
    outputs: ClassVar[Mapping[str, str]] = {}
    start_states: ClassVar[Sequence[float]] = ()  # values of the inner states at the start; default 0
    memory: ClassVar[int] = 0  # numbers that `accept` writes for the next step
    #: False: what the kernel writes does not depend on its memory, as where that only tells states without
    #: values apart; then rates at the end of a step serve the next one
    memory_acts: ClassVar[bool] = True
    events: ClassVar[int] = 0  # number of event functions
    #: called after an accepted step; default: stores the unknowns, if there are any
    accept: ClassVar[Any] = DerivedRows("accept")
    #: writes the event functions; default: of `ranges`, if there are any
    event: ClassVar[Any] = DerivedRows("event")
    examples: ClassVar[Sequence[dict[str, Any]]] = ()  # keys used by the conformance kit

    def __init_subclass__(cls) -> None:
        if cls.unknowns and not cls.memory:
            cls.memory = len(cls.unknowns)
        if cls.ranges and not cls.events:
            cls.events = 1
        made = {"kernel": DerivedRows("constraint"), "tangent": DerivedRows("tangent")}
        derive_anew(cls, ("phi", "psi"), made)
        old = [name for name in vars(cls) if name in OLD_NAMES]
        if old:
            mend = f"give the class a nested `Planar` with `{OLD_NAMES[old[0]]}`"
            raise PluginError(
                f"constraint type {cls.__name__} sets `{old[0]}`, which is no longer read: {mend}"
            )

    @classmethod
    def form(cls, planar: bool) -> type[ConstraintKind]:
        """The kind with what its `Planar` gives, between planar bodies; else itself."""
        made: Any = planar_form
        form: type[ConstraintKind] = made(cls) if planar and cls.Planar is not None else cls
        return form

    @classmethod
    def variant(cls, params: Any) -> type[ConstraintKind]:
        """The kind, or one derived from it, whose rows belong to these parameters. May raise SceneError."""
        return cls

    @classmethod
    def primitives(cls) -> list[str]:
        """Names of its basic constraints and of the row of its `relation`, or of its kernel's rows."""
        return [*map(str, cls.basics), *cls.labels]

    @classmethod
    def defaults(cls, params: Any, markers: Any) -> Any:
        """`params` completed from the marker poses at t = 0, such as the length of a rod.

        markers: (x, R) of each: position (3,) [m] and axes (3, 3) as columns, world

        May raise SceneError, with the name of the key.
        """
        return params

    @classmethod
    def axes(cls, markers: Any) -> tuple[Any, Any]:
        """Axes in which force and torque on the last marker are reported: two (3, 3), columns x, y, z, world.

        markers: (x, R) of each, as in `defaults`

        If the rows hold, both differ by rounding only; in each of them the zeros of the free directions are
        exact.
        """
        return markers[0][1], markers[-1][1]

    @classmethod
    def bounds(cls, params: Any) -> tuple[float, float]:
        """The least and the largest force of rows of the type "box" [N, N·m]; "nonnegative" has 0 and ∞.

        Of rows in `pressed` they are coefficients.
        """
        return 0.0, math.inf

    @classmethod
    def static_bounds(cls, params: Any) -> tuple[float, float]:
        """Bounds where a row holds; default: `bounds`."""
        return cls.bounds(params)

    @classmethod
    def restitution(cls, params: Any) -> float:
        """Restitution of impacts of rows of the type "nonnegative", and of the gap of a "cone", 0 to 1;
        default: the parameter of this name, or 0.
        """
        return float(getattr(params, "restitution", 0.0))

    @classmethod
    def drum(cls, params: Any) -> float:
        """Radius of the drum about z of the last marker round which its two lines run [m], negative if they
        run about −z; 0: they are straight.

        The lines are those from the first marker to the last one, and from there to the second; one line
        alone ends on the drum. The output `wrap` is the angle that lies on the drum, and `slack` what the
        rope is longer than its path.
        """
        return 0.0

    @classmethod
    def sheaves(cls, params: Any) -> tuple[float, ...]:
        """Radii of the sheaves about z of all its markers, on which its chain of lines lies [m], negative if
        it runs about −z, 0 of an eye; (): it has none. The output `slack` is what the rope is longer than its
        path.
        """
        return ()

    @classmethod
    def look(cls, params: Any) -> str:
        """How pictures show its lines: "straight", "coil", "dashpot", or "strands": its two lines are one
        rope, which lies on a wheel between their first markers, and is dashed while it would push.
        """
        return "straight"

    @classmethod
    def strands(cls, params: Any) -> float:
        """Number of strands that pull at its last marker along its last line; their forces add up there."""
        return 1.0

    @classmethod
    def refuse_outside(cls, params: Any, by: float) -> None:
        """Raise a SceneError with a key of its own if a row of the type "nonnegative" is at −by [m, rad] at
        t = 0. Default: a message of the engine.
        """

    @classmethod
    def breaks(cls, params: Any, name: str) -> str | None:
        """The condition under which a joint of this name breaks, as its key `release`; None: it does not."""
        return None

    @classmethod
    def friction(cls, params: Any) -> tuple[float, float]:
        """Coefficients of the slip rows of a "cone", where they slip and where they stick."""
        return 0.0, 0.0

    @classmethod
    def extent(cls, params: Any) -> float:
        """A length that distances of markers do not show, such as a wheel's radius [m]; 0: none.

        The size of the mechanism, which tolerances refer to, is at least this.
        """
        return 0.0

    @classmethod
    def ends(cls, params: Any) -> Mapping[str, tuple[float, float]]:
        """The least and the largest value that a coordinate can have, which `limits = "ends"` of a scene
        means, such as 0 and the length of an open curve. Default: none.
        """
        return {}

    @classmethod
    def remark(cls, markers: Any) -> str:
        """A message about the assembled marker poses, such as antiparallel axes; "" for none.

        markers: (x, R) of each, as in `defaults`
        """
        return ""

    @classmethod
    def relation(cls, params: Any) -> Sequence[tuple[str, float]]:
        """(coordinate, cᵢ) of an additional row Σ cᵢ sᵢ = 0 [m] over the kind's own coordinates.

        Its label is the last of `labels`. An empty sequence: no such row.
        """
        return ()

    @classmethod
    def motions(cls, params: Any) -> dict[str, Any]:
        """Motions of its own coordinates that its parameters define.

        Key of a `[[motion]]`, such as "length_velocity" -> `Function`, or None for no motion.
        """
        return {}

    @classmethod
    def coupling(cls, params: Any) -> Sequence[tuple[str, str, float]] | None:
        """(joint, coordinate, cᵢ) of a linear relation Σ cᵢ sᵢ = target of joint coordinates; else None.

        coordinate "": the only one of the joint. The target is the parameter `target`; if that is None or
        missing, the sum at t = 0 as the scene is written.
        """
        return None

    @classmethod
    def functions(cls, params: Any) -> Mapping[str, Any]:
        """Rows of the type "cone" that are expressions, instead of a kernel: key of the scene -> `Function`.

        The first is the gap Φ, a function of joint coordinates, measures between markers and `time`; others
        are slip functions, linear in rates. Such a kind has no markers. Empty: no such rows.
        """
        return {}


@functools.cache
def planar_form(kind: Any) -> Any:
    """A kind with a `Planar`, as it is between planar bodies."""
    planar = kind.Planar
    if issubclass(planar, ConstraintKind):
        return planar
    same = {"__doc__": kind.__doc__, "__module__": kind.__module__, "__qualname__": kind.__qualname__}
    free = getattr(planar, "free_directions", ())
    return type(kind.__name__, (planar, kind), {**same, "free_directions": free, "Planar": None})
