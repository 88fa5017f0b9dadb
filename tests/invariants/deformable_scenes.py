"""Scenes by seed with bodies that deform: with rigid ones in a row, which joints and springs hold, above a
floor or free. Numbers are thousandths; `text` writes images of a scene as well (`images.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scene_text
from images import SAME, Image

Array = Any
SIZE = (0.3, 0.16, 0.12)
DIVISIONS = (2, 1, 1)
#: distance of the bodies of a row [m]
APART = 0.34
GRAVITY = 9.81
RIGID = "spatial"
#: kinds whose elements are their own mirror image; those of boxes of tetrahedra are not
EVEN = (RIGID, "pseudo_rigid linear", "pseudo_rigid neo_hookean", "hex8")
KINDS = (*EVEN, "pseudo_rigid saint_venant_kirchhoff", "tet4", "tet10")
JOINTS = ("ball", "revolute", "fixed", "universal", "cylindrical", "translational", "spring", "none")
POLAR_AXES = ("translational",)


@dataclass(frozen=True)
class Placed:
    kind: str
    position: Array
    velocity: Array
    spin: Array

    @property
    def is_mesh(self) -> bool:
        return self.kind in ("hex8", "tet4", "tet10")


@dataclass(frozen=True)
class DeformableScene:
    seed: int
    solver: str  # "contact", with a floor; "rk", without
    bodies: tuple[Placed, ...]
    joints: tuple[str, ...]  # from each body to the next
    axes: tuple[Array, ...]
    coupling: str  # of the ends of meshes
    to_ground: bool  # the first body hangs by a ball joint or hinge
    damping: float
    friction: float
    restitution: float
    step: float

    @property
    def is_even(self) -> bool:
        return all(body.kind in EVEN for body in self.bodies)

    def text(
        self, steps: int, image: Image = SAME, order: int | None = None, frames: int = 0, **keys: Any
    ) -> str:
        """The scene file, of so many steps; frames: one for each step, by default."""
        collides = self.solver == "contact"
        at = np.array(self.bodies[0].position) - [0.5 * APART, 0.0, 0.0]
        floor = {"type": "plane", "size": [4, 4]} if collides else None
        parts = [
            f"# {self.solver}, seed {self.seed}\n",
            scene_text.world(
                gravity=image.polar([0.0, 0.0, -GRAVITY if collides or self.to_ground else 0.0]),
                given_velocities="impulse" if self.joints or self.to_ground else None,
                collide=collides or None,
                material="elastic" if collides else None,
                shape=[image.shape_of_ground(floor)] if floor else None,
                marker=[{"name": "support", "position": image.polar(at)}] if self.to_ground else None,
            ),
            scene_text.table(
                "material",
                name="elastic",
                young=4e5,
                poisson=0.3,
                density=1000,
                stiffness_damping=self.damping,
                friction=self.friction if collides else None,
                restitution=self.restitution if collides else None,
            ),
        ]
        bodies = [self.body_text(k, image) for k in range(len(self.bodies))]
        joints = [self.joint_text(k, image) for k in range(len(self.joints))]
        if self.to_ground:
            joints.append(scene_text.joint("support", "ball", "ground.support", "b0.left"))
        if order is not None:
            rng = np.random.default_rng(order)
            bodies, joints = ([each[k] for k in rng.permutation(len(each))] for each in (bodies, joints))
        solver: dict[str, Any] = {"type": self.solver, "end": self.step * steps}
        solver |= {"step": self.step} if collides else {"tolerance": 1e-9}
        tail = [scene_text.solver(**(solver | keys)), scene_text.table("output", frames=frames or steps)]
        return "".join([*parts, *bodies, *joints, *tail])

    def body_text(self, k: int, image: Image) -> str:
        body, half = self.bodies[k], 0.5 * APART
        own = Image(image.mirrored)
        keys: dict[str, Any] = {
            "position": image.polar(body.position),
            "velocity": image.velocity(body.velocity),
            "angular_velocity": image.axial(body.spin),
            "orientation": {"quaternion": image.quaternion([1.0, 0.0, 0.0, 0.0])},
            "material": "elastic",
        }
        ends = {"left": [-half, 0.0, 0.0], "right": [half, 0.0, 0.0]}
        marker: list[dict[str, Any]] = [{"name": n, "position": own.polar(x)} for n, x in ends.items()]
        if body.is_mesh:
            keys["type"] = "finite_element"
            keys["mesh"] = {"shape": "box", "size": SIZE, "divisions": DIVISIONS, "elements": body.kind}
            for one, face in zip(marker, ("x-", "x+")):
                one |= {"nodes": face, "coupling": self.coupling}
        else:
            keys["shape"] = [{"type": "box", "size": SIZE}]
        if body.kind.startswith("pseudo_rigid"):
            keys["type"], keys["elasticity"] = body.kind.split()
        elif body.kind == RIGID:
            keys["density"] = 1000
        if self.solver == "contact":
            keys["collide"] = True
        elif body.kind == RIGID:
            del keys["material"]
        return scene_text.body(f"b{k}", marker=marker, **keys)

    def joint_text(self, k: int, image: Image) -> str:
        name, what, a, b = f"j{k}", self.joints[k], f"b{k}.right", f"b{k + 1}.left"
        if what == "none":
            return ""
        if what == "spring":
            return scene_text.spring(a, b, name=name, stiffness=400.0, damping=2.0, length=0.0)
        axis = (image.polar if what in POLAR_AXES else image.axial)(self.axes[k])
        return scene_text.joint(name, what, a, b, axis=axis)


def scene(solver: str, seed: int) -> DeformableScene:
    """Bodies in a row along x, a few millimetres above the floor, at least one of which deforms."""
    rng = np.random.default_rng([seed, *solver.encode()])
    thousandths = lambda low, high, n: np.round(rng.uniform(low, high, n), 3)
    n = int(rng.integers(1, 4))
    kinds = [str(rng.choice(KINDS)) for _ in range(n)]
    kinds[int(rng.integers(n))] = str(rng.choice(KINDS[1:]))
    joints = [str(rng.choice(JOINTS)) for _ in range(n - 1)]
    height = 0.5 * SIZE[2] + round(float(rng.uniform(0.001, 0.01)), 3)
    drift = thousandths(-1, 1, 3) - ([0.0, 0.0, 1.0] if solver == "contact" else np.zeros(3))
    bodies = tuple(
        Placed(
            kind, np.array([APART * k, 0.0, height]), drift + thousandths(-0.3, 0.3, 3), thousandths(-3, 3, 3)
        )
        for k, kind in enumerate(kinds)
    )
    axes = tuple(thousandths(-1, 1, 3) for _ in joints)
    return DeformableScene(
        seed,
        solver,
        bodies,
        tuple(joints),
        axes,
        str(rng.choice(["rbe2", "rbe3"])),
        bool(rng.random() < 0.3) and solver == "rk",
        float(rng.choice([0.0, 2e-4])),
        round(float(rng.uniform(0.0, 0.8)), 2) if rng.random() < 0.8 else 0.0,
        float(rng.choice([0.0, 0.0, 0.5])),
        2e-4,
    )
