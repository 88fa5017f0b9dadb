"""One chain in two choices of motion variables: three velocities of planar bodies in pins, or six of spatial
ones in hinges. µs a step under RK4.
"""

from __future__ import annotations

from chains import ours_chain
from timing import in_turn, sized, table

LINKS = (1, 2, 8, 32, 128)


def motion_variables() -> None:
    rows: list[list[object]] = []
    for links in sized(LINKS, (1,)):
        found = in_turn({"planar": ours_chain(links, "pin"), "spatial": ours_chain(links, "revolute")})
        planar, spatial = found["planar"] * 1e6, found["spatial"] * 1e6
        rows.append([links, planar, spatial, spatial / planar])
    table(
        "The same chain of planar and of spatial bodies: µs a step",
        ["links", "planar", "spatial", "spatial / planar"],
        rows,
    )


if __name__ == "__main__":
    motion_variables()
