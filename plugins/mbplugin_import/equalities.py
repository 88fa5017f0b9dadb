"""Equality constraints of MuJoCo as joints, couplers and motions. They are soft there, and exact here."""

from __future__ import annotations

from typing import Any

from mbplugin_import.poses import Pose, of_quaternion
from mbplugin_import.robot import Closure
from mbplugin_import.words import total

CONNECT, WELD, JOINT, TENDON = range(4)
SITE = 6  # type of an object
#: names of equalities that have none
WORDS = {CONNECT: "connect", WELD: "weld", JOINT: "relation", TENDON: "relation"}
OF_JOINT = 1  # kind of a wrap: the tendon is a sum of coordinates


def add_equalities(reader: Any) -> None:
    """Add the equalities that are active; what a scene has not goes into `left_out`."""
    model, robot = reader.model, reader.robot
    drop = lambda name: robot.left_out.add("{}", [name], "equality", "equalities")
    for k in range(model.neq):
        kind = int(model.eq_type[k])
        name = reader.name("eq", k, WORDS.get(kind, "equality"))
        if not model.eq_active0[k] or "equality" in reader.off:
            drop(f"{name} (not active)")
            continue
        if kind in (CONNECT, WELD):
            robot.closures.append(closure(reader, k, reader.names.new(name)))
        elif not (kind in (JOINT, TENDON) and add_relation(reader, k, kind, name)):
            drop(name)
            continue
        reader.equalities.append(k)


def closure(reader: Any, k: int, name: str) -> Closure:
    """The joint of `connect` or `weld`, between bodies or sites."""
    model = reader.model
    first, second = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
    data = model.eq_data[k]
    if int(model.eq_objtype[k]) == SITE:
        on_a, on_b = (
            Pose(model.site_pos[s].copy(), of_quaternion(model.site_quat[s])) for s in (first, second)
        )
        first, second = int(model.site_bodyid[first]), int(model.site_bodyid[second])
    elif int(model.eq_type[k]) == CONNECT:
        on_a, on_b = Pose(data[:3].copy()), Pose(data[3:6].copy())
    else:
        on_a, on_b = Pose(data[3:6].copy(), of_quaternion(data[6:10])), Pose(data[:3].copy())
    kind = "ball" if int(model.eq_type[k]) == CONNECT else "fixed"
    return Closure(name, kind, reader.link[first], reader.link[second], on_a, on_b)


def add_relation(reader: Any, k: int, kind: int, name: str) -> bool:
    """Add y − y₀ = Σ aₙ (x − x₀)ⁿ of coordinates or of tendons that are sums of them; whether it could be."""
    model, robot = reader.model, reader.robot
    sums = [coordinate_sum(reader, kind, int(n)) for n in (model.eq_obj1id[k], model.eq_obj2id[k])]
    a = [float(c) for c in model.eq_data[k][:5]]
    if sums[0] is None or (sums[1] is None and int(model.eq_obj2id[k]) >= 0):
        return False
    (y, y0), (x, x0) = sums[0], sums[1] or ([], 0.0)
    if not x and len(y) == 1 and y[0][0] == 1.0:
        joint, _, coordinate = y[0][1].partition(".")
        robot.motions.append({"joint": joint, coordinate: y0 + a[0]})
    elif not any(a[2:]) and len(y) + (len(x) if a[1] else 0) > 1:
        terms = [*y, *((-a[1] * c, s) for c, s in x if a[1])]
        robot.couplings.append(
            {
                "name": reader.names.new(name),
                "type": "coupler",
                "joints": [s for _, s in terms],
                "factors": [c for c, _ in terms],
                "target": y0 + a[0] - a[1] * x0,
            }
        )
    elif len(y) == 1 and y[0][0] == 1.0:
        joint, _, coordinate = y[0][1].partition(".")
        inner = total([*x, (-x0, "")])
        numbers = ", ".join(map(repr, a))
        robot.motions.append({"joint": joint, coordinate: f"{y0!r} + polynomial({inner}, {numbers})"})
    else:
        return False
    return True


def coordinate_sum(reader: Any, kind: int, number: int) -> tuple[list[tuple[float, str]], float] | None:
    """Factors and coordinates of a joint or a fixed tendon, and its value at qpos0; None if there is none."""
    model = reader.model
    if number < 0:
        return None
    if kind == JOINT:
        name, coordinate = reader.joint[number]
        return (
            ([(1.0, f"{name}.{coordinate}")], float(model.qpos0[model.jnt_qposadr[number]]))
            if coordinate
            else None
        )
    terms = tendon_sum(reader, number)
    return None if terms is None else (terms, float(model.tendon_length0[number]))


def tendon_sum(reader: Any, tendon: int) -> list[tuple[float, str]] | None:
    """Factors and coordinates of a fixed tendon; None for one that runs over sites."""
    model = reader.model
    terms = []
    first = int(model.tendon_adr[tendon])
    for w in range(first, first + int(model.tendon_num[tendon])):
        if int(model.wrap_type[w]) != OF_JOINT:
            return None
        name, coordinate = reader.joint[int(model.wrap_objid[w])]
        if not coordinate:
            return None
        terms.append((float(model.wrap_prm[w]), f"{name}.{coordinate}"))
    return terms
