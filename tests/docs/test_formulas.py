"""The LaTeX of kinds and measures, evaluated at random poses, agrees with their kernels: values, rates, γ
and forces.
"""

from __future__ import annotations

import re
from math import pi
from types import SimpleNamespace

import numpy as np
import pytest
from mbplugin_joints import KINDS
from mbplugin_joints.measures import AngleAbout
from scipy.spatial.transform import Rotation

from mbplugin.hooks.load import load_plugins
from mbplugin.interface import Marker

MEASURES = {
    name: offers[0].thing
    for name, offers in load_plugins()[0].offers["measure"].items()
    if offers[0].distribution == "mbplugin"
}
ANGLES = {
    f"{k} {i} {of} {e}": AngleAbout(k, i, of, e)
    for k, i, of, e in (("z", "x", "b", "z"), ("z", "x", "a", "z"), ("y", "x", "b", ""), ("y", "z", "a", ""))
}
#: of parameters, and what functions of time are at the moment
NUMBERS = {
    "R": 0.4,
    "l": 0.9,
    "Dl": 0.2,
    "DDl": -0.5,
    "c": 0.9,
    "p": 0.3,
    "f": 1.1,
    "Df": -0.6,
    "DDf": 0.7,
    "pi": pi,
}
#: a step into the complex plane: derivatives without differences
STEP = 1e-40
#: of the poses
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))]


class Tensor(np.ndarray):
    """A vector or a matrix: @ is the dot product, % the cross product, * what stands side by side."""

    def __mod__(self, other):
        return np.cross(self, other).view(Tensor)

    def __mul__(self, other):
        return self @ other if self.ndim == 2 and np.ndim(other) else np.ndarray.__mul__(self, other)


def tensor(values):
    return np.array(values).view(Tensor)


FUNCTIONS = {
    "norm": lambda a: np.sqrt(a @ a),
    "tr": np.trace,
    "sin": np.sin,
    "I": tensor(np.eye(3)),
    "atan2": lambda y, x: np.arctan2(y.real, x.real),
}
WORDS = [
    (r"\\left|\\right|\\;|\\,|\\quad", " "),
    (r"f\(t\)", "f"),
    (r"R_(\w)\^T", r"RT_\1"),
    (r"_\{(\w+)\}", r"_\1"),
    (r"\\sin \\(\w+)", r"sin(\1)"),
    (r"\\mathrm\{(\w+)\}", r"\1"),
    (r"\\ddot ", "DD"),
    (r"\\dot \\?", "D"),
    (r"\\hat (\w)", r"e\1"),
    (r"\\cdot", "@"),
    (r"\\times", "%"),
    (r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))"),
    (r"\^2", "**2"),
    (r"\\lambda", "lam"),
    (r"\\", ""),
]


def python_of(latex):
    """Python of an expression."""
    for pattern, word in WORDS:
        latex = re.sub(pattern, word, latex)
    bars = iter(["norm(", ")"] * latex.count("|"))
    latex = re.sub(r"\|", lambda _: next(bars), latex)
    tokens = re.findall(r"\*\*2|[\w.]+\(?|[-+/@%(),]", latex)
    assert "".join(tokens) == re.sub(r"\s", "", latex), latex
    text = ""
    for token in tokens:
        call = token[:-1] in FUNCTIONS
        operand = bool(re.match(r"\w|\($", token))
        if operand and re.search(r"[\w)]$", text):
            text += "*"
        text += token if call or not token[1:].endswith("(") else f"{token[:-1]}*("
    return text


def chunks(formula):
    """(left, right) of all equations."""
    for chunk in re.split(r", \\quad|\n", formula.strip()):
        left, *right = [side.strip() for side in chunk.split(" = ")]
        yield from ((left, one) for one in right if "[n]" not in one)


class Page:
    """The equations of a formula at the poses of the markers, which move with constant v and ω; `given` are
    numbers by name.
    """

    def __init__(self, formula, markers, given=None):
        self.markers, self.given = markers, NUMBERS | (given or {})
        self.equations = [(python_of(left), python_of(right)) for left, right in chunks(formula)]
        self.names = dict(self.equations)

    def __call__(self, text, step=0.0):
        page, known = self, {}

        class Names(dict):
            def __missing__(self, name):
                if name not in known:
                    known[name] = page.name(name, step, self)
                return known[name]

        return eval(text, {"__builtins__": {}}, Names(FUNCTIONS))

    def name(self, name, step, names):
        if name in self.names:
            return eval(self.names[name], {"__builtins__": {}}, names)
        if name in self.given:
            return self.given[name]
        if name.startswith("D"):
            assert not step, "a rate of a rate"
            return np.imag(self(name[1:], STEP)) / STEP
        return self.pose(name, step)

    def pose(self, name, step):
        """r, v, omega, RT and axes ex, ey, ez of a marker."""
        what, _, mark = name.partition("_")
        m = self.markers[mark]
        turned = np.array(m.R).reshape(3, 3)
        turned = turned + 1j * step * np.cross(m.w, turned, axisb=0, axisc=0)
        poses = {
            "r": np.array(m.x) + 1j * step * np.array(m.v),
            "v": np.array(m.v) + 0j,
            "omega": np.array(m.w) + 0j,
            "RT": turned.T,
            "R": turned,
        }
        return tensor(poses[what] if what in poses else turned[:, "xyz".index(what[1])])

    def flat(self, text):
        """An expression as one list of numbers."""
        value = self(text)
        parts = value if isinstance(value, tuple) else (value,)
        return np.real(np.concatenate([np.atleast_1d(part) for part in parts]))

    def every(self, left):
        """All right sides of a name; more than one where a line goes on with a second =."""
        return [self.flat(right) for found, right in self.equations if found == left]


def poses(names, seed):
    rng = np.random.default_rng(seed)
    turns = Rotation.random(len(names), random_state=seed).as_matrix()
    return {
        name: Marker(*(tuple(np.ravel(part)) for part in (rng.normal(size=3), R, *rng.normal(size=(2, 3)))))
        for name, R in zip(names, turns)
    }


def twists(markers):
    return np.concatenate([np.concatenate([m.v, m.w]) for m in markers.values()])


def written(function, markers, rows, params):
    """What a kernel writes, with J and G as (rows, 6 markers)."""
    place = tuple(markers.values())
    out = dict.fromkeys(("value", "bias", "phi", "gamma", "phi_t"), rows)
    out |= dict.fromkeys(("J", "G"), 6 * len(place) * rows) | {"mem": 6, "active": rows, "slack": 1}
    given = (
        {"a": place[0], "b": place[1], "m": place}
        | dict.fromkeys("pu", SimpleNamespace(**params))
        | {name: np.zeros(size) for name, size in out.items()}
    )
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    function(**{name: given[name] for name in names})
    return SimpleNamespace(**given | {name: given[name].reshape(rows, -1) for name in ("J", "G")})


def of_measure(measure, markers):
    return written(measure.kernel, markers, measure.rows, measure.settings)


def turn_of(markers, formula):
    """θ and n of R_aᵀ R_b, which no expression of the page gives."""
    assert r"R_a^T R_b = e^{\theta [n]_\times}" in formula
    a, b = (np.array(m.R).reshape(3, 3) for m in markers.values())
    vector = Rotation.from_matrix(a.T @ b).as_rotvec()
    theta = np.linalg.norm(vector)
    return {"theta": theta, "n": tensor(vector / theta)}


def same(found, wanted):
    assert found, "the page does not say it"
    for one in found:
        np.testing.assert_allclose(one, wanted, rtol=0, atol=1e-12 * max(1.0, np.abs(wanted).max()))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", [*MEASURES, *ANGLES])
def test_a_measure_is_its_formulas(name, seed):
    """s, ṡ = J twist, and γ = −bias, which is derived where only s is written."""
    measure, markers = {**MEASURES, **ANGLES}[name], poses("ab", seed)
    given = turn_of(markers, measure.formula) if name == "turn" else None
    page, kernel = Page(measure.formula, markers, given), of_measure(measure, markers)
    same(page.every("s"), kernel.value)
    same(page.every("Ds"), kernel.J @ twists(markers))
    if measure.phi is None or page.every("gamma"):
        same([np.broadcast_to(one, measure.rows) for one in page.every("gamma")], -kernel.bias)


BY_NAME = {kind.name: kind for kind in KINDS}
MADE = [(kind, False) for kind in KINDS if kind.basics]
MADE += [(kind, True) for kind in KINDS if kind.Planar and not kind.kernel]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "kind, planar", MADE, ids=lambda one: getattr(one, "name", "in the plane" if one else "in space")
)
def test_a_joint_of_basic_constraints_is_its_formula(kind, planar, seed):
    """Φ, row by row; a thread is a row more."""
    markers = poses("ab", seed)
    given = turn_of(markers, kind.formula) if kind.name == "orientation" else None
    page = Page(kind.formula, markers, given)
    rows = [
        of_measure(basic.measure, markers).value - (NUMBERS["l"] if basic.to else 0.0)
        for basic in kind.form(planar).basics
    ]
    for coordinate, c in kind.relation(SimpleNamespace(pitch=NUMBERS["p"])):
        before = rows.pop() if coordinate != "length" else 0.0
        rows.append(before + c * of_measure(kind.coordinates[coordinate], markers).value)
    same(page.every("Phi_plane" if planar and "Phi_plane" in page.names else "Phi"), np.concatenate(rows))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "kind",
    [
        form
        for kind in KINDS
        if kind.Planar and kind.kernel and not kind.unknowns
        for form in (kind, kind.Planar)
    ],
    ids=lambda kind: kind.__name__,
)
def test_rolling_is_its_formulas(kind, seed):
    """Rows at velocity level have e·V for G times the velocities, the height has its own rate; γ of each."""
    markers = poses("ab", seed)
    page = Page(kind.formula, markers)
    kernel = written(kind.kernel, markers, len(kind.labels), {"radius": NUMBERS["R"]})
    slips = [left for left in page.names if page.names[left] == "0"]
    height = ["DPhi_height"] if "Phi_height" in page.names else []
    same([np.concatenate([page.flat(each) for each in slips + height])], kernel.G @ twists(markers))
    if height:
        same(page.every("Phi_height"), kernel.phi[-1:])
    axes = [slip[0] for slip in slips] + ["n"] * len(height)
    assert page.names["e"] == ",".join(axes)
    for page.names["e"], gamma in zip(axes, kernel.gamma):
        same([page.flat(page.names["gamma"])], np.array([gamma]))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_pulley_is_its_formulas(seed):
    kind, markers = BY_NAME["pulley"], poses("0123", seed)
    page = Page(kind.formula, markers, {"c": 1.7, "lam": 1.3})
    kernel = written(kind.kernel, markers, 1, {"ratio": 1.7, "length": NUMBERS["l"]})
    same(page.every("Phi"), kernel.phi)
    same(page.every("DPhi"), kernel.G @ twists(markers))
    same(page.every("gamma"), kernel.gamma)
    same(page.every("F_1"), 1.3 * kernel.G[0, 6:9])
    same(page.every("F_3"), 1.3 * kernel.G[0, 18:21])


@pytest.mark.parametrize("seed", SEEDS)
def test_a_rope_is_its_formulas(seed):
    kind, markers = BY_NAME["rope"], poses("012", seed)
    page = Page(kind.formula, markers, {"lam": 1.3})
    length = tuple(NUMBERS[name] for name in ("l", "Dl", "DDl"))
    kernel = written(kind.kernel, markers, 1, {"length": length})
    same(page.every("Phi"), kernel.phi)
    same(page.every("DPhi"), kernel.G @ twists(markers) + kernel.phi_t)
    same(page.every("gamma"), kernel.gamma)
    same(page.every("F_1"), 1.3 * kernel.G[0, 6:9])
    same(page.every("F_2"), 1.3 * kernel.G[0, 12:15])


@pytest.mark.parametrize("seed", SEEDS)
def test_an_actuator_is_its_formulas(seed):
    kind, markers = BY_NAME["actuator"], poses("ab", seed)
    page, kernel = Page(kind.formula, markers, {"lam": 1.3}), of_measure(kind.coordinates["length"], markers)
    same(page.every("Phi"), kernel.value - NUMBERS["f"])
    same(page.every("DPhi"), kernel.J @ twists(markers) - NUMBERS["Df"])
    same(page.every("gamma"), NUMBERS["DDf"] - kernel.bias)
    same(page.every("F_a"), 1.3 * kernel.J[0, :3])
    same(page.every("F_b"), 1.3 * kernel.J[0, 6:9])


@pytest.mark.parametrize(
    "name, internal, coordinates, forces",
    [
        ("gear", False, ("theta_1", "theta_2"), ("tau_1", "tau_2")),
        ("gear", True, ("theta_1", "theta_2"), ("tau_1", "tau_2")),
        ("rack", False, ("theta", "s"), ("tau", "F")),
    ],
)
def test_a_relation_of_two_coordinates_is_its_formulas(name, internal, coordinates, forces):
    """Φ, and what λ does along each coordinate: its factor times λ."""
    kind = BY_NAME[name]
    values = dict(zip(coordinates, (0.8, -0.5)))
    given = {"r_1": 0.3, "r_2": 0.7, "r": 0.3, "c": 0.2, "lam": 1.3} | values
    first, other = ("= -", "-") if internal else ("=", "+")
    page = Page(kind.formula.replace(r"= \pm", first).replace(r"\pm", other), {}, given)
    keys = SimpleNamespace(joints=coordinates, radii=(0.3, 0.7), internal=internal, radius=0.3)
    factors = [c for _, _, c in kind.coupling(keys)]
    same(page.every("Phi"), np.array([np.dot(factors, list(values.values())) - 0.2]))
    for force, factor in zip(forces, factors):
        same(page.every(force), np.array([1.3 * factor]))


def test_every_kind_is_compared_with_its_formula():
    """But the coupler, whose sum over any number of joints tests/plugins/test_coupler.py compares; capstans
    and winches, whose angle of wrap has whole turns: tests/bounded/test_capstan.py, test_winch.py; gaps,
    which are any expression: tests/bounded/test_unilateral.py; and curves: tests/laws/test_point_on_curve.py,
    test_curve_on_curve.py.
    """
    rolling = {kind.name for kind in KINDS if kind.Planar and kind.kernel and not kind.unknowns}
    read = {kind.name for kind, _ in MADE} | rolling
    left = {"pulley", "rope", "actuator", "gear", "rack"}
    assert set(BY_NAME) - read - left == {
        *("coupler", "capstan", "winch", "unilateral"),
        *("point_on_curve", "curve_on_curve"),
    }
