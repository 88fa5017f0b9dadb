"""Laws over generated scenes: each case, a set of kinds and a seed, is asked for three of them.

A failure prints the scene file, which reproduces it. More cases, and kinds that are compiled for them alone,
run with --slow.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import checker
import generated
import known_faults
import numpy as np
import pytest
import symmetries
from generated import Kinds, Scene
from images import Image
from recorded import Run, record
from refusals import stopped
from symmetries import Judged
from tiers import few_first
from values import unequal_runs, unequal_steps

import mbplugin as mb
from mbplugin.errors import PhysicsError

LAWS = ("momentum", "energy", "no jump", "values", "residual", "closing")
#: isometries, and other names or company, under which the motion is the same
SYMMETRIES = ("mirror", "rotated", "moving", "renumbered", "beside")
SETS = (
    *(generated.LOOSE, generated.SUPPORTS, generated.TREES, generated.LOOPS),
    *(generated.MOTORS, generated.SOFT, generated.MIXED, generated.TURNING),
    *(generated.RESTING, generated.SEAMS, generated.CRADLES, generated.GEARS, generated.SWARM),
    *(generated.LIMITED, generated.ROPES, generated.PAYLOADS, generated.SHIFTING, generated.ROUND),
    *(generated.CHANNEL, generated.HOLLOW, generated.FLAT),
)
#: seeds of each set in the default run
SEEDS = 1
#: steps of a case; of the motion and its image
STEPS, FEW = 80, 20
#: of a run whose bits are compared
FRAMES = 5
#: the scene itself, in full digits
FULL = Image(turn=(1.0, 0.0, 0.0, 0.0))
#: energy: part of (h Ω)² by which it may grow; no jump: part of h Ω; Ω: the fastest rate of the scene
ENERGY, JUMP = 2.0, 5.0

#: what these laws are not asked of: sets, laws, and why
LEFT_OUT: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("limited", ("no jump",), "limits and dry friction change forces at once"),
    ("ropes", ("no jump",), "ropes go slack and become taut at once"),
    ("shifting", ("no jump",), "speeds of motions jump"),
    ("soft", ("no jump",), "vibrations of penalty joints are no part of the rates that the checker knows"),
    ("other joints", ("no jump",), "mechanisms that pass a singular position change faster than these rates"),
)
#: no slow cases: a ball that landed while impacts were taken in turn was new in two steps, as rounding wanted
FAST = {("rotated", "supports", 155)}
#: wedged bodies with friction, of which the image finds another motion that obeys the law as well
TWO_SOLUTIONS = {("seams", 162)}
#: cases whose motions press a body into the floor, or two into each other: their runs are ended
PRESSED = {
    ("motors", seed)
    for seed in (
        *(4, 27, 28, 82, 97, 112, 160, 161, 162, 167, 175, 185, 195),
        *(230, 276, 284, 296, 324, 329),
    )
} | {("shifting", seed) for seed in (6, 11, 51, 60, 63, 64, 67, 90, 111, 119, 145, 151, 188, 189)}


#: those of motors where the body is above the floor, not another one
INTO_THE_FLOOR = sorted(seed for name, seed in PRESSED if name == "motors" and seed != 296)


def left_out(kinds: Kinds, law: str) -> bool:
    return any(name == kinds.name and law in laws for name, laws, _ in LEFT_OUT)


def laws_of(kinds: Kinds) -> list[str]:
    """Planar bodies have a plane, and bodies on the ground a frame, that an image would lose."""
    lost = ["rotated"] if "planar" in kinds.bodies else []
    lost += [] if kinds.floats else ["moving"]
    return [law for law in (*LAWS, *SYMMETRIES) if law not in lost]


@cache
def drawn(kinds: Kinds, seed: int) -> list[str]:
    """The three laws of a case; of bodies without supports, every second one is seen from a moving frame."""
    rng = np.random.default_rng([seed, len(kinds.name)])
    found = [str(law) for law in rng.permutation(laws_of(kinds))]
    if kinds.floats and seed % 2 == 0:
        found = ["moving", *found]
    return list(dict.fromkeys(found))[:3]


def cases(law: str, sets: Any, seeds: range) -> Iterator[Any]:
    for kinds in sets:
        for seed in seeds:
            known = left_out(kinds, law) or known_faults.known(law, kinds.name, seed)
            known = known or (kinds.name, seed) in PRESSED
            if law in drawn(kinds, seed) and not known:
                yield pytest.param(kinds, seed, id=f"{kinds.name}-{seed}")


def every(law: str) -> Callable[..., Any]:
    """A law is asked of the default cases, and of more when slow tests run."""

    def decorated(test: Callable[..., None]) -> Callable[..., None]:
        default = list(cases(law, SETS, range(SEEDS)))
        sound = [kinds for kinds in SETS if kinds is not generated.SOFT]
        more = [*cases(law, SETS, range(SEEDS, 6)), *cases(law, sound, range(6, 190))]
        more += cases(law, OTHERS, range(20))
        fast = lambda kinds, seed: (law, kinds.name, seed) in FAST
        marks = [() if fast(*one.values) else pytest.mark.slow for one in more]
        slow = [pytest.param(*one.values, id=one.id, marks=mark) for one, mark in zip(more, marks)]
        return pytest.mark.parametrize(("kinds", "seed"), [*default, *slow])(test)

    return decorated


#: solvers without contacts, and the part of the energy that they may add or take in the steps of a case
METHODS = ((generated.FLYING, 1e-8), (generated.IMPLICIT, 1e-5))
OTHERS = (generated.OTHER_JOINTS, generated.PARALLEL_LOOPS)


@cache
def case(kinds: Kinds, seed: int) -> tuple[Scene, Run, str]:
    """A scene, what it does, and its text."""
    scene = generated.scene(kinds, seed)
    return scene, recorded(scene), scene.text(steps=STEPS)


def recorded(scene: Scene, steps: int = STEPS, impulses: bool = True, **keys: Any) -> Run:
    impulses = impulses and scene.kinds.solver == "contact"
    return record(scene.text(steps=steps, **keys), steps, impulses, dt=scene.step, jumps=scene.jumps)


def hold(miss: checker.Miss, text: str) -> None:
    assert miss.ratio <= 1.0, f"{miss}\n{text}"


@every("momentum")
def test_momentum_changes_by_the_impulses_that_are_reported(kinds, seed):
    scene, run, text = case(kinds, seed)
    hold(checker.momentum(run, scene), text)


@every("energy")
def test_energy_grows_only_by_the_work_of_motions_and_forces(kinds, seed):
    scene, run, text = case(kinds, seed)
    hold(checker.energy(run, scene, ENERGY), text)


@every("no jump")
def test_velocities_are_smooth_where_no_contact_is_loaded(kinds, seed):
    scene, run, text = case(kinds, seed)
    hold(checker.no_jump(run, scene, JUMP), text)


@every("residual")
def test_steps_miss_their_equations_by_no_more_than_they_claim(kinds, seed):
    scene, run, text = case(kinds, seed)
    hold(checker.residual(run, scene), text)


@every("closing")
def test_impulses_act_only_between_bodies_that_meet(kinds, seed):
    scene, run, text = case(kinds, seed)
    hold(checker.closing(run, scene), text)


@cache
def exact(kinds: Kinds, seed: int) -> tuple[Scene, Run, Judged]:
    """A scene with a residual of 1e-9 g h, its first steps, and whether they are unique."""
    scene = generated.scene(kinds, seed).changed(keys={"residual": 1e-9})
    run = recorded(scene, FEW, image=FULL)
    return scene, run, symmetries.judged(run, scene)


def same(kinds: Kinds, seed: int, image: Image = FULL, **keys: Any) -> None:
    """The motion is that of the image."""
    scene, run, judged = exact(kinds, seed)
    if judged.reason:
        pytest.skip(judged.reason)
    if (kinds.name, seed) in TWO_SOLUTIONS:
        pytest.skip("both motions obey the law, to 1e-13 m/s")
    # a hundred times the residual, added up over the steps
    allowed = 100 * 1e-9 * generated.GRAVITY * scene.step * FEW * judged.condition
    # a step that a jump splits has two ends
    other = recorded(scene, FEW, impulses=bool(scene.jumps), image=image, **keys)
    hold(symmetries.alike(run, other, allowed, image), scene.text(steps=FEW))


@every("mirror")
def test_the_mirror_image_moves_as_the_image_of_the_motion(kinds, seed):
    same(kinds, seed, FULL.mirror())


@every("rotated")
def test_rotated_axes_change_no_motion(kinds, seed):
    same(kinds, seed, Image(turn=(0.36, 0.48, -0.64, 0.48)))


@every("moving")
def test_bodies_without_supports_move_alike_in_a_moving_frame(kinds, seed):
    same(kinds, seed, Image(turn=FULL.turn, drift=(0.7, -0.4, 0.3)))


@every("renumbered")
def test_the_order_of_bodies_joints_and_forces_changes_no_motion(kinds, seed):
    same(kinds, seed, order=seed)


@every("beside")
def test_a_mechanism_far_away_changes_no_motion(kinds, seed):
    same(kinds, seed, beside=True)


def test_few_motions_are_left_out_of_symmetries():
    """Of bodies that are not given at rest, or sliding flat on a plane."""
    moving = [kinds for kinds in SETS if kinds not in (generated.RESTING, generated.SEAMS)]
    reasons = {(kinds.name, seed): exact(kinds, seed)[2].reason for kinds in moving for seed in range(2)}
    out = {where: reason for where, reason in reasons.items() if reason}
    assert len(out) <= 0.1 * len(reasons), out


@pytest.mark.parametrize("seed", few_first(INTO_THE_FLOOR))
def test_a_run_is_ended_where_a_driven_body_is_led_into_the_floor(seed):
    """The same scene without collisions shows where its motions lead the body that the message names."""
    scene = generated.scene(generated.MOTORS, seed)
    text = scene.text(steps=STEPS)
    with stopped(PhysicsError, "ground", hide=None) as ended:
        mb.System.from_text(text).run(files=False)
    name = re.findall(r'"(b\d)" and ground', str(ended.value))[0]
    free = mb.System.from_text(text.replace("collide = true", "collide = false"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of materials of what does not collide
        result = free.run(files=False)
    lowest = lowest_points(result, free, name)
    first = result.time[np.flatnonzero(lowest < 0.0)[0]]
    assert abs(first - ended.value.time) <= 2 * scene.step
    assert lowest.min() < -1e-4


def lowest_points(result: Any, system: Any, name: str) -> Any:
    """(frames,) height of the lowest point of a body, a sphere or a box [m]."""
    k = [body.name for body in system.bodies].index(name)
    shape, z = system.bodies[k].shapes[0], result.raw["bodies/position"][:, k, 2]
    if shape.type == "sphere":
        return z - shape.radius
    w, x, y, u = result.raw["bodies/orientation"][:, k].T
    down = np.stack([2 * (x * u - w * y), 2 * (y * u + w * x), 1 - 2 * (x * x + y * y)], axis=1)
    return z - np.abs(down) @ (0.5 * np.array(shape.size))


@every("values")
def test_every_run_of_a_scene_has_the_same_bits(kinds, seed):
    scene = generated.scene(kinds, seed)
    text = scene.text(steps=STEPS // 2, frames=FRAMES)
    assert unequal_runs(text) == [], text
    assert unequal_steps(text, scene.step, STEPS // 2, seed) == [], text


def flush(seed: int) -> bool:
    """Whether the boxes of the ground of a scene with seams are of equal height."""
    return len({tile["position"][2] for tile in generated.scene(generated.SEAMS, seed).ground}) == 1


FLUSH = [seed for seed in range(24) if flush(seed)]


def level(seed: int) -> bool:
    """Whether bodies fall on a plane across z."""
    (shape,) = generated.scene(generated.LOOSE, seed).ground[:1]
    return shape["type"] == "plane" and "orientation" not in shape


BELTS = [*filter(level, range(16))]
DRIFT = (0.7, -0.4, 0.0)


def on_belt(seed: int) -> Scene:
    """A scene whose plane is a belt."""
    scene = generated.scene(generated.LOOSE, seed).changed(keys={"residual": 1e-9})
    return scene.changed(ground=({**scene.ground[0], "surface_velocity": list(DRIFT)},))


@pytest.mark.parametrize("seed", few_first(BELTS))
def test_a_belt_of_constant_velocity_is_a_plane_at_rest_in_a_moving_frame(seed):
    scene, run, judged = exact(generated.LOOSE, seed)
    if judged.reason:
        pytest.skip(judged.reason)
    image = Image(turn=FULL.turn, drift=DRIFT)
    allowed = 100 * 1e-9 * generated.GRAVITY * scene.step * FEW * judged.condition
    other = recorded(on_belt(seed), FEW, impulses=False, image=image)
    hold(symmetries.alike(run, other, allowed, image), on_belt(seed).text(steps=FEW))


@pytest.mark.parametrize("seed", few_first(BELTS[:3]))
def test_runs_with_a_belt_have_the_same_bits(seed):
    scene = on_belt(seed)
    text = scene.text(steps=STEPS // 2, frames=FRAMES)
    assert unequal_runs(text) == [], text
    assert unequal_steps(text, scene.step, STEPS // 2, seed) == [], text


def elastic(seed: int) -> bool:
    """Whether balls in a row are elastic, and nothing else holds them."""
    scene = generated.scene(generated.CRADLES, seed)
    return scene.restitution == 1.0 and not scene.joints and not scene.ground


@pytest.mark.parametrize("seed", few_first(filter(elastic, range(60))))
def test_elastic_balls_that_touch_keep_their_energy(seed):
    _, run, text = case(generated.CRADLES, seed)
    energy = sum(checker.kinetic(run, body) for body in run.bodies)
    assert any(checker.loaded(run, k) for k in range(STEPS)), text
    assert np.abs(energy - energy[0]).max() < 1e-6 * energy[0], text


@pytest.mark.parametrize("seed", few_first(range(200), 2))
def test_elastic_balls_above_each_other_keep_their_energy(seed):
    """Several impacts in a step, under both laws; approach below 2 g h is no impact, and is stopped."""
    scene = generated.scene(generated.ELASTIC, seed)
    energy = mb.System.from_text(scene.text(steps=STEPS)).run(files=False).energy
    total, mass = energy.kinetic + energy.potential, sum(density_mass(body) for body in scene.bodies)
    slow = 0.5 * mass * (2.0 * generated.GRAVITY * scene.step) ** 2
    assert np.diff(total).max() < 1e-10 * total[0], scene.text(steps=STEPS)
    assert total[0] - total[-1] < 1e-10 * total[0] + slow, scene.text(steps=STEPS)


@pytest.mark.parametrize("seed", few_first(range(200), 2))
def test_bodies_that_turn_fast_pass_through_nothing(seed):
    """With up to 350 rad/s and given steps of 1 and 2 ms; the checker's laws are those of undivided steps."""
    scene = generated.scene(generated.SPINNING, seed)
    result = mb.System.from_text(scene.text(steps=STEPS)).run(files=False)
    lowest = min(result[body.name].center_of_mass[:, 2].min() for body in scene.bodies)
    assert lowest > 0.01, scene.text(steps=STEPS)
    assert result.output("contact.penetration").max() < 5e-3, scene.text(steps=STEPS)


def density_mass(ball: generated.Body) -> float:
    return ball.density * 4.0 / 3.0 * np.pi * ball.shapes[0]["radius"] ** 3


@pytest.mark.parametrize("seed", few_first(FLUSH))
def test_flush_seams_of_boxes_change_no_motion(seed):
    """The ground is one box, or several side by side; without friction for every second seed."""
    scene = generated.scene(generated.SEAMS, seed).changed(keys={"residual": 1e-9})
    if seed % 2 == 0:
        scene = scene.changed(friction=0.0, friction_static=0.0)
    slab = {"type": "box", "size": [8.0, 3.0, 0.1], "position": [1.0, 0.0, -0.05]}
    whole = scene.changed(ground=(slab,))
    run = recorded(whole, STEPS)
    judged = symmetries.judged(run, whole)
    if judged.reason:
        pytest.skip(judged.reason)
    allowed = 100 * 1e-9 * generated.GRAVITY * scene.step * STEPS * judged.condition
    hold(symmetries.alike(run, recorded(scene, STEPS, impulses=False), allowed), scene.text(steps=STEPS))


@pytest.mark.parametrize("seed", few_first(range(3)))
@pytest.mark.parametrize(
    "kinds", [generated.LOOSE, generated.TREES, generated.SWARM], ids=lambda one: one.name
)
def test_a_run_that_stops_is_the_one_without_the_condition_up_to_there(kinds, seed):
    scene, run, _ = case(kinds, seed)
    # a body that falls: where it is half a step after the middle of the run
    z = run.x["b0"][:, 2]
    k = STEPS // 2
    level, sign = float(0.5 * (z[k] + z[k + 1])), np.sign(z[k + 1] - z[k])
    if (sign * (z[: k + 1] - level)).max() >= 0.0:
        pytest.skip("the body has been there before")
    condition = f"{sign}*(component_z(ground, b0) - {level!r}) >= 0"
    scene = scene.changed(keys={"stop": condition})
    stopped, text = recorded(scene), scene.text(steps=STEPS)
    assert len(stopped.steps) == k + 1 and run.time[k] < stopped.time[-1] <= run.time[k + 1], text
    assert stopped.x["b0"][-1, 2] == pytest.approx(level, abs=1e-9), text
    for body in run.bodies:
        for of in ("x", "R", "v", "w"):
            both = getattr(stopped, of)[body.name][:-1], getattr(run, of)[body.name][: k + 1]
            assert np.abs(both[0] - both[1]).max() < 1e-11, text
    hold(checker.momentum(stopped, scene), text)
    hold(checker.residual(stopped, scene), text)


@pytest.mark.parametrize("seed", few_first(range(6)))
@pytest.mark.parametrize(("kinds", "part"), METHODS, ids=["rk", "galpha"])
def test_other_solvers_keep_the_energy_of_springs_and_joints(kinds, part, seed):
    scene, run, text = case(kinds, seed)
    hold(checker.kept_energy(run, scene, part), text)


@pytest.mark.parametrize("seed", few_first(range(20)))
def test_the_coordinates_of_the_states_change_no_motion(seed):
    scene = generated.scene(generated.FLYING, seed)
    runs = [
        recorded(scene.changed(keys={"coordinates": coordinates, "tolerance": 1e-11}))
        for coordinates in ("maximal", "joint")
    ]
    hold(symmetries.alike(*runs, 1e-9), scene.text(steps=STEPS))


def test_a_limit_that_a_step_leaves_passed_does_not_jump_where_a_motion_does():
    """`contact` passes a limit by up to 1e-7 rad; here by 1.8e-9 rad as the speed of a motion jumps."""
    scene = generated.scene(generated.SHIFTING, 139)
    result = mb.System.from_text(scene.text(steps=30, frames=FRAMES)).run(files=False)
    assert 0.0213 in scene.jumps and result.time[-1] > 0.0213
    limits = {joint.name: joint.keys["limits"] for joint in scene.joints if "limits" in joint.keys}
    for name, (low, high) in limits.items():
        type = next(joint.type for joint in scene.joints if joint.name == name)
        value = result.coordinate(f"{name}.{generated.DRIVEN[type]}").value
        assert value.min() > low - 1e-6 and value.max() < high + 1e-6


@pytest.mark.parametrize("seed", few_first(range(24)))
def test_the_ledger_of_motions_whose_speeds_jump_closes(seed):
    """In either coordinates: what motions put in is in the energies, or lost to friction and impacts."""
    scene = generated.scene(generated.SHIFTING_FREE, seed)
    ledger_closes(scene, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(24))
def test_the_ledger_of_motions_whose_speeds_jump_closes_for_half_a_minute(seed):
    ledger_closes(generated.scene(generated.SHIFTING_FREE, seed), 30.0)


def ledger_closes(scene: Scene, end: float) -> None:
    text = scene.changed(keys={"end": end, "tolerance": 1e-9}).text(frames=100)
    result = mb.System.from_text(text).run(files=False)
    energy = result.energy
    scale = energy.kinetic.max() + np.ptp(energy.potential) + np.ptp(energy.work) + np.ptp(energy.dissipated)
    assert np.abs(energy.balance).max() < 1e-5 * scale, text
    for name, values in zip(result.raw.names("states"), result.raw["states/value"].T):
        if name.endswith(("friction.energy", "limit.impulse")):
            assert np.diff(values).min() > -1e-5 * scale, (name, text)


@pytest.mark.parametrize("seed", few_first(range(4)))
@pytest.mark.parametrize(("kinds", "part"), METHODS, ids=["rk", "galpha"])
def test_runs_of_other_solvers_have_the_same_bits(kinds, part, seed):
    """Each target of a run ends a step: both simulations have the same targets."""
    scene = generated.scene(kinds, seed)
    text = scene.text(steps=FEW, frames=FRAMES)
    assert unequal_runs(text) == [], text
    assert unequal_steps(text, scene.step, FEW, seed, most=1) == [], text
