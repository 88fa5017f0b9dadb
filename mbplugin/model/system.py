"""A system: the validated content of a scene. TOML and Python build it with the same classes."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar, cast

from pydantic import ConfigDict, Field, PrivateAttr, ValidationError, ValidationInfo, model_validator

from mbplugin.errors import SceneError, errors_at, listed, suggestion
from mbplugin.model import toml
from mbplugin.model.body import PLANAR, Body
from mbplugin.model.contact import DEFAULT_LAW, Contact, Material, check_collisions, collides, touches
from mbplugin.model.curve import Curve
from mbplugin.model.curve_fit import CurveTable
from mbplugin.model.expression import check_identifier, evaluate_parameters, parse
from mbplugin.model.force import Force
from mbplugin.model.input import Input
from mbplugin.model.joint import Joint, validate_enforcement
from mbplugin.model.linear_system import LinearSystem, StateSpace, TransferFunction
from mbplugin.model.motion import Motion
from mbplugin.model.names import GROUND, body_of
from mbplugin.model.of_plugin import Drawing, Sensor
from mbplugin.model.output import Output
from mbplugin.model.plane import to_spatial
from mbplugin.model.quantities import number
from mbplugin.model.references import Symbols
from mbplugin.model.register import Register, ends_of
from mbplugin.model.scene import Scene
from mbplugin.model.shape import Mesh
from mbplugin.model.solver import Solver
from mbplugin.model.symbols import Spline, State, Variable, symbol_table
from mbplugin.model.table import Table, scene_error, validated

E = TypeVar("E", bound=Table)

#: lists of elements in the order in which they are checked: each refers to those before it
ELEMENTS: dict[str, type[Table]] = {
    "splines": Spline,
    "states": State,
    "inputs": Input,
    "transfer_functions": TransferFunction,
    "state_spaces": StateSpace,
    "variables": Variable,
    "materials": Material,
    "bodies": Body,
    "curves": Curve,
    "joints": Joint,
    "motions": Motion,
    "forces": Force,
    "contacts": Contact,
    "sensors": Sensor,
    "drawings": Drawing,
}


#: tables whose names may stand in expressions
SYMBOLS = ("spline", "state", "input", "transfer_function", "state_space", "variable")


def table_of_elements(kind: type[Table]) -> str:
    """The table of a file that holds elements of this class."""
    return getattr(kind, "table_name", kind.__name__.lower())


def list_of(kind: type[Table], description: str) -> Any:
    """The field of a list of elements."""
    table = table_of_elements(kind)
    return Field(default=[], validation_alias=table, serialization_alias=table, description=description)


class System(Table):
    """Bodies, joints, motions and forces, solver and output.

    >>> system = System(scene={"gravity": [0, 0, -9.81]})
    >>> system.add(Body(name="bob", mass=1.0, inertia=[0.01, 0.01, 0.01], position=[1, 0, 0]))
    >>> system.add(Joint(name="pivot", type="ball", a="ground", b="bob"))
    """

    model_config = ConfigDict(frozen=False)

    scene: Scene = Field(default=Scene(), description="name, gravity, plane")
    parameters: dict[str, float] = Field(
        default={},
        description="named constants for use in all expressions: numbers, or expressions of other parameters",
    )
    bodies: list[Body] = list_of(Body, "the bodies")
    curves: list[Curve] = list_of(Curve, "curves of bodies, on which points are guided")
    joints: list[Joint] = list_of(Joint, "the joints")
    motions: list[Motion] = list_of(Motion, "driven joint coordinates")
    forces: list[Force] = list_of(Force, "the force elements")
    variables: list[Variable] = list_of(Variable, "named expressions")
    states: list[State] = list_of(State, "user-defined differential equations")
    transfer_functions: list[TransferFunction] = list_of(
        TransferFunction, "linear systems, by numerator and denominator"
    )
    state_spaces: list[StateSpace] = list_of(StateSpace, "linear systems, by their matrices")
    inputs: list[Input] = list_of(Input, "numbers from outside, which may change between two steps")
    splines: list[Spline] = list_of(Spline, "curves through points")
    materials: list[Material] = list_of(
        Material, "friction, restitution, density and elasticity of materials"
    )
    contacts: list[Contact] = list_of(Contact, "pairs of bodies or materials with values of their own")
    sensors: list[Sensor] = list_of(Sensor, "quantities that plugins compute at each frame")
    drawings: list[Drawing] = list_of(Drawing, "points, lines and arrows that plugins draw of each frame")
    solver: Solver = Field(default=Solver(), description="the solver and its parameters")
    output: Output = Field(default=Output(), description="frames and files to write")

    _folder: Path = PrivateAttr(default_factory=Path)  # of mesh and CSV files
    _file: str = PrivateAttr("")  # the scene file as the user named it
    _source: str = PrivateAttr("")  # its text
    _overrides: tuple[str, ...] = PrivateAttr(())  # keys set on the command line
    _varied: bool = PrivateAttr(False)  # whether keys differ from those of the file
    _given: dict[str, Any] | None = PrivateAttr(None)  # the tables of the scene, not evaluated; None: built
    _register: Register = PrivateAttr(default_factory=Register)
    _splines: dict[str, Any] = PrivateAttr(default_factory=dict)  # coefficients by name
    _curves: dict[str, CurveTable] = PrivateAttr(default_factory=dict)  # by name

    # build

    @model_validator(mode="before")
    @classmethod
    def evaluate(cls, data: Any, info: ValidationInfo) -> Any:
        """Evaluate the parameters first, because all other tables may use them."""
        if isinstance(data, dict) and isinstance(parameters := data.get("parameters"), Mapping):
            values = evaluate_parameters(parameters)
            data = {**data, "parameters": values}
            if info.context is not None:
                info.context["parameters"] = values
        return data

    def __init__(self, **data: Any) -> None:
        context: dict[str, Any] = {}
        try:
            # the context passes the parameters from `evaluate` to the fields
            self.__pydantic_validator__.validate_python(data, self_instance=self, context=context)
        except ValidationError as error:
            raise scene_error(error, "", data) from None

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    def __setattr__(self, name: str, value: Any) -> None:
        """`scene`, `solver` and `output` may be replaced, by an object or a table."""
        if name in type(self).model_fields:
            value = self.replacement(name, value)
        super().__setattr__(name, value)
        if name in type(self).model_fields and self._given is not None:
            self._given[name] = self.tables()[name]

    def replacement(self, name: str, value: Any) -> Table:
        """The validated new value of the field `name`. Raises SceneError."""
        replaceable: dict[str, type[Table]] = {"scene": Scene, "solver": Solver, "output": Output}
        table = replaceable.get(name)
        if table is None:
            mend = "cannot be replaced; use System.add, or make a new System"
            raise SceneError(f"System.{name}", mend=mend)
        if isinstance(value, table):
            new: Table = value
        elif isinstance(value, Mapping):
            new = validated(table, value, name, self.parameters)
        else:
            mend = f"must be of type {table.__name__}, or a table of its keys"
            raise SceneError(f"System.{name}", str(value), mend)
        if isinstance(new, Scene) and any(body.type == PLANAR for body in self.bodies):
            if new.plane != self.scene.plane:
                mend = "cannot change because there are planar bodies; set it before adding them"
                raise SceneError("scene.plane", new.plane, mend)
            new.check_gravity()
        if isinstance(new, Scene):
            new.attach_shapes(self._folder)
        return new

    @model_validator(mode="after")
    def attach_all(self, info: ValidationInfo) -> Self:
        """Check all elements and their references. Raises SceneError with all problems."""
        self._folder = (info.context or {}).get("folder", self._folder)
        problems: list[SceneError] = []
        try:
            self.scene.attach_shapes(self._folder)
        except SceneError as error:
            problems.append(error)
        for _, elements, attach in self.kinds():
            for k, element in enumerate(elements):
                try:
                    elements[k] = attach(element, k)
                except SceneError as error:
                    problems.append(error)
        try:
            self.check_expressions()
        except SceneError as error:
            problems.append(error)
        if problems:
            problems[0].also = tuple(problems[1:])
            raise problems[0]
        return self

    def kinds(self) -> Iterator[tuple[type[Table], list[Any], Callable[[Any, int], Any]]]:
        """(class, elements, function that checks an element with its index and returns it)."""
        for name, kind in ELEMENTS.items():
            table = table_of_elements(kind)
            named = functools.partial(self.attach_named, table)
            yield kind, getattr(self, name), getattr(self, f"attach_{table}", named)

    @property
    def symbols(self) -> Symbols:
        """Symbol table of expressions: parameters, variables, states, inputs and splines. Raises
        SceneError.
        """
        states = [state for _, state in self.equations()]
        variables = [variable for _, variable in self.named_expressions()]
        return symbol_table(self.parameters, variables, states, self.inputs, self._splines)

    @property
    def linear_systems(self) -> Iterator[tuple[str, LinearSystem]]:
        """(key, system) of all transfer functions and state spaces."""
        for systems in (self.transfer_functions, self.state_spaces):
            for k, system in enumerate(systems):
                yield f"{system.table_name}[{k}]", system

    def equations(self) -> list[tuple[str, State]]:
        """(key, state) of the user's states, and of those of linear systems behind them."""
        own = [(f"state[{k}].rate", state) for k, state in enumerate(self.states)]
        return own + [(key, state) for key, one in self.linear_systems for state in one.states()]

    def named_expressions(self) -> list[tuple[str, Variable]]:
        """(key, variable) of the user's variables, and of the outputs of linear systems behind them."""
        own = [(f"variable[{k}].value", variable) for k, variable in enumerate(self.variables)]
        return own + [(key, variable) for key, one in self.linear_systems for variable in one.variables()]

    def check_expressions(self) -> None:
        """Check the expressions of variables and states, when all symbols are known. Raises SceneError."""
        symbols = self.symbols
        for k, state in enumerate(self.states):
            with errors_at(f"state[{k}].rate", state.rate):
                parse(state.rate, symbols)
        for key, system in self.linear_systems:
            for name, signal in system.signals:
                with errors_at(f"{key}.{name}", signal):
                    parse(signal, symbols)

    def add(self, element: E) -> E:
        """Add an element and return it with its name and 3D vectors filled in. Raises SceneError."""
        for kind, elements, attach in self.kinds():
            if isinstance(element, kind):
                attached = attach(element, len(elements))
                elements.append(attached)
                if self._given is not None:
                    self._given.setdefault(table_of_elements(kind), []).append(given_keys(attached))
                return attached  # type: ignore[no-any-return]
        kinds = listed([kind.__name__ for kind in ELEMENTS.values()], 20)
        raise SceneError("System.add", str(element), f"must be one of {kinds}")

    def attach_named(self, table: str, element: Any, k: int) -> Any:
        """Check and register the name of element k of a table. Raises SceneError."""
        key = f"{table}[{k}]"
        if table in SYMBOLS:
            check_identifier(element.name, f"{key}.name")
            if element.name in self.parameters:
                mend = "a parameter has this name; names in expressions must be unique"
                raise SceneError(f"{key}.name", element.name, mend)
        self._register.add("expression" if table in SYMBOLS else table, element.name, key)
        return element

    def attach_spline(self, spline: Spline, k: int) -> Spline:
        self.attach_named("spline", spline, k)
        with errors_at(f"spline[{k}]"):
            self._splines[spline.name] = spline.to_symbol(self._folder)
        return spline

    def attach_linear_system(self, element: Any, k: int) -> Any:
        self.attach_named(element.table_name, element, k)
        with errors_at(f"{element.table_name}[{k}]"):
            element.attach(self._folder)
        for name in element.names():
            if name != element.name:
                self._register.add("expression", name, f"{element.table_name}[{k}]")
        return element

    attach_transfer_function = attach_state_space = attach_linear_system

    def attach_input(self, element: Input, k: int) -> Input:
        self.attach_named("input", element, k)
        with errors_at(f"input[{k}]"):
            element.attach(self._folder)
        return element

    def attach_contact(self, contact: Contact, k: int) -> Contact:
        bodies = [GROUND, *self._register.bodies]
        materials = self._register.names.get("material", set())
        names = [*bodies, *sorted(materials)]
        for key, name in (("a", contact.a), ("b", contact.b)):
            if name not in names:
                mend = f"there is no such body or material{suggestion(name, names)}"
                raise SceneError(f"contact[{k}].{key}", name, mend)
        if not any(contact.a in kind and contact.b in kind for kind in (bodies, materials)):
            mend = f'must be a {"body" if contact.a in bodies else "material"}, as "{contact.a}" is'
            raise SceneError(f"contact[{k}].b", contact.b, mend)
        if contact.a == contact.b and contact.a not in materials:
            mend = "is the same body as `a`; a body does not touch itself"
            raise SceneError(f"contact[{k}].b", contact.b, mend)
        for before, other in enumerate(self.contacts[:k]):
            if {other.a, other.b} == {contact.a, contact.b}:
                mend = f"contact[{before}] is of the same two; keep one of them"
                raise SceneError(f"contact[{k}].b", contact.b, mend)
        return contact

    def check_material(self, name: str | None, key: str) -> None:
        """Raises SceneError at `key` if there is no such material."""
        if name is None:
            return
        materials = self._register.names.get("material", set())
        if name not in materials:
            raise SceneError(key, name, f"there is no such material{suggestion(name, sorted(materials))}")

    def check_ground(self) -> None:
        """Raises SceneError for a material of the ground that does not exist. Called when the system is
        complete: a system that is built has its scene before its materials.
        """
        self.check_material(self.scene.material, "scene.material")
        for n, shape in enumerate(self.scene.shapes):
            self.check_material(shape.material, f"scene.shape[{n}].material")

    def shapes(self) -> Iterator[tuple[Any, str, Any]]:
        """(body or scene, key, shape) of all shapes: of the bodies, then of the ground. Convex parts of a
        mesh that collides follow it.
        """
        owners: list[tuple[Any, str]] = [(body, f"body[{k}]") for k, body in enumerate(self.bodies)]
        for owner, key in (*owners, (self.scene, "scene")):
            for n, shape in enumerate(owner.shapes):
                yield owner, f"{key}.shape[{n}]", shape
                if isinstance(shape, Mesh) and self.scene.contacts and collides(owner, shape):
                    yield from ((owner, f"{key}.shape[{n}]", part) for part in shape.parts)
            for shape in getattr(owner, "surface_shapes", ()):
                yield owner, f"{key}.collide", shape

    def colliding(self) -> Iterator[tuple[str, Any]]:
        """The shapes that collide, each with the key that says so."""
        for owner, key, shape in self.shapes():
            if self.scene.contacts and touches(owner, shape):
                yield f"{key if shape.collide is not None else key.rpartition('.')[0]}.collide", shape

    def contact_laws(self) -> tuple[Any, ...]:
        """The laws of contact, by their numbers: None, which is Coulomb's; then the others by name."""
        kinds = {contact.kind.name: contact.kind for contact in self.contacts if contact.kind is not None}
        return (None, *(kinds[name] for name in sorted(kinds) if name != DEFAULT_LAW))

    @property
    def has_moments_of_contact(self) -> bool:
        """Whether surfaces have rolling or spinning friction, which a parameter may let be 0 for a while."""
        levers = {"rolling_friction", "spinning_friction"}
        return any(levers & one.model_fields_set for one in (*self.materials, *self.contacts))

    @property
    def solver_type(self) -> str:
        """Name of the solver: the one given; else "contact" where shapes collide, "rk" elsewhere."""
        return self.solver.type or ("contact" if any(self.colliding()) else "rk")

    def material_of(self, body: Body) -> Material | None:
        """The material that a body names."""
        return next((material for material in self.materials if material.name == body.material), None)

    def with_density(self, body: Body) -> Body:
        """The body with the density of its material, if it gives neither mass nor density."""
        material = self.material_of(body)
        density = material.density if material is not None else None
        if density is None or body.has_mass or not body.shapes:
            return body
        return body.model_copy(update={"density": density})

    def attach_body(self, body: Body, k: int) -> Body:
        key = f"body[{k}]"
        register = self._register
        self.check_material(body.material, f"{key}.material")
        for n, shape in enumerate(body.shapes):
            self.check_material(shape.material, f"{key}.shape[{n}].material")
        body = self.with_density(body)
        check_collisions(body, key)
        attached = body.attached(self.scene.plane, key, self._folder)
        attached.check_files()
        if body.type == PLANAR:
            self.scene.check_gravity()
        register.add("body", body.name, key)
        register.bodies[body.name] = attached
        return attached

    def attach_curve(self, curve: Curve, k: int) -> Curve:
        key = f"curve[{k}]"
        self._register.check_reference(curve.body, f"{key}.body", self.scene.markers)
        self.attach_named("curve", curve, k)
        known: dict[str, Any] = {**self.parameters, **self._splines}
        with errors_at(key):
            self._curves[curve.name] = curve.table(
                curve.name, curve.body, self._folder, self.scene.plane, known
            )
        return curve

    def attach_joint(self, joint: Joint, k: int) -> Joint:
        key = f"joint[{k}]"
        register = self._register
        register.check_references(key, {"a": joint.a, "b": joint.b}, joint.markers, self.scene.markers)
        ends = ends_of(joint)
        if len(ends) == 2 and body_of(ends[0][1]) == body_of(ends[1][1]):
            end, reference = ends[1]
            name = body_of(reference)
            mend = f'connects body "{name}" with itself; its two markers must be on different bodies'
            raise SceneError(f"{key}.{end}", reference, mend)
        vectors = {"at": joint.at, "axis": joint.axis}
        short = {name: v for name, v in vectors.items() if v is not None and len(v) == 2}
        if short:
            references = [r for r in (joint.a, joint.b, *(joint.markers or ())) if r]
            bodies = [register.bodies.get(body_of(reference)) for reference in references]
            if not any(body is not None and body.type == PLANAR for body in bodies):
                name, vector = next(iter(short.items()))
                mend = "must be a list of 3 numbers; 2 are for joints of planar bodies"
                raise SceneError(f"{key}.{name}", list(vector), mend)
            spatial = {name: to_spatial(vector, self.scene.plane) for name, vector in short.items()}
            joint = joint.model_copy(update=spatial)
        register.add("joint", joint.name, key)
        return joint

    def attach_motion(self, motion: Motion, k: int) -> Motion:
        key = f"motion[{k}]"
        register = self._register
        joints = register.names.get("joint", set())
        if motion.joint not in joints:
            mend = f"there is no such joint{suggestion(motion.joint, joints)}"
            raise SceneError(f"{key}.joint", motion.joint, mend)
        if motion.name is None:
            name = register.free_name("motion", f"{motion.joint}_{motion.key}")
            motion = motion.model_copy(update={"name": name})
        assert motion.name is not None
        value = motion.expression
        if not callable(value):
            with errors_at(f"{key}.{motion.key}", value):
                parse(value if isinstance(value, str) else number(value), self.symbols)
        register.add("motion", motion.name, key)
        return motion

    def attach_force(self, force: Force, k: int) -> Force:
        key = f"force[{k}]"
        register = self._register
        register.check_references(
            key, {"a": force.a, "b": force.b, "body": force.body}, force.markers, self.scene.markers
        )
        ends = ends_of(force)
        if len(ends) == 2 and ends[0][1] == ends[1][1]:
            end, reference = ends[1]
            mend = f"is the same as `{ends[0][0]}`; a force needs two different bodies or markers"
            raise SceneError(f"{key}.{end}", reference, mend)
        if force.at is not None and len(force.at) == 2:
            force = force.model_copy(update={"at": to_spatial(force.at, self.scene.plane)})
        if force.name is None:
            force = force.model_copy(update={"name": register.free_name("force", f"{force.type}_1")})
        assert force.name is not None
        register.add("force", force.name, key)
        return force

    # parts

    @property
    def folder(self) -> Path:
        """The scene file's folder, in which mesh and CSV files are looked up."""
        return self._folder

    @property
    def curve_tables(self) -> Mapping[str, CurveTable]:
        """The curves as splines, by name."""
        return self._curves

    @property
    def source(self) -> str:
        """The text of the scene file, or ""."""
        return self._source

    @property
    def file(self) -> str:
        """The scene file as the user named it, or ""."""
        return self._file

    def body(self, name: str) -> Body:
        """The body with this name. Raises SceneError."""
        return self._register.body(name)

    def with_bodies(self, bodies: Sequence[Body]) -> Self:
        """A copy with other bodies of the same names."""
        other = self.model_copy(update={"bodies": list(bodies)})
        other._register = Register()
        other._register.names = self._register.names
        other._register.bodies = {str(body.name): body for body in bodies}
        return other

    def check_reference(self, reference: str, key: str) -> None:
        """Check that the body and its marker exist. Raises SceneError at `key`."""
        self._register.check_reference(reference, key, self.scene.markers)

    def joint(self, name: str) -> Joint:
        """The joint with this name. Raises SceneError."""
        for joint in self.joints:
            if joint.name == name:
                return joint
        names = [joint.name for joint in self.joints]
        raise SceneError("joint", name, f"there is no such joint{suggestion(name, names)}")

    def hold(self, name: str, enforce: str, **keys: Any) -> Joint:
        """Change the enforcement of a joint and return the new joint. Raises SceneError.

        Example: hold("hinge", "penalty", stiffness=1e6).
        """
        old = self.joint(name)
        enforcement = validate_enforcement({"type": enforce, **keys} if keys else enforce)
        new = old.model_copy(update={"enforce": enforcement})
        number = self.joints.index(old)
        self.joints[number] = new
        if self._given is not None:
            self._given["joint"][number] = self._given["joint"][number] | {"enforce": enforcement}
        return new

    def __repr__(self) -> str:
        names = [name for name in type(self).model_fields if name in ELEMENTS]
        groups = (f"{len(found)} {name}" for name in names if (found := getattr(self, name)))
        return f'System "{self.scene.name}": {", ".join(groups) or "empty"}; solver "{self.solver_type}"'

    __str__ = __repr__

    @property
    def varied(self) -> bool:
        """Whether keys were set after the file was read."""
        return self._varied

    def copied(self) -> Self:
        """A system with the same elements, which later changes of this one do not reach."""
        other = self.model_copy()
        for name in ELEMENTS:
            other.__dict__[name] = list(getattr(self, name))
        other._given = None if self._given is None else dict(self._given)
        return other

    def changed(self, key: str, value: Any) -> Self:
        """A system that differs in the value of one key, named as with `set` of `from_file`: a parameter
        ("stiffness"), or a key of a table ("body.upper.mass", "force[0].stiffness"). Raises SceneError.

        The numbers that depend on a parameter follow, where the scene gives them as expressions.
        """
        return self.with_values({key: value})

    def with_values(self, values: Mapping[str, Any]) -> Self:
        """A system that differs in the values of several keys, as with `changed`. Raises SceneError."""
        from mbplugin.model.reading import with_values

        return cast(Self, with_values(self, values))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, System):
            return NotImplemented
        return self.tables() == other.tables()

    __hash__ = None  # type: ignore[assignment]

    # text

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], set: Mapping[str, Any] | None = None) -> Self:
        """The system in a .toml file, a folder with a scene.toml, or a Python file that defines `system`.

        `set` overrides values of the file: {"stiffness": 5, "solver.end": "2"}; a name without a dot is a
        parameter, and None takes a key out. Raises SceneError.
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
        """The system in a TOML text. Raises SceneError.

        `file` is its name in messages; mesh and CSV files are in `folder`; `set` is as in `from_file`.
        """
        from mbplugin.model.reading import parse_scene

        path = Path(folder) if folder is not None else Path()
        return cast(Self, parse_scene(text, file, path, set or {}, cls=cls))

    def tables(self) -> dict[str, Any]:
        """The scene as nested dicts: only the keys that were given, with numbers evaluated."""
        tables: dict[str, Any] = {
            "scene": self.scene.model_dump(by_alias=True),
            "parameters": dict(self.parameters),
            **{
                table_of_elements(kind): [given_keys(element) for element in getattr(self, name)]
                for name, kind in ELEMENTS.items()
            },
            "solver": {
                "type": self.solver_type,
                "end": self.solver.end,
                **({"stop": self.solver.stop} if self.solver.stop is not None else {}),
                **self.solver.raw,
            },
            "output": self.output.model_dump(exclude_none=True),
        }
        return {name: table for name, table in tables.items() if table}

    def to_toml(self) -> str:
        """The scene as TOML; `System.from_text` reads it back. Raises SceneError for a Python function."""
        return toml.document(self.tables())

    def locate(self, error: SceneError) -> SceneError:
        """Fill in the file and, if it is found, the line of `error`; returns `error`."""
        for problem in (error, *error.also):
            problem.file = problem.file or self._file
            if any(problem.key == k or problem.key.startswith((f"{k}.", f"{k}[")) for k in self._overrides):
                problem.key = f"--set {problem.key}"
            elif problem.line is None and self._source and not problem.key.startswith("--set "):
                problem.line = toml.line_of(problem.key, self._source)
            if problem.mend.startswith("unknown key") and f"{table_of(problem.key)}.type" in self._overrides:
                problem.mend += f"; --set {problem.key}= takes it out"
        return error


def table_of(key: str) -> str:
    """The path of the table that holds a key."""
    return key.rpartition(".")[0]


def given_keys(element: Table) -> dict[str, Any]:
    """The keys that were given, named as in a file, together with those of the kind."""
    table = element.model_dump(exclude_unset=True, exclude_none=True, by_alias=True)
    raw = table.pop("raw", {})
    return {**table, **raw}
