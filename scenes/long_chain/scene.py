"""A thousand links that are held level and let go: joint coordinates, whose cost grows with the number of
links and no faster.
"""

import mbplugin as mb

LINKS, LENGTH, MASS = 1000, 0.01, 0.02  # [m], [kg]

system = mb.System(
    scene={"name": "long_chain", "gravity": [0, 0, -9.81]},
    solver={"type": "rk", "integrator": "rk4", "coordinates": "joint", "step": 1e-4, "end": 0.02},
    output={"frames": 4},
)
#: a slender rod along x
across = MASS * LENGTH**2 / 12.0
before = "ground"
for k in range(LINKS):
    name = f"link_{k}"
    system.add(
        mb.Body(
            name=name,
            mass=MASS,
            inertia=[0.001 * across, across, across],
            position=[(k + 0.5) * LENGTH, 0, 0],
            shape=[{"type": "box", "size": [LENGTH, 0.003, 0.003]}],
        )
    )
    at = [k * LENGTH, 0, 0]
    system.add(mb.Joint(name=f"hinge_{k}", type="revolute", a=before, b=name, at=at, axis=[0, 1, 0]))
    before = name
