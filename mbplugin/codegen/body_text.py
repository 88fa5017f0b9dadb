"""Source text of the batch kernels of body kinds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mbplugin.codegen.outputs import body_outputs
from mbplugin.codegen.wrapper import HEAD, Shape, arguments, loop

#: name of each group of tables in the generated statements
GROUPS = {
    "state": "State",
    "rates": "Rates",
    "markers": "Markers",
    "bodies": "Bodies",
    "jobs": "WrenchJobs",
    "blocks": "Blocks",
    "wrenches": "Wrenches",
    "tangents": "Tangents",
    "parttangents": "PartTangents",
    "increments": "Increments",
    "nodal": "Nodal",
}
#: the same of functions on markers of the transient rows
TRANSIENT_GROUPS = GROUPS | {
    "markers": "TransientMarkers",
    "jobs": "TransientJobs",
    "blocks": "TransientRows",
}
#: statements that find the body k of batch record i, where k is not i
OWNERS = {
    "locate": ["k = markers.index[i].body"],
    "point_at": ["k = markers.index[i].body"],
    "geometric": ["k = markers.index[i].body"],
    "jacobian": ["k = markers.index[i].body"],
    "nodes": ["n = nodal.index[i]", "k = n.body"],
    "stress": ["n = nodal.index[i]", "k = n.body"],
    "to_generalized_force": ["j = jobs.index[i]", "k = markers.index[j.marker].body"],
}
#: arguments of `to_generalized_force` that change with each wrench
OF_EACH_WRENCH = ("force", "torque", "out")


def body_text(role: str, function: Callable[..., Any], shape: Shape, owner: str) -> str:
    """Source text of the wrapper of one function of a body kind; `owner` names it in messages. Raises
    PluginError if the function has an unknown argument.
    """
    names = arguments(function, "to_generalized_force" if role == "jacobian" else role, owner)
    source = sources(role, shape)
    given = {name: f"arg_{name} = {source[name]}" for name in names}
    call = "author(" + ", ".join(f"arg_{name}" for name in names) + ")"
    body = [*OWNERS.get(role, ["k = i"]), "b = bodies.index[k]"]
    if role == "to_generalized_force":
        body += [line for name, line in given.items() if name not in OF_EACH_WRENCH]
        body += wrench_lines([line for name, line in given.items() if name in OF_EACH_WRENCH], call, shape)
    elif role == "jacobian":
        body += [line for name, line in given.items() if name not in OF_EACH_WRENCH]
        body += unit_wrench_lines(
            [line for name, line in given.items() if name in OF_EACH_WRENCH], call, shape
        )
    else:
        body += given.values()
        body += {"locate": locate_lines, "inertia": inertia_lines}.get(role, lambda call, shape: [call])(
            call, shape
        )
    factor = "profile import cholesky_profile" if shape.profile else "dense import cholesky"
    groups = TRANSIENT_GROUPS if shape.transient else GROUPS
    return HEAD + f"from mbplugin.math.{factor}\n" + "{imports}\n" + loop(body, groups)


def sources(role: str, shape: Shape) -> dict[str, str]:
    """Argument name -> expression for it."""
    nq, nv, scratch, record = (str(shape.size(name)) for name in ("nq", "nv", "scratch", "record"))
    marker = "j.marker" if role == "to_generalized_force" else "i"
    if shape.parts and not shape.transient:
        # each point has a record of its own length
        record = f"markers.p.shape[0] - markers.index[{marker}].first_parameter"
    texts = {
        "x": f"load(markers.x, {marker})",
        "R": f"load_matrix(markers.R, {marker})",
        "r": f"part(markers.p, markers.index[{marker}].first_parameter, {record})",
        "q": f"part(state.q, b.first_q, {nq})",
        "v": f"part(state.v, b.first_v, {nv})",
        "p": "part(bodies.p, b.first_parameter, bodies.p.shape[0] - b.first_parameter)",
        "ints": "part(bodies.ints, b.first_integer, bodies.ints.shape[0] - b.first_integer)",
        "c": f"part(bodies.scratch, b.first_scratch, {scratch})",
        "part_number": "markers.index[i].part - b.first_part",
        "face_number": "markers.index[i].face",
        "ends": f"part(bodies.profile, b.first_profile, {nv} + 1)",
        "dq": f"part(rates.v_dot, b.first_v, {nv})",
    }
    by_role = {
        "geometric": {
            "force": "(tangents.wrench[i, 0], tangents.wrench[i, 1], tangents.wrench[i, 2])",
            "torque": "(tangents.wrench[i, 3], tangents.wrench[i, 4], tangents.wrench[i, 5])",
        },
        "retract_tangent": {"dq": f"part(increments.dq, b.first_v, {nv})"},
        "jacobian": {"force": "force", "torque": "torque", "out": "out"},
        "to_generalized_force": {
            "force": "(source[s], source[s + 1], source[s + 2])",
            "torque": "(source[s + 3], source[s + 4], source[s + 5])",
            "out": "out",
        },
    }
    outputs = {name: place.text for name, place in body_outputs(role, shape).items()}
    return texts | by_role.get(role, {}) | outputs


def locate_lines(call: str, shape: Shape) -> list[str]:
    """Store the pose, twist and Ḣv of a marker in its record."""
    return [
        f"x, R, v, w, dv, dw = {call}",
        "store(markers.x, i, x)",
        "store(markers.v, i, v)",
        "store(markers.w, i, w)",
        "store(markers.v_bias, i, dv)",
        "store(markers.w_bias, i, dw)",
        "for n in range(9):",
        "    markers.R[i, n] = R[n]",
    ]


def inertia_lines(call: str, shape: Shape) -> list[str]:
    """M of a body, and its Cholesky factor."""
    nv = shape.size("nv")
    factor = f"cholesky(bodies.L, b.first_mass, {nv})"
    if shape.profile:
        factor = f"cholesky_profile(bodies.L, b.first_mass, bodies.profile, b.first_profile, {nv})"
    return [
        call,
        f"for n in range({'b.mass_entries' if shape.profile else nv * nv}):",
        "    bodies.L[b.first_mass + n] = bodies.M[b.first_mass + n]",
        factor,
    ]


def wrench_lines(statements: list[str], call: str, shape: Shape) -> list[str]:
    """Statements for the generalized forces of the wrenches of one job: written, or added if an earlier job
    has written.
    """
    nv = "j.width" if shape.parts else str(shape.size("nv"))
    origin, target = (
        ("wrenches.wrench", "jobs.generalized") if shape.of_forces else ("blocks.G_marker", "blocks.G")
    )
    if shape.parts and not shape.of_forces and not shape.transient:
        return row_on_parts_lines(statements, call)
    on_body = [
        f"source = {origin}",
        f"target = {target}",
        "for r in range(j.rows):",
        "    s = j.source + r * j.stride",
        f"    o = j.target + r * {nv}",
        "    if j.add == 0:",
        f"        out = part(target, o, {nv})",
        "    else:",
        f"        out = part(jobs.spare, 0, {nv})",
        *(f"    {line}" for line in statements),
        f"    {call}",
        "    if j.add == 1:",
        f"        for n in range({nv}):",
        "            target[o + n] += out[n]",
    ]
    if not shape.parts or shape.of_forces:
        return on_body
    indented = lambda lines: [f"    {line}" for line in lines]
    on_face = indented(row_on_parts_lines(statements, call))
    return ["if j.pieces == 0:", *indented(on_body), "else:", *on_face]


def row_on_parts_lines(statements: list[str], call: str) -> list[str]:
    """Statements for rows over the parts that a point moves with: each part has its own place in G."""
    return [
        "for r in range(j.rows):",
        "    s = j.source + r * j.stride",
        "    out = part(jobs.spare, 0, j.width)",
        *(f"    {line.replace('source[', 'blocks.G_marker[')}" for line in statements),
        f"    {call}",
        "    at = 0",
        "    for n in range(j.first_piece, j.first_piece + j.pieces):",
        "        piece = jobs.piece[n]",
        "        o = piece.target + r * piece.nv",
        "        for l in range(piece.nv):",
        "            before = blocks.G[o + l] if piece.add == 1 else 0.0",
        "            blocks.G[o + l] = before + out[at + l]",
        "        at += piece.nv",
    ]


def unit_wrench_lines(statements: list[str], call: str, shape: Shape) -> list[str]:
    """Statements for H of one marker, whose row k is the generalized force of the k-th unit wrench."""
    lines, nv, start, H = [], str(shape.size("nv")), "tangents.jacobian[i]", "tangents.H"
    if shape.parts:
        nv, start, H = "parttangents.moved[i]", "parttangents.jacobian[i]", "parttangents.H"
    for k in range(6):
        numbers = [float(k == i) for i in range(6)]
        lines += [
            f"force, torque = {tuple(numbers[:3])}, {tuple(numbers[3:])}",
            f"out = part({H}, {start} + {k} * {nv}, {nv})",
            *statements,
            call,
        ]
    return lines
