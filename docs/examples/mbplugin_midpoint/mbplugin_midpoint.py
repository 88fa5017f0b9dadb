"""The explicit midpoint rule as a solver in plain numpy, and Heun's method as a tableau of the solver `rk`.

    [solver]                    [solver]
    type = "midpoint"           type = "rk"
    step = 1e-3                 integrator = "heun"
    end = 1.0                   tolerance = 1e-6
                                end = 1.0

Both have order 2 (E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, section
II.1).
"""

from mbplugin.interface import Tableau, hookimpl
from mbplugin.stepping import FixedStep, FixedStepSolver


class Midpoint(FixedStepSolver):
    """The rates at the middle of the step, taken over the whole step.

    v½ = v₀ + h/2 v̇(t₀, q₀, v₀),   q½ = q₀ ⊕ h/2 v₀
    v₁ = v₀ + h v̇(t₀ + h/2, q½, v½),   q₁ = q₀ ⊕ h v½
    """

    name = "midpoint"
    order = 2
    parameters = FixedStep

    @staticmethod
    def step(state, dt):
        """Move `state` on by dt [s]. The engine projects it onto the constraints afterwards."""
        start, v0 = state.save(), state.v.copy()
        v_dot = state.accelerations()
        state.advance(dt / 2)
        state.v += dt / 2 * v_dot
        v_middle, v_dot = state.v.copy(), state.accelerations()
        state.load(start)
        state.v[:] = v_middle
        state.advance(dt)  # coordinates with v½, inner states with their rates at the middle
        state.v[:] = v0 + dt * v_dot


#: orders 2 and 1: the embedded method is Euler's
HEUN = Tableau(
    A=[[0, 0], [1, 0]],
    b=[1 / 2, 1 / 2],
    c=[0, 1],
    order=2,
    b_error=[1, 0],
    error_order=1,
    source="K. Heun, Zeitschrift für Mathematik und Physik 45 (1900) 23-38",
)


@hookimpl
def mbplugin_solvers(register):
    register(Midpoint)


@hookimpl
def mbplugin_tableaus(register):
    register("heun", HEUN)
