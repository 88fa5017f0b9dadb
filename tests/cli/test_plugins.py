"""Plugins of others: broken ones are left out by name, two of one name are both named, and listing imports
none.
"""

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
    "misspells": (
        HEAD + KIND + "@hookimpl\ndef mbplugin_force_element(register):\n    register(Push)\n",
        'did you mean "mbplugin_force_elements"',
    ),
    "forgets": (HEAD + KIND + "def mbplugin_force_elements(register):\n    register(Push)\n", "@hookimpl"),
    "is_missing": (None, "No module named"),
    "does_not_parse": ("def (:\n", "SyntaxError"),
    "slips_through": ("class Out(BaseException):\n    pass\n\n\nraise Out('of here')\n", "Out: of here"),
    "offers_a_number": (
        HEAD + "@hookimpl\ndef mbplugin_force_elements(register):\n    register('push', 3)\n",
        "not a subclass of ForceKind",
    ),
    "offers_it_elsewhere": (
        HEAD + KIND + "@hookimpl\ndef mbplugin_solvers(register):\n    register(Push)\n",
        "not a subclass of SolverKind",
    ),
    "raises_in_hook": (
        HEAD + "@hookimpl\ndef mbplugin_force_elements(register):\n    register(undefined)\n",
        "undefined",
    ),
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
        without = command(
            "check",
            "scene.toml",
            "--strict-plugins",
            "--no-plugin",
            f"acme_{name}",
            cwd=tmp_path,
            extra=[site],
        )
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
    assert (
        "distribution acme" in done.stderr
        and "distribution mbplugin" in done.stderr
        and "--no-plugin acme or --no-plugin mbplugin_forces" in done.stderr
    )
    assert command("check", "scene.toml", "--no-plugin", "acme", cwd=tmp_path, extra=[site]).returncode == 0


def test_a_clash_that_the_scene_does_not_meet_is_a_warning_and_strict_stops(tmp_path):
    source = "from mbplugin.interface import hookimpl\nfrom mbplugin_forces.applied import AppliedTorque\n\n\n@hookimpl\n"
    source += "def mbplugin_force_elements(register):\n    register(AppliedTorque)\n"
    site = distribution(tmp_path / "site", "acme", "acme", source)
    (tmp_path / "scene.toml").write_text(SCENE.replace("TYPE", "force"))
    done = command("check", "scene.toml", cwd=tmp_path, extra=[site])
    assert done.returncode == 0, done.stderr
    assert (
        done.stderr.startswith('warning: two plugins offer the force element "torque"')
        and "distribution acme" in done.stderr
    )
    strict = command("check", "scene.toml", "--strict-plugins", cwd=tmp_path, extra=[site])
    assert (
        strict.returncode == 5 and "distribution acme" in strict.stderr and "Traceback" not in strict.stderr
    )


def test_one_name_in_two_distributions_is_told_apart_by_them(tmp_path):
    source = HEAD + KIND + "@hookimpl\ndef mbplugin_force_elements(register):\n    register(Push)\n"
    site = distribution(tmp_path / "site", "acme", "acme", source)
    other = distribution(tmp_path / "other", "acme", "acme_two", source)
    (other / "acme-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: umbrella\nVersion: 2.0\n"
    )
    (tmp_path / "scene.toml").write_text(SCENE.replace("TYPE", "push"))
    done = command("check", "scene.toml", cwd=tmp_path, extra=[site, other])
    assert done.returncode == 5
    assert "--no-plugin acme or --no-plugin umbrella" in done.stderr
    assert (
        command(
            "check", "scene.toml", "--no-plugin", "umbrella", cwd=tmp_path, extra=[site, other]
        ).returncode
        == 0
    )


def test_an_installation_that_is_half_removed_does_no_harm(tmp_path):
    site = distribution(
        tmp_path / "site",
        "acme",
        "acme",
        HEAD + KIND + "@hookimpl\ndef mbplugin_force_elements(register):\n    register(Push)\n",
    )
    (site / "acme-1.0.dist-info" / "METADATA").unlink()
    (site / "void-1.0.dist-info").mkdir()
    (site / "odd-1.0.dist-info").mkdir()
    (site / "odd-1.0.dist-info" / "entry_points.txt").write_text("no = section\n[mbplugin\n= x\n")
    rows = {
        row["name"]: row
        for row in json.loads(command("plugins", "--json", cwd=tmp_path, extra=[site]).stdout)
    }
    assert rows["acme"]["state"] == "loaded" and rows["acme"]["distribution"] == "acme"
    assert set(rows) == {
        "acme",
        "mbplugin_bodies",
        "mbplugin_forces",
        "mbplugin_joints",
        "mbplugin_lagrange",
        "mbplugin_penalty",
    }


def test_finding_plugins_imports_none_and_a_disabled_one_is_never_imported(tmp_path):
    site = distribution(tmp_path / "site", "acme", "acme", "raise SystemExit('imported')\n")
    ask = "import sys\nfrom mbplugin.hooks.load import find_plugins, load_plugins\nprint(sorted(p.name for p in find_plugins()))\n"
    ask += "print([m for m in sys.modules if m.startswith(('acme', 'mbplugin_'))])\nload_plugins(['acme'], True)\nprint('acme' in sys.modules)\n"
    ask += "print([m for m in ('zarr', 'vtk', 'vtkmodules', 'pyvista', 'matplotlib', 'trimesh', 'sympy') if m in sys.modules])"
    names, imported, acme, heavy = command(cwd=tmp_path, extra=[site], code=ask).stdout.splitlines()
    assert "acme" in names and "mbplugin_joints" in names
    assert (imported, acme, heavy) == ("[]", "False", "[]")
    listed = command("plugins", "--json", "--no-plugin", "acme", cwd=tmp_path, extra=[site])
    rows = {row["name"]: row for row in json.loads(listed.stdout)}
    assert rows["acme"]["state"] == "disabled" and listed.stderr == ""


def test_listing_names_version_distribution_state_and_what_is_offered(tmp_path):
    site = distribution(tmp_path / "site", "acme", "acme", "raise RuntimeError('no license')\n")
    rows = {
        row["name"]: row
        for row in json.loads(command("plugins", "--json", cwd=tmp_path, extra=[site]).stdout)
    }
    assert rows["acme"]["state"] == "broken" and "no license" in rows["acme"]["problem"]
    assert rows["acme"]["version"] == "1.0" and rows["acme"]["distribution"] == "acme"
    assert "revolute" in json.dumps(rows["mbplugin_joints"]) and rows["mbplugin_joints"]["state"] == "loaded"


def test_a_kind_is_shown_with_what_it_is_made_of_and_its_keys(tmp_path):
    done = command("plugins", "show", "translational", cwd=tmp_path)
    assert "made of: Dot1(x, z) + Dot1(y, z) + Dot1(x, y) + Dot2(x) + Dot2(y)\n" in done.stdout
    assert (
        "between planar bodies: Dot1(x, z) + Dot2(x)\n" in done.stdout
        and "free: translation along z\n" in done.stdout
    )
    (found,) = json.loads(command("plugins", "show", "spring_damper", "--json", cwd=tmp_path).stdout)
    assert found["plugin"] == "mbplugin_forces" and found["keys"]["stiffness"] == {
        "needed": False,
        "default": 0.0,
        "is": "Stiffness [N/m].",
    }
    # the same text is in the schema that editors read
    spring = next(
        rule
        for rule in json.loads(command("schema", cwd=tmp_path).stdout)["$defs"]["Force"]["allOf"]
        if "spring_damper" in json.dumps(rule["if"])
    )
    assert spring["then"]["properties"]["stiffness"]["description"] == "Stiffness [N/m]."
    wrong = command("plugins", "show", "revolut", cwd=tmp_path)
    assert (
        wrong.returncode == 2
        and wrong.stderr
        == 'error: plugins show = "revolut": no plugin offers this; did you mean "revolute"?\n'
    )


def test_help_imports_nothing_heavy(tmp_path):
    code = "import sys\nfrom mbplugin.cli import main\ntry:\n    main()\nexcept SystemExit:\n    pass\nprint([m for m in HEAVY if m in sys.modules])"
    heavy = "HEAVY = ['numba', 'zarr', 'vtk', 'vtkmodules', 'pyvista', 'matplotlib', 'trimesh', 'sympy', 'scipy', 'pydantic', 'pluggy']\n"
    done = command("--help", cwd=tmp_path, code=heavy + code)
    assert "verify" in done.stdout
    assert done.stdout.rstrip().endswith("[]"), done.stdout[-300:]
