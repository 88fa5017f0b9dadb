"""Imported robots against pin and mujoco: accelerations, and the time of an import.

    python benchmarks/robots.py FILE.urdf FILE.xml ...

Prints for each model: bodies, degrees of freedom, seconds of the import, and the largest differences of joint
coordinates, their speeds and accelerations from those of pin (URDF) or mujoco (MJCF), each relative to the
largest of its kind, over random consistent states. Damping and armature are on; limits, contacts, friction
loss and soft equalities are off. The references compute everything from the same file by themselves.
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import mbplugin as mb
from mbplugin.api import plugins
from mbplugin.imports.one_scene import import_scene
from mbplugin.model.symbols import Variable

Array = np.ndarray[Any, Any]


@dataclass
class Reference:
    """A state and its accelerations, as the other engine has them.

    bodies:      name -> position, axes, velocity, angular velocity of the body's frame, world axes
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
    for k, body in enumerate(system.bodies):
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
    simulation = in_state(folder, reference).simulate()
    ours, theirs = [], []
    for k, (name, numbers) in enumerate(reference.coordinates.items()):
        c = simulation.coordinate(name)
        ours.append((c.value, c.speed, simulation.output(f"its_acceleration_{k}")))
        theirs.append(numbers)
    a, b = np.array(ours).T, np.array(theirs).T
    worst = [np.abs(x - y).max(initial=0.0) for x, y in zip(a, b)]
    sizes = [np.abs(y).max(initial=1e-3) for y in b]
    for name, acceleration in reference.free.items():
        # of the origin, from that of the mass centre:  a = a_c + α × r + ω × (ω × r)
        body = simulation[name]
        properties = next(b for b in simulation._prepared.system.bodies if b.name == name).mass_properties()
        r = -reference.bodies[name][1] @ properties.center_of_mass
        w, alpha = body.angular_velocity, body.angular_acceleration
        of_origin = body.acceleration + np.cross(alpha, r) + np.cross(w, np.cross(w, r))
        worst[2] = max(worst[2], np.abs(np.concatenate([of_origin, alpha]) - acceleration).max())
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


def identifier(name: str) -> str:
    """A name as the importers write it."""
    from mbplugin_import.scene import identifier as written

    return written(name)


def compare(file: Path, states: int = 3, keys: dict[str, Any] | None = None) -> dict[str, Any]:
    """One line of the table, for one model."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "scene"
        begin = time.perf_counter()
        system = import_scene(file, folder, plugins()[0], keys or {})
        seconds = time.perf_counter() - begin
        names = [body.name for body in system.bodies]
        floating = bool((keys or {}).get("floating"))
        worst = np.zeros(3)
        for _ in range(states):
            worst = np.maximum(worst, differences(folder, of_pin(file, names, rng, floating)))
    errors = dict(zip(("q", "v", "a"), worst.tolist()))
    return {"model": file.stem, "bodies": len(names), "import [s]": seconds, **errors}


def main() -> None:
    for argument in sys.argv[1:]:
        line = compare(Path(argument))
        shown = (
            f"{key} {value:.2e}" if isinstance(value, float) else f"{value}" for key, value in line.items()
        )
        print("  ".join(shown))


if __name__ == "__main__":
    main()
