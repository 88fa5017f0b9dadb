"""Sensors of plugins against closed forms, and what a run does with them."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest
from child import ROOT, after_each_frame, command, distribution
from refusals import refused, stopped
from scene_text import solver
from small_systems import chain

import mbplugin as mb
import mbplugin.api
from mbplugin.api import System
from mbplugin.errors import PluginError
from mbplugin.hooks.load import load_plugins
from mbplugin.interface import SensorKind, hookimpl
from mbplugin.testing import check_sensor

PAGE = (ROOT / "docs" / "around-a-run.md").read_text()
(SOURCE,) = [b for b in re.findall(r"```python\n(.*?)```", PAGE, flags=re.S) if "class Momentum" in b]
CENTRE = '[[sensor]]\nname = "c"\ntype = "centre"\n'
(TABLE,) = [b for b in re.findall(r"```toml\n(.*?)```", PAGE, flags=re.S) if "acme_momentum" in b]


class Centre(SensorKind):
    """Mass centre of all bodies."""

    name = "centre"
    outputs = {"x": "m", "y": "m", "z": "m"}

    @classmethod
    def sample(cls, params, frame):
        masses = np.array([body.mass_properties().mass for body in frame.system.bodies])
        return masses @ np.array([frame.body(name).position for name in frame.bodies]) / masses.sum()


class Late(SensorKind):
    """Fails after half a second."""

    name = "late"
    outputs = {"": "s"}

    @classmethod
    def sample(cls, params, frame):
        if frame.time > 0.49:
            return cls._end()
        return [frame.time]

    @staticmethod
    def _end():
        return 1 / 0


def falling(more=""):
    """Two links on a ball joint, thrown, with 20 frames in 1 s."""
    bodies = chain(2).split("[[joint]]")
    joint = "[[joint]]" + bodies[2]
    text = bodies[0] + "[[body]]" + bodies[1].partition("[[body]]")[2] + joint
    text = text.replace('name = "b0"', 'name = "b0"\nvelocity = [1, 0.5, 2]\nangular_velocity = [3, 1, 2]')
    return text + more + "[output]\nframes = 20\nseries = false\n" + solver(end=1.0, tolerance=1e-10)


@pytest.fixture
def registry(monkeypatch):
    names: dict = {}
    exec(compile(SOURCE, "around-a-run.md", "exec", dont_inherit=True), names)
    page = SimpleNamespace(**{k: v for k, v in names.items() if not k.startswith("__")})

    class Own:
        @hookimpl
        def mbplugin_sensors(self, register):
            register(Centre)
            register(Late)

    found = load_plugins(strict=True, extra=[("acme_page", page), ("own", Own())])
    monkeypatch.setattr(mbplugin.api, "plugins", lambda: found)
    return found[0]


def test_the_mass_centre_of_a_thrown_chain_moves_on_a_parabola(registry):
    result = System.from_text(falling('[[sensor]]\nname = "c"\ntype = "centre"\n')).run(files=False)
    m = np.array([1.0, 1.3])
    v = np.array([result[name].velocity[0] for name in ("b0", "b1")])
    x = np.array([result[name].position[0] for name in ("b0", "b1")])
    t = result.time[:, None]
    parabola = m @ x / m.sum() + (m @ v / m.sum()) * t + 0.5 * np.array([0, 0, -9.81]) * t**2
    measured = np.column_stack([result.output(f"sensor.c.{k}") for k in "xyz"])
    assert np.abs(measured - parabola).max() < 1e-8
    assert np.ptp(measured[:, 2]) > 1.0


def test_the_angular_momentum_of_a_thrown_chain_changes_by_the_moment_of_its_weight(registry):
    """d/dt L = c × m g with the mass centre c on its parabola: L is a polynomial of the time."""
    text = falling(TABLE + '[[sensor]]\nname = "c"\ntype = "centre"\n')
    result = System.from_text(text).run(files=False)
    L = np.column_stack([result.output(f"sensor.spin.{k}") for k in "xyz"])
    c = np.column_stack([result.output(f"sensor.c.{k}") for k in "xyz"])
    weight, t = 2.3 * np.array([0, 0, -9.81]), result.time[:, None]
    m, v = np.array([1.0, 1.3]), np.array([result[name].velocity[0] for name in ("b0", "b1")])
    start, speed = c[0] - np.array([0, 0, 1.0]), m @ v / m.sum()
    change = np.cross(start, weight) * t + 0.5 * np.cross(speed, weight) * t**2
    assert np.abs(L - L[0] - change).max() < 1e-7
    assert np.abs(L[-1] - L[0]).max() > 1.0


def test_a_sensor_has_its_name_in_tables_and_plots_with_its_unit(registry, tmp_path):
    system = System.from_text(falling(TABLE))
    result = system.run(tmp_path / "out")
    curves = result.columns("sensor.spin")
    assert [c.heading for c in curves[1:]] == [f"sensor.spin.{k} [kg m2/s]" for k in "xyz"]
    assert result.columns("sensor.spin.y")[1].label == "sensor.spin.y"
    assert result.outputs["sensor.spin.x"] == "kg m2/s"
    sim = system.simulate()
    assert sim.output("sensor.spin.x") == result.output("sensor.spin.x")[0]
    again = System.from_text(result.system.to_toml()).run(files=False)
    for name in result.outputs:
        assert np.array_equal(again.output(name), result.output(name)), "other bits in memory"


def test_a_sensor_that_fails_loses_its_own_numbers_and_the_run_is_whole(registry, tmp_path):
    """Exit code 5 at the end, all frames with the bits of a run without it, one message."""
    system = System.from_text(falling('[[sensor]]\nname = "s"\ntype = "late"\n' + CENTRE))
    without = System.from_text(falling(CENTRE)).run(files=False)
    for keys in ({"files": False}, {"out": tmp_path / "out"}):
        with stopped(PluginError, '"s"', '"late"', "ZeroDivisionError", time=0.5) as failed:
            system.run(**keys)
        result = failed.value.result if "files" in keys else mb.load(tmp_path / "out")
        assert result.raw.complete and len(result.time) == 21
        sampled = result.output("sensor.s")
        assert np.array_equal(sampled[:10], result.time[:10]) and np.isnan(sampled[10:]).all()
        assert np.array_equal(result.output("sensor.c.z"), without.output("sensor.c.z"))
        for key in set(without.raw.frame_arrays) - {"outputs/value"}:
            assert np.array_equal(result.raw[key], without.raw[key]), key
        assert [m.level for m in result.messages if '"s"' in m.text] == ["error"]


def test_a_sensor_that_has_failed_is_left_out_after_a_return_too(registry, tmp_path):
    system = System.from_text(falling('[[sensor]]\nname = "s"\ntype = "late"\n'))
    until = lambda frame: "enough" if frame.time > 0.69 else None
    for _ in range(2):
        with stopped(PluginError, '"s"', time=0.5):
            system.run(tmp_path / "out", resume=True, on_frame=until)
        until = None
    result = mb.load(tmp_path / "out")
    assert result.raw.complete and np.isnan(result.output("sensor.s")[10:]).all()
    assert len([m for m in result.messages if '"s"' in m.text]) == 1


@pytest.mark.parametrize(
    ("value", "names"), [([1.0, 2.0], [2, 1]), ([np.nan], ["[nan]"]), ("no", ["ValueError"])]
)
def test_numbers_that_are_none_are_refused(registry, monkeypatch, value, names):
    monkeypatch.setattr(Late, "_end", staticmethod(lambda: value))
    with stopped(PluginError, '"s"', '"late"', *names):
        System.from_text(falling('[[sensor]]\nname = "s"\ntype = "late"\n')).run(files=False)


@pytest.mark.parametrize(
    ("table", "key"),
    [
        ('name = "s"\ntype = "acme_momentun"', "sensor[0].type"),
        ('name = "s"\ntype = "acme_momentum"\nabuot = [0, 0, 0]', "sensor[0].abuot"),
        ('name = "s"\ntype = "centre"\nabout = 3', "sensor[0].about"),
        ('type = "centre"', "sensor[0].name"),
    ],
)
def test_a_wrong_sensor_is_told_by_its_key(registry, table, key):
    with refused(key):
        System.from_text(falling(f"[[sensor]]\n{table}\n")).run(files=False)


def test_two_sensors_with_one_name_are_refused(registry):
    one = '[[sensor]]\nname = "s"\ntype = "centre"\n'
    with refused("sensor[1].name", "s"):
        System.from_text(falling(one + one))


@pytest.mark.parametrize(
    ("outputs", "name"), [({}, "`outputs`"), ({"": "m", "x": "m"}, "`outputs`"), ({"a b": "m"}, '"a b"')]
)
def test_a_kind_without_proper_outputs_is_refused(outputs, name):
    kind = type("Odd", (SensorKind,), {"name": "odd", "outputs": outputs, "sample": Centre.sample})

    class Own:
        @hookimpl
        def mbplugin_sensors(self, register):
            register(kind)

    with stopped(PluginError, '"odd"', name):
        load_plugins(strict=True, extra=[("own", Own())])


def test_the_kit_passes_a_sensor_and_finds_one_that_counts_its_calls(registry):
    assert check_sensor(Centre, registry=registry).ok
    count = iter(range(1000))
    kind = type(
        "Counts",
        (SensorKind,),
        {"name": "counts", "outputs": {"": "1"}, "sample": classmethod(lambda cls, p, f: [next(count)])},
    )
    failed = {check.what for check in check_sensor(kind, registry=registry).checks if not check.ok}
    assert failed == {"tells the same in a second run"}


@pytest.mark.slow
def test_a_resumed_run_has_the_same_bits(tmp_path):
    site = distribution(tmp_path / "site", "acme_page", "acme_page", SOURCE)
    (tmp_path / "scene.toml").write_text(falling(TABLE))
    assert command("run", "scene.toml", "-o", "whole", cwd=tmp_path, extra=[site]).returncode == 0
    stop = after_each_frame("stop[0] = signal.SIGINT if self.next == 7 else 0")
    done = command("run", "scene.toml", "-o", "parts", cwd=tmp_path, extra=[site], code=stop)
    assert done.returncode == 130, done.stderr
    assert command("run", "scene.toml", "-o", "parts", "--resume", cwd=tmp_path, extra=[site]).returncode == 0
    whole, parts = mb.load(tmp_path / "whole"), mb.load(tmp_path / "parts")
    assert len(parts.time) == 21
    assert np.array_equal(whole.raw["outputs/value"], parts.raw["outputs/value"])
