"""Analyses without time steps: a thousand positions of the piston-crank, the redundant rows of 499 hinges,
static equilibria and the lowest modes of a thousand bodies.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from pathlib import Path

from timing import ROUNDS, prepared, seconds, sized, table

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


def masses_on_springs(bodies: int) -> str:
    """Heavy masses on rails along x, springs between them and to two walls."""
    text = (
        f'[scene]\ngravity = [9.81, 0, 0]\nmarker = [{{ name = "wall", position = [{bodies + 1}, 0, 0] }}]\n'
    )
    for i in range(1, bodies + 1):
        text += f'[[body]]\nname = "m{i}"\nmass = 2\ninertia = [1, 1, 1]\nposition = [{i}, 0, 0]\n'
        text += f'[[joint]]\nname = "s{i}"\ntype = "translational"\na = "ground"\nb = "m{i}"\n'
        text += f"at = [{i}, 0, 0]\naxis = [1, 0, 0]\n"
    ends = ["ground", *(f"m{i}" for i in range(1, bodies + 1)), "ground.wall"]
    for a, b in pairwise(ends):
        text += f'[[force]]\ntype = "spring_damper"\na = "{a}"\nb = "{b}"\nstiffness = 1e5\n'
    return text


def hanging_chain(links: int) -> str:
    """Links on hinges between two points, laid out as a V."""
    side, text = 1.0 / links, ""
    hinge = '[[joint]]\nname = "p{0}"\ntype = "revolute"\na = "{1}"\nb = "{2}"\n'
    hinge += "at = [{3}, 0, {4}]\naxis = [0, 1, 0]\n"
    x, z, before = 0.0, 0.0, "ground"
    for i in range(links):
        text += hinge.format(i, before, f"l{i}", x, z)
        dx, dz = 0.6 * side, (-0.8 if i < links // 2 else 0.8) * side
        text += f'[[body]]\nname = "l{i}"\nmass = {2 * side}\nposition = [{x + dx / 2}, 0, {z + dz / 2}]\n'
        turning = 2 * side**3 / 12
        text += f"inertia = [{0.1 * turning}, {turning}, {turning}]\n"
        x, z, before = x + dx, z + dz, f"l{i}"
    return text + hinge.format("last", "ground", before, x, z)


def cantilever(bodies: int) -> str:
    """Bodies in a row, each on the one before by a penalty joint of six stiffnesses."""
    text = ""
    for i in range(bodies):
        before = f"b{i - 1}" if i else "ground"
        text += (
            f'[[body]]\nname = "b{i}"\nmass = 2\ninertia = [0.1, 0.2, 0.3]\nposition = [{i + 0.5}, 0, 0]\n'
        )
        text += f'[[joint]]\nname = "w{i}"\ntype = "fixed"\na = "{before}"\nb = "b{i}"\nat = [{i}, 0, 0]\n'
        text += 'enforce = { type = "penalty", stiffness = 1e6, damping = 0, angular_damping = 0 }\n'
    return text


def equilibrium_and_modes(text: str, sparse: bool | None = None) -> list[float]:
    """Processor seconds of the compiled scene: of the equilibrium, and of the modes there."""
    import mbplugin as mb
    from mbplugin.analysis.equilibrium.eigen import eigen
    from mbplugin.analysis.equilibrium.static import static
    from mbplugin.api import plugins
    from mbplugin.run.analyze import assembled, at_rest

    problem = assembled(at_rest(mb.System.from_text(text)), plugins()[0])
    problem.prepare_tangents()
    return [
        seconds(lambda: static(problem, sparse=sparse)),
        seconds(lambda: eigen(problem, 20, sparse=sparse)),
    ]


def large() -> None:
    import mbplugin as mb

    few, many = sized((100, 1000), (8, 8))
    rows: list[list[object]] = []
    scenes = {
        "masses on rails and springs": masses_on_springs,
        "hanging chain, laid out as a V": hanging_chain,
        "cantilever of penalty joints": cantilever,
    }
    for name, scene in scenes.items():
        equilibrium_and_modes(scene(8))
        dense = equilibrium_and_modes(scene(few), sparse=False)
        sparse = equilibrium_and_modes(scene(few), sparse=True)
        larger = equilibrium_and_modes(scene(many))
        whole = seconds(partial(mb.System.from_text(scene(many)).analyze, "eigen"))
        rows.append([name, *dense, *sparse, *larger, whole])
    head = ["scene", f"{6 * few}, dense: static", "modes", f"{6 * few}, sparse: static", "modes"]
    table(
        "Equilibrium and the 20 lowest modes, processor seconds by velocities",
        [*head, f"{6 * many:,}: static", "modes", "`analyze eigen`, all"],
        rows,
    )


def analyses() -> None:
    import mbplugin as mb
    from mbplugin.analysis.redundancy.redundancy import redundancy

    crank = mb.System.from_file(SCENES / "piston_crank_kinematics")
    positions, loops = sized((1000, 166), (10, 2))
    crank.analyze("kinematic", positions=positions)
    sweep = min(crank.analyze("kinematic", positions=positions).cpu_seconds for _ in range(sized(5, 1)))
    row = mb.System.from_text(four_bars_in_a_row(loops))
    problem = prepared(row).problem
    found = redundancy(problem, row)
    took = min(seconds(lambda: redundancy(problem, row)) for _ in range(sized(ROUNDS, 1)))
    rows = f"redundant rows of {3 * loops + 1} hinges ({found.nc} rows, {found.redundancy} redundant)"
    positions_of = f"{positions:,} positions of the piston-crank"
    table("Analyses", ["what", "ms"], [[positions_of, 1e3 * sweep], [rows, 1e3 * took]])
    large()
