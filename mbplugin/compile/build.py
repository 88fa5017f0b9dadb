"""Compiles a system: drafts its parts, then assembles the tables."""

from __future__ import annotations

from collections.abc import Sequence

from mbplugin.codegen.units import Unit
from mbplugin.compile.activity import add_activities
from mbplugin.compile.armatures import add_armatures
from mbplugin.compile.assemble import assemble
from mbplugin.compile.belts import add_belts
from mbplugin.compile.bodies import add_bodies
from mbplugin.compile.body_content import complete_bodies
from mbplugin.compile.bounded import add_bounded_rows
from mbplugin.compile.builder import Builder
from mbplugin.compile.forces import add_forces
from mbplugin.compile.inputs import add_inputs, refuse_unread
from mbplugin.compile.joint_springs import add_joint_springs
from mbplugin.compile.joint_stops import add_joint_stops
from mbplugin.compile.joints import add_joints
from mbplugin.compile.of_plugins import complete_contacts, complete_tables
from mbplugin.compile.references import add_equations, add_states, add_stop, add_variables
from mbplugin.compile.refill import Layout, refilled
from mbplugin.compile.shape_kinds import complete_shapes
from mbplugin.compile.structure import Structure, structure_of
from mbplugin.compile.tree.choose import Poses, choose_trees
from mbplugin.compile.tree.fold import add_momenta, fold
from mbplugin.compile.tree.form import TreeForm
from mbplugin.compile.unknowns import add_unknowns
from mbplugin.errors import SceneError
from mbplugin.hooks.registry import Registry
from mbplugin.model import System
from mbplugin.problem import Problem


def compile_system(
    system: System,
    registry: Registry,
    units: Sequence[Unit] = (),
    structure: Structure | None = None,
    assembled: Poses | None = None,
    form: TreeForm = TreeForm(),  # noqa: B008 - it is frozen
    idle: frozenset[int] = frozenset(),
) -> Problem:
    """The Problem of a system; `units` are compiled with it. Raises SceneError if the scene is invalid,
    PluginError if a plugin fails.

    structure: that of a problem whose machine code is used again; StructureError is raised if the system has
    another one
    assembled: poses of the markers of each joint in the assembled system; the problem then has joint
    coordinates (`compile/tree/`)
    form: what is asked of trees
    idle: rows that then move nothing
    """
    build = Builder(system, registry)
    try:
        complete_bodies(system, registry)
        complete_shapes(system, registry)
        complete_contacts(system, registry)
        complete_tables(system, registry)
        add_bodies(build)
        add_states(build)
        add_inputs(build)
        add_joints(build)
        add_armatures(build)
        add_forces(build)
        add_joint_springs(build)
        add_joint_stops(build)
        add_bounded_rows(build)
        add_belts(build)
        add_equations(build)
        add_variables(build)
        add_activities(build)
        add_stop(build)
        add_unknowns(build)
        refuse_unread(build)
        if assembled is not None:
            build.draft.folded = fold(build, choose_trees(build, assembled, form), form, idle)
            if form.momenta:
                add_momenta(build, build.draft.folded)
    except SceneError as error:
        raise system.locate(error) from None
    own = structure_of(build)
    if structure is not None:
        own.compare(structure)
        own = structure
    problem = refilled(own.layout, build) if own.layout is not None else None
    if problem is None:
        rates = dict(build.start_rates)
        problem = assemble(build.draft, build.bodies, build.names, rates, list(units), system)
        if structure is not None:
            own.layout = Layout.of(problem, build)
    problem.structure, problem.folded = own, build.draft.folded
    return problem
