"""Joints, motions, forces, the solver and the output, each alone."""

from types import SimpleNamespace

import pytest
from refusals import has, refused

from mbplugin.compile.other_names import ours, refuse_other_names
from mbplugin.model import Body, Force, Joint, Marker, Motion, Output, Parameters, Solver, Start, validated
from mbplugin.model.quantities import Count, Function, NonNegative, Positive, Vector


def test_a_joint_keeps_the_keys_of_its_kind():
    joint = Joint(name="rod", type="rod", a="ground", b="bob.tip", thickness="2*L")
    assert (joint.a, joint.b, joint.raw) == ("ground", "bob.tip", {"thickness": "2*L"})
    assert joint.enforce == "lagrange"


def test_a_start_in_degrees_is_in_radians():
    assert Start(angle_deg=180).radians == pytest.approx(3.141592653589793)
    assert Start(angle="pi/2").radians == pytest.approx(1.5707963267948966)
    assert Start(length=1).radians is None


@pytest.mark.parametrize(
    "key, coordinate, level",
    [("angle", "angle", 0), ("angle_velocity", "angle", 1), ("length_acceleration", "length", 2)],
)
def test_a_motion_drives_one_coordinate_at_one_level(key, coordinate, level):
    motion = Motion(joint="crank", **{key: "314*time"})
    assert (motion.coordinate, motion.level, motion.expression) == (coordinate, level, "314*time")


@pytest.mark.parametrize(
    ("make", "key"),
    [
        (lambda: Joint(name="j"), "Joint.type"),
        (lambda: Joint(name="j", tipe="ball"), "Joint.type"),
        (lambda: Joint(name="j", type="ball", a="a.b.c"), "Joint.a"),
        (lambda: Joint(name="j", type="ball", a=3), "Joint.a"),
        (lambda: Joint(name="j", type="ball", axis=[0, 0, 0]), "Joint.axis"),
        (lambda: Joint(name="j", type="ball", at=[1]), "Joint.at"),
        (lambda: Joint(name="j", type="ball", start={"angle": 1, "angle_deg": 1}), "Joint.start.angle_deg"),
        (lambda: Joint(name="j", type="ball", start={"angel": 1}), "Joint.start.angel"),
        (lambda: Joint(name="j", type="ball", start=3), "Joint.start"),
        (lambda: Motion(joint="j"), "Motion"),
        (lambda: Motion(joint="j", angle=1, length=2), "Motion.length"),
        (lambda: Motion(angle=1), "Motion.joint"),
        (lambda: Force(), "Force.type"),
        (lambda: Solver(end=0), "Solver.end"),
        (lambda: Output(frames=0), "Output.frames"),
        (lambda: Output(frames=2.5), "Output.frames"),
        (lambda: Output(frames=10, every=0.1), "Output.every"),
        (lambda: Output(start=2, end=1), "Output.end"),
        (lambda: Output(series="yes"), "Output.series"),
        (lambda: Output(serie=True), "Output.serie"),
        (lambda: Output(stress="yes"), "Output.stress"),
        (lambda: Joint(name="j", type="ball", snap="true"), "Joint.snap"),
        (lambda: Joint(name="j", type="ball", active=1), "Joint.active"),
        (lambda: Joint(name="j", type="ball", priority=True), "Joint.priority"),
        (lambda: Marker(name="m", nodes=True), "Marker.nodes"),
        (lambda: Body(name="b", collide=1), "Body.collide"),
        (lambda: Body(name="b", shape=[{"type": "plane", "collide": "no"}]), "Body.shape[0].collide"),
    ],
)
def test_a_mistake_is_reported_with_its_correction(make, key):
    with refused(key):
        make()


def test_output_writes_500_steps_unless_told_otherwise():
    assert Output().frames == 500
    assert Output(frames=10).frames == 10
    assert Output(every=0.1).frames is None


class SpringParameters(Parameters):
    stiffness: Positive
    damping: NonNegative = 0.0
    force: Function = 0.0
    direction: Vector = (1, 0, 0)
    turns: Count = 1


def test_the_keys_of_a_kind_are_validated_with_the_parameters():
    p = validated(SpringParameters, {"stiffness": "2*k", "force": "k*time"}, "force[1]", {"k": 5})
    assert p.stiffness == 10.0
    assert p.force.text == "k*time"
    assert p.damping == 0.0 and p.direction == (1.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("own", "key"),
    [
        ({}, "force[1].stiffness"),
        ({"stifness": 1}, "force[1].stifness"),
        ({"stiffness": 1, "dampin": 1}, "force[1].dampin"),
        ({"stiffness": 1, "bdy": 1}, "force[1].bdy"),
        ({"stiffness": -1}, "force[1].stiffness"),
        ({"stiffness": 1, "force": "k*tme"}, "force[1].force"),
        ({"stiffness": 1, "direction": [0, "x", 1]}, "force[1].direction[1]"),
    ],
)
def test_a_mistake_in_the_keys_of_a_kind_has_its_path(own, key):
    with refused(key):
        validated(SpringParameters, own, "force[1]", {"k": 5}, also_known=Force.keys())


def test_several_mistakes_are_reported_together():
    others = [f"force[0].{key}" for key in ("damping", "force", "turns")]
    with refused("force[0].stiffness", -1, also=others) as caught:
        validated(SpringParameters, {"stiffness": -1, "damping": -1, "force": "", "turns": 0}, "force[0]")
    assert len(str(caught.value).splitlines()) == 3


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        *((key, "limits") for key in ("limit", "range", "upper", "max_angle", "maxAngle", "min_angle_deg")),
        *((key, "limits") for key in ("lower_limit", "lengthRange", "angle_limits", "hard_stop", "minimum")),
        *(
            (key, "friction_torque")
            for key in ("friction", "frictionloss", "static_friction", "friction_loss")
        ),
        *((key, "stop_stiffness") for key in ("limit_stiffness", "upperDamping", "stop_spring")),
        *((key, "effort_limit") for key in ("effort", "max_torque", "velocity_limit", "maxSpeed")),
        *(
            (key, "")
            for key in ("max_step", "turn", "force", "stifness", "angle", "maximal", "limitless", "")
        ),
    ],
)
def test_a_key_of_another_program_is_told_its_name_here(key, meant):
    assert has(ours(key), meant) if meant else not ours(key)


@pytest.mark.parametrize("value", [0, -1, float("nan"), "x", 1e300, [0, 1]])
def test_a_limit_of_another_name_is_refused_with_its_name_here(value):
    joint = Joint(name="j", type="hinge", max_angle=value)
    kind = SimpleNamespace(parameters=None)
    with refused("joint[0].max_angle") as caught:
        refuse_other_names(joint, kind, "joint[0]")  # type: ignore[arg-type]
    assert caught.value.value is value and has(caught.value.mend, "limits")
