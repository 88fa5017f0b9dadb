"""Requests that would take more memory, pictures or steps than there can be are refused by key and value."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from refusals import refused
from scene_text import motion, solver, table
from small_systems import pendulum

import mbplugin as mb
from mbplugin import errors
from mbplugin.cli import main
from mbplugin.viz import Options, movie, plot
from mbplugin.viz.points_plot import plot_points

OF_THE_MACHINE = r"there are [\d.e+]+ GB"
ARM = pendulum("arm", "pin", inertia=[1, 1, 1], axis=[0, 0, 1])
SHORT = solver(end=0.1)


def system(frames=10, *more):
    return mb.System.from_text(ARM + "".join(more) + SHORT + table("output", frames=frames))


def refuse(call, key):
    with refused(key, hide=OF_THE_MACHINE):
        call()


@pytest.mark.parametrize(
    ("fps", "speed", "key"),
    [
        (25.0, 1e-12, "speed"),
        (1000.0, 1e-3, "speed"),
        (25.0, 0.0, "speed"),
        (25.0, np.nan, "speed"),
        (25.0, np.inf, "speed"),
        (1e8, 1.0, "fps"),
        (0.3, None, "fps"),
        (np.nan, None, "fps"),
        (-1.0, None, "fps"),
    ],
)
def test_movies_of_too_many_pictures(fps, speed, key):
    refuse(lambda: movie.pictures(np.linspace(0.0, 1.0, 11), fps, speed), key)


def test_pictures_of_a_movie_follow_from_rate_and_speed():
    """A run of 3 s at half its speed lasts 6 s."""
    assert movie.pictures(np.linspace(0.0, 3.0, 11), 25.0, 0.5) == 150


@pytest.mark.parametrize(
    "size", [(30000, 30000), (99999, 10), (0, 10), (10, -3), (10,), 10, "abc", (640.5, 480)]
)
def test_pictures_of_too_many_pixels(size):
    refuse(lambda: Options(size=size), "size")
    refuse(lambda: plot(None, [], size=size), "size")
    refuse(lambda: plot_points({}, False, {}, None, np.zeros(1), size=size), "size")


@pytest.mark.parametrize("what", ["static", "eigen"])
@pytest.mark.parametrize("load_steps", [10**9, 0, -1])
def test_too_many_load_steps(what, load_steps):
    refuse(lambda: system().analyze(what, load_steps=load_steps), "load_steps")


def test_too_many_positions(monkeypatch):
    driven = motion("pin", angle="time")
    refuse(lambda: system(10, driven).analyze("kinematic", positions=10**9), "positions")
    refuse(lambda: system(10**8, driven).analyze("inverse"), "output")
    monkeypatch.setattr(errors, "most_memory", lambda: 1e6)
    refuse(lambda: system(10, driven).analyze("kinematic", positions=10**5), "positions")


def test_more_frames_than_memory_are_refused_before_the_run(monkeypatch):
    monkeypatch.setattr(errors, "most_memory", lambda: 1e9)
    refuse(lambda: system(10**8).run(files=False), "output.frames")
    every = mb.System.from_text(ARM + SHORT + table("output", every=1e-9))
    refuse(lambda: every.run(files=False), "output.every")
    assert system(1000).run(files=False).time.shape == (1001,)


def test_more_points_than_memory_are_refused_before_the_sweep(monkeypatch):
    scene = mb.System.from_text(table("parameters", g=1.0) + ARM.replace("mass = 1.0", 'mass = "g"') + SHORT)
    monkeypatch.setattr(errors, "most_memory", lambda: 1e7)
    masses = {"g": np.linspace(1.0, 2.0, 10_000).tolist()}
    refuse(lambda: mb.sweep(scene, masses, "pin.angle"), "sweep")
    assert len(mb.sweep(scene, {"g": [1.0, 2.0]}, "pin.angle", progress=False)) == 2


def test_memory_that_ends_elsewhere_is_told_in_one_line(monkeypatch, capsys):
    def full(**_):
        raise MemoryError("Unable to allocate 182. TiB")

    monkeypatch.setattr("mbplugin.cli.info.info_result", full)
    monkeypatch.setattr(sys, "argv", ["mbplugin", "info", "x"])
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr().err
    assert ended.value.code == 2 and told.count("\n") == 1 and "182. TiB" in told
