"""Static equilibrium of beams of finite elements against beam theory and laws."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from cantilevers import TIP, beam, done, height, tip_force

from mbplugin import System
from mbplugin.errors import PhysicsError
from mbplugin.tables.groups import Bodies, Rows

#: [m], [Pa]; ν = 0, so that beam theory is exact but for shear
L, A, E = 1.0, 0.1, 2e11
SIZE, DIVISIONS = (L, A, A), (16, 1, 1)
I, G, KAPPA = A**4 / 12.0, E / 2.0, 5.0 / 6.0
END = np.array([L / 2, 0.0, 0.0])


def timoshenko(P, length=L):
    """Deflection of the end by a force P there [m]."""
    return P * length**3 / (3.0 * E * I) + P * length / (KAPPA * G * A**2)


@pytest.mark.parametrize("coupling", ["rbe2", "rbe3"])
def test_a_cantilever_deflects_by_timoshenko(coupling):
    P = 1000.0
    text = beam(SIZE, DIVISIONS, E, 0.0, markers=TIP.replace("rbe2", coupling), more=tip_force(-P))
    found = done(text, "static")
    assert found.report.stable
    # 0.3 %, half of the part of shear: the fixed section does not warp, and the mesh has 16 elements
    assert -height(found.problem, END) == pytest.approx(timoshenko(P), rel=3e-3)


def test_a_joint_at_an_rbe2_holds_like_fixed_nodes():
    P = 1000.0
    markers = f'{TIP}, {{ name = "root", nodes = "x-", coupling = "rbe2" }}'
    weld = '[[joint]]\nname = "weld"\ntype = "fixed"\na = "ground"\nb = "beam.root"\n'
    found = done(beam(SIZE, DIVISIONS, E, 0.0, fix="", markers=markers, more=tip_force(-P) + weld), "static")
    assert -height(found.problem, END) == pytest.approx(timoshenko(P), rel=3e-3)
    lam = found.report.states.lam[0]
    G_root = found.problem.jacobian()
    np.testing.assert_allclose(G_root.T @ lam + found.problem[Bodies].h, 0.0, atol=1e-6 * P)
    # the joint carries the force, and its moment about the root
    forces = found.report.reactions[0]
    np.testing.assert_allclose(forces[:3], [0.0, 0.0, P], atol=1e-6 * P)
    assert abs(forces[4]) == pytest.approx(P * L, rel=1e-3)


def test_a_hinged_beam_leans_on_its_spring():
    """A hinge at one end and a spring under the other, where the force is: it carries all of it."""
    P, k = 100.0, 1e6
    turned = "orientation = { axis = [1, 0, 0], angle_deg = 90 }"
    markers = f'{TIP}, {{ name = "root", nodes = "x-", coupling = "rbe2", {turned} }}'
    more = (
        tip_force(-P)
        + '[[joint]]\nname = "hinge"\ntype = "revolute"\na = "ground"\nb = "beam.root"\n'
        + '[[body]]\nname = "foot"\nmass = 1.0\ninertia = [1, 1, 1]\nposition = [0.5, 0, -1]\n'
        + '[[joint]]\nname = "floor"\ntype = "fixed"\na = "ground"\nb = "foot"\n'
        + f'[[force]]\nname = "spring"\ntype = "spring_damper"\na = "foot"\nb = "beam.tip"\nstiffness = {k}\n'
    )
    found = done(beam(SIZE, DIVISIONS, E, 0.0, fix="", markers=markers, more=more), "static")
    assert found.report.stable
    assert -height(found.problem, END) == pytest.approx(P / k, rel=1e-5)


def test_a_cantilever_sags_under_its_weight():
    """q L⁴ / 8 E I, and q L² / 2 κ G A by shear."""
    density, g = 7800.0, 9.81
    q = density * A**2 * g
    found = done(beam(SIZE, DIVISIONS, E, 0.0, density, gravity=g, more=tip_force(0.0)), "static")
    sag = q * L**4 / (8.0 * E * I) + q * L**2 / (2.0 * KAPPA * G * A**2)
    assert -height(found.problem, END) == pytest.approx(sag, rel=3e-3)


def test_chronos_beam():
    """utest_FEA_beams_static.cpp of Project Chrono, which accepts 5 %."""
    folder = Path(os.environ.get("MBPLUGIN_TRUTH", "/work/shared/truth"))
    bending, shear = -5.9200059200059205e-05, -4.122193595877806e-08
    if (folder / "beam_static.json").exists():
        reference = json.loads((folder / "beam_static.json").read_text())["reference"]["chrono_P2"]
        assert (bending, shear) == (reference["bending"], reference["shear"])
    size, young, poisson = (0.4, 0.025, 0.012), 200.2e9, 0.3157894736842106
    P = -bending * 3.0 * young * 3.6e-9 / 0.4**3
    found = done(beam(size, (16, 1, 1), young, poisson, more=tip_force(-P)), "static")
    assert height(found.problem, np.array([0.2, 0.0, 0.0])) == pytest.approx(bending + shear, rel=0.05)


SOFT = ((0.4, 0.1, 0.1), (4, 1, 1), 1e5, 0.3)


def test_the_forces_of_an_equilibrium_leave_no_acceleration():
    found = done(beam(*SOFT, gravity=9.81, more=tip_force(-1.0)), "static")
    problem = found.problem
    problem.evaluate_at(v=0.0)
    h = problem[Bodies].h + problem.jacobian().T @ problem[Rows].lam
    assert np.abs(h).max() < 1e-9
    assert np.abs(problem[Bodies].inverse * h).max() < 1e-6 * 9.81


def test_a_damped_run_ends_in_the_equilibrium():
    more = tip_force(-0.5) + '[solver]\ntype = "rk"\nend = 6.0\ntolerance = 1e-9\n'
    text = beam(*SOFT, gravity=1.0, more=more).replace('name = "metal"', 'name = "metal"\nmass_damping = 6.0')
    z = -height(done(text, "static").problem, np.array([0.2, 0.0, 0.0]))
    result = System.from_text(text).run(files=False)
    found = done(text, "static")
    assert z > 0.02
    np.testing.assert_allclose(result["beam"].position[-1], found.report.position[0], atol=1e-5 * z)


def test_a_mesh_without_supports_is_refused_with_its_name():
    with pytest.raises(PhysicsError, match='body "beam"'):
        done(beam(*SOFT, fix="", gravity=9.81), "static")


def test_a_revolute_joint_at_an_rbe2_adds_no_redundancy():
    markers = '{ name = "root", nodes = "x-", coupling = "rbe2" }'
    hinge = '[[joint]]\nname = "hinge"\ntype = "revolute"\na = "ground"\nb = "beam.root"\n'
    found = done(beam(*SOFT, fix="", markers=markers, more=hinge), "redundancy")
    assert not found.report.motion.redundant
    assert found.report.motion.rank == 5
