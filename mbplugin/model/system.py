"""A system: everything that a scene says, checked.

Built from TOML and from Python by the same classes; what is compiled and run is made from it elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self, TypeVar, cast

from pydantic import ConfigDict, Field, PrivateAttr, ValidationError, ValidationInfo, model_validator

from mbplugin.errors import SceneError, listed
from mbplugin.model import lines, toml
from mbplugin.model.body import PLANAR, Body
from mbplugin.model.expression import check_identifier, evaluate_parameters, parse
from mbplugin.model.force import Force
from mbplugin.model.joint import Joint, an_enforcement
from mbplugin.model.meanings import Spline, State, Variable, meanings
from mbplugin.model.motion import Motion
from mbplugin.model.names import body_of
from mbplugin.model.output import Output
from mbplugin.model.plane import completed
from mbplugin.model.quantities import number
from mbplugin.model.references import Names
from mbplugin.model.register import Register, nearest
from mbplugin.model.scene import Scene
from mbplugin.model.solver import Solver
from mbplugin.model.table import Table, scene_error, validated

E = TypeVar("E", Body, Joint, Motion, Force, Variable, State, Spline)


class System(Table):
    """Bodies, joints, motions and forces, the solver and the output.

    >>> system = System(scene={"gravity": [0, 0, -9.81]})
    >>> system.add(Body(name="bob", mass=1.0, inertia=[0.01, 0.01, 0.01], position=[1, 0, 0]))
    >>> system.add(Joint(name="pivot", type="ball", a="ground", b="bob"))
    """

    model_config = ConfigDict(frozen=False)

    scene: Scene = Field(default=Scene(), description="name, gravity, plane")
    parameters: dict[str, float] = Field(
        default={}, description="named numbers, or expressions of others, that all expressions may use"
    )
    bodies: list[Body] = Field(
        default=[], validation_alias="body", serialization_alias="body", description="the bodies"
    )
    joints: list[Joint] = Field(
        default=[], validation_alias="joint", serialization_alias="joint", description="the joints"
    )
    motions: list[Motion] = Field(
        default=[],
        validation_alias="motion",
        serialization_alias="motion",
        description="driven joint coordinates",
    )
    forces: list[Force] = Field(
        default=[], validation_alias="force", serialization_alias="force", description="the force elements"
    )
    variables: list[Variable] = Field(
        default=[],
        validation_alias="variable",
        serialization_alias="variable",
        description="named expressions",
    )
    states: list[State] = Field(
        default=[],
        validation_alias="state",
        serialization_alias="state",
        description="differential equations of the user's",
    )
    splines: list[Spline] = Field(
        default=[],
        validation_alias="spline",
        serialization_alias="spline",
        description="curves through points",
    )
    solver: Solver = Field(default=Solver(), description="the solver and its parameters")
    output: Output = Field(default=Output(), description="what is written")

    _folder: Path = PrivateAttr(default_factory=Path)
    _file: str = PrivateAttr("")
    _source: str = PrivateAttr("")
    _overrides: tuple[str, ...] = PrivateAttr(())
    _register: Register = PrivateAttr(default_factory=Register)
    _splines: dict[str, Any] = PrivateAttr(default_factory=dict)

    # building

    @model_validator(mode="before")
    @classmethod
    def evaluate(cls, data: Any, info: ValidationInfo) -> Any:
        """Parameters first: all else may use them."""
        if isinstance(data, dict) and isinstance(given := data.get("parameters"), Mapping):
            values = evaluate_parameters(given)
            data = {**data, "parameters": values}
            if info.context is not None:
                info.context["parameters"] = values
        return data

    def __init__(self, **data: Any) -> None:
        context: dict[str, Any] = {}
        try:
            # the context carries the parameters from `evaluate` to the fields
            self.__pydantic_validator__.validate_python(data, self_instance=self, context=context)
        except ValidationError as error:
            raise scene_error(error, "", data) from None

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    def __setattr__(self, name: str, value: Any) -> None:
        """`scene`, `solver` and `output` may be replaced, by an object or a table; elements are added by
        `add`.
        """
        if name in type(self).model_fields:
            value = self.replacement(name, value)
        super().__setattr__(name, value)

    def replacement(self, name: str, value: Any) -> Table:
        """`value` checked to take the place of the field `name`. Raises SceneError."""
        replaceable: dict[str, type[Table]] = {"scene": Scene, "solver": Solver, "output": Output}
        table = replaceable.get(name)
        if table is None:
            raise SceneError(
                f"System.{name}", mend="cannot be replaced; use System.add, or make a new System"
            )
        if isinstance(value, table):
            new: Table = value
        elif isinstance(value, Mapping):
            new = validated(table, value, name, self.parameters)
        else:
            raise SceneError(
                f"System.{name}", str(value), f"must be a {table.__name__} or a table of its keys"
            )
        if isinstance(new, Scene) and any(body.type == PLANAR for body in self.bodies):
            if new.plane != self.scene.plane:
                raise SceneError(
                    "scene.plane",
                    new.plane,
                    "there are planar bodies already; choose the plane before adding them",
                )
            new.check_gravity()
        return new

    @model_validator(mode="after")
    def attach_all(self, info: ValidationInfo) -> Self:
        """Check each element against what it refers to."""
        self._folder = (info.context or {}).get("folder", self._folder)
        problems: list[SceneError] = []
        for _, elements, attach in self.kinds():
            for k, element in enumerate(elements):
                try:
                    elements[k] = attach(element, k)
                except SceneError as error:
                    problems.append(error)
        try:
            self.check_formulas()
        except SceneError as error:
            problems.append(error)
        if problems:
            problems[0].also = tuple(problems[1:])
            raise problems[0]
        return self

    def kinds(self) -> list[tuple[type[Table], list[Any], Callable[[Any, int], Any]]]:
        return [
            (Spline, self.splines, self.attach_spline),
            (State, self.states, self.attach_state),
            (Variable, self.variables, self.attach_variable),
            (Body, self.bodies, self.attach_body),
            (Joint, self.joints, self.attach_joint),
            (Motion, self.motions, self.attach_motion),
            (Force, self.forces, self.attach_force),
        ]

    @property
    def names(self) -> Names:
        """What names mean in expressions: parameters, variables, states and splines. Raises SceneError."""
        return meanings(self.parameters, self.variables, self.states, self._splines)

    def check_formulas(self) -> None:
        """Variables and rates of states can be read, whatever order they come in. Raises SceneError."""
        names = self.names
        for k, state in enumerate(self.states):
            try:
                parse(state.rate, names)
            except SceneError as error:
                raise SceneError(f"state[{k}].rate", state.rate, error.mend) from None

    def add(self, element: E) -> E:
        """Add an element; returns it as it is kept: named, planar vectors completed.

        Raises SceneError.
        """
        for kind, elements, attach in self.kinds():
            if isinstance(element, kind):
                kept = attach(element, len(elements))
                elements.append(kept)
                return kept  # type: ignore[no-any-return]
        raise SceneError(
            "System.add", str(element), f"takes {listed([kind.__name__ for kind, _, _ in self.kinds()], 20)}"
        )

    def attach_meaning(self, element: Variable | State | Spline, key: str) -> None:
        """The name is free and can stand in expressions."""
        check_identifier(element.name, f"{key}.name", "a name in expressions")
        if element.name in self.parameters:
            raise SceneError(
                f"{key}.name", element.name, "a parameter has this name; names in expressions are unique"
            )
        self._register.check_new("expression", element.name, f"{key}")
        self._register.add("expression", element.name)

    def attach_spline(self, spline: Spline, k: int) -> Spline:
        self.attach_meaning(spline, f"spline[{k}]")
        try:
            self._splines[spline.name] = spline.meaning(self._folder)
        except SceneError as error:
            raise SceneError(f"spline[{k}].{error.key}", error.value, error.mend) from None
        return spline

    def attach_state(self, state: State, k: int) -> State:
        self.attach_meaning(state, f"state[{k}]")
        return state

    def attach_variable(self, variable: Variable, k: int) -> Variable:
        self.attach_meaning(variable, f"variable[{k}]")
        return variable

    def attach_body(self, body: Body, k: int) -> Body:
        key = f"body[{k}]"
        self._register.check_new("body", body.name, key)
        kept = body.placed_in(self.scene.plane, key, self._folder)
        kept.check_files()
        if body.type == PLANAR:
            self.scene.check_gravity()
        self._register.add("body", body.name)
        self._register.bodies[body.name] = kept
        return kept

    def attach_joint(self, joint: Joint, k: int) -> Joint:
        key = f"joint[{k}]"
        self._register.check_new("joint", joint.name, key)
        self._register.check_references(key, {"a": joint.a, "b": joint.b}, joint.markers, self.scene.markers)
        if joint.a and joint.b and body_of(joint.a) == body_of(joint.b):
            raise SceneError(
                f"{key}.b",
                joint.b,
                f'joins body "{body_of(joint.b)}" with itself; `a` and `b` must be different bodies',
            )
        if joint.at is not None and len(joint.at) == 2:
            bodies = [
                self._register.bodies.get(body_of(r)) for r in (joint.a, joint.b, *(joint.markers or ())) if r
            ]
            if not any(body is not None and body.type == PLANAR for body in bodies):
                raise SceneError(
                    f"{key}.at",
                    list(joint.at),
                    "must be a list of 3 numbers; 2 are for joints of planar bodies",
                )
            joint = joint.model_copy(update={"at": completed(joint.at, self.scene.plane)})
        self._register.add("joint", joint.name)
        return joint

    def attach_motion(self, motion: Motion, k: int) -> Motion:
        key = f"motion[{k}]"
        joints = self._register.names.get("joint", set())
        if motion.joint not in joints:
            raise SceneError(
                f"{key}.joint", motion.joint, f"there is no such joint{nearest(motion.joint, joints)}"
            )
        if motion.name is None:
            motion = motion.model_copy(
                update={"name": self._register.free_name("motion", f"{motion.joint}_{motion.key}")}
            )
        assert motion.name is not None
        self._register.check_new("motion", motion.name, key)
        value = motion.expression
        if not callable(value):
            try:
                parse(value if isinstance(value, str) else number(value), self.names)
            except SceneError as error:
                raise SceneError(f"{key}.{motion.key}", value, error.mend) from None
        self._register.add("motion", motion.name)
        return motion

    def attach_force(self, force: Force, k: int) -> Force:
        key = f"force[{k}]"
        self._register.check_references(
            key, {"a": force.a, "b": force.b, "body": force.body}, force.markers, self.scene.markers
        )
        if force.a is not None and force.a == force.b:
            raise SceneError(
                f"{key}.b", force.b, "is the same as `a`; a force acts between two different places"
            )
        if force.at is not None and len(force.at) == 2:
            force = force.model_copy(update={"at": completed(force.at, self.scene.plane)})
        if force.name is None:
            force = force.model_copy(update={"name": self._register.free_name("force", f"{force.type}_1")})
        assert force.name is not None
        self._register.check_new("force", force.name, key)
        self._register.add("force", force.name)
        return force

    # what it is made of

    @property
    def folder(self) -> Path:
        """Where mesh files are looked for: the scene file's folder."""
        return self._folder

    @property
    def source(self) -> str:
        """The text of the scene file, if there is one."""
        return self._source

    @property
    def file(self) -> str:
        """The scene file as the user named it, if there is one."""
        return self._file

    def body(self, name: str) -> Body:
        """The body of that name. Raises SceneError."""
        return self._register.body(name)

    def check_reference(self, reference: str, key: str) -> None:
        """The body, and its marker, exist. Raises SceneError at `key`."""
        self._register.check_reference(reference, key, self.scene.markers)

    def joint(self, name: str) -> Joint:
        """The joint of that name. Raises SceneError."""
        for joint in self.joints:
            if joint.name == name:
                return joint
        raise SceneError(
            "joint", name, f"there is no such joint{nearest(name, [joint.name for joint in self.joints])}"
        )

    def hold(self, name: str, enforce: str, **keys: Any) -> Joint:
        """Hold the rows of a joint in another way, such as hold("hinge", "penalty", stiffness=1e6); returns
        the joint as it is kept. Raises SceneError.
        """
        old = self.joint(name)
        new = old.model_copy(
            update={"enforce": an_enforcement({"type": enforce, **keys} if keys else enforce)}
        )
        self.joints[self.joints.index(old)] = new
        return new

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, System):
            return NotImplemented
        return self.tables() == other.tables()

    __hash__ = None  # type: ignore[assignment]

    # text

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], set: Mapping[str, Any] | None = None) -> Self:
        """The system of a .toml file, a folder with a scene.toml, or a Python file that builds `system`.

        `set` changes what the file says: {"stiffness": 5, "solver.end": "2"}; a bare name is a parameter.
        Raises SceneError.
        """
        from mbplugin.model.reading import read_scene

        return cast(Self, read_scene(path, set or {}, cls))

    @classmethod
    def from_text(
        cls,
        text: str,
        *,
        file: str = "scene.toml",
        folder: str | os.PathLike[str] | None = None,
        set: Mapping[str, Any] | None = None,
    ) -> Self:
        """The system of a TOML text; `file` is its name in messages, mesh files are in `folder`. Raises
        SceneError.
        """
        from mbplugin.model.reading import parsed_scene

        return cast(
            Self, parsed_scene(text, file, Path(folder) if folder is not None else Path(), set or {}, cls=cls)
        )

    def tables(self) -> dict[str, Any]:
        """The scene as plain tables: what was given, numbers evaluated."""
        whole: dict[str, Any] = {
            "scene": self.scene.model_dump(),
            "parameters": dict(self.parameters),
            "variable": [given_keys(variable) for variable in self.variables],
            "state": [given_keys(state) for state in self.states],
            "spline": [given_keys(spline) for spline in self.splines],
            "body": [given_keys(body) for body in self.bodies],
            "joint": [given_keys(joint) for joint in self.joints],
            "motion": [given_keys(motion) for motion in self.motions],
            "force": [given_keys(force) for force in self.forces],
            "solver": {"type": self.solver.type, "end": self.solver.end, **self.solver.raw},
            "output": self.output.model_dump(exclude_none=True),
        }
        return {name: table for name, table in whole.items() if table}

    def to_toml(self) -> str:
        """The whole scene as text; `System.from_text` of it is an equal system.

        Raises SceneError where a Python function is used.
        """
        return toml.document(self.tables())

    def locate(self, error: SceneError) -> SceneError:
        """The same error, with the file and, where it can be found, the line."""
        for problem in (error, *error.also):
            problem.file = problem.file or self._file
            if any(problem.key == k or problem.key.startswith((f"{k}.", f"{k}[")) for k in self._overrides):
                problem.key = f"--set {problem.key}"
            elif problem.line is None and self._source and not problem.key.startswith("--set "):
                problem.line = lines.line_of(problem.key, self._source)
        return error


def given_keys(element: Table) -> dict[str, Any]:
    """The keys that were given, under their names in a file, and the kind's own."""
    given = element.model_dump(exclude_unset=True, exclude_none=True, by_alias=True)
    raw = given.pop("raw", {})
    return {**given, **raw}
