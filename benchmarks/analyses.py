"""Analyses without time steps: a thousand positions of the piston-crank, and the redundant rows of 499
hinges.
"""

from __future__ import annotations

from pathlib import Path

from timing import seconds, table

SCENES = Path(__file__).resolve().parents[1] / "scenes"


def four_bars_in_a_row(loops: int) -> str:
    """Hinges along z, so that three of the five rows that close each loop repeat others."""
    body = '[[body]]\nname = "{0}"\nmass = 1\ninertia = [0.1, 0.1, 0.1]\nposition = [{1}, {2}, 0]\n'
    hinge = (
        '[[joint]]\nname = "{0}"\ntype = "revolute"\na = "{1}"\nb = "{2}"\n'
        "at = [{3}, {4}, 0]\naxis = [0, 0, 1]\n"
    )
    text = ""
    for i in range(loops + 1):
        text += body.format(f"rod_{i}", i, 0.5) + hinge.format(f"A_{i}", "ground", f"rod_{i}", i, 0)
    for i in range(loops):
        text += body.format(f"coupler_{i}", i + 0.5, 1) + hinge.format(
            f"B_{i}_0", f"rod_{i}", f"coupler_{i}", i, 1
        )
        text += hinge.format(f"B_{i}_1", f"rod_{i + 1}", f"coupler_{i}", i + 1, 1)
    return text + "[solver]\nend = 1\n"


def analyses() -> None:
    import mbplugin as mb
    from mbplugin.analysis.redundancy.redundancy import redundancy
    from mbplugin.api import plugins
    from mbplugin.run.prepare import prepare

    crank = mb.System.from_file(SCENES / "piston_crank_kinematics")
    crank.analyze("kinematic", positions=1000)
    sweep = min(crank.analyze("kinematic", positions=1000).cpu_seconds for _ in range(5))
    row = mb.System.from_text(four_bars_in_a_row(166))
    problem = prepare(row, plugins()[0]).problem
    found = redundancy(problem, row)
    took = min(seconds(lambda: redundancy(problem, row)) for _ in range(3))
    rows = f"redundant rows of 499 hinges ({found.nc} rows, {found.redundancy} redundant)"
    table(
        "Analyses", ["what", "ms"], [["1,000 positions of the piston-crank", 1e3 * sweep], [rows, 1e3 * took]]
    )
