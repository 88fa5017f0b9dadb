"""Plugins of others: broken ones are left out by name, two of one name are both named, and listing imports none."""

from __future__ import annotations

import json

import pytest
from child import command, distribution

SCENE = '[[body]]\nname = "a"\nmass = 1\ninertia = [1, 1, 1]\n[[force]]\nname = "f"\ntype = "TYPE"\nbody = "a"\n[solver]\nend = 0.1\n'
HEAD = "from mbplugin.interface import hookimpl, ForceKind\n"
KIND = "class Push(ForceKind):\n    name = 'push'\n    markers = 1\n    @staticmethod\n    def kernel(a, wrench):\n        wrench[0, 0] = 1.0\n"
BROKEN = {
    "raises": ("raise RuntimeError('no license')\n", "no license"),
    "leaves": ("import sys\nsys.exit(7)\n", "SystemExit: 7"),
    "misspells": (HEAD + KIND + "@hookimpl\ndef mbplugin_force_element(register):\n    register(Push)\n", 'did you mean "mbplugin_force_elements"'),
    "forgets": (HEAD + KIND + "def mbplugin_force_elements(register):\n    register(Push)\n", "@hookimpl"),
    "is_missing": (None, "No module named"),
    "does_not_parse": ("def (:\n", "SyntaxError"),
    "raises_in_hook": (HEAD + "@hookimpl\ndef mbplugin_force_elements(register):\n    register(undefined)\n", "undefined"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_plugin_is_left_out_by_name_and_strict_stops(tmp_path, name):
    source, why = BROKEN[name]
    site = distribution(tmp_path / "site", f"acme_{name}", f"acme_{name}", source)
    (tmp_path / "scene.toml").write_text(SCENE.replace("TYPE", "force"))
    done = command("check", "scene.toml", cwd=tmp_path, extra=[site])
    assert done.returncode == 0, done.stderr
    assert f"acme_{name}" in done.stderr and why in done.stderr and "Traceback" not in done.stderr
    strict = command("check", "scene.toml", "--strict-plugins", cwd=tmp_path, extra=[site])
    assert strict.returncode == 5 and "Traceback" not in strict.stderr
    assert f"--no-plugin acme_{name}" in strict.stderr
    if name == "raises":
        without = command("check", "scene.toml", "--strict-plugins", "--no-plugin", f"acme_{name}", cwd=tmp_path, extra=[site])
        assert without.returncode == 0 and without.stderr == ""


def test_a_scene_that_needs_the_broken_plugin_stops_with_its_name(tmp_path):
    site = distribution(tmp_path / "site", "acme", "acme", "raise RuntimeError('no license')\n")
    (tmp_path / "scene.toml").write_text(SCENE.replace("TYPE", "push"))
    done = command("run", "scene.toml", "-o", "out", cwd=tmp_path, extra=[site])
    assert done.returncode == 2
    assert "push" in done.stderr and "acme" in done.stderr and "no license" in done.stderr
    assert not (tmp_path / "out").exists()


def test_two_plugins_with_one_name_are_both_named_and_one_can_be_left_out(tmp_path):
    source = "from mbplugin.interface import hookimpl\nfrom mbplugin_forces.applied import AppliedForce\n\n\n@hookimpl\n"
    source += "def mbplugin_force_elements(register):\n    register(AppliedForce)\n"
    site = distribution(tmp_path / "site", "acme", "acme", source)
    (tmp_path / "scene.toml").write_text(SCENE.replace("TYPE", "force"))
    done = command("check", "scene.toml", cwd=tmp_path, extra=[site])
    assert done.returncode == 5
    assert "distribution acme" in done.stderr and "distribution mbplugin" in done.stderr and "--no-plugin acme or --no-plugin mbplugin_forces" in done.stderr
    assert command("check", "scene.toml", "--no-plugin", "acme", cwd=tmp_path, extra=[site]).returncode == 0


def test_listing_names_version_distribution_state_and_what_is_offered(tmp_path):
    site = distribution(tmp_path / "site", "acme", "acme", "raise RuntimeError('no license')\n")
    rows = {row["name"]: row for row in json.loads(command("plugins", "--json", cwd=tmp_path, extra=[site]).stdout)}
    assert rows["acme"]["state"] == "broken" and "no license" in rows["acme"]["problem"]
    assert rows["acme"]["version"] == "1.0" and rows["acme"]["distribution"] == "acme"
    assert "revolute" in json.dumps(rows["mbplugin_joints"]) and rows["mbplugin_joints"]["state"] == "loaded"


def test_help_imports_nothing_heavy(tmp_path):
    code = "import sys\nfrom mbplugin.cli import main\ntry:\n    main()\nexcept SystemExit:\n    pass\nprint([m for m in HEAVY if m in sys.modules])"
    heavy = "HEAVY = ['numba', 'zarr', 'vtk', 'vtkmodules', 'pyvista', 'matplotlib', 'trimesh', 'sympy', 'scipy', 'pydantic', 'pluggy']\n"
    done = command("--help", cwd=tmp_path, code=heavy + code)
    assert "verify" in done.stdout
    assert done.stdout.rstrip().endswith("[]"), done.stdout[-300:]
