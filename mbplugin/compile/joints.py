"""Adds joints to the draft: rows of kernels or basic constraints, then enforcements and motions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mbplugin.compile.bounded import bound_rows, row_types
from mbplugin.compile.builder import Builder
from mbplugin.compile.cones import bound_cone
from mbplugin.compile.coordinates import add_coordinates
from mbplugin.compile.couplings import add_coupling
from mbplugin.compile.curves import with_placed_curves
from mbplugin.compile.draft import DraftBlock, DraftRow
from mbplugin.compile.enforced import enforce
from mbplugin.compile.frames import joint_frames
from mbplugin.compile.kernel_rows import add_kernel
from mbplugin.compile.lines import check_lines
from mbplugin.compile.motions import add_dependent_motion, place_drive
from mbplugin.compile.optional_coordinates import named_coordinates
from mbplugin.compile.other_names import refuse_other_names
from mbplugin.compile.parameters import keys_of_kind
from mbplugin.compile.points import check_points
from mbplugin.compile.references import of_time
from mbplugin.compile.row_functions import add_row_functions
from mbplugin.errors import PluginError, SceneError, errors_at
from mbplugin.interface import Basic, ConstraintKind, Measure
from mbplugin.interface.derived import refuse_short_lists
from mbplugin.model import Joint
from mbplugin.model.expression import Expression
from mbplugin.problem import JointInfo
from mbplugin.tables.purposes import MEASURE
from mbplugin.tables.records import BOUNDED_TYPES, CONE, EQUALITY, OFF, ROW_TYPES, SAME_SLOTS


def add_joints(build: Builder) -> None:
    """Add all joints, then couplings, then motions and gaps that depend on other coordinates.

    Raises SceneError, PluginError.
    """
    for k, motion in enumerate(build.system.motions):
        build.joint_motions.setdefault(motion.joint, []).append((k, motion))
    couplings, of_functions = [], []
    for k, joint in enumerate(build.system.joints):
        kind = build.registry.constraint(joint.type, f"joint[{k}].type")
        refuse_other_names(joint, kind, f"joint[{k}]")
        params = build.params(kind, keys_of_kind(kind, joint), f"joint[{k}]", type(joint).keys())
        relation, functions = kind.coupling(params), kind.functions(params)
        if relation is not None:
            couplings.append((k, joint, kind, params, relation))
        elif functions:
            of_functions.append((k, joint, kind, params, functions))
        else:
            add_joint(build, k, joint, kind, params)
    for k, joint, kind, params, relation in couplings:
        add_coupling(build, k, joint, kind, params, relation)
    for key, motion, coordinate, expression in build.dependent:
        add_dependent_motion(build, key, motion, coordinate, expression)
    for k, joint, kind, params, functions in of_functions:
        add_row_functions(build, k, joint, kind, params, functions)
    build.names.remarks += build.alignment.remarks() if build.alignment is not None else []


def add_joint(build: Builder, k: int, joint: Joint, kind: type[ConstraintKind], params: Any) -> None:
    """Add joint number k of the scene. Raises SceneError, PluginError."""
    key = f"joint[{k}]"
    if kind.kernel is None and not (kind.basics or kind.Planar or kind.coordinates):
        raise PluginError(f'constraint type "{kind.name}" has neither `basics` nor a `kernel`; define one')
    if kind.outputs and kind.kernel is None:
        names = ", ".join(kind.outputs)
        raise PluginError(
            f'constraint type "{kind.name}" has outputs ({names}) and no `kernel` that writes them'
        )
    planar = is_planar(build, joint, kind, key)
    with errors_at(key):
        kind = kind.variant(params)
    kind = kind.form(planar)
    slides = "length" in kind.coordinates
    frames = joint_frames(build.system, joint, key, build.index, planar, slides, kind.at_mass_centres)
    if kind.markers is not None and len(frames) != kind.markers:
        mend = "give `a` and `b`" if kind.markers == 2 else "list them in `markers`"
        raise SceneError(
            key, joint.name, f'type "{kind.name}" takes {kind.markers} markers, not {len(frames)}; {mend}'
        )
    if build.alignment is not None:
        origins = [np.zeros(3) if frame.body < 0 else build.bodies[frame.body].x for frame in frames]
        frames = build.alignment.of(joint.name, frames, origins)
    check_lines(build, joint, kind, frames, key)
    check_points(build, frames, key, joint.name)
    points = tuple(build.point(frame) for frame in frames)
    params = with_placed_curves(build, params, frames, key)
    with errors_at(key):
        params = kind.defaults(params, [(frame.x, frame.R) for frame in frames])
        refuse_short_lists(kind, params, len(frames))
    build.draft.extent = max(build.draft.extent, kind.extent(params))
    build.breaks[joint.name] = kind.breaks(params, joint.name)
    block = build.draft.open_block(points)
    first = len(build.draft.rows)
    if kind.kernel is not None:
        add_kernel(build, key, joint.name, kind, params, block)
    for basic in kind.basics:
        add_basic(build, key, joint.name, kind, basic, params, block)
    coordinates = {**kind.coordinates, **named_coordinates(build, joint, kind)}
    measures = {name: with_parameters(build.measure(m, kind), params) for name, m in coordinates.items()}
    repeated = add_relation(build, joint.name, kind, params, measures, block)
    info = JointInfo(
        joint.name,
        kind.name,
        str(joint.a or ""),
        str(joint.b or ""),
        len(build.draft.blocks) - 1,
        range(first, len(build.draft.rows)),
        points,
        kind,
        planar,
        params,
    )
    build.names.joints.append(info)
    build.add_lines(joint.name, kind, points, params)
    if kind.row_type != ROW_TYPES[EQUALITY]:
        block = set_row_type(build, k, joint, kind, params, block)
    enforce(build, k, joint, info)
    add_coordinates(
        build,
        k,
        joint,
        measures,
        block,
        {
            word: (key_of(params, function), function)
            for word, function in kind.motions(params).items()
            if function is not None
        },
    )
    if not block.rows and info.rows:
        build.draft.blocks.pop()
    if not info.rows:
        place_drive(build, info, block, key)
    build.names.same_measures += [
        (number, build.coordinate_measure[joint.name, name][0]) for number, name in repeated
    ]


def with_parameters(measure: Measure, params: Any) -> Measure:
    """A coordinate with the parameters of its joint, if it has inner unknowns, whose starts these have."""
    if not measure.unknowns:
        return measure
    return replace(measure, settings={name: getattr(params, name) for name in type(params).model_fields})


def key_of(params: Any, function: Any) -> str:
    """The key of a joint that gives this function."""
    return next((key for key in type(params).model_fields if getattr(params, key) is function), "")


def set_row_type(
    build: Builder, k: int, joint: Joint, kind: type[ConstraintKind], params: Any, block: DraftBlock
) -> DraftBlock:
    """Give the rows of joint number k the type of its kind. Returns a block for the rows of its motions.

    Raises SceneError, PluginError.
    """
    types = row_types(kind, block.rows)
    for row_type in types:
        if row_type not in ROW_TYPES:
            known = ", ".join(ROW_TYPES)
            raise PluginError(
                f'constraint type "{kind.name}" has rows of the type "{row_type}"; known are {known}'
            )
    name, _ = joint.enforcement
    if name != "lagrange":
        raise SceneError(
            f"joint[{k}].enforce", name, f'rows of type "{types[0]}" take no enforcement; leave it out'
        )
    if types[0] == ROW_TYPES[CONE] and types[0] not in build.own_row_types:
        bound_cone(build, joint, kind, params, block, [(f"joint[{k}].type", joint.type)] * block.rows)
    elif len(set(types)) > 1 or (types[0] in BOUNDED_TYPES and types[0] not in build.own_row_types):
        bound_rows(build, f"joint[{k}].type", joint, kind, params, block)
    else:
        for row in build.draft.rows[block.first_row : block.first_row + block.rows]:
            row.mode = OFF
        block.row_type = ROW_TYPES.index(types[0])
    return build.draft.open_block(block.points)


def is_planar(build: Builder, joint: Joint, kind: type[ConstraintKind], key: str) -> bool:
    """Whether all moving bodies of the joint are planar. Raises SceneError if the kind does not suit them."""
    names = [r.partition(".")[0] for r in (joint.markers or (joint.a, joint.b)) if r]
    moving = [name for name in names if name != "ground"]
    planar_bodies = [name for name in moving if build.bodies[build.index[name]].kind.in_plane]
    planar = bool(planar_bodies) and len(planar_bodies) == len(moving)
    if planar and kind.Planar is not None:
        return True
    if kind.kernel is not None or not (kind.basics or kind.Planar):
        return False
    if planar:
        instead = f'; use "{kind.instead}"' if kind.instead else ""
        raise SceneError(
            f"{key}.type",
            joint.type,
            f'body "{planar_bodies[0]}" is planar, and this joint also constrains other motions{instead}',
        )
    if not kind.basics:
        name = next((name for name in moving if name not in planar_bodies), "ground")
        raise SceneError(
            f"{key}.type", joint.type, f'this joint is for planar bodies, and body "{name}" is not planar'
        )
    return False


def add_basic(
    build: Builder,
    key: str,
    name: str,
    kind: type[ConstraintKind],
    basic: Basic,
    params: Any,
    block: DraftBlock,
) -> None:
    """Add the rows of a basic constraint, measure = target. Raises PluginError."""
    measure = build.measure(basic.measure, kind)
    labels = (basic.labels,) if isinstance(basic.labels, str) else basic.labels
    row = len(build.draft.rows)
    if len(labels) != measure.rows:
        raise PluginError(
            f'constraint type "{kind.name}": measure {measure.kernel.__name__} has {measure.rows} row(s), '
            f"and its labels are {len(labels)}: {', '.join(labels)}"
        )
    for label in labels:
        build.add_row(block, DraftRow(name, label, measure.unit, 0))
    target = getattr(params, basic.to) if basic.to is not None else 0.0
    if isinstance(target, Expression):
        target = of_time(build, target, f"{key}.{basic.to}")
    build.add_measure_rows(name, measure, build.draft.bind(target), row, block)


def add_relation(
    build: Builder,
    name: str,
    kind: type[ConstraintKind],
    params: Any,
    measures: dict[str, Measure],
    block: DraftBlock,
) -> list[tuple[int, str]]:
    """Add the row Σ cᵢ sᵢ = 0 over the joint's own coordinates, if the kind has one.

    Returns its measures, and the coordinates that they repeat.
    """
    terms = kind.relation(params)
    if not terms:
        return []
    row = build.add_row(block, DraftRow(name, kind.labels[-1], "m", 0))
    measure_numbers = []
    for i, (coordinate, c) in enumerate(terms):
        number = build.add_measure(name, measures[coordinate], block.points, MEASURE)
        build.draft.couple(row, number, SAME_SLOTS if i else 0, c)
        measure_numbers.append((number, coordinate))
    return measure_numbers
