"""Forty-one faults of the kinds that people make: a sign, a factor, a missing term, an off-by-one, a swallowed error.

`plant.py` plants them one by one in a copy of the sources; the suite must turn red. `old` stands exactly once in `file`; `look` names the folders of
tests that are asked first.
"""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    name: str
    file: str
    old: str
    new: str
    why: str
    look: tuple[str, ...]


FAULTS = [
    # kernels and math
    Fault(
        "velocities stay behind a speed that jumps", "plugins/mbplugin_lagrange/arrival.py", "    status = project_velocities(tables)\n", "    status = 0\n",
        "a motion of the next steps follows the accelerations, and those are right", ("laws",),
    ),
    Fault(
        "angular part of γ left out", "mbplugin/kernels/evaluate.py",
        "+ blocks.gm[g + 3] * dw0 + blocks.gm[g + 4] * dw1 + blocks.gm[g + 5] * dw2", "+ 0.0 * dw0 + 0.0 * dw1 + 0.0 * dw2",
        "rigid bodies have no angular Ḣv; an elastic body has", ("plugins", "testing"),
    ),
    Fault(
        "loops left open by a factor", "mbplugin/kernels/unknowns.py", "ROUNDING, BESIDE, LEAST = 1e-13, 1e-15, 1e-3", "ROUNDING, BESIDE, LEAST = 1e-7, 1e-15, 1e-3",
        "a motion that looks right, seven digits of it", ("laws", "scenes"),
    ),
    Fault(
        "a loop begins with what was last looked at", "mbplugin/kernels/unknowns.py",
        "unknowns.value[i], unknowns.tolerance[i] = memory[unknowns.memory[0] + i], 0.0", "unknowns.tolerance[i] = 0.0",
        "frames would change the last bits", ("laws",),
    ),
    Fault(
        "reaction in the axes of the wrong row", "mbplugin/kernels/unknowns.py", "R[place] * x + R[place + 3] * y + R[place + 6] * z",
        "R[place] * x + R[place + 1] * y + R[place + 2] * z", "the transpose, which is the same for parallel axes", ("laws",),
    ),
    Fault(
        "rate of a driven velocity without its partner", "mbplugin/kernels/tape.py", "bias[i] if seed == BY_TIME else", "0.0 if seed == BY_TIME else",
        "the bias of an angle about a fixed axis is zero", ("laws",),
    ),
    Fault(
        "bias of a coupling without its ratio", "mbplugin/kernels/evaluate.py", "rows.gamma[row] -= c * measures.bias[measure]",
        "rows.gamma[row] -= measures.bias[measure]", "the bias is zero while the axes stand still", ("plugins", "laws"),
    ),
    Fault(
        "projection of velocities forgets motions", "mbplugin/kernels/projection.py", "rows.target[r] = -rows.scale[r] * rows.phi_t[r]",
        "rows.target[r] = 0.0", "G v = −Φₜ, and Φₜ is zero unless something is driven", ("laws", "scenes"),
    ),
    Fault(
        "reactions stay in scaled rows", "mbplugin/kernels/core.py", "        rows.lam[r] *= rows.scale[r]\n", "        rows.lam[r] *= 1.0\n",
        "accelerations are right, reactions are not", ("laws", "scenes"),
    ),
    Fault(
        "marker acceleration without Ḣv", "mbplugin/kernels/entries.py", "linear[i, k], angular[i, k] = points.dv[i, k], points.dw[i, k]",
        "linear[i, k], angular[i, k] = 0.0, 0.0", "at the mass centre of a rigid body there is none", ("laws", "kernels"),
    ),
    Fault(
        "damper of a driven row without its target", "mbplugin/kernels/evaluate.py", "rows.rate[r] = rows.phi_t[r] + along(tables, i, v)",
        "rows.rate[r] = along(tables, i, v)", "a target is constant unless something is driven", ("penalty",),
    ),
    Fault(
        "work of a driven law counted as lost", "mbplugin/kernels/evaluate.py", "            x_dot[0] -= rows.load[r] * rows.phi_t[r]",
        "            x_dot[1] -= rows.load[r] * rows.phi_t[r]", "the motion is right, the energy balance is not", ("penalty",),
    ),
    Fault(
        "augmented loads without γ", "mbplugin/kernels/iterate.py", "enforced.wanted[i] - (moves - gamma)", "enforced.wanted[i] - moves",
        "γ is zero at rest", ("penalty",),
    ),
    Fault(
        "augmented loads correct the sum and not each row", "mbplugin/kernels/iterate.py", "load[enforced.row[i, N_ROW]] += alpha * vector[i]",
        "load[enforced.row[i, N_ROW]] += vector[i]", "v̇ is right, what is reported as the reaction is not", ("penalty",),
    ),
    Fault(
        "dissipation of augmented rows with the wrong sign", "mbplugin/kernels/iterate.py", "rates.x_dot[1] -= rows.load[r] * rows.rate[r]",
        "rates.x_dot[1] += rows.load[r] * rows.rate[r]", "rows that stay closed have next to no rate", ("penalty",),
    ),
    Fault(
        "half of (r²)' in atan2", "mbplugin/kernels/tape.py", "r2_1 = 2.0 * (x[0]", "r2_1 = (x[0]", "second derivative of one function", ("kernels", "model"),
    ),
    Fault(
        "whole angle in the exponential", "mbplugin/math/quat.py", "s = sin(0.5 * angle) / angle", "s = sin(angle) / angle",
        "only corrections of more than 1e-4 rad use it", ("testing", "laws"),
    ),
    Fault(
        "cache named without the contents", "mbplugin/math/jit.py", 'b"\\0" + file.read_bytes() + b"\\0"', 'b"\\0"',
        "a changed kernel would go on running as it was", ("run", "kernels"),
    ),
    # bodies, joints, forces
    Fault(
        "start of a planar body with ω the other way", "plugins/mbplugin_bodies/planar.py", "velocity + np.cross(w, arm)", "velocity - np.cross(w, arm)",
        "the mass centre is mostly the origin of the frame", ("laws", "scenes"),
    ),
    Fault(
        "left-handed principal axes", "plugins/mbplugin_bodies/spatial.py", "axes[:, 2] *= -1.0", "axes[:, 2] *= 1.0",
        "eigenvectors may come out as a mirror image", ("laws", "model"),
    ),
    Fault(
        "slider that may turn", "plugins/mbplugin_joints/joints.py", '*Dot1("x", "z"), *Dot1("y", "z"), *Dot1("x", "y"), *Dot2("x")',
        '*Dot1("x", "z"), *Dot1("y", "z"), *Dot2("x")', "nothing need turn it in a flat mechanism", ("scenes", "laws"),
    ),
    Fault(
        "driven angle held in one turn", "mbplugin/interface/element_text.py", "round(rows.phi[r] / {shape.period!r})", "0.0",
        "shows after half a turn", ("scenes", "laws"),
    ),
    Fault(
        "free length without the root", "plugins/mbplugin_forces/spring_damper.py", '"length": float(((xb - xa) ** 2).sum() ** 0.5)',
        '"length": float(((xb - xa) ** 2).sum())', "energy is conserved all the same", ("laws", "scenes"),
    ),
    Fault(
        "power of a torque with v", "plugins/mbplugin_forces/applied.py", "power[0] = dot(t, a.w)", "power[0] = dot(t, a.v)",
        "the motion is right, the energy balance is not", ("testing", "laws"),
    ),
    # the solver
    Fault(
        "stage at the time of the stage before", "plugins/mbplugin_lagrange/stages.py", "state.time[0] = t0 + c[s] * h", "state.time[0] = t0 + c[s - 1] * h",
        "autonomous systems do not mind", ("order", "laws"),
    ),
    Fault(
        "sign of the work of motions", "plugins/mbplugin_lagrange/derivative.py", "work -= rows.lam[r] * rows.phi_t[r]", "work += rows.lam[r] * rows.phi_t[r]",
        "the motion is right, the energy balance is not", ("laws",),
    ),
    Fault(
        "work of an acceleration that is given", "plugins/mbplugin_lagrange/derivative.py", "work += rows.lam[r] * rate_of(tables, r)",
        "work -= rows.lam[r] * rate_of(tables, r)", "the motion is right, the energy balance is not", ("laws",),
    ),
    Fault(
        "first inner state outside the error norm", "plugins/mbplugin_lagrange/error.py", "store.x0, state.x, 2)", "store.x0, state.x, 3)",
        "two numbers before it are the engine's own", ("plugins",),
    ),
    Fault(
        "frame inside a step with later memory", "plugins/mbplugin_lagrange/store.py", "copy(store.memory0, state.memory)", "copy(store.memory1, state.memory)",
        "differs only in a step that ends with a switch", ("plugins", "order"),
    ),
    Fault(
        "event bisected twenty times", "plugins/mbplugin_lagrange/switches.py", "for _ in range(60):", "for _ in range(20):",
        "a millionth of the step is left", ("plugins", "order"),
    ),
    Fault(
        "digit of the embedded weights of dp5", "plugins/mbplugin_lagrange/tableaus.py", "187 / 2100, 1 / 40", "187 / 2000, 1 / 40",
        "steps become smaller, and nothing less accurate", ("order",),
    ),
    Fault(
        "dense mass without its diagonal in kkt", "plugins/mbplugin_lagrange/ldl.py", "for b in range(a, n)]", "for b in range(a + 1, n)]",
        "rigid bodies have a diagonal mass", ("plugins", "laws"),
    ),
    Fault(
        "checkpoint without values of events", "plugins/mbplugin_lagrange/rk.py", 'if name[0] != "k"', 'if name[0] not in "ke"',
        "a resumed run would see a crossing that is none", ("run", "plugins"),
    ),
    Fault(
        "failure of a plugin's function not raised", "plugins/mbplugin_lagrange/rk.py", "            raise self.problem.failure(int(status))",
        "            return", "an error swallowed", ("plugins", "cli"),
    ),
    # run and recorder
    Fault(
        "wrench on the wrong marker", "mbplugin/run/recorder.py", "last = wrenches.slots[first:, 0] + wrenches.slots[first:, 1] - 1",
        "last = wrenches.slots[first:, 0]", "of the opposite sign for a spring", ("laws", "testing"),
    ),
    Fault(
        "failed run marked complete", "mbplugin/run/loop.py", "            self.writer.close(False)\n", "            self.writer.close(True)\n",
        "an error swallowed: the reader is not told", ("cli", "run"),
    ),
    # store, export, reading
    Fault(
        "message of the last kept frame lost", "mbplugin/results/store.py", 'for frame in self._messages["frame"] if frame <= frames)',
        'for frame in self._messages["frame"] if frame < frames)', "shows when a run is resumed", ("results", "run"),
    ),
    Fault(
        "checkpoint valid while it is rewritten", "mbplugin/results/checkpoint.py", '        node["attributes"]["serial"] = 0\n', "",
        "a kill at that moment leaves a mixture", ("results",),
    ),
    Fault(
        "checksum not looked at", "mbplugin/results/files.py", '        raise Damaged("does not match its checksum")\n', "        pass\n",
        "an error swallowed", ("results",),
    ),
    Fault(
        "last chosen frame not exported", "mbplugin/export/series.py", "(raw.time <= end)", "(raw.time < end)", "an interval closed at both ends", ("export",),
    ),
    Fault(
        "parallel axes with the wrong sign", "mbplugin/model/mass.py", "np.eye(3) - np.outer(d, d)", "np.eye(3) + np.outer(d, d)",
        "right for one shape at the mass centre", ("model",),
    ),
]  # fmt: skip
