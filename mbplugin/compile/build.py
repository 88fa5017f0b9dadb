"""Compiles a system: drafts its parts, then assembles the tables."""

from __future__ import annotations

from collections.abc import Sequence

from mbplugin.codegen.units import Unit
from mbplugin.compile.activity import add_activities
from mbplugin.compile.armatures import add_armatures
from mbplugin.compile.assemble import assemble, tables_of
from mbplugin.compile.belts import add_belts
from mbplugin.compile.bodies import add_bodies
from mbplugin.compile.body_content import complete_bodies
from mbplugin.compile.bounded import add_bounded_rows
from mbplugin.compile.builder import Builder
from mbplugin.compile.forces import add_forces
from mbplugin.compile.inputs import add_inputs, refuse_unread
from mbplugin.compile.joint_springs import add_joint_springs, add_joint_stops
from mbplugin.compile.joints import add_joints
from mbplugin.compile.of_plugins import complete_contacts, complete_tables
from mbplugin.compile.references import add_equations, add_states, add_stop, add_variables
from mbplugin.compile.refill import Structure, StructureError
from mbplugin.compile.shape_kinds import complete_shapes
from mbplugin.compile.tree.choose import Poses, choose_trees
from mbplugin.compile.tree.fold import fold
from mbplugin.compile.tree.form import TreeForm
from mbplugin.compile.unknowns import add_unknowns
from mbplugin.errors import SceneError
from mbplugin.hooks.registry import Registry
from mbplugin.model import System
from mbplugin.problem import Problem


def drafted(system: System, registry: Registry) -> Builder:
    """The draft of a system. Raises SceneError, PluginError."""
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
    except SceneError as error:
        raise system.locate(error) from None
    return build


def compile_system(
    system: System, registry: Registry, units: Sequence[Unit] = (), like: Problem | None = None
) -> Problem:
    """The Problem of a system; `units` are compiled with it. Raises SceneError if the scene is invalid,
    PluginError if a plugin fails.

    like: a problem whose machine code is used again; StructureError is raised if the system needs another one
    """
    build = drafted(system, registry)
    assembly = tables_of(build)
    structure = Structure.of(build, assembly)
    if like is None:
        problem = assemble(assembly, units)
    else:
        problem, structure = like.structure.problem_of(assembly, structure)
    problem.structure, problem.draft = structure, build
    return problem


def in_joint_coordinates(
    draft: Builder,
    poses: Poses,
    form: TreeForm,
    idle: frozenset[int] = frozenset(),
    like: Problem | None = None,
) -> Problem:
    """The Problem of a draft in joint coordinates (`compile/tree/`). Raises PluginError, SceneError.

    poses: of the markers of each joint in the assembled system
    form: what is asked of trees
    idle: rows that then move nothing
    like: a problem whose tables are used again if their integers are the same
    """
    build = fold(draft, choose_trees(draft, poses, form), form, idle)
    assembly = tables_of(build)
    structure = Structure.of(build, assembly)
    try:
        problem, structure = (like.structure if like is not None else structure).problem_of(
            assembly, structure
        )
    except StructureError:
        problem = assemble(assembly, ())
    problem.structure = structure
    return problem
