"""Faults of the kinds that people make: a sign, a factor, a missing term, an off-by-one, a swallowed error.

`plant.py` plants them one by one in a copy of the sources; the default run of the tests must turn red.
"""

from __future__ import annotations

from typing import NamedTuple

from mutations import Mutant


class Fault(NamedTuple):
    name: str
    mutant: Mutant
    why: str  # it could be overlooked
    seen_by: str  # a test of the default run, below tests/


FAULTS = [
    # what begins and ceases to act
    Fault(
        "what a joining impulse takes is nowhere",
        Mutant("mbplugin/stepping/activity.py", "join", "statement", 4),
        "the motion is right, the balance of energies is not",
        "activity/test_release_and_join.py::test_what_meets_is_caught",
    ),
    Fault(
        "a spring that has been released pulls on",
        Mutant("mbplugin/kernels/modes.py", "silence", "statement", 7),
        "rows are off",
        "activity/test_release_and_join.py::test_a_spring_that_breaks_takes_its_energy_along",
    ),
    Fault(
        "the compliance of a released joint stays",
        Mutant("mbplugin/kernels/evaluate.py", "run_compliances", "condition", 0),
        "exact joints are off",
        "activity/test_release_and_join.py::test_an_elastic_joint_lets_go_too",
    ),
    Fault(
        "conditions under impulses read accelerations without contacts",
        Mutant("mbplugin/stepping/activity.py", "take_reactions_of_step", "statement", 2),
        "where nothing touches they are the same",
        "activity/test_release_and_join.py::test_a_reaction_under_contact_is_that_with_contacts",
    ),
    Fault(
        "redundant joints are open in the middle of a step",
        Mutant("plugins/mbplugin_contact/step.py", "evaluate_middle", "statement", 7),
        "every step reaches its residual",
        "contact/test_redundant_joints.py::test_rows_that_are_redundant_do_not_contradict_each_other_within_a_step",
    ),
    # kernels and math
    Fault(
        "the impulse of a speed that jumps does no work",
        Mutant("mbplugin/stepping/energy.py", "apply_impulse", "statement", 3),
        "the motion is right, the balance of energies is not",
        "laws/test_jumps.py::test_a_speed_that_jumps_exerts_an_impulse",
    ),
    Fault(
        "angular part of γ left out",
        Mutant("mbplugin/kernels/evaluate.py", "complete_gamma", "term", 11),
        "rigid bodies have no angular Ḣv; an elastic body has",
        "plugins/test_affine.py::test_its_marker_frames_have_the_right_rates",
    ),
    Fault(
        "kinetic energy of half a profile",
        Mutant("mbplugin/kernels/inertia.py", "twice_energy_of_profile", "factor", 0),
        "the motion is right, the energy is not",
        "plugins/test_bar.py::test_dense_and_profile_give_the_same_motion",
    ),
    Fault(
        "an acceleration that an expression reads has the other sign of γ",
        Mutant("mbplugin/kernels/implicit.py", "second_rate", "sign", 0),
        "γ is zero at rest, and where axes stand still",
        "laws/test_unknowns.py::test_the_acceleration_of_a_measure_between_markers",
    ),
    Fault(
        "a loop begins with what was last looked at",
        Mutant("mbplugin/kernels/implicit.py", "iterate", "statement", 5),
        "frames would change the last bits",
        "laws/test_unknowns.py::test_a_saved_state_continues_to_the_bit",
    ),
    Fault(
        "reaction in the axes of the wrong row",
        Mutant("mbplugin/kernels/implicit.py", "reaction", "index", 0),
        "the transpose, which is the same for parallel axes",
        "laws/test_unknowns.py::test_a_reaction_in_the_axes_of_a_marker",
    ),
    Fault(
        "rate of a driven velocity without its partner",
        Mutant("mbplugin/kernels/tape.py", "tape_of_motion", "condition", 7),
        "the bias of an angle about a fixed axis is zero",
        "laws/test_following_rates.py::test_the_acceleration_is_the_rate_of_the_rate",
    ),
    Fault(
        "bias of a coupling without its ratio",
        Mutant("mbplugin/kernels/evaluate.py", "couple_term", "factor", 2),
        "the bias is zero while the axes stand still",
        "plugins/test_coupler.py::test_coupled_sliders_on_a_rotor_accelerate_as_their_velocities_change",
    ),
    Fault(
        "projection of velocities forgets motions",
        Mutant("mbplugin/kernels/projection.py", "onto_velocities", "statement", 3),
        "G v = −Φₜ, and Φₜ is zero unless something is driven",
        "laws/test_actuators.py::test_a_speed_is_followed_at_every_frame",
    ),
    Fault(
        "reactions stay in scaled rows",
        Mutant("mbplugin/kernels/accelerations.py", "solve_accelerations", "statement", 10),
        "accelerations are right, reactions are not",
        "run/test_forces_on_bodies.py::test_a_pendulum_has_the_pivot_force_of_the_text_book",
    ),
    Fault(
        "marker acceleration without Ḣv",
        Mutant("mbplugin/kernels/entries.py", "marker_rates", "statement", 6),
        "at the mass centre of a rigid body there is none",
        "laws/test_actuators.py::test_an_acceleration_is_followed_at_every_frame",
    ),
    Fault(
        "damper of a driven row with its rate the other way",
        Mutant("mbplugin/kernels/evaluate.py", "evaluate_loads", "sign", 0),
        "a target is constant unless something is driven",
        "penalty/test_penalty.py::test_a_row_at_velocity_level_is_held_by_damping_alone",
    ),
    Fault(
        "work of a driven law counted as lost",
        Mutant("mbplugin/kernels/evaluate.py", "evaluate_loads", "index", 0),
        "the motion is right, the energy balance is not",
        "penalty/test_penalty.py::test_a_driven_penalty_takes_its_work_from_the_drive",
    ),
    Fault(
        "augmented loads without γ",
        Mutant("mbplugin/kernels/augmented_loads.py", "residuals", "term", 1),
        "γ is zero at rest",
        "penalty/test_augmented.py::test_a_chain_moves_and_is_held_as_by_multipliers_whatever_the_stiffness",
    ),
    Fault(
        "augmented loads correct the sum and not each row",
        Mutant("mbplugin/kernels/augmented_loads.py", "add_loads", "factor", 1),
        "v̇ is right, what is reported as the reaction is not",
        "penalty/test_augmented.py::test_a_chain_moves_and_is_held_as_by_multipliers_whatever_the_stiffness",
    ),
    Fault(
        "dissipation of augmented rows with the wrong sign",
        Mutant("mbplugin/kernels/augmented_loads.py", "iterate_loads", "sign", 3),
        "rows that stay closed have next to no rate",
        "penalty/test_augmented.py::test_an_open_row_closes_as_its_law_says_and_what_is_lost_is_dissipated",
    ),
    Fault(
        "half of (r²)' in atan2",
        Mutant("mbplugin/kernels/tape.py", "atan2", "factor", 6),
        "second derivative of one function",
        "kernels/test_tape.py::test_value_and_two_derivatives_are_those_of_sympy",
    ),
    Fault(
        "whole angle in the exponential",
        Mutant("mbplugin/math/quat.py", "exponential", "factor", 8),
        "only corrections of more than 1e-4 rad use it",
        "order/test_galpha.py::test_order_two_in_positions_velocities_and_multipliers",
    ),
    Fault(
        "cache named without the contents",
        Mutant("mbplugin/compiler/folder.py", "fingerprint", "statement", 3),
        "a changed kernel would go on running as it was",
        "kernels/test_cache.py::test_a_kernel_is_compiled_again_when_a_file_that_it_calls_has_changed",
    ),
    # bodies, joints, forces
    Fault(
        "start of a planar body with ω the other way",
        Mutant("plugins/mbplugin_bodies/planar.py", "Planar.coordinates", "sign", 1),
        "the mass centre is mostly the origin of the frame",
        "laws/test_planar_start.py::test_the_mass_centre_of_a_spinning_planar_body_starts_with_v_plus_omega_cross_arm",
    ),
    Fault(
        "left-handed principal axes",
        Mutant("plugins/mbplugin_bodies/spatial.py", "principal", "statement", 2),
        "eigenvectors may come out as a mirror image",
        "laws/test_energy.py::test_half_v_M_v_is_the_kinetic_energy_of_the_bodies",
    ),
    Fault(
        "slider that may leave its axis",
        Mutant("plugins/mbplugin_joints/joints.py", "Translational", "member", 0),
        "nothing need turn it in a flat mechanism",
        "joints/test_primitives.py::test_a_joint_has_the_primitives_of_the_manual_and_removes_a_freedom_for_each_row",
    ),
    Fault(
        "driven angle held in one turn",
        Mutant("mbplugin/codegen/element_text.py", "target_lines", "condition", 0),
        "shows after half a turn",
        "laws/test_actuators.py::test_ten_turns_forward_and_back_leave_a_continuous_angle",
    ),
    Fault(
        "free length without the root",
        Mutant("plugins/mbplugin_forces/spring_damper.py", "SpringDamper.defaults", "factor", 0),
        "energy is conserved all the same",
        "laws/test_defaults.py::test_a_spring_without_a_free_length_is_unloaded_at_the_start",
    ),
    Fault(
        "loads of the step in the approach of a later impact",
        Mutant("plugins/mbplugin_contact/phases.py", "goes_on", "statement", 3),
        "energy of the order g h, at e = 1 alone",
        "contact/test_energy_of_impacts.py::test_a_light_ball_between_a_heavy_one_and_the_floor",
    ),
    Fault(
        "what is across a gap acts beside a rebound",
        Mutant("plugins/mbplugin_contact/phases.py", "set_phase", "statement", 5),
        "one impact a step is right",
        "contact/test_energy_of_impacts.py::test_a_light_ball_between_a_heavy_one_and_the_floor",
    ),
    Fault(
        "accelerations of a blow are those of the next step",
        Mutant("plugins/mbplugin_contact/blows.py", "forget_blows", "statement", 5),
        "of the order h, of bodies that tumble",
        "contact/test_energy_of_impacts.py::test_a_tumbling_box_that_strikes_with_several_corners",
    ),
    Fault(
        "what has left a dome is pushed once more",
        Mutant("plugins/mbplugin_contact/memory.py", "keep_contacts", "condition", 5),
        "flat supports do not mind",
        "contact/test_lift_off.py::test_a_ball_that_has_left_a_dome_falls_freely",
    ),
    Fault(
        "a frame inside a step has impacts of its own",
        Mutant("plugins/mbplugin_contact/biases.py", "leave_out_impacts", "statement", 2),
        "frames at the ends of steps are right",
        "contact/test_energy_of_impacts.py::test_a_frame_inside_a_step_is_before_its_impacts",
    ),
    Fault(
        "a frame inside a step has blows of limits",
        Mutant("plugins/mbplugin_contact/bounds.py", "limit_rate", "condition", 0),
        "contacts have none",
        "contact/test_energy_of_impacts.py::test_frames_of_a_limit_inside_a_step_are_before_its_impact",
    ),
    Fault(
        "energy of less rebound not told",
        Mutant("plugins/mbplugin_contact/account.py", "account", "statement", 24),
        "the balance is closed",
        "contact/test_energy_of_impacts.py::test_energy_that_less_rebound_takes_is_told",
    ),
    Fault(
        "forces are chosen near those that are there",
        Mutant("plugins/mbplugin_contact/nearest.py", "take_nearest", "statement", 9),
        "every law is obeyed",
        "contact/test_nearest_forces.py::test_the_first_forces_of_a_table_are_the_smallest_that_carry_it",
    ),
    Fault(
        "forces are chosen near those of a blow",
        Mutant("plugins/mbplugin_contact/memory.py", "keep_contacts", "condition", 6),
        "what comes to rest without a blow is right",
        "contact/test_nearest_forces.py::test_a_gripper_that_closes_on_a_resting_box_leaves_its_weight_on_the_table",
    ),
    Fault(
        "work of a motion without contacts",
        Mutant("plugins/mbplugin_contact/work.py", "add_work_of_motions", "term", 5),
        "the motion is right, the energy balance is not",
        "contact/test_work_beside_contacts.py::test_a_motion_from_rest_gives_a_load_its_weight_times_height_and_its_kinetic_energy",
    ),
    Fault(
        "power of a torque not told",
        Mutant("plugins/mbplugin_forces/applied.py", "AppliedTorque.kernel", "statement", 1),
        "the motion is right, the energy balance is not",
        "laws/test_functions_of_motion.py::test_a_velocity_that_follows_another_pulls_on_it",
    ),
    # the solver
    Fault(
        "stages at the time of the start",
        Mutant("plugins/mbplugin_lagrange/stages.py", "evaluate_stages", "term", 0),
        "autonomous systems do not mind",
        "order/test_order.py::test_a_force_that_jumps_is_integrated_exactly",
    ),
    Fault(
        "sign of the work of motions",
        Mutant("mbplugin/stepping/rates.py", "power_of_motions", "sign", 0),
        "the motion is right, the energy balance is not",
        "laws/test_constraint_forces.py::test_the_force_of_a_motor_is_that_of_inverse_dynamics",
    ),
    Fault(
        "work of an acceleration that is given",
        Mutant("mbplugin/stepping/rates.py", "power_of_motions", "sign", 1),
        "the motion is right, the energy balance is not",
        "laws/test_actuators.py::test_an_acceleration_is_followed_at_every_frame",
    ),
    Fault(
        "first inner state outside the error norm",
        Mutant("mbplugin/stepping/error.py", "error_norm", "whole", 9),
        "two numbers before it are the engine's own",
        "plugins/test_lag.py::test_the_error_of_the_state_steers_the_step",
    ),
    Fault(
        "frame inside a step with later memory",
        Mutant("mbplugin/stepping/snapshot.py", "restore_start", "statement", 4),
        "differs only in a step that ends with a switch",
        "plugins/test_latch.py::test_the_memory_flips_where_the_event_is",
    ),
    Fault(
        "a step that ends just before its event",
        Mutant("mbplugin/stepping/events.py", "locate_event", "statement", 9),
        "what is left is the rounding of time",
        "plugins/test_latch.py::test_the_memory_flips_where_the_event_is",
    ),
    Fault(
        "a moment presses twice on each end of a bearing",
        Mutant("mbplugin/interface/bearing.py", "sliding", "factor", 1),
        "most bearings of tests have no length",
        "bounded/test_bearing_friction.py::test_moments_press_on_both_ends_of_a_bearing",
    ),
    Fault(
        "a short step of galpha leaves its rounding as accelerations",
        Mutant("plugins/mbplugin_lagrange/galpha_step.py", "finish", "condition", 5),
        "steps are as short as that next to an event only",
        "bounded/test_closed_forms.py::test_a_short_step_of_galpha_behind_an_event_costs_no_accuracy",
    ),
    Fault(
        "digit of the embedded weights of dp5",
        Mutant("plugins/mbplugin_lagrange/tableaus.py", "dormand_prince_5", "whole", 60),
        "steps become smaller, and nothing less accurate",
        "order/test_tableaus.py::test_conditions_of_order",
    ),
    Fault(
        "dense mass taken from its first column in kkt",
        Mutant("mbplugin/matrix/augmented.py", "mass_entry", "term", 0),
        "rigid bodies have a diagonal mass",
        "plugins/test_offset.py::test_bodies_told_by_another_point_move_as_before",
    ),
    Fault(
        "the first step after a checkpoint with old rates",
        Mutant("mbplugin/run/integrator.py", "Stepping.load", "statement", 5),
        "a resumed run would see a crossing that is none",
        "bounded/test_events.py::test_a_resumed_run_has_each_event_once",
    ),
    Fault(
        "failure of a plugin's function not raised",
        Mutant("mbplugin/problem/failures.py", "check", "statement", 0),
        "an error swallowed",
        "plugins/test_faulty.py::test_the_run_stops_and_names_kind_element_and_time",
    ),
    Fault(
        "slope of a law from its first column",
        Mutant("mbplugin/matrix/transient_terms.py", "add_product", "term", 1),
        "right for every symmetric law",
        "matrix/test_transient_products.py::test_the_slope_of_a_law_need_not_be_symmetric",
    ),
    Fault(
        "the border of contacts couples their first body twice",
        Mutant("mbplugin/matrix/transient_terms.py", "add_transient_border", "term", 0),
        "right for contacts with the ground",
        "plugins/test_contacts_in_the_matrix.py::test_borders_of_a_stack_carry_what_stands_on_them",
    ),
    Fault(
        "pseudo-acceleration not moved for another step",
        Mutant("plugins/mbplugin_lagrange/galpha_step.py", "predict", "term", 1),
        "right for fixed steps",
        "order/test_galpha.py::test_a_spring_of_1e12_leaves_the_pendulum_beside_it_alone",
    ),
    Fault(
        "velocity error of galpha without its constant",
        Mutant("plugins/mbplugin_lagrange/galpha_step.py", "estimate", "factor", 8),
        "positions alone set the step then",
        "order/test_galpha.py::test_a_spring_of_1e12_leaves_the_pendulum_beside_it_alone",
    ),
    # problems as values
    Fault(
        "a copy that shares its tables",
        Mutant("mbplugin/problem/tables.py", "Tables.copy_tables", "copy", 0),
        "every test with one problem passes",
        "run/test_problem_values.py::test_a_copy_and_its_original_do_not_know_each_other",
    ),
    Fault(
        "a callback that works on the original",
        Mutant("mbplugin/problem/method.py", "Method.of", "statement", 1),
        "one thread alone gives the same bits",
        "run/test_problem_values.py::test_callbacks_in_plain_python_are_right_in_threads",
    ),
    # run and recorder
    Fault(
        "wrench on the wrong marker",
        Mutant("mbplugin/run/force_places.py", "ForcePlaces.of", "term", 2),
        "of the opposite sign for a spring",
        "run/test_forces_on_bodies.py::test_spring_motor_and_torsion_spring_are_those_of_their_laws",
    ),
    Fault(
        "failed run marked complete",
        Mutant("mbplugin/run/store_sink.py", "StoreSink.rescue", "truth", 0),
        "an error swallowed: the reader is not told",
        "run/test_watching.py::test_frames_before_a_failure_are_kept",
    ),
    # store, export, reading
    Fault(
        "message of the last kept frame lost",
        Mutant("mbplugin/results/store.py", "ResultWriter._cut", "comparison", 1),
        "shows when a run is resumed",
        "results/test_store.py::test_continuing_drops_the_messages_and_checkpoints_after_the_frame",
    ),
    Fault(
        "checkpoint valid while it is rewritten",
        Mutant("mbplugin/results/checkpoint.py", "write", "statement", 16),
        "a kill at that moment leaves a mixture",
        "results/test_store.py::test_a_checkpoint_cut_short_is_none_and_the_one_before_is_found",
    ),
    Fault(
        "checksum not looked at",
        Mutant("mbplugin/results/files.py", "decode", "statement", 3),
        "an error swallowed",
        "results/test_damages.py::test_only_sizes_are_looked_at_when_a_result_is_loaded",
    ),
    Fault(
        "a jump of an input changes stored energy for nothing",
        Mutant("mbplugin/stepping/switches.py", "jump_inputs", "statement", 7),
        "the motion is right, the energy balance is not",
        "plugins/test_inputs_of_plugins.py::test_a_spring_whose_end_jumps_gets_its_energy_as_work",
    ),
    Fault(
        "a frame at a sample comes before its jump",
        Mutant("mbplugin/stepping/frames.py", "is_due", "comparison", 1),
        "an interval open at the wrong end",
        "run/test_inputs.py::test_a_table_is_held_between_its_times_whatever_the_solver",
    ),
    Fault(
        "the first stage behind a jump has the old input",
        Mutant("mbplugin/stepping/samples.py", "take_samples", "statement", 11),
        "the error control hides it, to its tolerance",
        "run/test_inputs.py::test_a_table_is_held_between_its_times_whatever_the_solver",
    ),
    Fault(
        "a resumed run takes any inputs",
        Mutant("mbplugin/run/store_sink.py", "StoreSink.refuse_other_inputs", "condition", 0),
        "two runs in one result",
        "run/test_inputs.py::test_a_run_with_inputs_is_resumed_with_the_same_bits_and_with_the_same_inputs_only",
    ),
    Fault(
        "last chosen frame not exported",
        Mutant("mbplugin/export/series.py", "write_series", "comparison", 1),
        "an interval closed at both ends",
        "export/test_series.py::test_a_stored_result_is_exported_every_nth_frame_in_a_window_of_time",
    ),
    Fault(
        "parallel axes with the wrong sign",
        Mutant("mbplugin/model/mass.py", "combined", "sign", 3),
        "right for one shape at the mass centre",
        "model/test_shape.py::test_steiner_moves_the_inertia_of_a_dumbbell",
    ),
    # sweeps
    Fault(
        "points of a dead worker forgotten",
        Mutant("mbplugin/sweeps/workers.py", "Tasks.outcomes", "statement", 3),
        "only a worker that dies shows it",
        "sweeps/test_sweeps.py::test_a_worker_that_dies_takes_no_other_point_along",
    ),
    Fault(
        "a signal at the end of a run lost to its sweep",
        Mutant("mbplugin/run/interrupts.py", "interrupts", "condition", 0),
        "a run that was about to end anyway swallows it",
        "sweeps/test_sweeps.py::test_a_signal_within_a_run_ends_the_sweep_with_its_number",
    ),
    Fault(
        "workers outlive their parent",
        Mutant("mbplugin/sweeps/workers.py", "end_with_parent", "statement", 1),
        "nobody looks at what a kill leaves behind",
        "sweeps/test_sweep_command.py::test_a_sweep_killed_and_resumed_has_the_bytes_of_one_that_nobody_disturbed",
    ),
    Fault(
        "time courses of a sweep read back with their padding",
        Mutant("mbplugin/sweeps/store.py", "read_outcomes", "condition", 3),
        "one measure has no order",
        "sweeps/test_sweeps.py::test_a_resumed_sweep_keeps_the_times_of_points_that_end_at_their_own",
    ),
    Fault(
        "courses of a sweep have no times",
        Mutant("mbplugin/sweeps/point.py", "Points.run", "condition", 0),
        "most measures of sweeps are single numbers",
        "sweeps/test_sweeps.py::test_any_number_of_workers_gives_the_bits_of_single_runs_and_compiles_once",
    ),
    # limits, stops and motors
    Fault(
        "a soft stop that pulls",
        Mutant("plugins/mbplugin_forces/on_coordinates.py", "pressure", "term", 1),
        "without a damper it never would",
        "bounded/test_soft_stops.py::test_a_mass_rebounds_from_a_soft_stop_as_from_a_one_sided_spring_and_damper",
    ),
    Fault(
        "friction of what slips in a plane turns round behind its stop",
        Mutant("mbplugin/kernels/cones.py", "take_directions", "sign", 1),
        "before it nothing differs",
        "bounded/test_slip.py::test_a_force_that_turns_breaks_a_block_away_at_its_static_friction",
    ),
    Fault(
        "the lag of a motor that stalls does not grow",
        Mutant("mbplugin/kernels/bounded.py", "rates_of_bounded", "statement", 7),
        "steps are short where anything moves",
        "bounded/test_closed_forms.py::test_a_motor_that_stalls_notices_that_its_motion_turns_round",
    ),
    Fault(
        "what holds with contact ends at rest, not at its mean velocity",
        Mutant("plugins/mbplugin_contact/bounds.py", "set_targets", "term", 3),
        "in the plane rows of joints do not rotate",
        "bounded/test_ropes.py::test_a_mass_slides_off_a_separator_at_two_thirds_of_its_height",
    ),
    Fault(
        "limits and friction give with contact what they take",
        Mutant("plugins/mbplugin_contact/bounds.py", "end_bounds", "sign", 9),
        "the motion is right, the ledger of the row is not",
        "bounded/test_bearing_friction.py::test_a_pendulum_swings_out_by_the_friction_of_its_own_reaction_and_sticks",
    ),
    Fault(
        "impacts in turn rebound from the loads of the step too",
        Mutant("plugins/mbplugin_contact/turns.py", "measure_approaches", "term", 0),
        "nothing has a load along rows of balls",
        "contact/test_sequential_impacts.py::test_a_ball_on_a_stack_gains_no_energy",
    ),
    Fault(
        "what touches does not wait for impacts of others",
        Mutant("plugins/mbplugin_contact/turns.py", "waits", "condition", 1),
        "where only two bodies touch it makes no difference",
        "contact/test_sequential_impacts.py::test_a_ball_stops_where_it_has_struck_one_that_rests_on_a_floor_of_clay",
    ),
    Fault(
        "limits do not wait for impacts of others",
        Mutant("plugins/mbplugin_contact/turns.py", "let_others_wait", "condition", 3),
        "contacts do",
        "contact/test_sequential_impacts.py::test_a_limit_is_struck_after_the_ball_that_drives_its_body_there",
    ),
    Fault(
        "a law of a plugin that has waited for impacts is forgotten",
        Mutant("plugins/mbplugin_contact/turns.py", "still_to_act", "condition", 1),
        "what presses is passed otherwise, and acts; what pulls is not",
        "plugins/test_cohesion.py::test_what_hangs_stays_where_it_is_struck_in_turn",
    ),
    Fault(
        "a belt has the speed that it had in the middle of the step",
        Mutant("plugins/mbplugin_contact/belts.py", "set_belt", "factor", 0),
        "most belts have a constant one",
        "contact/test_conveyors.py::test_what_sticks_has_the_velocity_of_a_belt_that_changes_it",
    ),
    Fault(
        "belts do no work",
        Mutant("plugins/mbplugin_contact/belts.py", "work_of_belts", "term", 1),
        "the motion is right, the energy balance is not",
        "contact/test_conveyors.py::test_a_box_slips_until_it_has_the_speed_of_the_belt_and_rides",
    ),
    Fault(
        "what sticks on a belt is compared with its body",
        Mutant("plugins/mbplugin_contact/belts.py", "rates_before", "condition", 0),
        "friction itself has the velocity at the end of the step",
        "contact/test_conveyors.py::test_a_box_slips_until_it_has_the_speed_of_the_belt_and_rides",
    ),
    Fault(
        "the turn of an angle forgotten where limits are looked at",
        Mutant("mbplugin/run/open_limits.py", "refuse_reached", "statement", 1),
        "few angles at one position are beyond half a turn",
        "bounded/test_open_limits.py::test_limits_that_are_open_change_nothing",
    ),
    # imports and armatures
    Fault(
        "a rotor that begins at rest",
        Mutant("mbplugin/compile/armatures.py", "add_armature", "statement", 9),
        "with given speeds of joints the rotor follows its row",
        "joints/test_armature.py::test_the_rotor_turns_with_the_velocity_that_a_body_is_given",
    ),
    Fault(
        "the zero of a sliding joint on the other side",
        Mutant("plugins/mbplugin_import/scene.py", "joint_table", "sign", 1),
        "most files have no `ref`",
        "imports/test_mjcf.py::test_coordinates_speeds_and_accelerations_are_those_of_mujoco",
    ),
    # joint coordinates
    Fault(
        "the second axis of a cardan joint stands still in momentum form",
        Mutant("mbplugin/kernels/tree/momentum.py", "add_changes", "condition", 2),
        "right for all other joints, and while the cross does not turn about its first axis",
        "trees/test_where_features_meet.py::test_a_cardan_joint_on_a_moving_support",
    ),
    Fault(
        "what a joint found by its rows adds to accelerations is that of a joint at rest",
        Mutant("mbplugin/kernels/tree/derived.py", "move_joint", "statement", 7),
        "positions and S are right, and at rest there is nothing to add",
        "trees/test_derived_joints.py::test_accelerations_at_random_states",
    ),
    Fault(
        "a hinge that carries the body of its first marker turns the other way in a plane",
        Mutant("mbplugin/compile/tree/links.py", "carried_link", "condition", 3),
        "trees in space do not read it; in a plane all is right for a hinge drawn at 0 that begins at rest",
        "trees/test_generated_trees.py::test_a_system_is_the_same_in_joint_and_in_maximal_coordinates",
    ),
    Fault(
        "links of a flat tree on the other side of its plane",
        Mutant("mbplugin/compile/tree/flat.py", "plane_of", "sign", 1),
        "the motion in the plane is right, and most flat mechanisms are drawn at height 0",
        "trees/test_generated_trees.py::test_a_system_is_the_same_in_joint_and_in_maximal_coordinates",
    ),
    Fault(
        "a ball joint begins with the whole angular velocity of its body",
        Mutant("mbplugin/run/joint_coordinates.py", "coordinates_of", "term", 0),
        "right where the body that carries it does not turn at the start, as the ground",
        "trees/test_generated_trees.py::test_a_system_is_the_same_in_joint_and_in_maximal_coordinates",
    ),
    Fault(
        "both turns of a Cardan joint accelerate each other the other way",
        Mutant("mbplugin/kernels/tree/motion.py", "move_link", "swap", 19),
        "positions and velocities are right, and one turn alone has no such part",
        "trees/test_derived_joints.py::test_accelerations_at_random_states",
    ),
    Fault(
        "a product of inertia of a link with its mass centre off two axes",
        Mutant("mbplugin/kernels/tree/inertia.py", "own_inertia", "sign", 58),
        "most links have their mass centre on an axis of their joint",
        "trees/test_generated_trees.py::test_a_system_is_the_same_in_joint_and_in_maximal_coordinates",
    ),
    Fault(
        "gravity along x is that along y for trees in space",
        Mutant("mbplugin/kernels/tree/loads.py", "inertia_forces", "index", 2),
        "most scenes have gravity along z or y, and trees in a plane have another function",
        "trees/test_generated_trees.py::test_a_system_is_the_same_in_joint_and_in_maximal_coordinates",
    ),
    Fault(
        "kinetic energy of trees in space without their armatures",
        Mutant("mbplugin/kernels/tree/solve.py", "twice_energy_spatial", "statement", 10),
        "the motion is right; what impacts and switches take is not",
        "trees/test_generated_trees.py::test_a_system_is_the_same_in_joint_and_in_maximal_coordinates",
    ),
    Fault(
        "the armature of a joint with two coordinates is lost in a plane",
        Mutant("mbplugin/kernels/tree/flat.py", "eliminate_several", "statement", 3),
        "joints of planar trees mostly have one coordinate, and few of them an armature",
        "trees/test_where_features_meet.py::test_armatures_of_a_slot_in_a_plane",
    ),
    Fault(
        "momentum form of a free planar root counts its own way about the origin twice",
        Mutant("mbplugin/kernels/tree/momentum.py", "from_world", "sign", 2),
        "roots in space have another branch; at the origin, or at rest, there is no difference",
        "trees/test_momentum_form.py::test_momentum_of_bodies_that_move_in_a_plane",
    ),
    Fault(
        "of planar trees all are read from outside if the first one is",
        Mutant("mbplugin/compile/tree/tables.py", "tree_tables", "term", 1),
        "one tree, or a first one with a spring or a loop, and nothing changes",
        "trees/test_generated_trees.py::test_a_system_is_the_same_in_joint_and_in_maximal_coordinates",
    ),
    Fault(
        "a derived joint at rest keeps the rates of its last position",
        Mutant("mbplugin/run/joint_coordinates.py", "JointCoordinates.put_poses", "statement", 11),
        "shows where quantities are asked for at two positions with the same rates, as at rest",
        "trees/test_where_features_meet.py::test_the_mass_matrix_is_that_at_the_pose_as_drawn",
    ),
    Fault(
        "rows over trees that only turn have no length",
        Mutant("mbplugin/kernels/tree/members.py", "add_lengths", "term", 21),
        "rows with a force have one, and rows are scaled by it alone",
        "trees/test_generated_trees.py::test_a_system_is_the_same_in_joint_and_in_maximal_coordinates",
    ),
    Fault(
        "full turns of derived joints count",
        Mutant("mbplugin/kernels/tree/derived.py", "without_turns", "term", 0),
        "shows beyond half a turn, and in the angle of a barrel alone",
        "trees/test_derived_joints.py::test_far_coordinates_are_found",
    ),
    # bodies that deform
    Fault(
        "hourglass modes of a distorted hexahedron keep their mean strain",
        Mutant("plugins/mbplugin_flexible/elements/incompatible.py", "condensed", "term", 0),
        "zero in parallelepipeds, and the patch test passes with any mesh",
        "finite_elements/test_elements_stiffness.py::test_hexahedra_are_those_of_scikit_fem_less_what_the_modes_relax",
    ),
    Fault(
        "stresses stay in the axes that the body has at the start",
        Mutant("plugins/mbplugin_flexible/in_world.py", "stresses_in_world", "swap", 1),
        "von Mises' stress is the same in any axes, and most meshes are placed along the world's",
        "finite_elements/test_results_store.py::test_a_homogeneous_deformation_has_its_displacements_and_constant_stress",
    ),
    Fault(
        "the first outer face of a mesh is in no set of a file",
        Mutant("plugins/mbplugin_flexible/meshes/build.py", "face_sets_of", "comparison", 0),
        "one face of many, without a remark; sets of made meshes do not come here",
        "finite_elements/test_meshes_of_files.py::test_abaqus_sets_and_surfaces_are_sets",
    ),
    Fault(
        "rates of stretch of a turned pseudo-rigid body along no axes of its own",
        Mutant("plugins/mbplugin_bodies/pseudo_rigid.py", "PseudoRigid.coordinates", "transpose", 0),
        "R is symmetric for bodies that are not turned, or by half a turn",
        "bodies_that_deform/test_pseudo_rigid.py::test_rates_of_stretch_of_a_turned_body_are_along_its_own_axes",
    ),
    Fault(
        "a marker that a joint names in its list does not make its nodes move as one",
        Mutant("mbplugin/compile/body_content.py", "keys_of", "member", 0),
        "joints with `a` and `b` are right, and most markers name their coupling",
        "finite_elements/test_bodies_of_elements.py::test_nodes_of_a_marker_that_a_joint_names_move_as_one",
    ),
    Fault(
        "stress of a distorted hexahedron by a wrong Jacobian",
        Mutant("plugins/mbplugin_flexible/elements/gauss_strain.py", "gauss_gradient", "factor", 4),
        "boxes have none of it, and a linear displacement makes no use of it: forces are right",
        "finite_elements/test_elements_stiffness.py::test_stresses_of_a_distorted_hexahedron_are_in_equilibrium_with_its_forces",
    ),
    Fault(
        "a step is not divided where surfaces turn past each other",
        Mutant("plugins/mbplugin_contact/short_enough.py", "length_status", "condition", 1),
        "most bodies turn by little in a step",
        "contact/test_thin_shapes.py::test_a_bar_that_spins_bounces_off_a_post_at_every_speed",
    ),
    Fault(
        "bodies pass through a wall in the first half of the first step",
        Mutant("plugins/mbplugin_contact/short_enough.py", "length_status", "condition", 2),
        "most scenes begin at rest, or where nothing is near",
        "contact/test_thin_shapes.py::test_a_ball_does_not_pass_a_wall_within_its_first_half_step",
    ),
    Fault(
        "light bodies that carry heavy ones creep into each other",
        Mutant("plugins/mbplugin_contact/deep_overlap.py", "remove_deep_overlap", "condition", 0),
        "sweeps remove overlap of bodies of like masses",
        "contact/test_thin_shapes.py::test_links_hang_in_each_other_under_every_load",
    ),
    Fault(
        "overlap is removed by turning bodies until they overlap anew",
        Mutant("plugins/mbplugin_contact/deep_overlap.py", "shorten", "condition", 1),
        "bodies of like masses turn by little",
        "contact/test_thin_shapes.py::test_links_hang_in_each_other_under_every_load",
    ),
    Fault(
        "overlap at the beginning of a contact counts",
        Mutant("plugins/mbplugin_contact/depth.py", "measure_overlap", "condition", 1),
        "contacts begin without overlap, but where they are activated",
        "contact/test_thin_shapes.py::test_overlap_that_bodies_had_when_their_contact_begins_is_not_counted",
    ),
    Fault(
        "a load on the mean of nodes of which some move as one has no moment on these",
        Mutant("plugins/mbplugin_flexible/points.py", "force_on_mean", "statement", 17),
        "it takes an rbe2 and an rbe3 with common nodes on one body",
        "finite_elements/test_bodies_of_elements.py::test_a_load_at_a_set_has_its_force_and_torque",
    ),
    Fault(
        "stored stress of a pseudo-rigid body without that of its damping",
        Mutant("mbplugin/math/elasticity.py", "cauchy_stress", "statement", 3),
        "the motion is right, and at rest there is none",
        "bodies_that_deform/test_pictures_that_deform.py::test_stored_stress_has_that_of_damping",
    ),
    Fault(
        "the stable step takes damping by mass for that by stiffness",
        Mutant("plugins/mbplugin_flexible/content.py", "content_of", "index", 0),
        "without damping of the material it makes no difference",
        "finite_elements/test_default_steps_of_elements.py::test_the_chosen_step_is_below_the_limit_and_not_far_below",
    ),
    Fault(
        "inner faces of a set of a file are left out without a word",
        Mutant("plugins/mbplugin_flexible/meshes/build.py", "face_sets_of", "condition", 3),
        "the outer ones are there; sets of inner ones alone are told by another sentence",
        "finite_elements/test_meshes_of_files.py::test_inner_faces_of_a_surface_are_left_out_with_a_remark",
    ),
    Fault(
        "a mass centre given to a mesh is passed over",
        Mutant("mbplugin/compile/body_content.py", "", "member", 0),
        "a refusal lost: mass, inertia, density and shapes are still refused, and the run looks right",
        "finite_elements/test_bodies_refused.py::test_keys_of_the_body",
    ),
    Fault(
        "tangent of the damping of tet10 and hex27 in the wrong axes",
        Mutant("plugins/mbplugin_flexible/elements/total_lagrangian.py", "write_viscous_moduli", "swap", 0),
        "undeformed there is no difference, and explicit solvers have no tangents",
        "finite_elements/test_bodies_of_elements.py::test_the_kit_finds_no_fault",
    ),
    Fault(
        "stiffness of a pressure as if it were 1 Pa",
        Mutant("plugins/mbplugin_flexible/loads/pressure.py", "Pressure.tangent", "statement", 2),
        "the equilibrium is the same, its search is slower; frequencies under pressure are not",
        "finite_elements/test_loads_pressure.py::test_the_tangent_is_the_difference_of_the_forces",
    ),
    Fault(
        "a corotated element turns its forces the other way",
        Mutant("plugins/mbplugin_flexible/elements/hex8.py", "turn_moment", "swap", 7),
        "the term is of second order in the strain",
        "finite_elements/test_elements_forces.py::test_forces_are_the_gradient_of_the_energy",
    ),
    # rows with bounds, ropes, switching
    Fault(
        "an impact at a limit turns the speed of motions round",
        Mutant("mbplugin/stepping/bounded.py", "strike", "sign", 0),
        "zero unless something is driven while a limit is struck; the next projection brings it back",
        "bounded/test_closed_forms.py::test_a_limit_is_struck_on_a_carriage_that_a_motion_drives",
    ),
    Fault(
        "with contact, static friction holds in one direction only",
        Mutant("plugins/mbplugin_contact/bounds.py", "set_bounds", "condition", 4),
        "most joints have one coefficient, and a test pushes in one direction",
        "bounded/test_closed_forms.py::test_static_friction_holds_both_ways",
    ),
    Fault(
        "a condition that changes often in the course of a run counts as one that chatters",
        Mutant("mbplugin/stepping/activity.py", "counts_often", "statement", 2),
        "up to 20 changes nothing shows it",
        "activity/test_switching.py::test_a_condition_may_change_in_each_period_of_a_long_run",
    ),
    Fault(
        "a rope that slips backwards over its drum is pushed on by friction",
        Mutant("mbplugin/kernels/bounded.py", "take_coefficients", "sign", 0),
        "one direction of slip is right, and so is what sticks",
        "bounded/test_capstan.py::test_a_rope_over_a_fixed_drum_slips_with_e_to_the_mu_theta",
    ),
    Fault(
        "a body that passes the eye of its rope is not noticed",
        Mutant("plugins/mbplugin_joints/ropes.py", "first_to_end", "sign", 2),
        "a rope of one part looks at this part either way; a message is lost, a motion goes on",
        "bounded/test_ropes.py::test_a_taut_rope_that_shrinks_to_nothing_at_an_eye_is_told",
    ),
    Fault(
        "what friction takes on a belt is told without the speed of the belt",
        Mutant("mbplugin/kernels/bounded.py", "rates_of_bounded", "term", 2),
        "the motion and the balance of energies are right, the ledger of the row is not",
        "bounded/test_slip.py::test_a_belt_carries_a_block_up_to_its_speed",
    ),
    Fault(
        "a motion that begins to act takes the work that it gives",
        Mutant("mbplugin/stepping/activity.py", "join", "sign", 0),
        "work and loss err alike, so the balance closes; joints that begin to act have no speed",
        "activity/test_release_and_join.py::test_a_motion_that_begins_drives_by_an_impulse",
    ),
    Fault(
        "a rope over a drum in the negative direction runs in the positive one",
        Mutant("plugins/mbplugin_joints/capstan.py", "Capstan.defaults", "sign", 2),
        "the shorter way, which is the default, chooses its sense by itself",
        "export/test_curves.py::test_a_band_lies_on_its_drum",
    ),
    # equilibrium and modes
    Fault(
        "damping ratios of a large body that floats are too small",
        Mutant("mbplugin/analysis/equilibrium/lowest_modes.py", "lowest_damped", "term", 5),
        "without free motions the shift is 0, and frequencies are right",
        "analysis/test_large_static_and_eigen.py::test_a_motion_without_stiffness_is_free_and_does_not_move",
    ),
    Fault(
        "the body that a mode moves most is told without deformations",
        Mutant("mbplugin/analysis/equilibrium/eigen.py", "largest_mover", "statement", 3),
        "bodies that bend also move; with one body there is no other name",
        "bodies_that_deform/test_pseudo_rigid.py::test_a_mode_without_rigid_motion_names_its_body",
    ),
    # pictures, reader of ParaView, report
    Fault(
        "the trace of a marker on nodes is that of a rigid body",
        Mutant("mbplugin/viz/places.py", "path_of", "condition", 2),
        "a line is drawn, near to where it should be",
        "finite_elements/test_results_pictures.py::test_the_trace_of_a_marker_goes_where_its_nodes_are",
    ),
    Fault(
        "ParaView shows the stresses of the first mesh on the second one",
        Mutant("mbplugin/paraview/mbplugin_reader.py", "Deformed.__init__", "term", 5),
        "right for one body with nodes",
        "finite_elements/test_results_reader.py::test_the_reader_shows_the_grids_of_bodies_with_nodes_among_rigid_ones",
    ),
    Fault(
        "a report ends its ledger of energies one frame early",
        Mutant("mbplugin/report/content.py", "energy_ledger", "whole", 1),
        "frames lie near each other, and what is conserved is the same",
        "viz/test_report.py::test_energies_are_those_of_the_first_and_of_the_last_frame",
    ),
    Fault(
        "slack ropes and ropes on drums are straight in pictures",
        Mutant("mbplugin/viz/places.py", "", "member", 2),
        "the curves of exports read whole frames",
        "export/test_curves.py::test_a_rope_hangs_while_it_is_slack_and_is_straight_while_it_is_taut",
    ),
    Fault(
        "of several shapes of a body the reader shows the first one's points again",
        Mutant("mbplugin/paraview/mbplugin_reader.py", "Shapes.of_block", "term", 2),
        "points, colours and velocities are right, the triangles of the second shape are not",
        "export/test_paraview_reader.py::test_blocks_are_the_bodies_by_name_where_the_result_has_them",
    ),
    Fault(
        "a report does not tell that its run was resumed",
        Mutant("mbplugin/report/content.py", "key_figures", "condition", 7),
        "a message lost: the counts beside it are since then",
        "viz/test_report.py::test_a_resumed_run_is_told",
    ),
    Fault(
        "rows that hold do not notice that their rate has jumped",
        Mutant("mbplugin/stepping/bounded.py", "has_jumped", "condition", 3),
        "velocities are brought onto the rows by the next projection",
        "bounded/test_jumps_of_speed.py::test_a_motor_of_limited_effort_gives_no_impulse",
    ),
    Fault(
        "a motor that lags pushes on where its motion turns round",
        Mutant("mbplugin/stepping/bounded.py", "has_jumped", "condition", 1),
        "the next step finds the change, unless it is over by then",
        "bounded/test_generated_jumps.py::test_the_other_solvers_go_the_same_way",
    ),
    Fault(
        "the work of a jump is that of the speed after it",
        Mutant("mbplugin/stepping/bounded.py", "work_of_impulses", "condition", 1),
        "the motion is right, and without bounded rows so is the work",
        "bounded/test_jumps_of_speed.py::test_what_sticks_on_a_body_whose_speed_jumps_slips",
    ),
    Fault(
        "an impulse where conditions are looked at in the momentum form",
        Mutant("mbplugin/stepping/switches.py", "follow_time_and_inputs", "condition", 1),
        "only beside what acts under a condition",
        "bounded/test_jumps_of_speed.py::test_a_motor_of_limited_effort_gives_no_impulse",
    ),
    Fault(
        "momenta leave their constraints",
        Mutant("mbplugin/stepping/loop.py", "finish_step", "condition", 6),
        "it takes ten seconds to show",
        "trees/test_momentum_form.py::test_loop_keeps_its_energy_for_long",
    ),
    Fault(
        "two motions of one coordinate act at once",
        Mutant("mbplugin/stepping/activity.py", "is_driven_twice", "condition", 0),
        "what is redundant and agrees goes on",
        "bounded/test_jumps_of_speed.py::test_two_motions_that_would_act_at_once_are_named_with_the_time",
    ),
    Fault(
        "multipliers of galpha are those before the end of a step",
        Mutant("plugins/mbplugin_lagrange/galpha_step.py", "put_end_multipliers", "statement", 5),
        "the motion is right",
        "order/test_galpha.py::test_order_two_in_the_work_of_motions",
    ),
    Fault(
        "the first jerk of galpha has a wrong weight",
        Mutant("plugins/mbplugin_lagrange/galpha_step.py", "probe_jerk", "factor", 5),
        "after some steps the history has forgotten it",
        "laws/test_jumps.py::test_a_force_that_jumps_costs_no_accuracy",
    ),
    Fault(
        "the frequency of a pseudo-rigid body without its compression",
        Mutant("plugins/mbplugin_bodies/pseudo_rigid.py", "highest_frequency", "factor", 0),
        "the step is as stable for most bodies",
        "bodies_that_deform/test_pseudo_rigid.py::test_steps_of_contact_are_below_the_limit_of_its_fastest_vibration",
    ),
]
