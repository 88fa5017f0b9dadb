"""Force kinds: wrenches on markers, and their energy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from mbplugin.interface.body import FaceRule
from mbplugin.interface.derived import DerivedForce, derive_anew
from mbplugin.interface.measure import Measure
from mbplugin.tables.spec import Array

#: stands for the coordinate of a joint in `ForceKind.measures`
COORDINATE = "coordinate"


class ForceKind:
    """Base of force kinds. Functions take the arguments that they name, out of `interface.names`."""

    name: ClassVar[str]
    parameters: ClassVar[Any] = None  # pydantic class of the kind's keys
    markers: ClassVar[int | None] = 2  # of an element; None: as many as the scene names
    #: whether it acts on a set of faces of a body: one element for each face, whose markers m are its nodes.
    #: Needs `markers = None`; measures, states and outputs are not for such a kind
    on_faces: ClassVar[bool] = False
    #: or registered names; the kernel gets `s`, `s_dot`, `J`. A kind with one measure may stand on a
    #: coordinate of a joint, which then is that measure, between the markers of the joint; (COORDINATE,): it
    #: stands only there
    measures: ClassVar[Sequence[Measure | str]] = ()
    #: names in the functions of its parameters -> number of a measure, whose value they are; rate(name)
    reads: ClassVar[Mapping[str, int]] = {}
    #: potential energy V [J], a function of markers, `p`, `t`, `u`, `mem`, `x`; the force is
    #: −∂V/∂displacement. Of a kind with measures a function of their values `s` and of `p`: −∂V/∂s. Of a kind
    #: for any number of markers a sum along them, `sum_along(m, part)`
    potential: ClassVar[Any] = None
    #: dissipation function R [W], also of `v` and `w` of markers, such as ½ c ṡ²; the force is −∂R/∂twist. Of
    #: a kind with measures a function of `s` and `s_dot` too: −∂R/∂ṡ
    dissipation: ClassVar[Any] = None
    #: ẋ of a kind with these and inner states `states`, which they get as `x`: a function like `dissipation`
    #: with a value for each state
    state_rates: ClassVar[Any] = None
    #: the outputs of a kind with these, as a function like `dissipation`: a value for each of `outputs`
    output_values: ClassVar[Any] = None
    #: writes `wrench`, and if needed `energy`, `power`, `x_dot`; default: derived from `potential` and
    #: `dissipation`
    kernel: ClassVar[Any] = DerivedForce("force")
    #: writes `K` and `D` in closed form; default: derived; None: the engine takes differences
    tangent: ClassVar[Any] = DerivedForce("force_tangent")
    #: whether `power` counts as dissipation, not as work; of kinds with functions the default of the key
    #: `dissipative`
    dissipates: ClassVar[bool] = False
    exerts_torque: ClassVar[bool] = False  # always; such a kind does not act on point masses
    lines: ClassVar[Sequence[tuple[int, int]]] = ()  # pairs of markers to join in pictures
    #: inner states: their number, their names, or name -> unit
    states: ClassVar[int | Sequence[str] | Mapping[str, str]] = 0
    #: name -> unit of numbers that each frame stores; the kernel has an output (1,) of each name. On a
    #: coordinate "N or N m" is N on a length, N m on an angle; so it is with the units of states
    outputs: ClassVar[Mapping[str, str]] = {}
    start_states: ClassVar[Sequence[float]] = ()  # values of the inner states at the start; default 0
    memory: ClassVar[int] = 0  # numbers that `accept` or `sample` writes for the next step
    events: ClassVar[int] = 0  # number of event functions
    accept: ClassVar[Any] = None  # called after an accepted step
    event: ClassVar[Any] = None  # writes the event functions
    #: writes memory and inner states where a sample is due: a step ends there, and forces jump, no energy
    sample: ClassVar[Any] = None
    #: (params) -> interval of the samples [s], at its multiples from t = 0 on; 0: it takes none
    sample_interval: ClassVar[Any] = None
    #: (params, memory) -> (time [s], sentence) of a warning that follows from the memory of an element, such
    #: as a state that its equations do not describe; None: there is none yet. A run gives it once
    warning: ClassVar[Any] = None
    #: (params) -> armature [kg] or [kg m²] of the coordinate on which an element stands; None: it has none
    inertia: ClassVar[Any] = None
    examples: ClassVar[Sequence[dict[str, Any]]] = ()  # keys used by the conformance kit

    def __init_subclass__(cls) -> None:
        made = {"kernel": DerivedForce("force"), "tangent": DerivedForce("force_tangent")}
        derive_anew(cls, ("potential", "dissipation"), made)

    @classmethod
    def defaults(cls, params: Any, markers: Any) -> Any:
        """`params` completed from the marker poses at t = 0, such as the free length of a spring.

        markers: (x, R) of each: position (3,) [m] and axes (3, 3) as columns, world

        May raise SceneError.
        """
        return params

    @classmethod
    def look(cls, params: Any) -> str:
        """How pictures show its lines: "coil", "dashpot", "straight", "slack", which is straight, and dashed
        while the element exerts no force, or "rings", about z of both its markers.
        """
        return "slack"

    @classmethod
    def face_numbers(cls, params: Any, points: Array, rule: FaceRule) -> Mapping[str, Array]:
        """Further numbers, for a kind on faces, of a face, (n,) or (n, m) by the names that they have in `p`.

        points: (m, 3) positions of its nodes in the body frame at t = 0 [m]

        May raise SceneError.
        """
        return {}

    @classmethod
    def on_coordinate(cls, params: Any, unit: str) -> None:
        """Called for an element on a coordinate of this unit, "m" or "rad". May raise SceneError with the
        name of a key.
        """
