"""The kit passes what is right, and finds errors of one sign or one factor planted in our own kinds."""

from __future__ import annotations

import functools
import sys
import types

import pytest
from mutations import ROOT, Mutant, mutated
from refusals import has, stopped

from mbplugin.errors import PluginError
from mbplugin.testing import check_body, check_constraint, check_force, check_measure, check_plugin
from mbplugin.testing.kit import installed
from mbplugin.testing.report import Report

#: kernels by hand that are derived in our own plugins
MEASURES, JOINTS = "tests/plugins/measures_by_hand.py", "tests/plugins/joints_by_hand.py"
#: (file, kind, function) -> mutations of it, by kind and number
PLANTED = {
    (MEASURES, "Distance", "distance_kernel"): ("sign 3", "index 0"),
    (MEASURES, "Distance", "line"): ("sign 0", "factor 1"),
    (MEASURES, "Component", "component_kernel"): ("sign 3", "factor 0", "term 3"),
    (MEASURES, "Turn", "put_component"): ("sign 9", "sign 3", "factor 5"),
    (MEASURES, "Separation", "separation_kernel"): ("sign 5", "statement 2"),
    (MEASURES, "Angle", "angle_kernel"): ("sign 5", "sign 6", "sign 9"),
    (MEASURES, "AngleAbout", "angle_kernel"): ("factor 13", "factor 4"),
    (MEASURES, "Twist", "twist_kernel"): ("statement 0",),
    ("plugins/mbplugin_joints/pulley.py", "Pulley", "add_leg"): ("factor 2", "sign 6"),
    (JOINTS, "Wheel", "contact_row"): ("sign 9", "swap 10"),
    (JOINTS, "Wheel", "rim"): ("swap 16",),
    (JOINTS, "Wheel", "Wheel.kernel"): ("swap 5",),
    (JOINTS, "RollingDisc", "RollingDisc.kernel"): ("swap 4",),
    (JOINTS, "DiscOnLine", "DiscOnLine.kernel"): ("swap 7",),
    ("plugins/mbplugin_forces/spring_damper.py", "SpringDamper", "SpringDamper.kernel"): (
        "sign 0",
        "sign 4",
        "sign 8",
        "factor 9",
    ),
    ("plugins/mbplugin_forces/torsion_spring.py", "TorsionSpringDamper", "TorsionSpringDamper.kernel"): (
        "term 2",
    ),
    ("plugins/mbplugin_forces/gravity.py", "Gravity", "Gravity.kernel"): ("sign 0",),
    ("plugins/mbplugin_bodies/point.py", "Point", "Point.locate"): ("index 9",),
    ("plugins/mbplugin_bodies/point.py", "Point", "Point.to_generalized_force"): ("index 0",),
    ("plugins/mbplugin_bodies/spatial.py", "Spatial", "Spatial.locate"): ("swap 4",),
    ("plugins/mbplugin_bodies/spatial.py", "Spatial", "Spatial.internal"): ("sign 0",),
    ("plugins/mbplugin_bodies/spatial.py", "Spatial", "Spatial.to_generalized_force"): ("swap 4",),
    ("plugins/mbplugin_bodies/spatial.py", "Spatial", "Spatial.rate"): ("factor 1",),
    ("plugins/mbplugin_bodies/spatial.py", "Spatial", "Spatial.geometric"): ("sign 0", "swap 5"),
    ("plugins/mbplugin_bodies/spatial.py", "Spatial", "Spatial.retract_tangent"): ("index 0",),
    ("plugins/mbplugin_bodies/spatial.py", "Spatial", "Spatial.tangent"): ("swap 1",),
    ("plugins/mbplugin_bodies/planar.py", "Planar", "Planar.geometric"): ("sign 0",),
    ("plugins/mbplugin_bodies/pseudo_rigid.py", "PseudoRigid", "PseudoRigid.prepare"): ("sign 0", "swap 1"),
    ("plugins/mbplugin_bodies/pseudo_rigid.py", "PseudoRigid", "PseudoRigid.to_generalized_force"): (
        "sign 0",
        "sign 2",
    ),
    ("plugins/mbplugin_bodies/pseudo_rigid.py", "PseudoRigid", "PseudoRigid.internal"): ("sign 0",),
    ("plugins/mbplugin_bodies/pseudo_rigid.py", "PseudoRigid", "PseudoRigid.geometric"): ("sign 0", "swap 1"),
    ("plugins/mbplugin_bodies/pseudo_rigid.py", "PseudoRigid", "PseudoRigid.tangent"): ("factor 0",),
    (MEASURES, "Distance", "distance_tangent"): ("sign 0",),
    (MEASURES, "Component", "component_tangent"): ("index 1",),
    (MEASURES, "Dot", "put_dots_tangent"): ("sign 10",),
    (MEASURES, "Turn", "turn_tangent"): ("sign 2",),
    (MEASURES, "Twist", "twist_tangent"): ("sign 0",),
    ("plugins/mbplugin_forces/spring_damper.py", "SpringDamper", "SpringDamper.tangent"): (
        "term 2",
        "swap 4",
        "sign 3",
    ),
}
#: of PLANTED: kinds whose kit takes seconds in plain Python, or like which another one is
LONG = ("PseudoRigid", "Planar", "Point", "Pulley", "RollingDisc", "DiscOnLine", "TorsionSpringDamper")
#: functions of Spatial that are like others of it
LIKE_OTHERS = ("Spatial.internal", "Spatial.rate", "Spatial.retract_tangent", "Spatial.to_generalized_force")
#: the same, of moments without a reaction
WITHOUT_REACTION = {
    (MEASURES, "Dot", "dot_kernel"): ("sign 3",),
    (MEASURES, "Turn", "put_component"): ("sign 9", "sign 6"),
    (MEASURES, "Angle", "angle_kernel"): ("sign 5",),
}


def each(planted):
    """(mutant, kind) of a table of mutations, for parametrize."""
    for (file, name, function), mutations in planted.items():
        for kind, number in map(str.split, mutations):
            mutant = Mutant(file, function, kind, int(number))
            first = f"{kind} {number}" == mutations[0]
            marks = () if first and name not in LONG and function not in LIKE_OTHERS else pytest.mark.slow
            yield pytest.param(mutant, name, id=f"{name}: {function} {kind} {number}", marks=marks)


def module_of(file: str, text: str) -> types.ModuleType:
    """The text of a file of plugins as a module, under a name of its own."""
    module = types.ModuleType("planted_" + file.replace("/", "_").removesuffix(".py"))
    sys.modules[module.__name__] = module
    # plain Python throughout: nothing is compiled for a text that has no file
    exec(compile(text.replace("@jit\n", ""), file, "exec"), module.__dict__)
    return module


def planted(mutant: Mutant) -> types.ModuleType:
    return module_of(mutant.file, mutated((ROOT / mutant.file).read_text(), mutant))


def report_of(module: types.ModuleType, name: str) -> Report:
    kind = getattr(module, name)
    if "measures" in module.__name__:
        given = {"Component": ("x",), "AngleAbout": ("y", "x", "b"), "Dot": ("x", "z")}
        return check_measure(name, kind(*given[name]) if name in given else kind)
    if "joints" in module.__name__:
        kind.Planar = None  # a kind that is planted by itself; plain Python is slow
        return check_constraint(kind)
    return (check_body if "bodies" in module.__name__ else check_force)(kind)


@functools.cache
def unchanged(file: str, name: str) -> Report:
    return report_of(module_of(file, (ROOT / file).read_text()), name)


@pytest.mark.parametrize(("mutant", "name"), list(each(PLANTED)))
def test_a_planted_error_is_found_and_without_it_all_is_well(plain, mutant, name):
    right = unchanged(mutant.file, name)
    assert right.ok, right
    assert not report_of(planted(mutant), name).ok


@pytest.mark.parametrize(("mutant", "name"), list(each(WITHOUT_REACTION)))
def test_a_moment_without_a_reaction_is_found_by_a_common_turn(plain, mutant, name):
    failed = [check.what for check in report_of(planted(mutant), name).checks if not check.ok]
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
    def beyond(K):
        K[6, 0] = 1.0

    file = "plugins/mbplugin_forces/gravity.py"
    written = module_of(file, (ROOT / file).read_text())
    written.Gravity.tangent = staticmethod(beyond)
    (check,) = [c for c in report_of(written, "Gravity").checks if not c.ok]
    assert has(check.note, "IndexError")


@pytest.mark.parametrize("name", ["spring_damper", "bushing", "motor"])
def test_forces_conform(name):
    report = check_force(installed().find("force element", name))
    assert report.ok, f"\n{report}"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mbplugin_forces", "mbplugin_bodies", "mbplugin_joints"])
def test_every_first_party_kind_conforms(name):
    report = check_plugin(name)
    assert report.ok, f"\n{report}"
    assert len(report.checks) > 9
    assert all(cost.compiled for cost in report.cost.values())


@pytest.mark.parametrize("name", ["point", "planar", "spatial", "rotor"])
def test_rigid_bodies_conform(name):
    report = check_body(installed().find("body kind", name))
    assert report.ok, f"\n{report}"


@pytest.mark.parametrize("name", ["universal", "screw", "pulley", "wheel"])
def test_joints_of_each_make_conform(name):
    """Of basic constraints, with a relation of coordinates, with rows of its own, with rows of velocities."""
    report = check_constraint(installed().find("constraint type", name))
    assert report.ok, f"\n{report}"


@pytest.mark.parametrize("name", ["component_x", "distance", "separation", "turn", "twist"])
def test_measures_conform(name):
    report = check_measure(name, installed().find("measure", name))
    assert report.ok, f"\n{report}"


def test_the_kinds_of_the_third_party_conform():
    import foreign_kinds

    for kind in (foreign_kinds.Cable, foreign_kinds.RollingDisc):
        report = check_constraint(kind)
        assert report.ok, f"\n{report}"
    report = check_body(foreign_kinds.Affine)
    assert report.ok, f"\n{report}"


def test_none_that_ran_is_a_failure_and_what_is_not_there_is_named():
    assert not Report().ok and "no check ran" in str(Report())
    with stopped(PluginError, "acme", "mbplugin_joints"):
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
    assert any(has(c.note, "gamma[0]", "nan") for c in check_constraint(broken).checks if not c.ok)
