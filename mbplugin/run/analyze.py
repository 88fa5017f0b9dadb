"""One analysis of a system: compile, assemble, analyse."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbplugin.analysis.equilibrium.bounded_rows import BoundedRows, rubs
from mbplugin.analysis.equilibrium.eigen import eigen, eigen_of_motion
from mbplugin.analysis.equilibrium.resting_states import resting
from mbplugin.analysis.equilibrium.static import static
from mbplugin.analysis.equilibrium.static_report import StaticReport
from mbplugin.analysis.forces_report import DRIVEN_IN, BoundedForce, ForcesReport
from mbplugin.analysis.initial_state.acceleration import acceleration
from mbplugin.analysis.initial_state.assembly import assemble_initial
from mbplugin.analysis.initial_state.initial_velocities import IMPULSE
from mbplugin.analysis.initial_state.placeholder_masses import at_rest, massless, with_masses
from mbplugin.analysis.initial_state.position import position
from mbplugin.analysis.initial_state.velocity import velocity
from mbplugin.analysis.kinematics.inverse import inverse
from mbplugin.analysis.kinematics.kinematic import counted, kinematic
from mbplugin.analysis.redundancy.redundancy import redundancy
from mbplugin.analysis.redundancy.redundancy_report import RedundancyReport, sets_of_rows
from mbplugin.analysis.redundancy.repairs import repairs as repairs_of
from mbplugin.analysis.report import Report, plain
from mbplugin.compile import compile_system
from mbplugin.compile.body_content import complete_bodies
from mbplugin.errors import PhysicsError, PluginError, SceneError, did_you_mean, listed
from mbplugin.hooks.registry import Registry, validated_keys
from mbplugin.interface import AnalysisReport
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.results.layout import STATUSES
from mbplugin.results.without_forces import without_forces
from mbplugin.run.activity import begin_by_scene, refuse_following
from mbplugin.run.at_rest import AtRest, Touching, begun_at_rest, touching_forces
from mbplugin.run.chosen_solver import chosen_solver
from mbplugin.run.enforce import fit_rows_to, held, hold, settle
from mbplugin.run.faults import attribute_errors
from mbplugin.run.instant import at_instant, report_of
from mbplugin.run.laws import refuse_contacts, refuse_outside, refuse_sampled, refuse_unserved_laws
from mbplugin.run.linear_modes import depends_on_more, growth_of, modes_of, needs_linear_model, refuse_large
from mbplugin.run.operating_point import Balance, OperatingPoint
from mbplugin.run.places import places_of
from mbplugin.run.prepare import prepare, warned
from mbplugin.run.quasi_static import refuse_for_sweeps, swept
from mbplugin.run.recorder import OneFrame
from mbplugin.run.report_frames import ReportFrames
from mbplugin.run.steady_motion import steady_motion
from mbplugin.run.times import frame_times
from mbplugin.run.unloaded import chosen_side, put_side, take_side
from mbplugin.tables.groups import Bounded, Measures, Rows, State, Step
from mbplugin.tables.records import BOUNDED_TYPES, OFF
from mbplugin.tables.spec import Array

#: of the equilibrium; of kinematic and inverse
MOST_LOAD_STEPS, MOST_POSITIONS = 100_000, 10_000_000


@dataclass
class Done:
    """A report with its system and problem."""

    report: Report
    system: System
    problem: Problem
    bounded: BoundedRows | None = None  # at an equilibrium


def position_of(system: System, registry: Registry) -> Done:
    """Close all loops; report what moved and how far."""
    system = with_masses(at_rest(system))
    problem = compile_system(system, registry)
    begin_by_scene(problem, system)
    with held(problem):
        report = position(problem, system)
    report.counted = redundancy(problem, system, "position")
    return Done(report, system, problem)


def velocity_of(system: System, registry: Registry) -> Done:
    """Find redundant and conflicting initial velocities, and those that are used."""
    if system.scene.given_velocities == IMPULSE and (bare := massless(system)):
        mend = f"velocities after an impulse depend on masses, and none is given for {listed(bare)}"
        raise system.locate(SceneError("scene.given_velocities", IMPULSE, mend))
    system = with_masses(system)
    problem = compile_system(system, registry)
    begin_by_scene(problem, system)
    with held(problem):
        position(problem, system)
        report = velocity(problem, system)
    report.counted = redundancy(problem, system, "velocity")
    return Done(report, system, problem)


def acceleration_of(system: System, registry: Registry) -> Done:
    """Accelerations and reactions at the initial state, also of what has bounds, and of bodies that touch."""
    touching = any(True for _ in system.colliding())
    if touching or compile_system(system, registry).names.bounded:
        return acceleration_of_instant(system, registry, touching)
    problem = assembled(system, registry)
    report = acceleration(problem)
    report.counted, report.multipliers = redundancy(problem, system, "acceleration"), report.states.lam[0]
    fill_in_forces(report, problem, system)
    return Done(report, system, problem)


def acceleration_of_instant(system: System, registry: Registry, touching: bool) -> Done:
    """Accelerations and forces with which a run begins."""
    instant = at_instant(system, registry, touching)
    problem, frame, names = instant.prepared.problem, instant.frame, instant.prepared.problem.names
    report = report_of(instant)
    report.counted, report.multipliers = redundancy(problem, system, "acceleration"), report.states.lam[0]
    report.joints = [joint.name for joint in names.joints]
    report.reactions = np.hstack([frame["joints/force"], frame["joints/torque"]])
    name_drives(report, names, frame["coordinates/drive"])
    return Done(report, system, problem)


def kinematic_of(
    system: System, registry: Registry, positions: int | None = None, end: float | None = None
) -> Done:
    """The motion that joints and motions determine by themselves, without masses."""
    system = at_rest(system)
    bare = massless(system)
    analysis = functools.partial(kinematic, forces=not bare)
    done = along_motions("kinematic", analysis, with_masses(system), registry, positions, end)
    if bare:
        refuse_reactions(done.problem, bare)
        done.report.has_forces = False
        done.report.messages.append(without_forces(bare))
    return Done(done.report, system, done.problem)


def inverse_of(
    system: System, registry: Registry, positions: int | None = None, end: float | None = None
) -> Done:
    """The forces and torques that the motions must exert."""
    done = along_motions("inverse", inverse, at_rest(system), registry, positions, end)
    report: Any = done.report
    report.multipliers = report.states.lam[0]
    return done


def along_motions(
    what: str, analysis: Any, system: System, registry: Registry, positions: int | None, end: float | None
) -> Done:
    """An analysis at positions that follow from joints and motions, whose rows all hold exactly."""
    times = times_of(system, positions, end)
    problem = assembled(system, registry, elastic=False)
    refuse_following(system, problem.names.activities, f'analysis "{what}"')
    counts = redundancy(problem, system, what)
    start = problem[Measures].last.copy()
    report = analysis(problem, system, times)
    problem[Measures].last[:] = start  # frames count turns from there, as the analysis did
    report.messages += held_exactly(problem)
    report.counted = counts
    return Done(report, system, problem)


def static_of(
    system: System,
    registry: Registry,
    load_steps: int = 1,
    about: str = "rest",
    frame: str | None = None,
    positions: int | None = None,
    end: float | None = None,
    friction: str = "hold",
) -> Done:
    """A position at which all forces are in equilibrium, or of a steady motion; with positions or end, such
    positions over time.
    """
    if friction not in FRICTION:
        mend = 'must be "hold" (what friction can hold stays where it is) or "none" (it exerts nothing)'
        raise SceneError("--friction", friction, mend)
    if about not in ("rest", "motion"):
        raise SceneError("--about", about, 'must be "rest" or "motion" (a steady motion)')
    if frame is not None and about != "motion":
        raise SceneError("--frame", frame, "needs --about motion")
    sweeps = positions is not None or end is not None
    if about == "motion":
        for key, given in (("--positions", positions), ("--end", end)):
            if given is not None:
                raise SceneError(key, given, "is of equilibria over time; leave out --about motion")
        if friction == "none":
            raise SceneError("--friction", friction, "is of positions at rest; leave out --about motion")
        refuse_contacts(system, registry, 'analysis "static" about the motion')
        return steady_motion_of(system, registry, frame)
    if sweeps:
        return sweep_of(system, registry, load_steps, times_of(system, positions, end), friction)
    done = balance_of(system, registry, load_steps, friction)
    report = done.report
    touches = done.bounded is not None and done.bounded.touching is not None
    if isinstance(report, StaticReport) and report.dof and depends_on_more(done.problem) and not touches:
        point = OperatingPoint(system, registry, Balance.of(done.problem))
        report.growth, report.stable = growth_of(done.problem, point)
    return done


def sweep_of(system: System, registry: Registry, load_steps: int, times: Array, friction: str) -> Done:
    """Equilibria at these times."""
    done = balance_of(system, registry, load_steps, friction, moving=True)
    report = swept(done.problem, done.system, done.bounded, times)
    report.counted, report.multipliers = done.report.counted, report.states.lam[0]
    report.messages = [*done.report.messages, *report.messages]
    return Done(report, done.system, done.problem, done.bounded)


def steady_motion_of(system: System, registry: Registry, frame: str | None) -> Done:
    """The steady motion that is found from the start."""
    report, problem = steady_motion(system, registry, spin_named(frame))
    report.counted, report.multipliers = redundancy(problem, system, "static"), report.states.lam[0]
    shown, switching = fill_in_forces(report, problem, system), places_of(problem).switching
    if len(switching.names):
        found = zip(switching.names, shown["bounds/status"], shown["bounds/force"], switching.units)
        report.bounds += [BoundedForce(name, STATUSES[int(k)], float(f), unit) for name, k, f, unit in found]
    return Done(report, system, problem)


def balance_of(
    system: System, registry: Registry, load_steps: int, friction: str = "hold", moving: bool = False
) -> Done:
    """An equilibrium. moving: whether motions go on from there"""
    if not 1 <= load_steps <= MOST_LOAD_STEPS:
        raise SceneError("--load-steps", load_steps, f"must be from 1 to {MOST_LOAD_STEPS}")
    system, begun = at_rest(system), None
    if any(True for _ in system.colliding()):
        begun = begun_at_rest(system, registry, moving, friction == "hold")
    problem = assembled(system, registry) if begun is None else begun.problem
    if moving:
        refuse_for_sweeps(problem, system)
    refuse_outside(problem, system)
    refuse_sampled(problem, system, "an equilibrium")
    bounded, held = bounded_rows(problem, begun, friction == "hold"), begun is not None and begun.rests
    search = functools.partial(static, problem, load_steps, bounded=bounded, held=held)
    report = resting(problem, search) if depends_on_more(problem) else search()
    report.counted, report.multipliers = redundancy(problem, system, "static"), report.states.lam[0]
    contacts = None if begun is None or bounded is None else touching_forces(problem, bounded)
    frame = fill_in_forces(report, problem, system)
    report.contacts = contacts
    if bounded is not None and (touching := bounded.touching) is not None:
        now = Touching.of(bounded)
        report.states.touching = lambda k: now.entries(problem, touching)
    if bounded is not None and bounded.own:
        tell_bounds(report, problem, bounded, frame)
    return Done(report, system, problem, bounded)


def eigen_of(
    system: System,
    registry: Registry,
    about: str = "static",
    load_steps: int = 1,
    frame: str | None = None,
    lowest: int | None = None,
    side: str | None = None,
) -> Done:
    """Frequencies, damping and shapes of the modes about a position at rest, or about a steady motion."""
    chosen_side(side)
    if about not in ("static", *ABOUT):
        raise SceneError(
            "--about",
            about,
            'must be "static" (equilibrium), "start" (position at t = 0) or "motion" (position and '
            "velocities at "
            "t = 0)",
        )
    if frame is not None and about != "motion":
        raise SceneError("--frame", frame, "needs --about motion")
    if lowest is not None and lowest < 1:
        raise SceneError("--lowest", lowest, "must be at least 1")
    spin, moving = spin_named(frame), about == "motion"
    point: OperatingPoint | None = None
    touching: BoundedRows | None = None
    if about == "motion":
        refuse_contacts(system, registry, 'analysis "eigen" about the motion')
    touches = any(True for _ in system.colliding())
    if about == "static" or touches:
        done = balance_of(system, registry, load_steps)
        if about == "start":
            refuse_moved(done)
        where = "about the equilibrium" if about == "static" else f"about the {ABOUT[about]} at t = 0"
        problem, messages = done.problem, [*done.report.messages, where]
        messages += put_side(problem, np.asarray(done.report.multipliers), side)
        if done.bounded is not None and done.bounded.touching is not None:
            touching = done.bounded
    else:
        chosen = system if moving else at_rest(system)
        problem, messages = assembled(chosen, registry), [f"about the {ABOUT[about]} at t = 0"]
        if len(problem[Bounded].index):
            point = OperatingPoint(chosen, registry, moving=moving)
            messages += take_side(point, side)
            point.give_modes(problem)
    if needs_linear_model(problem, moving):
        refuse_large(problem)
        if touching is not None:
            refuse_contacts(system, registry, "a linear model with inner states, reactions or slip")
        if point is None:
            at = Balance.of(problem) if about == "static" else None
            point = OperatingPoint(system, registry, at, moving)
        report = modes_of(problem, point, moving, spin, lowest)
    elif moving:
        report = eigen_of_motion(problem, spin, lowest)
    else:
        report = eigen(problem, lowest, touching=touching)
    report.counted, report.multipliers = redundancy(problem, system, "eigen"), report.lam
    if about != "motion" and moves(system):
        messages.append("at rest: the given velocities are left out")
    report.messages[:0] = messages
    return Done(report, system, problem)


def refuse_moved(done: Done) -> None:
    """Raises PhysicsError if bodies that touch have moved to their equilibrium."""
    report: Any = done.report
    k = int(np.argmax(report.moved))
    if report.moved[k] > SAME_PLACE * done.problem.names.size:
        mend = "give the position of an equilibrium, or take the one that is searched, --about static"
        what = f'body "{report.bodies[k]}" rests {report.moved[k]:.3g} m away'
        raise PhysicsError(f"this position is no equilibrium: {what}; {mend}")


def tell_bounds(report: ForcesReport, problem: Problem, bounded: BoundedRows, frame: OneFrame) -> None:
    """Put what rows with bounds do, at the one position of the report, into it."""
    switching, forces = places_of(problem).switching, np.asarray(frame["bounds/force"])
    shares = bounded.shares(forces[bounded.number])
    for k, share in zip(bounded.number.tolist(), shares.tolist()):
        status = STATUSES[int(frame["bounds/status"][k])]
        one = BoundedForce(switching.names[k], status, float(forces[k]), switching.units[k], share)
        report.bounds.append(one)
    if any(one.name.endswith(".friction") for one in report.bounds):
        report.messages.append(FRICTION_AT_REST)


def fill_in_forces(report: ForcesReport, problem: Problem, system: System) -> OneFrame:
    """Put forces of the joints and of the motions, at the one position of the report, into it. Returns the
    frame.
    """
    frame, names = ReportFrames(problem, system, report.states).first(), problem.names
    report.joints, report.reactions = [joint.name for joint in names.joints], frame.frames.reactions[0]
    name_drives(report, names, frame["coordinates/drive"])
    return frame


def name_drives(report: ForcesReport, names: Any, drive: Array) -> None:
    """Put the drives of the motions into a report; drive: of all coordinates."""
    driven = [k for k, c in enumerate(names.coordinates) if c.motion_rows]
    report.motions = [names.coordinates[k].name for k in driven]
    report.units = [DRIVEN_IN[names.coordinates[k].unit] for k in driven]
    report.drive = drive[driven]


def moves(system: System) -> bool:
    """Whether a body or a `start` has a velocity at t = 0."""
    speeds = [joint.start.speed for joint in system.joints if joint.start is not None]
    return any(speeds) or any(
        np.any(body.velocity) or np.any(body.angular_velocity) for body in system.bodies
    )


def spin_named(frame: str | None) -> Array | None:
    """Angular velocity of the frame named by --frame; None: that of the bodies. Raises SceneError."""
    if frame in (None, "turning"):
        return None
    if frame == "world":
        return np.zeros(3)
    try:
        spin = np.array([float(w) for w in str(frame).split(",")])
    except ValueError:
        spin = np.zeros(0)
    if len(spin) != 3 or not np.isfinite(spin).all():
        raise SceneError(
            "--frame",
            frame,
            'must be "turning", as the bodies do, "world", or three numbers such as 0,0,3.5 [rad/s]',
        )
    return spin


def redundancy_of(system: System, registry: Registry, repairs: bool = False) -> Done:
    """Redundant rows in each analysis, and reactions that are not determined; with repairs, other joint
    types are tried.
    """
    has_masses = not massless(system)
    system = with_masses(system)
    prepared = prepare(system, registry)
    problem = prepared.problem
    sets = sets_of_rows(problem, system, prepared.rank)
    report = RedundancyReport(sets=sets, given=prepared.assembly.given, singular=prepared.singular)
    if repairs:
        report.repairs = repairs_of(problem, system, report.motion, registry)
    if has_masses and report.motion.redundant:
        prepared.start(float("inf")).show(0.0)
        report.lam = problem[Rows].lam.copy()
    return Done(report, system, problem)


@dataclass(kw_only=True, repr=False)
class PluginReport(Report):
    """The report of an analysis of a plugin. text: for people; values: for scripts."""

    what: str  # type: ignore[misc]
    text: Sequence[str]
    values: Mapping[str, Any]

    def lines(self) -> list[str]:
        return [str(line) for line in self.text]

    def as_dict(self) -> dict[str, Any]:
        return dict(plain(dict(self.values)))


def of_plugin(system: System, what: str, registry: Registry, options: Mapping[str, Any]) -> Done:
    """An analysis that a plugin offers. Raises SceneError where it has no such keys, PluginError."""
    kind = registry.find("analysis", what, "analyze")
    params = validated_keys(kind, options, f'the analysis "{what}"', "analysis")
    prepared = prepare(system, registry)
    report = kind.analyze(prepared.problem, system, params)
    if not isinstance(report, AnalysisReport):
        mend = f"returned {type(report).__name__}; return an AnalysisReport"
        raise PluginError(
            f'analysis "{what}" of plugin {registry.offers["analysis"][what][0].plugin}: {mend}'
        )
    return Done(PluginReport(what=what, text=report.lines, values=report.values), system, prepared.problem)


#: analysis -> its function; the docstring is the help text, further arguments are the options
ANALYSES: dict[str, Callable[..., Done]] = {
    "position": position_of,
    "velocity": velocity_of,
    "acceleration": acceleration_of,
    "kinematic": kinematic_of,
    "inverse": inverse_of,
    "static": static_of,
    "eigen": eigen_of,
    "redundancy": redundancy_of,
}
#: way from where a scene begins to its equilibrium that counts as none [sizes]
SAME_PLACE = 1e-7
#: what friction does in equilibria
FRICTION = ("hold", "none")
#: what else modes may be about
ABOUT = {"start": "position", "motion": "motion"}
#: what an equilibrium with dry friction is
FRICTION_AT_REST = (
    "with dry friction this is one of a range of equilibria: what can be held where it begins is held there"
)
#: those that take rows with bounds
WITH_BOUNDS = ("acceleration", "static", "eigen")
#: those that leave rows with bounds out
WITHOUT_BOUNDS = ("position", "velocity", "kinematic", "inverse", "redundancy")
#: analyses of other programs that are not provided here, with the reason
NOT_PROVIDED = {"thermal": "bodies have no temperature"}


def laws_of(what: str, system: System, registry: Registry) -> list[str]:
    """Types of rows that an analysis takes: equalities, and rows with bounds that it leaves out."""
    own = registry.solver(system.solver_type, "solver.type").row_types
    bounded = BOUNDED_TYPES if what in WITHOUT_BOUNDS or what in WITH_BOUNDS else ()
    return ["equality", *(row_type for row_type in bounded if row_type not in own)]


def bounded_rows(problem: Problem, begun: AtRest | None = None, friction: bool = True) -> BoundedRows | None:
    """The rows with bounds that act, off from now on, and those of contacts; None: there are none. friction:
    whether that of joints does
    """
    mode, index = problem[State].mode, problem[Bounded].index
    if not len(index) and begun is None:
        return None
    acting = fit_rows_to(problem, mode[problem.nc :])[index.row] != OFF
    if not friction:
        acting &= ~rubs(problem)
    mode[index.row] = OFF
    problem[Step].record[0].length_scale = problem.names.size
    problem.evaluate_at(v=0.0)
    rows = BoundedRows(problem, acting, None if begun is None else begun.rows())
    if begun is not None and begun.rests:
        begun.hold(rows)
    return rows


def assembled(system: System, registry: Registry, elastic: bool = True) -> Problem:
    """The compiled problem with its initial state. Too many motions are reported as such, not as a conflict.

    elastic: whether rows under an enforcement law carry its loads; otherwise they hold exactly, for an
    analysis without forces
    """
    problem = compile_system(system, registry)
    warned(system, registry)
    q = problem.q
    begin_by_scene(problem, system)
    try:
        with held(problem):
            assemble_initial(problem, system)
    except SceneError:
        problem.set_state(0.0, q, np.zeros(problem.nv))
        over_driven(problem, system)
        raise
    if elastic:
        # laws may choose stiffnesses by the fixed step
        settle(problem, chosen_solver(system, registry).step_of_laws, iterated=False)
    else:
        hold(problem)
    return problem


def held_exactly(problem: Problem) -> list[str]:
    """Messages of an analysis along motions about joints under an enforcement law, and rows whose forces have
    bounds.
    """
    names = [problem.names.joints[info.joint].name for info in problem.names.enforced]
    lines = [f"enforced exactly in this analysis, without compliance: {listed(names)}"] if names else []
    bounded = [what for _, _, what in problem.names.bounded]
    return lines + ([f"does not act in this analysis: {listed(bounded)}"] if bounded else [])


def refuse_reactions(problem: Problem, bare: Sequence[str]) -> None:
    """Raises SceneError if expressions read reactions, which depend on the masses that bodies do not have."""
    if read := [name for name in problem.names.implicit if name.startswith("reaction(")]:
        mend = f"expressions of this scene read {listed(read)}: {without_forces(bare)}"
        raise SceneError("analyze", "kinematic", mend)


def over_driven(problem: Problem, system: System) -> None:
    """Raises SceneError if there are too many motions."""
    try:
        if system.motions:
            counted(problem, system)
    except SceneError as error:
        if "too many" in error.mend:
            raise
    except PhysicsError:  # no count at positions where a row has no derivative
        return


def times_of(system: System, positions: int | None, end: float | None) -> Array:
    """The frame times of a run, or this many equidistant times."""
    last = float(end if end is not None else system.solver.end)
    if not 0.0 < last < np.inf:
        raise SceneError("--end", last, "must be greater than 0, and finite")
    frames = frame_times(system, last)
    key, count = ("output", len(frames)) if positions is None else ("--positions", positions)
    if not 1 <= count <= MOST_POSITIONS:
        raise SceneError(key, f"{count} positions", f"must be from 1 to {MOST_POSITIONS}")
    return np.asarray(frames.up_to(count)) if positions is None else np.linspace(0.0, last, count)


def options_of(what: str) -> list[str]:
    """Names of the options that an analysis takes."""
    return list(inspect.signature(ANALYSES[what]).parameters)[2:]


def analyze(system: System, what: str, registry: Registry, **options: Any) -> Done:
    """One analysis. Raises SceneError, PhysicsError, PluginError."""
    if what in NOT_PROVIDED:
        raise SceneError(
            "analyze", what, f"is not provided: {NOT_PROVIDED[what]}; there are {listed(ANALYSES)}"
        )
    if registry.offers["analysis"].get(what):
        with attribute_errors(system, registry):
            return of_plugin(system, what, registry, options)
    if what not in ANALYSES:
        known = [*ANALYSES, *registry.names("analysis")]
        hint = did_you_mean(what, known) or f"; there are {listed(known, 20)}"
        raise SceneError("analyze", what, f"there is no such analysis{hint}{registry.not_loaded}")
    for name in options:
        if name not in options_of(what):
            takers = [other for other in ANALYSES if name in options_of(other)]
            raise SceneError(
                f"--{name.replace('_', '-')}",
                options[name],
                f"is an option of {listed(takers)}, not of {what}",
            )
    with attribute_errors(system, registry):
        refuse_unserved_laws(system, registry, f'analysis "{what}"', laws_of(what, system, registry))
        if what not in WITH_BOUNDS:
            refuse_contacts(system, registry, f'analysis "{what}"')
        # which bodies have a mass is known only then
        complete_bodies(system, registry)
        return ANALYSES[what](system, registry, **options)
