"""The output of `mbplugin new --plugin` passes the kit, also after each addition of docs/writing-a-
plugin.md.
"""

from __future__ import annotations

import importlib
import re
from math import cos, prod, sqrt
from pathlib import Path

import mbplugin_ellipsoid
import pytest
from child import ROOT, command, distribution
from headless import Runs
from mbplugin_contact.round_shapes import CylinderKind

from mbplugin.interface import put_corner, put_rim
from mbplugin.result import load
from mbplugin.testing import check_constraint, check_contact_law, check_force, check_shape

PAGE = (ROOT / "docs" / "writing-a-plugin.md").read_text()
FILES = dict(
    re.findall(
        r"`([\w/]+\.(?:py|toml))`:?\n\n```\w+\n(.*?)```", PAGE.replace(", beside the rope:", ":"), flags=re.S
    )
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder above the plugin, and the path on which it is installed."""
    folder = tmp_path_factory.mktemp("page")
    done = command("new", "--plugin", "acme_lift", cwd=folder)
    assert done.returncode == 0 and "mbplugin plugins check acme_lift" in done.stdout
    return folder, [distribution(folder / "site", "acme_lift", "acme_lift"), folder / "acme_lift" / "src"]


def kit(made):
    """The kit, run on the plugin."""
    folder, path = made
    return command("plugins", "check", "acme_lift", cwd=folder, extra=path)


def check(made) -> str:
    done = kit(made)
    assert done.returncode == 0, done.stdout + done.stderr
    told = [line for line in done.stderr.splitlines() if not line.startswith("mbplugin: compiling")]
    assert "0 failed" in done.stdout and told == []
    return done.stdout


@pytest.mark.slow
def test_what_is_written_passes_as_it_stands(made):
    said = check(made)
    for kind in (
        'constraint "acme_lift_bowl"',
        'constraint "acme_lift_elevator"',
        'force "acme_lift_bungee"',
        "measure acme_lift.height",
    ):
        assert kind in said
    assert said.count("compiled") == 3


def test_its_rope_is_slack_where_its_ends_meet(made):
    """A ball that hangs on it from the point where it is tied falls freely until the rope is tight."""
    folder, path = made
    (folder / "ball.toml").write_text(
        '[[body]]\nname = "ball"\ntype = "point"\nmass = 1\n[[force]]\ntype = "acme_lift_bungee"\n'
        'a = "ground"\nb = "ball"\nstiffness = 10\nlength = 5\n[solver]\nend = 0.5\n'
    )
    done = command("run", "ball.toml", "-o", "out", cwd=folder, extra=path)
    assert done.returncode == 0, done.stderr
    assert load(folder / "out")["ball"].position[-1, 2] == pytest.approx(-0.5 * 9.81 * 0.5**2, abs=1e-9)


@pytest.mark.slow
def test_the_force_and_the_joint_of_the_page_pass_too(made):
    folder, path = made
    package = folder / "acme_lift"
    for name in ("src/acme_lift/magnet.py", "src/acme_lift/sleeve.py", "tests/test_magnet.py"):
        (package / name).write_text(FILES[name])
    init = package / "src" / "acme_lift" / "__init__.py"
    imported, hook = FILES["src/acme_lift/__init__.py"].split("\n\n\n")
    text = init.read_text()
    old = "@hookimpl\ndef mbplugin_force_elements(register):\n    register(Bungee)\n"
    assert old in text
    text = imported + "\nfrom acme_lift.sleeve import Sleeve\n" + text.replace(old, hook)
    init.write_text(text.replace("    register(Bowl)\n", "    register(Bowl)\n    register(Sleeve)\n"))
    said = check(made)
    assert 'force "acme_lift_magnet"' in said and 'constraint "acme_lift_sleeve"' in said

    (package / "magnet.toml").write_text(FILES["magnet.toml"])
    done = command("run", "magnet.toml", "-o", "out", cwd=package, extra=path)
    assert done.returncode == 0, done.stderr
    pytest_main, options = "import pytest; raise SystemExit(pytest.main())", ["-q", "-p", "no:cacheprovider"]
    done = command(*options, "tests/test_magnet.py", cwd=package, extra=path, code=pytest_main)
    assert done.returncode == 0, done.stdout

    # the tangent that the page gives it, and one with another sign
    magnet = package / "src" / "acme_lift" / "magnet.py"
    (tangent,) = [b for b in re.findall(r"```python\n(.*?)```", PAGE, flags=re.S) if "def tangent" in b]
    by_hand = FILES["src/acme_lift/magnet_by_hand.py"]
    imported = by_hand.replace(
        "from mbplugin.math.vec3",
        "from mbplugin.math.patch import add_diagonal, add_outer\nfrom mbplugin.math.vec3",
    )
    for written, found in ((tangent, "ok"), (tangent.replace("-3.0 *", "3.0 *"), "FAIL")):
        magnet.write_text(f"{imported}\n{written}")
        said = kit(made).stdout.splitlines()
        (line,) = [line for line in said if 'force "acme_lift_magnet"' in line and "tangent K" in line]
        assert line.startswith(found)

    # the error that the page plants, and what it says that the kit says
    magnet.write_text(by_hand.replace("energy[0] = -p", "energy[0] = p"))
    done = kit(made)
    assert done.returncode == 1
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("FAIL")]
    of_page = next(x for x in PAGE.splitlines() if x.startswith("FAIL force") and "power" in x)
    assert line.split("error")[0].split() == of_page.split("error")[0].split()


@pytest.mark.slow
def test_a_measure_that_no_plugin_offers_is_reported(made):
    folder, _ = made
    sleeve = folder / "acme_lift" / "src" / "acme_lift" / "sleeve.py"
    sleeve.write_text(FILES["src/acme_lift/sleeve.py"].replace("component_x", "component_u"))
    done = kit(made)
    assert done.returncode == 1
    assert (
        'type "acme_lift_sleeve" asks for the measure "component_u": '
        'no plugin offers this measure; did you mean "component_'
    ) in done.stdout


def test_the_law_of_contact_passes(tmp_path, monkeypatch):
    (block,) = [b for b in re.findall(r"```python\n(.*?)```", PAGE, flags=re.S) if "class Cohesive" in b]
    (tmp_path / "acme_cohesion.py").write_text(block)
    monkeypatch.syspath_prepend(tmp_path)
    report = check_contact_law(importlib.import_module("acme_cohesion").Cohesive)
    assert report.ok and len(report.checks) == 8, f"\n{report}"


def test_the_spring_by_table_passes_and_swings(tmp_path, monkeypatch):
    """F = 300 s in the scene's table: with the drift d₀ + d₂ t² from rest, s̈ = −150 s − ½ (d₀ + d₂ t²)."""
    (block,) = [b for b in re.findall(r"```python\n(.*?)```", PAGE, flags=re.S) if "class TableSpring(" in b]
    (scene,) = [b for b in re.findall(r"```toml\n(.*?)```", PAGE, flags=re.S) if "acme_table_spring" in b]
    (tmp_path / "acme_tables.py").write_text(block)
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("acme_tables")
    report = check_force(module.TableSpring)
    assert report.ok, f"\n{report}"
    (frame,) = Runs.offering(acme_tables=module).frames(scene, [0.1])
    w, t, d0, d2 = 150.0**0.5, 0.1, 0.25, 0.05
    # the particular solution a + b t² has b = −d₂/w², a = −(d₀ + 2 b)/w²
    b = -d2 / w**2
    a = -(d0 + 2.0 * b) / w**2
    assert frame["coordinates/value"][0] == pytest.approx(a * (1.0 - cos(w * t)) + b * t**2, rel=1e-5)


#: a count in the page's sentence -> the tests, each of which plants an error and sees it found
PLANTED = {
    "wrong signs or factors in our own kinds": ("without_it_all_is_well", "found_by_a_common_turn"),
    "arrays of wrong shape": ("of_wrong_shape_is_found",),
    "faults in shapes that collide": ("in_a_shape_is_found", "in_a_pair_of_shapes_is_found"),
    "errors in methods and solvers": (
        "error_in_a_method_is_found",
        "in_a_solver_is_found",
        "in_numpy_is_found",
    ),
}


def cases(test) -> int:
    """How often pytest runs a test, slow cases included."""
    return prod(len(mark.args[1]) for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize")


def test_the_page_counts_the_errors_that_are_planted_for_the_kit(monkeypatch):
    folder = ROOT / "tests" / "testing"
    monkeypatch.syspath_prepend(folder)
    modules = [importlib.import_module(file.stem) for file in folder.glob("test_*.py")]
    tests = [(name, test) for module in modules for name, test in vars(module).items()]
    counts = {
        what: sum(
            cases(test)
            for name, test in tests
            if name.startswith("test_") and any(part in name for part in parts)
        )
        for what, parts in PLANTED.items()
    }
    sentence = ", ".join(f"{count} {what}" for what, count in counts.items())
    assert f"All deliberately planted errors are detected (`tests/testing`): {sentence}." in " ".join(
        PAGE.split()
    )


def blocks_of_shape() -> list[str]:
    """The pieces of the section about shapes that collide."""
    section = PAGE[PAGE.index("## A shape that collides") :]
    return re.findall(r"```python\n(.*?)```", section[: section.index("\n## ")], flags=re.S)


def test_the_shape_of_the_page_is_that_of_the_example():
    module = Path(mbplugin_ellipsoid.__file__).read_text()
    pieces = blocks_of_shape()
    assert len(pieces) == 4
    assert all(piece in module for piece in pieces if "def side" not in piece)


def test_the_face_of_the_page_is_that_of_a_cylinder():
    (face,) = [piece for piece in blocks_of_shape() if "def side" in piece]
    space = {"put_corner": put_corner, "put_rim": put_rim, "sqrt": sqrt}
    exec(face, space)
    report = check_shape(type("Page", (CylinderKind,), {"face": staticmethod(space["side"])}))
    assert report.ok, f"\n{report}"


def test_the_kit_says_of_a_wrong_shape_what_the_page_says():
    (pair,) = [piece for piece in blocks_of_shape() if "def with_sphere" in piece]
    space = dict(vars(mbplugin_ellipsoid))
    exec(pair.replace(" - s.p[0]", ""), space)
    kind = type("Planted", (mbplugin_ellipsoid.Ellipsoid,), {"pairs": {"sphere": space["with_sphere"]}})
    said = next(str(check) for check in check_shape(kind).checks if not check.ok)
    of_page = next(line for line in PAGE.splitlines() if line.startswith("FAIL shape"))
    assert said.split() == of_page.split()


def test_a_script_beside_the_folder_imports_the_installed_package_and_not_the_folder(made):
    """A flat layout is installed by an import hook, which an empty namespace package of the same name hides;
    `src` is installed as a path.
    """
    folder, path = made
    code = "import acme_lift; print(acme_lift.__file__, hasattr(acme_lift, 'mbplugin_force_elements'))"
    done = command(cwd=folder, extra=path, code=code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(folder / "acme_lift/src/acme_lift/__init__.py"), "True"]


def test_the_parabola_passes(tmp_path, monkeypatch):
    (block,) = [b for b in re.findall(r"```python\n(.*?)```", PAGE, flags=re.S) if "class Parabola(" in b]
    (tmp_path / "acme_parabola.py").write_text(block)
    monkeypatch.syspath_prepend(tmp_path)
    report = check_constraint(importlib.import_module("acme_parabola").Parabola)
    assert report.ok and len(report.checks) > 8, f"\n{report}"


@pytest.mark.parametrize("name", ["Loop", "Springs", "Maxwell"])
def test_sums_and_inner_states_of_the_page_pass(tmp_path, monkeypatch, name):
    (block,) = [b for b in re.findall(r"```python\n(.*?)```", PAGE, flags=re.S) if f"class {name}(" in b]
    (tmp_path / f"acme_page_{name.lower()}.py").write_text(block)
    monkeypatch.syspath_prepend(tmp_path)
    kind = getattr(importlib.import_module(f"acme_page_{name.lower()}"), name)
    report = (check_constraint if name == "Loop" else check_force)(kind)
    assert report.ok, f"\n{report}"
