"""Solver `contact`: time stepping with contacts, friction, impacts and joints."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any, Literal

import numpy as np
from pydantic import Field, model_validator

from mbplugin.errors import SceneError
from mbplugin.interface import FoundContacts, Parameters, Positive
from mbplugin.interface.coordinates import COORDINATES, MASS_MATRIX, METHOD, with_method
from mbplugin.stepping import CompiledSolver, Control
from mbplugin.stepping.shapes import Shapes
from mbplugin_contact import report, step
from mbplugin_contact.ahead import classify_passing
from mbplugin_contact.arrays import SETS, STATEFUL, ContactRecord, Contacts, zero_arrays
from mbplugin_contact.between_outlines import touch_in_plane
from mbplugin_contact.correction import remove_overlap
from mbplugin_contact.find import find_contacts, find_stretched_contacts
from mbplugin_contact.infeasible import no_solution
from mbplugin_contact.interior import follow_interior
from mbplugin_contact.jammed import MAX_EXAMINATIONS
from mbplugin_contact.laws import all_have, law_part
from mbplugin_contact.linear import linear
from mbplugin_contact.newton import passes
from mbplugin_contact.outlines import check_outlines
from mbplugin_contact.overlap import check_overlap, find_up_to
from mbplugin_contact.parts import FIRST_PAIR
from mbplugin_contact.pivoting import solve_with_bounds
from mbplugin_contact.shares import SharedForces
from mbplugin_contact.sizes import default_step, smallest_radius, thickness
from mbplugin_contact.touching import answers_of, parts_of
from mbplugin_contact.triangles.refused import refuse_surfaces

#: velocities of a tree up to which its mass matrix is one dense block of the matrix of the step
LARGEST_TREE = 60


class ContactParameters(Parameters):
    """Keys of `[solver]` with type = "contact"."""

    step: Positive | None = Field(None, description="length of the steps [s]; default by sizes and speeds")
    separate: bool = Field(False, description="move bodies apart that overlap at the start")
    sweeps: int | None = Field(
        None, ge=1, description="exactly so many sweeps in each step, whatever residual they leave"
    )
    residual: float = Field(
        1e-6,
        ge=1e-9,
        le=10.0,
        description="how far each step may miss the law: speed of the worst contact over g times the step",
    )
    impact: Literal["newton", "sequential"] = Field(
        "newton",
        description='what bodies that touch do in an impact; "newton": all are struck at once, "sequential": '
        "in turn, each by a body that approaches",
    )
    coordinates: Literal["maximal", "joint"] = Field("maximal", description=COORDINATES)
    method: str | None = Field(None, description=METHOD % MASS_MATRIX)

    @model_validator(mode="before")
    @classmethod
    def with_method(cls, given: Any) -> Any:
        """The default method of the coordinates."""
        return with_method(given, MASS_MATRIX)


class ContactSolver(CompiledSolver):
    """Time stepping with contacts under Coulomb's exact cone; joints hold at the mean velocity."""

    name = "contact"
    parameters = ContactParameters
    choices = {"method": "method"}
    order = 2
    examples = ({"step": 1e-3},)
    begin_step = staticmethod(step.begin_step)
    try_step = staticmethod(step.try_step)
    contacts = True
    implicit_compliance = True
    largest_tree = LARGEST_TREE
    stateful_arrays = STATEFUL
    growing = SETS
    mean_accelerations = True
    multipliers = "lam"
    row_types = ("equality",)
    outputs = {
        "residual": "m/s",
        "relative_residual": "1",
        "sweeps": "1",
        "factorizations": "1",
        "missed": "1",
        "impacts": "1",
        "penetration": "m",
    }
    losses = {"friction": "friction_loss", "impacts": "impact_loss"}
    notes_impacts = True
    pair_sums = ("sum_count", "sum_key", "sum_impulse")
    contact_arrays = report.ARRAYS
    describe_contacts = staticmethod(report.describe_contacts)
    closing = staticmethod(report.closing)
    observer = SharedForces
    no_solution = staticmethod(no_solution)
    locates_bounded = False
    middle = staticmethod(report.middle)

    @classmethod
    def completed(cls, params: Any, system: Any) -> tuple[Any, list[str]]:
        if params.step is not None:
            return params, []
        step, reason = default_step(system)
        remark = f'solver "contact": step = {step:g} s, {reason}; give `step` to choose another'
        return params.model_copy(update={"step": step}), [remark]

    @classmethod
    def control(cls, params: Any, chosen: Mapping[str, Any]) -> Control:
        return Control(2, fixed=params.step)

    @classmethod
    def growth(cls, params: Any, chosen: Mapping[str, Any], hA: Any) -> float:
        """Forces act at positions of the middle, and at the velocity to which the last change leads there.

        The state is that of A and the last change of the velocity.
        """
        step = np.zeros((3, 3))
        for k, (x, v, change) in enumerate(np.eye(3)):
            x_middle, v_middle = x + 0.5 * hA[0] @ [x, v], v + 0.5 * change
            change = hA[1] @ [x_middle, v_middle]
            step[:, k] = x_middle + 0.5 * hA[0] @ [x, v + change], v + change, change
        return float(np.abs(np.linalg.eigvals(step)).max())

    @classmethod
    def history(cls, problem: Any, params: Any) -> int:
        """Length of `State.history`: [h, v̇ (nv,), ẋ (na,)] of the last step, as `step.py` describes it."""
        return 1 + problem.nv + problem.na

    @classmethod
    def arrays(cls, problem: Any, params: Any, chosen: Mapping[str, Any]) -> Contacts:
        from mbplugin.matrix import empty_matrix

        problem.put(empty_matrix(length=problem.nv + problem.nc))
        refuse_surfaces(problem)
        size = smallest_radius(colliding_shapes(problem))
        speed = problem.names.collisions.gravity * params.step
        parts, answers = part_tables(problem)
        sections = [shape.section for shape in colliding_shapes(problem) if shape.section is not None]
        normal = sections[0].normal if sections else (0.0, 0.0, 0.0)
        laws, turns = problem.names.collisions.laws, problem.names.collisions.moments
        record = ContactRecord(
            surfaces=len(problem.names.collisions.friction),
            goal=params.residual * speed,
            sliding_threshold=2.0 * speed,
            thinnest=min(map(thickness, colliding_shapes(problem)), default=inf),
            min_margin=1e-3 * size,
            size=size,
            zero_gap=1e-10 * size,
            loaded_gap_tolerance=1e-7 * size,
            slop=1e-9 * size,
            impact=2.0 * speed,
            sweeps=params.sweeps or 10,
            only_sweeps=0 if params.sweeps is None else 1,
            # the path begins inside the cones of Coulomb's law
            cones=int(all_have(laws, "cone") and not (turns and any(law is not None for law in laws))),
            convex=int(all_have(laws, "projection")),
            law_of_moments=len(laws) if turns else -1,
            belts=int((problem[Shapes].index.belt > 0).any()),
            remembers=int(any(law is not None and law.accept is not None for law in laws)),
            # behind the pairs and the answers
            planar=place_behind(parts, answers) if sections else 0,
            plane_x=float(normal[0]),
            plane_y=float(normal[1]),
            plane_z=float(normal[2]),
            coupled=1 if problem.nc > 0 else 0,
            sequential=int(params.impact == "sequential"),
            examinations_left=MAX_EXAMINATIONS,
        )
        return zero_arrays(problem, record, PLACES, parts.ravel(), answers)

    @classmethod
    def parts(cls, system: Any) -> list[Any]:
        check_outlines(system)
        shapes = [shape for _, shape in system.colliding()]
        pairs = [part for _, _, part in parts_of(shapes)]
        answers = [part for _, part in answers_of(shapes)]
        laws = law_part(system.contact_laws(), system.has_moments_of_contact)
        find = find_stretched_contacts if any(shape.stretched for shape in shapes) else find_contacts
        # in the order of `parts.py`
        return [
            find,
            classify_passing,
            solve_with_bounds,
            passes,
            follow_interior,
            linear,
            remove_overlap,
            laws,
            *pairs,
            *answers,
            *([touch_in_plane] if any(shape.section is not None for shape in shapes) else []),
        ]

    @classmethod
    def begun(cls, stepping: Any, params: Any) -> list[str]:
        if params.sweeps is not None and stepping.problem.nc > 0:
            fault = (
                "sweeps solve for contacts alone, and joints hold bodies of this scene; leave `sweeps` out"
            )
            raise SceneError("sweeps", params.sweeps, fault)
        return check_overlap(stepping, params.separate)

    @classmethod
    def find_contacts(cls, stepping: Any, reach: float) -> None:
        find_up_to(stepping, reach)

    @classmethod
    def found_contacts(cls, problem: Any) -> FoundContacts:
        return report.found_contacts(problem)

    @classmethod
    def transient(cls, problem: Any, params: Any) -> int:
        return PLACES


def colliding_shapes(problem: Any) -> list[Any]:
    surface, shapes = problem.names.collisions.surface, problem.names.shapes
    return [shape for shape, s in zip(shapes, surface) if s >= 0]


def part_tables(problem: Any) -> tuple[Any, Any]:
    """`Contacts.part` and `Contacts.answers`: parts that find the points of two types, and answer for one."""
    number = {
        shape.tabled_type: int(record.type)
        for shape, record in zip(problem.names.shapes, problem[Shapes].index)
    }
    types = 1 + max(number.values(), default=0)
    table, answers = np.full((types, types), -1), np.full(types, -1)
    pairs = parts_of(colliding_shapes(problem))
    for k, (a, b, _) in enumerate(pairs):
        table[number[a], number[b]] = FIRST_PAIR + k
    for k, (name, _) in enumerate(answers_of(colliding_shapes(problem))):
        answers[number[name]] = FIRST_PAIR + len(pairs) + k
    return table, answers


def place_behind(parts: Any, answers: Any) -> int:
    """Place of the part behind those of pairs and answers."""
    return 1 + max(FIRST_PAIR - 1, int(parts.max()), int(answers.max()))


#: contacts that fit before arrays become longer
PLACES = 64
