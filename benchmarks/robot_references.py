"""States and accelerations of robots by other engines, and how ours differ: pin for URDF, mujoco for MJCF and
URDF. The equalities are exact here as there, and everything is computed from the same file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import mbplugin as mb
from mbplugin.model.symbols import Variable

Array = np.ndarray[Any, Any]


@dataclass
class Reference:
    """A state and its accelerations, as the other engine has them.

    bodies:      name -> position, axes, velocity, angular velocity of the body's frame, world axes; none if
                 the scene is in that state as it is written
    coordinates: name -> value, speed, acceleration
    free:        name -> (6,) linear acceleration of the frame's origin and angular acceleration, world axes
    """

    bodies: dict[str, tuple[Array, Array, Array, Array]]
    coordinates: dict[str, tuple[float, float, float]]
    free: dict[str, Array]


def quaternion(R: Array) -> list[float]:
    from mbplugin.interface import quaternion_of

    return list(quaternion_of(R))


def in_state(folder: Path, reference: Reference) -> mb.System:
    """The imported scene, started in the reference's state, with all accelerations as variables."""
    system = mb.System.from_file(folder)
    values: dict[str, Any] = {}
    for k, body in enumerate(system.bodies if reference.bodies else ()):
        x, R, v, w = reference.bodies[body.name]
        values |= {
            f"body[{k}].position": x.tolist(),
            f"body[{k}].orientation": {"quaternion": quaternion(R)},
            f"body[{k}].velocity": v.tolist(),
            f"body[{k}].angular_velocity": w.tolist(),
        }
    system = mb.System.from_file(folder, set=values)
    for k, name in enumerate(reference.coordinates):
        system.add(Variable(name=f"its_acceleration_{k}", value=f"acceleration({name})"))
    return system


def differences(folder: Path, reference: Reference) -> tuple[float, float, float]:
    """Largest differences of values, speeds and accelerations, relative to the largest of each kind."""
    system = in_state(folder, reference)
    simulation = system.simulate()
    ours, theirs = [], []
    for k, (name, numbers) in enumerate(reference.coordinates.items()):
        c = simulation.coordinate(name)
        ours.append((c.value, c.speed, simulation.output(f"its_acceleration_{k}")))
        theirs.append(numbers)
    a, b = np.reshape(ours, (-1, 3)).T, np.reshape(theirs, (-1, 3)).T
    worst = [np.abs(x - y).max(initial=0.0) for x, y in zip(a, b)]
    sizes = [np.abs(y).max(initial=1e-3) for y in b]
    for name, acceleration in reference.free.items():
        ours_of_body = np.concatenate([simulation[name].acceleration, simulation[name].angular_acceleration])
        worst[2] = max(worst[2], np.abs(ours_of_body - acceleration).max())
        sizes[2] = max(sizes[2], np.abs(acceleration).max())
    values, speeds, accelerations = (float(w / s) for w, s in zip(worst, sizes))
    return values, speeds, accelerations


# pin


def of_pin(file: Path, names: list[str], rng: np.random.Generator, floating: bool = False) -> Reference:
    """A random state of a URDF and its accelerations under gravity and damping, by pin.

    Joints that mimic others are eliminated: with q = S y + c, the equations are Sᵀ M S ÿ = Sᵀ τ.
    """
    import pinocchio as pin

    root = pin.JointModelFreeFlyer() if floating else None
    model = pin.buildModelFromUrdf(str(file), root) if floating else pin.buildModelFromUrdf(str(file))
    data = model.createData()
    S, c = mimicked(file, model)
    q = pin.neutral(model)
    y = rng.uniform(-1.0, 1.0, S.shape[1])
    full = S @ y + c
    v = S @ rng.uniform(-1.0, 1.0, S.shape[1])
    q = pin.integrate(model, q, full)
    M = pin.crba(model, data, q)
    M = np.triu(M) + np.triu(M, 1).T
    tau = -model.damping * v - pin.nle(model, data, q, v)
    a = S @ np.linalg.solve(S.T @ M @ S, S.T @ tau)
    pin.forwardKinematics(model, data, q, v, a)
    pin.updateFramePlacements(model, data)
    bodies = {}
    free = {}
    world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    frames = {identifier(frame.name): k for k, frame in enumerate(model.frames) if frame.type == pin.BODY}
    for name in names:
        k = frames[name]
        placement, velocity = data.oMf[k], pin.getFrameVelocity(model, data, k, world)
        bodies[name] = (placement.translation, placement.rotation, velocity.linear, velocity.angular)
        if floating and model.frames[k].parentJoint == 1 and not free:
            acceleration = pin.getFrameClassicalAcceleration(model, data, k, world)
            free[name] = np.concatenate([acceleration.linear, acceleration.angular])
    coordinates = {}
    for joint, name in enumerate(model.names):
        if joint == 0 or model.joints[joint].nv != 1:
            continue
        i = model.joints[joint].idx_v
        unit = "length" if "P" in model.joints[joint].shortname().removeprefix("JointModel")[:1] else "angle"
        coordinates[f"{identifier(name)}.{unit}"] = (full[i], v[i], a[i])
    return Reference(bodies, coordinates, free)


def mimicked(file: Path, model: Any) -> tuple[Array, Array]:
    """S (nv, n) and c (nv,) of q = S y + c, from the <mimic> elements of the file."""
    from xml.etree import ElementTree

    S, c = np.eye(model.nv), np.zeros(model.nv)
    gone = []
    for element in ElementTree.parse(file).getroot().findall("joint"):
        mimic = element.find("mimic")
        names = [] if mimic is None else [element.get("name"), mimic.get("joint")]
        if not names or not all(map(model.existJointName, names)):
            continue
        i, j = (model.joints[model.getJointId(name)].idx_v for name in names)
        S[i] = 0.0
        S[i, j] = float(mimic.get("multiplier", 1.0))
        c[i] = float(mimic.get("offset", 0.0))
        gone.append(i)
    return np.delete(S, gone, axis=1), c


# mujoco

#: mujoco's numbers for types of joints and of equalities
FREE, BALL, SLIDE, HINGE = range(4)
CONNECT, WELD, JOINT, TENDON = range(4)
EQUALITY_OFF = 3  # bits: all constraints, equalities
#: arrays of what an import lists as left out
LEFT_OUT = [
    *("actuator_forcelimited", "jnt_actfrclimited", "tendon_actfrclimited", "body_gravcomp"),
    *("tendon_stiffness", "tendon_stiffnesspoly", "tendon_damping", "tendon_dampingpoly", "tendon_armature"),
    *("jnt_stiffnesspoly", "dof_dampingpoly", "actuator_dampingpoly"),
]


def of_mujoco(
    file: Path, folder: Path, rng: np.random.Generator, key: str = "", keys: dict[str, Any] | None = None
) -> Reference:
    """Import an MJCF model at a state that satisfies its equalities; its accelerations by mujoco.

    The scene is written into `folder`. The state is that of the keyframe `key`, or random; it is moved onto
    the equalities. M, bias and passive forces, actuators with random controls and the Jacobians of the
    equalities are mujoco's; the equalities are exact here:  M a = τ + Jᵀ λ,  J a = −J̇ v. Limits, contacts,
    friction loss and what an import lists as left out are off.
    """
    import mujoco
    from mbplugin_import.mjcf import MjcfKeys, Reader
    from mbplugin_import.mjcf_file import compiled
    from mbplugin_import.scene import scene_of
    from mbplugin_import.words import LeftOut

    from mbplugin.imports.one_scene import write

    left_out = LeftOut()
    model, params = compiled(file, left_out), MjcfKeys(limits=False, **(keys or {}))
    reader = Reader(model, params, left_out)
    data = mujoco.MjData(model)
    if key:
        mujoco.mj_resetDataKeyframe(model, data, names_of_keys(model).index(key))
    else:
        mujoco.mj_integratePos(model, data.qpos, rng.uniform(-0.5, 0.5, model.nv), 1.0)
        data.qvel[:] = rng.uniform(-1.0, 1.0, model.nv)
        data.ctrl[:] = rng.uniform(-1.0, 1.0, model.nu)
    onto_equalities(model, data)
    reader.qpos, reader.qvel, reader.ctrl = (x.copy() for x in (data.qpos, data.qvel, data.ctrl))
    imported = scene_of(reader.whole(), params)
    folder.mkdir()
    write(imported, folder, "mjcf")
    without_left_out(model, {entry["name"] for entry in imported.tables.get("input", [])})
    v, a = data.qvel.copy(), accelerations_of(model, data)
    free, coordinates = {}, {}
    for j, (name, coordinate) in reader.joint.items():
        q, dof = model.jnt_qposadr[j], model.jnt_dofadr[j]
        if coordinate:
            coordinates[f"{name}.{coordinate}"] = (data.qpos[q], v[dof], a[dof])
            continue
        body = int(model.jnt_bodyid[j])
        jacobians = [np.zeros((3, model.nv)) for _ in range(4)]
        mujoco.mj_jac(model, data, jacobians[0], jacobians[1], data.xpos[body], body)
        mujoco.mj_jacDot(model, data, jacobians[2], jacobians[3], data.xpos[body], body)
        Jp, Jr, dp, dr = jacobians
        free[identifier(reader.link[body])] = np.concatenate([Jp @ a + dp @ v, Jr @ a + dr @ v])
    return Reference({}, coordinates, free)


def onto_equalities(model: Any, data: Any) -> None:
    """Move the state onto the equalities, by the least change."""
    import mujoco

    for _ in range(50):
        phi, J, _ = equalities(model, data)
        if np.abs(phi).max(initial=0.0) < 1e-14:
            break
        mujoco.mj_integratePos(model, data.qpos, -np.linalg.lstsq(J, phi, rcond=1e-9)[0], 1.0)
    phi, J, _ = equalities(model, data)
    assert np.abs(phi).max(initial=0.0) < 1e-12, "the loops do not close"
    for _ in range(2):
        data.qvel -= np.linalg.lstsq(J, J @ data.qvel, rcond=1e-9)[0]


def accelerations_of(model: Any, data: Any) -> Array:
    """(nv,) accelerations with exact equalities."""
    import mujoco

    mujoco.mj_forward(model, data)
    _, J, bias = equalities(model, data)
    M = full_mass(model, data)
    free_motion = np.linalg.solve(M, data.qfrc_passive + data.qfrc_actuator - data.qfrc_bias)
    X = np.linalg.solve(M, J.T)
    return free_motion + X @ np.linalg.lstsq(J @ X, -bias - J @ free_motion, rcond=1e-11)[0]


def urdf_model(file: Path) -> Any:
    """The model that mujoco makes of a URDF without its shapes. Raises ValueError."""
    from xml.etree import ElementTree

    import mujoco

    root = ElementTree.parse(file).getroot()
    for link in root.iter("link"):
        for shape in (*link.findall("visual"), *link.findall("collision")):
            link.remove(shape)
    compiler = ElementTree.SubElement(ElementTree.SubElement(root, "mujoco"), "compiler")
    compiler.attrib |= {"fusestatic": "false", "discardvisual": "true"}
    return mujoco.MjModel.from_xml_string(ElementTree.tostring(root, encoding="unicode"))


def of_urdf(model: Any, system: mb.System, rng: np.random.Generator) -> Reference:
    """A random state of the model of a URDF that satisfies its mimicked joints; its accelerations under
    gravity and damping, by mujoco. Of joints that a scene has otherwise the motion of bodies tells.
    """
    import mujoco

    without_left_out(model, set())
    data = mujoco.MjData(model)
    mujoco.mj_integratePos(model, data.qpos, rng.uniform(-0.5, 0.5, model.nv), 1.0)
    data.qvel[:] = rng.uniform(-1.0, 1.0, model.nv)
    onto_equalities(model, data)
    v, a = data.qvel.copy(), accelerations_of(model, data)
    number = {identifier(model.body(k).name): k for k in range(1, model.nbody)}
    bodies, free, coordinates = {}, {}, {}
    for body in system.bodies:
        k = number[body.name]
        x, R = data.xpos[k].copy(), data.xmat[k].reshape(3, 3).copy()
        Jp, Jr, dp, dr = (np.zeros((3, model.nv)) for _ in range(4))
        mujoco.mj_jac(model, data, Jp, Jr, x, k)
        mujoco.mj_jacDot(model, data, dp, dr, x, k)
        bodies[body.name] = (x, R, Jp @ v, Jr @ v)
        free[body.name] = np.concatenate([Jp @ a + dp @ v, Jr @ a + dr @ v])
    joints = {joint.name: joint.type for joint in system.joints}
    for j in range(model.njnt):
        name = identifier(model.joint(j).name)
        coordinate = {"revolute": "angle", "translational": "length"}.get(joints.get(name, ""))
        if coordinate:
            q, dof = model.jnt_qposadr[j], model.jnt_dofadr[j]
            coordinates[f"{name}.{coordinate}"] = (data.qpos[q], v[dof], a[dof])
    return Reference(bodies, coordinates, free)


def without_left_out(model: Any, inputs: set[str]) -> None:
    """Switch off what a scene does not have, and actuators but those of `inputs`."""
    import mujoco

    off = ("CONTACT", "LIMIT", "FRICTIONLOSS", "CLAMPCTRL")
    model.opt.disableflags |= sum(int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}")) for name in off)
    model.opt.density = model.opt.viscosity = 0.0
    for name in LEFT_OUT:
        if hasattr(model, name):
            getattr(model, name)[:] = 0
    of_round_ones = np.isin(model.jnt_type[model.dof_jntid], (FREE, BALL))
    model.dof_damping[model.jnt_type[model.dof_jntid] == FREE] = 0.0
    model.jnt_stiffness[model.jnt_type == FREE] = 0.0
    if model.dof_armature[of_round_ones].any():
        model.dof_armature[of_round_ones] = 0.0
        mujoco.mj_setConst(model, mujoco.MjData(model))
    for k in range(len(model.actuator_trntype)):
        if identifier(model.actuator(k).name or f"actuator_{k}") not in inputs:
            model.actuator_gaintype[k] = model.actuator_biastype[k] = 0
            model.actuator_gainprm[k] = 0.0


def full_mass(model: Any, data: Any) -> Array:
    """(nv, nv) mass matrix, with armature."""
    import mujoco

    M = np.zeros((model.nv, model.nv))
    for k in range(model.nv):
        unit, out = np.zeros(model.nv), np.zeros(model.nv)
        unit[k] = 1.0
        mujoco.mj_mulM(model, data, out, unit)
        M[:, k] = out
    return M


def equalities(model: Any, data: Any) -> tuple[Array, Array, Array]:
    """Residual, Jacobian and J̇ v of the active equalities at the state in `data`."""
    import mujoco

    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    phi, rows, bias = [np.zeros(0)], [np.zeros((0, model.nv))], [np.zeros(0)]
    v = data.qvel
    for k in range(model.neq):
        if not model.eq_active0[k] or model.opt.disableflags & EQUALITY_OFF:
            continue
        kind, first, second, d = (
            int(model.eq_type[k]),
            model.eq_obj1id[k],
            model.eq_obj2id[k],
            model.eq_data[k],
        )
        if kind in (CONNECT, WELD):
            weld = kind == WELD
            anchors = (d[3:6], d[:3]) if weld else (d[:3], d[3:6])
            ends = []
            for body, anchor in zip((first, second), anchors):
                point = data.xpos[body] + data.xmat[body].reshape(3, 3) @ anchor
                J = [np.zeros((3, model.nv)) for _ in range(4)]
                mujoco.mj_jac(model, data, J[0], J[1], point, body)
                mujoco.mj_jacDot(model, data, J[2], J[3], point, body)
                ends.append((point, *J))
            (p, Jp, Jr, dp, dr), (p2, Jp2, Jr2, dp2, dr2) = ends
            phi.append(p - p2)
            rows.append(Jp - Jp2)
            bias.append((dp - dp2) @ v)
            if weld:
                R = [data.xmat[body].reshape(3, 3) for body in (first, second)]
                relative = np.zeros(9)
                mujoco.mju_quat2Mat(relative, d[6:10] / np.linalg.norm(d[6:10]))
                E = R[0] @ relative.reshape(3, 3) @ R[1].T
                phi.append(0.5 * np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]]))
                rows.append(Jr - Jr2)
                bias.append((dr - dr2) @ v)
        else:
            of = [relation(model, data, kind, n) for n in (first, second)]
            (y, Jy), (x, Jx) = of
            powers = np.arange(5)
            f = d[:5] @ x**powers
            slope = d[1:5] @ (powers[1:] * x ** powers[:-1])
            curve = d[2:5] @ (powers[2:] * powers[1:-1] * x ** powers[:-2])
            phi.append(np.array([y - f]))
            rows.append((Jy - slope * Jx)[None])
            bias.append(np.array([-curve * (Jx @ v) ** 2]))
    return np.concatenate(phi), np.concatenate(rows), np.concatenate(bias)


def relation(model: Any, data: Any, kind: int, number: int) -> tuple[float, Array]:
    """Deviation of a joint or fixed tendon from its value at qpos0, and its Jacobian."""

    J = np.zeros(model.nv)
    if number < 0:
        return 0.0, J
    if kind == JOINT:
        J[model.jnt_dofadr[number]] = 1.0
        q = model.jnt_qposadr[number]
        return data.qpos[q] - model.qpos0[q], J
    for w in range(model.tendon_adr[number], model.tendon_adr[number] + model.tendon_num[number]):
        J[model.jnt_dofadr[model.wrap_objid[w]]] += model.wrap_prm[w]
    return data.ten_length[number] - model.tendon_length0[number], J


def identifier(name: str) -> str:
    """A name as the importers write it."""
    from mbplugin_import.words import identifier as written

    return written(name)


def names_of_keys(model: Any) -> list[str]:
    return [model.key(k).name for k in range(model.nkey)]
