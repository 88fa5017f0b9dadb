"""The step that the solver `contact` chooses for bodies that deform is stable, with damping too."""

from __future__ import annotations

import pytest
from bodies_of_elements import block, material
from mbplugin_contact.sizes import default_step, fastest_vibration
from mbplugin_contact.solver import ContactParameters, ContactSolver
from scene_text import NO_GRAVITY

from mbplugin.compile.body_content import complete_bodies
from mbplugin.model import System
from mbplugin.run.stable_step import stable_step


@pytest.mark.parametrize("damping", [0.0, 1e-5, 1e-3, 1e-1])
def test_the_chosen_step_is_below_the_limit_and_not_far_below(registry, damping):
    """The limit by eigenvalues of the step of one oscillator, bisected; 1.6/2 of it, rounded to 1, 2 or 5."""
    system = System.from_text(NO_GRAVITY + material(stiffness_damping=damping) + block())
    complete_bodies(system, registry)
    content = system.bodies[0].content
    limit = stable_step(ContactSolver, ContactParameters(), {}, content.frequency, damping)
    allowed, frequency = fastest_vibration(system)
    assert frequency == content.frequency
    assert allowed == pytest.approx(0.8 * limit, rel=0.02)
    step, reason = default_step(system)
    assert 0.39 * allowed < step <= allowed * (1.0 + 1e-9) and "vibration" in reason
