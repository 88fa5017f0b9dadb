"""PyBullet's part of the figures on contact: 50 sequential impulses a step, as it comes, and no sleeping."""

from __future__ import annotations

from typing import Any

import numpy as np
from residuals import projection

#: half sizes of a box, or the radius of a sphere; mass [kg]; position [m]; speeds at the start [m/s]
Solids = list[tuple[Any, float, Any, Any]]
#: point and normal
Planes = list[tuple[Any, Any]]


class World:
    """Solids that touch each other and fixed planes."""

    def __init__(
        self, solids: Solids, planes: Planes, friction: float, gravity: Any, dt: float, turns: Any = None
    ) -> None:
        """turns: (n, 4) quaternions w, x, y, z of the solids"""
        import pybullet as bullet

        self.bullet, self.dt, self.friction = bullet, dt, friction
        self.client = bullet.connect(bullet.DIRECT)
        bullet.setGravity(*gravity)
        bullet.setPhysicsEngineParameter(fixedTimeStep=dt, numSubSteps=0)
        # coefficients of two bodies are multiplied
        surface = {
            "lateralFriction": float(np.sqrt(friction)),
            "spinningFriction": 0.0,
            "rollingFriction": 0.0,
        }
        for point, normal in planes:
            shape = bullet.createCollisionShape(bullet.GEOM_PLANE, planeNormal=list(normal))
            bullet.changeDynamics(bullet.createMultiBody(0.0, shape, -1, list(point)), -1, **surface)
        self.masses: dict[int, float] = {}
        self.moments: dict[int, Any] = {}
        for k, (size, mass, at, velocity) in enumerate(solids):
            if np.ndim(size) == 0:
                shape = bullet.createCollisionShape(bullet.GEOM_SPHERE, radius=float(size))
            else:
                shape = bullet.createCollisionShape(bullet.GEOM_BOX, halfExtents=[float(s) for s in size])
            turn = [0.0, 0.0, 0.0, 1.0] if turns is None else [float(c) for c in np.roll(turns[k], -1)]
            body = bullet.createMultiBody(mass, shape, -1, [float(x) for x in at], turn)
            bullet.changeDynamics(body, -1, linearDamping=0.0, angularDamping=0.0, **surface)
            bullet.resetBaseVelocity(body, [float(v) for v in velocity], [0.0, 0.0, 0.0])
            self.masses[body] = mass
            self.moments[body] = np.array(bullet.getDynamicsInfo(body, -1)[2])

    def step(self, steps: int) -> None:
        for _ in range(steps):
            self.bullet.stepSimulation()

    def positions(self) -> Any:
        """(n, 3) of the solids [m]."""
        return np.array([self.bullet.getBasePositionAndOrientation(body)[0] for body in self.masses])

    def residual(self) -> float:
        """Largest |r − P_K(r − ρ ũ)| / ρ of the last step [m/s], at PyBullet's points; as in `residuals`."""
        bullet, found = self.bullet, 0.0
        motion = {b: self.motion(b) for b in self.masses}
        for point in bullet.getContactPoints():
            a, b, on_b, normal, gap = point[1], point[2], np.array(point[6]), np.array(point[7]), point[8]
            axes = np.array([normal, point[11], point[13]])
            r = self.dt * np.array([[point[9], point[10], point[12]]])
            u, trace = np.zeros(3), 0.0
            for body, sign in ((a, 1.0), (b, -1.0)):
                if body in motion:
                    x, v, w, inverse = motion[body]
                    arm = on_b - x
                    u += sign * (v + np.cross(w, arm))
                    cross = np.cross(np.eye(3), arm)
                    trace += 3.0 / self.masses[body] + np.trace(cross @ inverse @ cross.T)
            u = axes @ u
            u[0] += max(gap, 0.0) / self.dt + self.friction * np.hypot(u[1], u[2])
            rho = 3.0 / trace
            miss = r - projection(r - rho * u[None], self.friction)
            found = max(found, float(np.linalg.norm(miss)) / rho)
        return found

    def motion(self, body: int) -> tuple[Any, Any, Any, Any]:
        """Position, velocity, angular velocity and the inverse of the inertia, world axes."""
        x, turn = self.bullet.getBasePositionAndOrientation(body)
        v, w = self.bullet.getBaseVelocity(body)
        R = np.array(self.bullet.getMatrixFromQuaternion(turn)).reshape(3, 3)
        return np.array(x), np.array(v), np.array(w), R @ np.diag(1.0 / self.moments[body]) @ R.T

    def close(self) -> None:
        self.bullet.disconnect(self.client)
