"""Faults of the kinds that people make: a sign, a factor, a missing term, an off-by-one, a swallowed error.

`plant.py` plants them one by one in a copy of the sources; the suite must turn red. `look` names the folders
of tests that are asked first.
"""

from __future__ import annotations

from typing import NamedTuple

from mutations import Mutant


class Fault(NamedTuple):
    name: str
    mutant: Mutant
    why: str  # it could be overlooked
    look: tuple[str, ...]


FAULTS = [
    # what begins and ceases to act
    Fault(
        "what a joining impulse takes is nowhere",
        Mutant("mbplugin/stepping/activity.py", "join", "statement", 4),
        "the motion is right, the balance of energies is not",
        ("activity",),
    ),
    Fault(
        "a spring that has been released pulls on",
        Mutant("mbplugin/kernels/modes.py", "silence", "statement", 7),
        "rows are off",
        ("activity",),
    ),
    Fault(
        "the compliance of a released joint stays",
        Mutant("mbplugin/kernels/evaluate.py", "run_compliances", "condition", 0),
        "exact joints are off",
        ("activity",),
    ),
    Fault(
        "conditions under impulses read accelerations without contacts",
        Mutant("mbplugin/stepping/activity.py", "take_reactions_of_step", "statement", 2),
        "where nothing touches they are the same",
        ("activity",),
    ),
    Fault(
        "redundant joints are open in the middle of a step",
        Mutant("plugins/mbplugin_contact/step.py", "evaluate_middle", "statement", 7),
        "every step reaches its residual",
        ("contact",),
    ),
    # kernels and math
    Fault(
        "the impulse of a speed that jumps does no work",
        Mutant("mbplugin/stepping/energy.py", "apply_impulse", "statement", 4),
        "the motion is right, the balance of energies is not",
        ("laws",),
    ),
    Fault(
        "angular part of γ left out",
        Mutant("mbplugin/kernels/evaluate.py", "complete_gamma", "term", 11),
        "rigid bodies have no angular Ḣv; an elastic body has",
        ("plugins", "testing"),
    ),
    Fault(
        "kinetic energy of half a profile",
        Mutant("mbplugin/kernels/inertia.py", "twice_energy_of_profile", "factor", 0),
        "the motion is right, the energy is not",
        ("plugins",),
    ),
    Fault(
        "an acceleration that an expression reads has the other sign of γ",
        Mutant("mbplugin/kernels/implicit.py", "second_rate", "sign", 0),
        "γ is zero at rest, and where axes stand still",
        ("laws", "scenes"),
    ),
    Fault(
        "a loop begins with what was last looked at",
        Mutant("mbplugin/kernels/implicit.py", "iterate", "statement", 5),
        "frames would change the last bits",
        ("laws",),
    ),
    Fault(
        "reaction in the axes of the wrong row",
        Mutant("mbplugin/kernels/implicit.py", "reaction", "index", 0),
        "the transpose, which is the same for parallel axes",
        ("laws",),
    ),
    Fault(
        "rate of a driven velocity without its partner",
        Mutant("mbplugin/kernels/tape.py", "tape_of_motion", "condition", 7),
        "the bias of an angle about a fixed axis is zero",
        ("laws",),
    ),
    Fault(
        "bias of a coupling without its ratio",
        Mutant("mbplugin/kernels/evaluate.py", "couple_term", "factor", 2),
        "the bias is zero while the axes stand still",
        ("plugins", "laws"),
    ),
    Fault(
        "projection of velocities forgets motions",
        Mutant("mbplugin/kernels/projection.py", "onto_velocities", "statement", 3),
        "G v = −Φₜ, and Φₜ is zero unless something is driven",
        ("laws", "scenes"),
    ),
    Fault(
        "reactions stay in scaled rows",
        Mutant("mbplugin/kernels/accelerations.py", "solve_accelerations", "statement", 10),
        "accelerations are right, reactions are not",
        ("laws", "scenes"),
    ),
    Fault(
        "marker acceleration without Ḣv",
        Mutant("mbplugin/kernels/entries.py", "marker_rates", "statement", 6),
        "at the mass centre of a rigid body there is none",
        ("laws", "kernels"),
    ),
    Fault(
        "damper of a driven row with its rate the other way",
        Mutant("mbplugin/kernels/evaluate.py", "evaluate_loads", "sign", 0),
        "a target is constant unless something is driven",
        ("penalty",),
    ),
    Fault(
        "work of a driven law counted as lost",
        Mutant("mbplugin/kernels/evaluate.py", "evaluate_loads", "index", 0),
        "the motion is right, the energy balance is not",
        ("penalty",),
    ),
    Fault(
        "augmented loads without γ",
        Mutant("mbplugin/kernels/augmented_loads.py", "residuals", "term", 1),
        "γ is zero at rest",
        ("penalty",),
    ),
    Fault(
        "augmented loads correct the sum and not each row",
        Mutant("mbplugin/kernels/augmented_loads.py", "add_loads", "factor", 1),
        "v̇ is right, what is reported as the reaction is not",
        ("penalty",),
    ),
    Fault(
        "dissipation of augmented rows with the wrong sign",
        Mutant("mbplugin/kernels/augmented_loads.py", "iterate_loads", "sign", 3),
        "rows that stay closed have next to no rate",
        ("penalty",),
    ),
    Fault(
        "half of (r²)' in atan2",
        Mutant("mbplugin/kernels/tape.py", "atan2", "factor", 6),
        "second derivative of one function",
        ("kernels", "model"),
    ),
    Fault(
        "whole angle in the exponential",
        Mutant("mbplugin/math/quat.py", "exponential", "factor", 8),
        "only corrections of more than 1e-4 rad use it",
        ("testing", "laws"),
    ),
    Fault(
        "cache named without the contents",
        Mutant("mbplugin/compiler/folder.py", "fingerprint", "statement", 3),
        "a changed kernel would go on running as it was",
        ("run", "kernels"),
    ),
    # bodies, joints, forces
    Fault(
        "start of a planar body with ω the other way",
        Mutant("plugins/mbplugin_bodies/planar.py", "Planar.coordinates", "sign", 1),
        "the mass centre is mostly the origin of the frame",
        ("laws", "scenes"),
    ),
    Fault(
        "left-handed principal axes",
        Mutant("plugins/mbplugin_bodies/spatial.py", "principal", "statement", 2),
        "eigenvectors may come out as a mirror image",
        ("laws", "model"),
    ),
    Fault(
        "slider that may leave its axis",
        Mutant("plugins/mbplugin_joints/joints.py", "Translational", "member", 0),
        "nothing need turn it in a flat mechanism",
        ("scenes", "laws"),
    ),
    Fault(
        "driven angle held in one turn",
        Mutant("mbplugin/codegen/element_text.py", "target_lines", "condition", 0),
        "shows after half a turn",
        ("scenes", "laws"),
    ),
    Fault(
        "free length without the root",
        Mutant("plugins/mbplugin_forces/spring_damper.py", "SpringDamper.defaults", "factor", 0),
        "energy is conserved all the same",
        ("laws", "scenes"),
    ),
    Fault(
        "work of a motion without contacts",
        Mutant("plugins/mbplugin_contact/work.py", "add_work_of_motions", "term", 5),
        "the motion is right, the energy balance is not",
        ("contact",),
    ),
    Fault(
        "power of a torque not told",
        Mutant("plugins/mbplugin_forces/applied.py", "AppliedTorque.kernel", "statement", 1),
        "the motion is right, the energy balance is not",
        ("testing", "laws"),
    ),
    # the solver
    Fault(
        "stages at the time of the start",
        Mutant("plugins/mbplugin_lagrange/stages.py", "evaluate_stages", "term", 0),
        "autonomous systems do not mind",
        ("order", "laws"),
    ),
    Fault(
        "sign of the work of motions",
        Mutant("mbplugin/stepping/rates.py", "power_of_motions", "sign", 0),
        "the motion is right, the energy balance is not",
        ("laws",),
    ),
    Fault(
        "work of an acceleration that is given",
        Mutant("mbplugin/stepping/rates.py", "power_of_motions", "sign", 1),
        "the motion is right, the energy balance is not",
        ("laws",),
    ),
    Fault(
        "first inner state outside the error norm",
        Mutant("mbplugin/stepping/error.py", "error_norm", "whole", 3),
        "two numbers before it are the engine's own",
        ("plugins",),
    ),
    Fault(
        "frame inside a step with later memory",
        Mutant("mbplugin/stepping/snapshot.py", "restore_start", "statement", 4),
        "differs only in a step that ends with a switch",
        ("plugins", "order"),
    ),
    Fault(
        "a step that ends just before its event",
        Mutant("mbplugin/stepping/events.py", "locate_event", "statement", 9),
        "what is left is the rounding of time",
        ("plugins", "run"),
    ),
    Fault(
        "a moment presses twice on each end of a bearing",
        Mutant("mbplugin/interface/bearing.py", "sliding", "factor", 1),
        "most bearings of tests have no length",
        ("bounded",),
    ),
    Fault(
        "a short step of galpha leaves its rounding as accelerations",
        Mutant("plugins/mbplugin_lagrange/galpha_step.py", "finish", "condition", 4),
        "steps are as short as that next to an event only",
        ("bounded",),
    ),
    Fault(
        "digit of the embedded weights of dp5",
        Mutant("plugins/mbplugin_lagrange/tableaus.py", "dormand_prince_5", "whole", 60),
        "steps become smaller, and nothing less accurate",
        ("order",),
    ),
    Fault(
        "dense mass taken from its first column in kkt",
        Mutant("mbplugin/matrix/augmented.py", "mass_entry", "term", 0),
        "rigid bodies have a diagonal mass",
        ("plugins", "laws"),
    ),
    Fault(
        "the first step after a checkpoint with old rates",
        Mutant("mbplugin/run/integrator.py", "Stepping.load", "statement", 5),
        "a resumed run would see a crossing that is none",
        ("run", "plugins"),
    ),
    Fault(
        "failure of a plugin's function not raised",
        Mutant("mbplugin/problem/failures.py", "check", "statement", 0),
        "an error swallowed",
        ("plugins", "cli"),
    ),
    Fault(
        "slope of a law from its first column",
        Mutant("mbplugin/matrix/transient_terms.py", "add_product", "term", 1),
        "right for every symmetric law",
        ("plugins",),
    ),
    Fault(
        "the border of contacts couples their first body twice",
        Mutant("mbplugin/matrix/transient_terms.py", "add_transient_border", "term", 0),
        "right for contacts with the ground",
        ("plugins",),
    ),
    Fault(
        "pseudo-acceleration not moved for another step",
        Mutant("plugins/mbplugin_lagrange/galpha_step.py", "predict", "term", 1),
        "right for fixed steps",
        ("order", "testing"),
    ),
    Fault(
        "velocity error of galpha without its constant",
        Mutant("plugins/mbplugin_lagrange/galpha_step.py", "estimate", "factor", 8),
        "positions alone set the step then",
        ("order", "testing"),
    ),
    # problems as values
    Fault(
        "a copy that shares its tables",
        Mutant("mbplugin/problem/tables.py", "Tables.copy_tables", "copy", 0),
        "every test with one problem passes",
        ("run",),
    ),
    Fault(
        "a callback that works on the original",
        Mutant("mbplugin/problem/method.py", "Method.of", "statement", 1),
        "one thread alone gives the same bits",
        ("run",),
    ),
    # run and recorder
    Fault(
        "wrench on the wrong marker",
        Mutant("mbplugin/run/force_places.py", "ForcePlaces.of", "term", 2),
        "of the opposite sign for a spring",
        ("laws", "testing"),
    ),
    Fault(
        "failed run marked complete",
        Mutant("mbplugin/run/store_sink.py", "StoreSink.rescue", "truth", 0),
        "an error swallowed: the reader is not told",
        ("cli", "run"),
    ),
    # store, export, reading
    Fault(
        "message of the last kept frame lost",
        Mutant("mbplugin/results/store.py", "ResultWriter._cut", "comparison", 1),
        "shows when a run is resumed",
        ("results", "run"),
    ),
    Fault(
        "checkpoint valid while it is rewritten",
        Mutant("mbplugin/results/checkpoint.py", "write", "statement", 16),
        "a kill at that moment leaves a mixture",
        ("results",),
    ),
    Fault(
        "checksum not looked at",
        Mutant("mbplugin/results/files.py", "decode", "statement", 3),
        "an error swallowed",
        ("results",),
    ),
    Fault(
        "a jump of an input changes stored energy for nothing",
        Mutant("mbplugin/stepping/switches.py", "jump_inputs", "statement", 7),
        "the motion is right, the energy balance is not",
        ("plugins",),
    ),
    Fault(
        "a frame at a sample comes before its jump",
        Mutant("mbplugin/stepping/frames.py", "is_due", "comparison", 1),
        "an interval open at the wrong end",
        ("run",),
    ),
    Fault(
        "the first stage behind a jump has the old input",
        Mutant("mbplugin/stepping/samples.py", "take_samples", "statement", 11),
        "the error control hides it, to its tolerance",
        ("run",),
    ),
    Fault(
        "a resumed run takes any inputs",
        Mutant("mbplugin/run/store_sink.py", "StoreSink.refuse_other_inputs", "condition", 0),
        "two runs in one result",
        ("run",),
    ),
    Fault(
        "last chosen frame not exported",
        Mutant("mbplugin/export/series.py", "write_series", "comparison", 1),
        "an interval closed at both ends",
        ("export",),
    ),
    Fault(
        "parallel axes with the wrong sign",
        Mutant("mbplugin/model/mass.py", "combined", "sign", 3),
        "right for one shape at the mass centre",
        ("model",),
    ),
    # sweeps
    Fault(
        "points of a dead worker forgotten",
        Mutant("mbplugin/sweeps/workers.py", "Tasks.outcomes", "statement", 3),
        "only a worker that dies shows it",
        ("sweeps",),
    ),
    Fault(
        "a signal at the end of a run lost to its sweep",
        Mutant("mbplugin/run/interrupts.py", "interrupts", "condition", 0),
        "a run that was about to end anyway swallows it",
        ("sweeps",),
    ),
    Fault(
        "workers outlive their parent",
        Mutant("mbplugin/sweeps/workers.py", "end_with_parent", "statement", 1),
        "nobody looks at what a kill leaves behind",
        ("sweeps",),
    ),
    Fault(
        "time courses of a sweep read back with their padding",
        Mutant("mbplugin/sweeps/store.py", "read_outcomes", "condition", 3),
        "one measure has no order",
        ("sweeps",),
    ),
    Fault(
        "courses of a sweep have no times",
        Mutant("mbplugin/sweeps/point.py", "Points.run", "condition", 0),
        "most measures of sweeps are single numbers",
        ("sweeps",),
    ),
    # limits, stops and motors
    Fault(
        "a soft stop that pulls",
        Mutant("plugins/mbplugin_forces/on_coordinates.py", "pressure", "term", 1),
        "without a damper it never would",
        ("bounded",),
    ),
    Fault(
        "friction of what slips in a plane turns round behind its stop",
        Mutant("mbplugin/kernels/cones.py", "take_directions", "sign", 1),
        "before it nothing differs",
        ("bounded",),
    ),
    Fault(
        "the lag of a motor that stalls does not grow",
        Mutant("mbplugin/kernels/bounded.py", "rates_of_bounded", "statement", 7),
        "steps are short where anything moves",
        ("bounded", "scenes"),
    ),
    Fault(
        "what holds with contact ends at rest, not at its mean velocity",
        Mutant("plugins/mbplugin_contact/bounds.py", "set_targets", "term", 3),
        "in the plane rows of joints do not rotate",
        ("bounded", "invariants"),
    ),
    Fault(
        "limits and friction give with contact what they take",
        Mutant("plugins/mbplugin_contact/bounds.py", "end_bounds", "sign", 9),
        "the motion is right, the ledger of the row is not",
        ("bounded",),
    ),
    Fault(
        "impacts in turn rebound from the loads of the step too",
        Mutant("plugins/mbplugin_contact/turns.py", "measure_approaches", "term", 0),
        "nothing has a load along rows of balls",
        ("contact",),
    ),
    Fault(
        "what touches does not wait for impacts of others",
        Mutant("plugins/mbplugin_contact/turns.py", "waits", "condition", 1),
        "where only two bodies touch it makes no difference",
        ("contact",),
    ),
    Fault(
        "limits do not wait for impacts of others",
        Mutant("plugins/mbplugin_contact/turns.py", "let_others_wait", "condition", 3),
        "contacts do",
        ("contact",),
    ),
    Fault(
        "a law of a plugin that has waited for impacts is forgotten",
        Mutant("plugins/mbplugin_contact/turns.py", "still_to_act", "condition", 1),
        "what presses is passed otherwise, and acts; what pulls is not",
        ("plugins",),
    ),
    Fault(
        "a belt has the speed that it had in the middle of the step",
        Mutant("plugins/mbplugin_contact/belts.py", "set_belt", "factor", 0),
        "most belts have a constant one",
        ("contact",),
    ),
    Fault(
        "belts do no work",
        Mutant("plugins/mbplugin_contact/belts.py", "work_of_belts", "term", 1),
        "the motion is right, the energy balance is not",
        ("contact",),
    ),
    Fault(
        "what sticks on a belt is compared with its body",
        Mutant("plugins/mbplugin_contact/belts.py", "rates_before", "condition", 0),
        "friction itself has the velocity at the end of the step",
        ("contact", "invariants"),
    ),
    Fault(
        "the turn of an angle forgotten where limits are looked at",
        Mutant("mbplugin/run/open_limits.py", "refuse_reached", "statement", 1),
        "few angles at one position are beyond half a turn",
        ("bounded",),
    ),
    # imports and armatures
    Fault(
        "a rotor that begins at rest",
        Mutant("mbplugin/compile/armatures.py", "add_armature", "statement", 9),
        "with given speeds of joints the rotor follows its row",
        ("joints",),
    ),
    Fault(
        "the zero of a sliding joint on the other side",
        Mutant("plugins/mbplugin_import/scene.py", "joint_table", "sign", 1),
        "most files have no `ref`",
        ("imports",),
    ),
]
