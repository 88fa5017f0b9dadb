"""All figures in one run, ours and those of the peers that are installed.

    pip install '.[benchmarks]' && python benchmarks/run.py [chains] [precision] [four_bars] [andrews]
        [methods] [joint_methods] [motion_variables] [kernels] [limited_arms] [bounded_rows] [ropes] [start]
        [control_loops] [analyses] [enforcements] [matrix] [stiff] [sweep] [many_bodies] [contacts]
        [convergence] [trajectories] [piles] [trees] [deformable] [plates]
        [--plot FILE] [--smallest]

Without names, all parts run. With --smallest each has its smallest size, to see that it works.
Tables are printed as Markdown; docs/performance.md quotes a run. `python benchmarks/foreign_kernel.py`
compares a kernel from a wheel of a third party with ours, and `python benchmarks/in_paraview.py` measures
the reader plugin in ParaView.
"""

from __future__ import annotations

import sys

from analyses import analyses
from andrews import cheapest
from bounded_rows import bounded_rows
from chains import chains, precision
from contacts import contacts
from control_loops import control_loops
from convergence import convergence
from deformable import deformable
from derived import derived
from elastic_elements import elastic_elements
from enforcements import enforcements
from four_bars import four_bars
from kernels import kernels
from limited_arms import limited_arms
from many_bodies import many_bodies
from matrix import matrix
from methods import joint_methods, methods
from motion_variables import motion_variables
from piles import piles
from plates import plates
from plot import plot
from ropes import ropes
from start import start
from stiff import stiff
from sweep import sweep
from timing import alone
from trajectories import trajectories
from trees import trees

PARTS = {
    "chains": None,
    "precision": None,
    "four_bars": four_bars,
    "andrews": cheapest,
    "methods": methods,
    "joint_methods": joint_methods,
    "motion_variables": motion_variables,
    "kernels": kernels,
    "derived": derived,
    "elastic_elements": elastic_elements,
    "limited_arms": limited_arms,
    "control_loops": control_loops,
    "bounded_rows": bounded_rows,
    "ropes": ropes,
    "start": start,
    "analyses": analyses,
    "enforcements": enforcements,
    "matrix": matrix,
    "stiff": stiff,
    "many_bodies": many_bodies,
    "sweep": sweep,
    "contacts": contacts,
    "convergence": convergence,
    "trajectories": trajectories,
    "piles": piles,
    "trees": trees,
    "deformable": deformable,
    "plates": plates,
}


def main() -> None:
    words = sys.argv[1:]
    picture = words[words.index("--plot") + 1] if "--plot" in words else ""
    wanted = [word for word in words if word in PARTS] or list(PARTS)
    times = {joint: chains(joint) for joint in ("revolute", "ball")} if "chains" in wanted else {}
    errors = precision() if "precision" in wanted else {}
    for name in wanted:
        part = PARTS[name]
        if part is not None:
            part()
    if picture:
        plot(picture, times, errors)


if __name__ == "__main__":
    alone()
    main()
