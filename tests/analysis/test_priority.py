"""Priorities decide which redundant joint carries the load; determined reactions and the motion do not
change.
"""

from __future__ import annotations

import numpy as np
import pytest
from refusals import has
from scene_text import bundled, hinge, with_keys
from small import system
from snapshots import same_report

from mbplugin.analysis.redundancy import priority
from mbplugin.api import load
from mbplugin.run.loop import run_system

WEIGHT = 20.5 * 9.81 * np.cos(0.1)  # [N] of door and handle, along the hinge axis


def text(scene: str, **priorities: int) -> str:
    toml = bundled(scene)
    for name in priorities:
        toml = with_keys(toml, name, priority=priorities[name])
    return toml


#: priorities -> shares of the weight, flags of the shared components: upper and lower hinge
CHOICES = {
    "equal": ({}, (0.5, 0.5), (1, 1)),
    "upper": ({"hinge_top": 1}, (1.0, 0.0), (3, 0)),
    "lower": ({"hinge_low": 1}, (0.0, 1.0), (0, 3)),
}


@pytest.fixture(scope="module")
def doors(runs):
    """The door under three choices of priority, at two times."""
    return {
        name: runs.frames(text("door_and_handle", **priorities), [0.0, 0.6])
        for name, (priorities, _, _) in CHOICES.items()
    }


@pytest.mark.parametrize("choice", list(CHOICES))
def test_the_weight_of_a_door_is_carried_as_priorities_say(doors, choice):
    _, shares, flags = CHOICES[choice]
    for frame in doors[choice]:
        top, low, _ = np.hstack([frame["joints/force"], frame["joints/torque"]])
        # with equal priorities the split comes from the solver, accurate to rounding / δ
        tolerance = 2e-3 if choice == "equal" else 1e-7
        assert [top[2], low[2]] == pytest.approx([share * WEIGHT for share in shares], abs=tolerance)
        assert [list(of_joint) for of_joint in frame["joints/determined"]] == [
            [flags[0]] * 5 + [2],
            [flags[1]] * 5 + [2],
            [2] * 6,
        ]
        for number, share in enumerate(shares):
            if share == 0.0:
                assert np.abs((top, low)[number]).max() < 1e-7 * WEIGHT


def test_priorities_change_no_determined_reaction_and_no_motion(doors):
    first = doors["equal"]
    for choice in ("upper", "lower"):
        for one, other in zip(first, doors[choice]):
            for name in ("bodies/position", "bodies/orientation", "bodies/velocity"):
                np.testing.assert_allclose(one[name], other[name], atol=1e-8)
            # the screws, and the sum of both hinges
            for name in ("joints/force", "joints/torque"):
                np.testing.assert_allclose(one[name][2], other[name][2], atol=1e-8)
            np.testing.assert_allclose(
                one["joints/force"][:2].sum(axis=0), other["joints/force"][:2].sum(axis=0), atol=1e-8
            )


def test_joints_of_equal_priority_share_the_load_of_a_lower_one():
    """A third hinge midway between the two, of lower priority, carries nothing; the others share the load."""
    third = hinge("hinge_mid", "ground", "door", at=[0, 0, 1], priority=-1)
    report = system(text("door_and_handle") + third).analyze("acceleration")
    force_z = dict(zip(report.joints, report.reactions[:, 2]))
    assert force_z["hinge_top"] == pytest.approx(WEIGHT / 2, abs=2e-3)
    assert force_z["hinge_low"] == pytest.approx(WEIGHT / 2, abs=2e-3)
    assert force_z["hinge_mid"] == pytest.approx(0.0, abs=2e-3)
    states = {
        r.held.owner: r.state for r in report.counted.reactions if r.held.label == "translation along z"
    }
    assert states == {
        "hinge_top": "shared",
        "hinge_low": "shared",
        "screws": "determined",
        "hinge_mid": "none by priority",
    }


@pytest.mark.parametrize(
    ("priorities", "shares", "states"),
    [
        ({"link_C": -1}, (0.0, 1.0, 0.0), ["by priority", "by priority", "none by priority"]),
        ({"link_B": -1}, (0.5, 0.0, 0.5), ["by priority", "none by priority", "by priority"]),
        # A − 2 B + C is a self-stress: how A and C share the remainder depends on the norm
        ({"link_B": 1}, (0.0, 1.0, 0.0), ["shared", "shared", "shared"]),
        ({"link_A": 2, "link_B": 1}, (0.0, 1.0, 0.0), ["by priority", "by priority", "none by priority"]),
    ],
)
def test_a_plate_on_three_links_by_the_lever(priorities, shares, states):
    """Links at −1, 0 and 1 m, the weight at 0: two links carry it by the lever rule, without the third."""
    report = system(text("three_link_plate", **priorities)).analyze("static")
    assert report.reactions[:, 1] == pytest.approx(np.array(shares) * 3 * 9.81, abs=1e-6)
    assert [r.state for r in report.counted.reactions] == states


def test_the_report_marks_forces_that_are_zero_by_priority():
    report = "\n".join(system(text("door_and_handle", hinge_low=-1)).analyze("redundancy").lines())
    same_report("analyze_redundancy_by_priority", report)


def test_the_store_the_messages_and_the_series_agree(tmp_path, registry):
    scene = system(text("door_and_handle", hinge_top=1)).changed("output.frames", 3)
    run_system(scene, tmp_path, registry, end=0.05)
    result = load(tmp_path)
    top = result.joint("hinge_top")
    assert top.force[0, 2] == pytest.approx(WEIGHT, abs=1e-7)
    assert (top.determined[0, :5] == 3).all()
    assert (result.joint("hinge_low").determined[0, :5] == 0).all()
    messages = (tmp_path / "messages.txt").read_text()
    assert "hinge_top: force along z [N] (settled by priority)" in messages
    pyvista = pytest.importorskip("pyvista")
    points = pyvista.read(tmp_path / "joints" / "frame_000000.vtp")
    np.testing.assert_allclose(points["force"][0], top.force[0], atol=1e-12)
    assert list(points["determined"][0]) == list(top.determined[0])


def test_large_models_report_that_priorities_are_ignored(monkeypatch):
    monkeypatch.setattr(priority, "MAX_DENSE_ROWS", 10)
    report = system(text("door_and_handle", hinge_top=1)).analyze("acceleration")
    assert report.reactions[0, 2] == pytest.approx(WEIGHT / 2, abs=2e-3)
    assert any(has(line, "10 rows") for line in report.whole())
