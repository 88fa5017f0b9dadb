"""A PID controller with its motor, on the coordinate s of a joint.

    e = s_d − s,   v = k_p e + I + k_d d + f_ff,   f = v within ±f_max
    İ = k_i e + (f − v)/T_t                        the integral follows where f is limited (back-calculation)
    T_f ẋ = e − x,   d = (e − x)/T_f = ẋ           the derivative, filtered; T_f = 0: d = ė

Sampled at t_k = k T the force is held from t_k to t_{k+1}; İ becomes a forward, ẋ a backward difference:

    v_k = k_p e_k + I_k + k_d d_k + f_ff,   f_k = v_k within ±f_max,   d_k = (e_k − x_k)/(T_f + T)
    I_{k+1} = I_k + T (k_i e_k + (f_k − v_k)/T_t),   x_{k+1} = x_k + T d_k;   T_f = 0: d_k = ė(t_k)

K. J. Åström, T. Hägglund, PID Controllers: Theory, Design, and Tuning, 2nd ed., 1995, sections 3.3 to 3.6.
Without limits the controller is C(σ) = k_p + k_i/σ + k_d σ/(1 + T_f σ).
"""

from __future__ import annotations

from pydantic import model_validator

from mbplugin.errors import NOT_GIVEN, SceneError
from mbplugin.interface import NonNegative, Positive, jit
from mbplugin_forces.ends import along
from mbplugin_forces.motor import DrivenKeys, OnDrivenCoordinate, limited


class PidParameters(DrivenKeys):
    proportional: NonNegative = 0.0
    """k_p [N·m/rad] or [N/m]."""
    integral: NonNegative = 0.0
    """k_i [N·m/(rad·s)] or [N/(m·s)]."""
    derivative: NonNegative = 0.0
    """k_d [N·m·s/rad] or [N·s/m]."""
    filter_time: NonNegative = 0.0
    """Time constant T_f of the filter of the derivative [s]; 0: the rate of the error itself."""
    tracking_time: Positive | None = None
    """T_t, in which the integral goes back where the effort is limited [s]; default proportional/integral, at
    least `sample_time`."""
    sample_time: NonNegative = 0.0
    """Interval T of the samples [s], between which the force is held; 0: it acts continuously."""

    @model_validator(mode="after")
    def one_gain(self):
        if not (self.proportional or self.integral or self.derivative):
            mend = "is missing: give one of the gains `proportional`, `integral`, `derivative`"
            raise SceneError("proportional", NOT_GIVEN, mend)
        limits = "effort_limit" in self.model_fields_set and self.integral > 0.0
        if limits and not self.proportional and self.tracking_time is None:
            mend = "is missing: a limited integral needs the time in which it goes back"
            raise SceneError("tracking_time", NOT_GIVEN, mend)
        if self.tracking_time is not None and self.tracking_time < self.sample_time:
            mend = "must not be less than `sample_time`: the integral would go back beyond its limit"
            raise SceneError("tracking_time", self.tracking_time, mend)
        return self


class Pid(OnDrivenCoordinate):
    """Follows its target by a proportional, an integral and a filtered derivative part within a limit, whose
    integral does not wind up.
    """

    name = "pid"
    parameters = PidParameters
    states = {"integral": "N or N m", "filter": "m or rad"}
    outputs = {"force": "N or N m", "demand": "N or N m", "error": "m or rad"}
    #: of the last sample: force, demand, error; 1 if there has been one
    memory = 4
    examples = (
        {
            "proportional": 30.0,
            "integral": 8.0,
            "derivative": 2.0,
            "filter_time": 0.2,
            "target": "0.4*sin(3*time)",
            "effort_limit": 6.0,
            "joint": {"type": "translational"},
        },
        {
            "proportional": 30.0,
            "integral": 8.0,
            "derivative": 2.0,
            "filter_time": 0.2,
            "sample_time": 0.1,
            "target": "0.4*sin(3*time)",
            "joint": {"type": "revolute"},
        },
    )

    @classmethod
    def defaults(cls, params, markers):
        if params.tracking_time is not None:
            return params
        time = params.proportional / params.integral if params.integral else 0.0
        return params.model_copy(update={"tracking_time": max(time or 1.0, params.sample_time)})

    @classmethod
    def sample_interval(cls, params):
        return params.sample_time

    @staticmethod
    def kernel(p, u, s, s_dot, x, mem, J, wrench, power, x_dot, force, demand, error):
        if is_held(p, mem):
            force[0], demand[0], error[0] = mem[0], mem[1], mem[2]
            x_dot[0], x_dot[1] = 0.0, 0.0
        else:
            error[0] = u.target[0] - s[0]
            demand[0], x_dot[1] = demanded(p, u, s, s_dot, x)
            force[0] = limited(demand[0], u.effort_limit[0])
            x_dot[0] = rate_of_integral(p, error[0], force[0], demand[0])
        along(J, force[0], wrench)
        power[0] = force[0] * s_dot[0]

    @staticmethod
    def sample(p, u, s, s_dot, x, x_new, mem_new):
        error = u.target[0] - s[0]
        demand, rate = demanded(p, u, s, s_dot, x)
        force = limited(demand, u.effort_limit[0])
        x_new[0] += p.sample_time * rate_of_integral(p, error, force, demand)
        x_new[1] += p.sample_time * rate
        mem_new[0], mem_new[1], mem_new[2], mem_new[3] = force, demand, error, 1.0

    @staticmethod
    def event(p, u, s, s_dot, x, mem, event):
        event[0] = 1.0 if is_held(p, mem) else abs(demanded(p, u, s, s_dot, x)[0]) - u.effort_limit[0]


@jit
def is_held(p, mem):
    """Whether the force is that of the last sample. Before the first one it is what that will give."""
    return p.sample_time > 0.0 and mem[3] > 0.0


@jit
def rate_of_integral(p, e, force, demand):
    """İ, which follows where the force is limited."""
    return p.integral * e + (force - demand) / p.tracking_time


@jit
def demanded(p, u, s, s_dot, x):
    """Force or torque before its limit, and the rate of the filter's state; sampled a difference over T."""
    e = u.target[0] - s[0]
    if p.filter_time > 0.0:
        rate = (e - x[1]) / (p.filter_time + p.sample_time)
        return p.proportional * e + x[0] + p.derivative * rate + u.feed_forward[0], rate
    return p.proportional * e + x[0] + p.derivative * (u.target[1] - s_dot[0]) + u.feed_forward[0], 0.0
