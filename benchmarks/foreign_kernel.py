"""A constraint kernel of a wheel from elsewhere against the same kernel of ours, called as the step calls it.

    python benchmarks/foreign_kernel.py

Builds a wheel with a copy of the spherical joint's and the rod's measures in a temporary folder, installs it
into an environment of its own (which sees the packages of this one), lets the engine find it by entry point
in a scene, and times the batch kernels in turn: ns per element in batches of 1 and of 1,000.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MEASURES = ROOT / "plugins" / "mbplugin_joints" / "measures"
KINDS = '''"""Joints as a third party would write them."""

from acme_joints.distance import Distance
from acme_joints.separation import Separation
from mbplugin.interface import Basic, ConstraintKind, Parameters, Positive, hookimpl


class AcmeBall(ConstraintKind):
    name = "acme_ball"
    basics = (Basic(Separation, ("x", "y", "z")),)


class AcmeRodParameters(Parameters):
    length: Positive


class AcmeRod(ConstraintKind):
    name = "acme_rod"
    parameters = AcmeRodParameters
    basics = (Basic(Distance, ("distance",), to="length"),)


@hookimpl
def mbplugin_constraint_types(register):
    register(AcmeBall)
    register(AcmeRod)
'''
PROJECT = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "acme-joints"
version = "1.0"
[project.entry-points.mbplugin]
acme_joints = "acme_joints"
"""


def wheel(folder: Path) -> Path:
    """The third party's wheel."""
    source = folder / "source"
    package = source / "acme_joints"
    package.mkdir(parents=True)
    (source / "pyproject.toml").write_text(PROJECT)
    (package / "__init__.py").write_text(KINDS)
    for name in ("separation", "distance"):
        shutil.copy(MEASURES / f"{name}.py", package / f"{name}.py")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, source], check=True
    )
    return next(folder.glob("acme_joints-*.whl"))


def environment(folder: Path, package: Path) -> str:
    """Python of an environment that holds the wheel and sees the packages of this one."""
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv" / "bin" / "python"
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = folder / "venv" / "lib" / version / "site-packages"
    (site / "outer.pth").write_text(
        "\n".join([sysconfig.get_paths()["purelib"], str(ROOT), str(ROOT / "plugins")]) + "\n"
    )
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", site, package],
        check=True,
    )
    return str(python)


def scene(kind: str, count: int, params: str) -> str:
    text = "[scene]\ngravity = [0, 0, 0]\n"
    for i in range(count):
        text += f'[[body]]\nname = "b{i}"\nmass = 1\ninertia = [1, 1, 1]\nposition = [{i}, 0.3, 0.4]\n'
        text += 'marker = [{ name = "end", position = [0, 0, 0.5] }]\n'
        text += f'[[joint]]\nname = "j{i}"\ntype = "{kind}"\na = "ground"\nb = "b{i}.end"\n'
        text += f"at = [{i}, 0.3, {0.9 if 'ball' in kind else 0.0}]\n{params}\n"
    return text + "[solver]\nend = 1\n"


def time_kernels() -> None:
    """In the environment of the wheel: the figures of all four kernels, in turn."""
    import numba

    import mbplugin as mb
    from mbplugin.kernels.view import call_batch
    from mbplugin.tables.groups import Batches
    from mbplugin.tables.purposes import CONSTRAINT

    @numba.njit
    def calls(address, first, count, tables, times):
        status = 0
        for _ in range(times):
            status += call_batch(address, first, count, tables)
        return status

    for count in (1, 1000):
        cases = {}
        for pair, params in (("ball", ""), ("rod", "length = 0.984885780179610472")):
            for kind in (pair, f"acme_{pair}"):
                problem = mb.System.from_text(scene(kind, count, params)).compile()
                (row,) = (row for row in problem[Batches].index if row.purpose == CONSTRAINT)
                assert row.length == count
                cases[kind] = (problem, int(row.address), int(row.first))
        found: dict[str, list[float]] = {kind: [] for kind in cases}
        times = 2_000_000 // count
        for _ in range(9):
            for kind, (problem, address, first) in cases.items():
                calls(address, first, count, problem.addresses, 10)
                start = time.process_time()
                assert calls(address, first, count, problem.addresses, times) == 0
                found[kind].append((time.process_time() - start) / times / count * 1e9)
        for pair in ("ball", "rod"):
            ours, theirs = statistics.median(found[pair]), statistics.median(found[f"acme_{pair}"])
            print(
                f"{pair:6s} batch of {count:4d}   ours {ours:6.2f} ns   "
                f"from the wheel {theirs:6.2f} ns   ratio {theirs / ours:.2f}"
            )


if __name__ == "__main__":
    if "--inside" in sys.argv:
        time_kernels()
    else:
        with tempfile.TemporaryDirectory() as name:
            python = environment(Path(name), wheel(Path(name)))
            subprocess.run(
                [python, __file__, "--inside"],
                check=True,
                cwd=name,
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            )
