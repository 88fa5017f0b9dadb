"""The kit passes what is right, and finds errors of one sign or one factor planted in our own kinds."""

from __future__ import annotations

import functools
import sys
import types
from pathlib import Path

import pytest

from mbplugin.errors import PluginError
from mbplugin.testing import check_body, check_constraint, check_force, check_measure, check_plugin
from mbplugin.testing.report import Report

PLUGINS = Path(__file__).parents[2] / "plugins"

#: file, what stands there, what is planted, the kind
PLANTED = [
    ("mbplugin_joints/measures/distance.py", "= -u[k], 0.0, u[k], 0.0", "= u[k], 0.0, u[k], 0.0", "Distance"),
    ("mbplugin_joints/measures/distance.py", "- s_dot * s_dot) / s", "+ s_dot * s_dot) / s", "Distance"),
    ("mbplugin_joints/measures/distance.py", "- s_dot * s_dot) / s", "- s_dot * s_dot)", "Distance"),
    ("mbplugin_joints/measures/distance.py", "value[0] = s\n", "value[0] = 2.0 * s\n", "Distance"),
    (
        "mbplugin_joints/measures/component.py",
        "-n[k], c[k], n[k], 0.0",
        "-n[k], -c[k], n[k], 0.0",
        "Component",
    ),
    ("mbplugin_joints/measures/component.py", "2.0 * dot(n1, d_dot)", "dot(n1, d_dot)", "Component"),
    ("mbplugin_joints/measures/component.py", " + dot(cross(a.w, n1), d)", "", "Component"),
    ("mbplugin_joints/measures/turn.py", "J[12 * r + 9 + k] -= sign", "J[12 * r + 9 + k] += sign", "Turn"),
    ("mbplugin_joints/measures/turn.py", "2.0 * dot(n1, e1)", "dot(n1, e1)", "Turn"),
    ("mbplugin_joints/measures/separation.py", "= -1.0, 1.0", "= 1.0, 1.0", "Separation"),
    ("mbplugin_joints/measures/separation.py", "bias[r] = 0.0", "bias[r] = b.w[r]", "Separation"),
    ("mbplugin_joints/measures/angle.py", "-g[n], 0.0, g[n]", "-g[n], 0.0, -g[n]", "Angle"),
    ("mbplugin_joints/measures/angle.py", "along * 2.0 * (c", "along * (c", "Angle"),
    (
        "mbplugin_joints/measures/angle.py",
        "+ dot(g, cross(w, seen_from.w))",
        "- dot(g, cross(w, seen_from.w))",
        "Angle",
    ),
    ("mbplugin_joints/measures/angle.py", "bias[0] = sign * (", "bias[0] = (", "AngleAbout"),
    ("mbplugin_joints/measures/angle.py", "sign * atan2(s, c)", "atan2(s, c)", "AngleAbout"),
    ("mbplugin_joints/measures/twist.py", "J[9 + k] -= sign", "J[9 + k] += sign", "Twist"),
    ("mbplugin_joints/measures/twist.py", "2.0 * dot(n1, e1)", "dot(n1, e1)", "Twist"),
    ("mbplugin_joints/pulley.py", "gamma[0] -= factor * (", "gamma[0] -= (", "Pulley"),
    (
        "mbplugin_joints/pulley.py",
        "G[column + 9 + k] = pull, 0.0",
        "G[column + 9 + k] = -pull, 0.0",
        "Pulley",
    ),
    ("mbplugin_joints/rolling.py", "- dot(e1, V)", "+ dot(e1, V)", "Wheel"),
    ("mbplugin_joints/rolling.py", "cross(r, e), cross(c, e)", "cross(r, e), cross(e, c)", "Wheel"),
    (
        "mbplugin_joints/rolling.py",
        "add(cross(k1, t), cross(k, t1))",
        "add(cross(k1, t), cross(t1, k))",
        "Wheel",
    ),
    ("mbplugin_joints/rolling.py", "cross(cross(a.w, n), t)", "cross(n, cross(a.w, t))", "Wheel"),
    ("mbplugin_joints/rolling.py", "dot(n, sub(add(b.x, c), a.x))", "dot(n, sub(b.x, a.x))", "RollingDisc"),
    (
        "mbplugin_joints/rolling.py",
        "along_line, cross(a.w, along_line), c, c1",
        "along_line, cross(b.w, along_line), c, c1",
        "DiscOnLine",
    ),
    ("mbplugin_forces/spring_damper.py", "= -f * u[k], f * u[k]", "= f * u[k], f * u[k]", "SpringDamper"),
    ("mbplugin_forces/spring_damper.py", "0.5 * p.stiffness", "p.stiffness", "SpringDamper"),
    (
        "mbplugin_forces/spring_damper.py",
        "(s - p.length) - p.damping",
        "(s - p.length) + p.damping",
        "SpringDamper",
    ),
    ("mbplugin_forces/spring_damper.py", "power[0] = -p.damping", "power[0] = p.damping", "SpringDamper"),
    ("mbplugin_forces/torsion_spring.py", "* J[6 * m + k]", "* J[k]", "TorsionSpringDamper"),
    ("mbplugin_forces/gravity.py", "energy[0] = -p.mass", "energy[0] = p.mass", "Gravity"),
    ("mbplugin_bodies/point.py", "(v[0], v[1], v[2]), still", "(v[0], v[2], v[1]), still", "Point"),
    ("mbplugin_bodies/point.py", "out[2] = force", "out[2] = -force[0], force[1], force[2]", "Point"),
    ("mbplugin_bodies/spatial.py", "w, cross(w, swing)", "w, cross(swing, w)", "Spatial"),
    ("mbplugin_bodies/spatial.py", "(p[1] - p[2]) * v[4]", "(p[2] - p[1]) * v[4]", "Spatial"),
    ("mbplugin_bodies/spatial.py", "cross(arm, force)", "cross(force, arm)", "Spatial"),
    ("mbplugin_bodies/spatial.py", "(0.0, 0.5 * v[3]", "(0.0, 1.0 * v[3]", "Spatial"),
    ("mbplugin_bodies/spatial.py", "K, 3, 3, -1.0, rotate_back", "K, 3, 3, 1.0, rotate_back", "Spatial"),
    ("mbplugin_bodies/spatial.py", "T, 3, 3, (dq[3], dq[4]", "T, 3, 3, (dq[4], dq[3]", "Spatial"),
    ("mbplugin_bodies/spatial.py", "cross(column, swing)", "cross(swing, column)", "Spatial"),
    ("mbplugin_bodies/spatial.py", "D, 3, 3, -1.0, (p[0]", "D, 3, 3, 1.0, (p[0]", "Spatial"),
    ("mbplugin_bodies/planar.py", "K[2, 2] = -dot", "K[2, 2] = dot", "Planar"),
    ("mbplugin_joints/measures/distance.py", "sign = -lam[0] / s", "sign = lam[0] / s", "Distance"),
    ("mbplugin_joints/measures/component.py", "K, 6, 3, lam[0]", "K, 6, 3, -lam[0]", "Component"),
    ("mbplugin_joints/measures/dot.py", "= -T, transposed", "= -transposed, transposed", "Dot"),
    ("mbplugin_joints/measures/turn.py", "-0.5 * lam[r]", "-0.5 * lam[0]", "Turn"),
    ("mbplugin_joints/measures/twist.py", "-0.5 * lam[0]", "0.5 * lam[0]", "Twist"),
    ("mbplugin_forces/spring_damper.py", "p.stiffness + f / s", "p.stiffness", "SpringDamper"),
    ("mbplugin_forces/spring_damper.py", "sub(d_dot, scale(s_dot, u))", "d_dot", "SpringDamper"),
    ("mbplugin_forces/spring_damper.py", "D, 0.0, p.damping", "D, p.damping, 0.0", "SpringDamper"),
    ("mbplugin_forces/gravity.py", 'K = 0."""', 'K = 0."""\n        K[0, 0] = 1e-6', "Gravity"),
]


def planted(file: str, old: str, new: str) -> types.ModuleType:
    """The module with the change, under a name of its own."""
    text = (PLUGINS / file).read_text()
    assert old in text, f"{file} has changed: plant {old!r} anew"
    module = types.ModuleType("planted_" + file.replace("/", "_").removesuffix(".py"))
    sys.modules[module.__name__] = module
    # plain Python throughout: nothing is compiled for a text that has no file
    exec(compile(text.replace(old, new).replace("@jit\n", ""), file, "exec"), module.__dict__)
    return module


def report_of(module: types.ModuleType, name: str) -> Report:
    kind = getattr(module, name)
    if "measures" in module.__name__:
        given = {"Component": ("x",), "AngleAbout": ("y", "x", "b"), "Dot": ("x", "z")}
        return check_measure(name, kind(*given[name]) if name in given else kind)
    if "joints" in module.__name__:
        kind.planar_form = None  # a kind that is planted by itself; plain Python is slow
        return check_constraint(kind)
    return (check_body if "bodies" in module.__name__ else check_force)(kind)


@functools.cache
def unchanged(file: str, name: str) -> Report:
    return report_of(planted(file, "", ""), name)


@pytest.mark.parametrize(
    ("file", "old", "new", "name"),
    PLANTED,
    ids=[f"{n}: {new or 'left out'}"[:60].strip() for _, _, new, n in PLANTED],
)
def test_a_planted_error_is_found_and_without_it_all_is_well(plain, file, old, new, name):
    right = unchanged(file, name)
    assert right.ok, right
    assert not report_of(planted(file, old, new), name).ok


@pytest.mark.parametrize(
    ("file", "old", "new", "name"),
    [
        ("mbplugin_joints/measures/dot.py", "0.0, c[k], 0.0, -c[k]", "0.0, c[k], 0.0, c[k]", "Dot"),
        ("mbplugin_joints/measures/dot.py", "0.0, c[k], 0.0, -c[k]", "0.0, -c[k], 0.0, -c[k]", "Dot"),
        (
            "mbplugin_joints/measures/component.py",
            "-n[k], c[k], n[k], 0.0",
            "-n[k], -c[k], n[k], 0.0",
            "Component",
        ),
        ("mbplugin_joints/measures/angle.py", "-g[n], 0.0, g[n]", "g[n], 0.0, g[n]", "Angle"),
        ("mbplugin_joints/measures/twist.py", "J[9 + k] -= sign", "J[9 + k] += sign", "Twist"),
    ],
)
def test_a_moment_without_a_reaction_is_found_by_a_common_turn(plain, file, old, new, name):
    failed = [check.what for check in report_of(planted(file, old, new), name).checks if not check.ok]
    assert any(what.startswith("action = reaction") for what in failed), failed


def test_a_measure_in_world_axes_may_change_in_a_common_turn(plain):
    from mbplugin_joints.measures import Separation

    (check,) = [
        check
        for check in check_measure("separation", Separation).checks
        if check.what.startswith("action = reaction")
    ]
    assert check.ok and "only translations" in check.note


def test_a_tangent_that_writes_beyond_its_array_is_told_and_not_called_as_compiled(plain):
    written = planted("mbplugin_forces/gravity.py", 'K = 0."""', 'K = 0."""\n        K[6, 0] = 1.0')
    (check,) = [c for c in report_of(written, "Gravity").checks if not c.ok]
    assert "tangent function raises IndexError" in check.note


@pytest.mark.parametrize("name", ["mbplugin_bodies", "mbplugin_joints", "mbplugin_forces"])
def test_every_first_party_kind_conforms(name):
    report = check_plugin(name)
    assert report.ok, f"\n{report}"
    assert len(report.checks) > 9
    assert all(cost.compiled for cost in report.cost.values())


def test_the_kinds_of_the_third_party_conform():
    import foreign_kinds

    for kind in (foreign_kinds.Cable, foreign_kinds.RollingDisc):
        report = check_constraint(kind)
        assert report.ok, f"\n{report}"
    report = check_body(foreign_kinds.Affine)
    assert report.ok, f"\n{report}"


def test_none_that_ran_is_a_failure_and_what_is_not_there_is_named():
    assert not Report().ok and "no check ran" in str(Report())
    with pytest.raises(PluginError, match=r'"acme".*mbplugin_joints'):
        check_plugin("acme")


def test_nan_is_found(plain):
    import foreign_kinds.faulty as faulty

    # a height in the world works in a common turn of both bodies: the kit says so, and nothing else before it
    # is nan
    assert [c.what.partition(":")[0] for c in check_constraint(faulty.NanRow).checks if not c.ok] == [
        "action = reaction"
    ]
    broken = type(
        "Broken",
        (faulty.NanRow,),
        {"kernel": staticmethod(lambda a, b, phi, G, gamma: gamma.__setitem__(0, float("nan")))},
    )
    assert any("gamma[0] = nan" in c.note for c in check_constraint(broken).checks if not c.ok)
