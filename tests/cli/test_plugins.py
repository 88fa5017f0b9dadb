"""Third-party plugins: broken ones are left out by name, two with one name are both named, and listing
imports none.
"""

from __future__ import annotations

import json

import pytest
from child import command, distribution
from refusals import error_of, has
from scene_text import solver, table
from small_systems import FREE_BODY
from snapshots import same_report

from mbplugin.errors import PluginError, SceneError

KIND = """
class Push(ForceKind):
    name = "push"
    markers = 1

    @staticmethod
    def kernel(a, wrench):
        wrench[0, 0] = 1.0
"""


def plugin(*registered: str, hook="mbplugin_force_elements", head=KIND, mark="@hookimpl") -> str:
    """Source of a plugin that registers these in a hook."""
    lines = [
        "from mbplugin.interface import ForceKind, hookimpl",
        *[head, mark, f"def {hook}(register):"],
        *(f"    register({each})" for each in registered),
    ]
    return "\n".join(lines) + "\n"


def another(name: str) -> str:
    """Source of a plugin that registers a force that mbplugin_forces has."""
    return plugin(name, head=f"from mbplugin_forces.applied import {name}")


BROKEN = {
    "raises": ("raise RuntimeError('no license')\n", "no license"),
    "leaves": ("import sys\nsys.exit(7)\n", "SystemExit: 7"),
    "misspells": (plugin("Push", hook="mbplugin_force_element"), '"mbplugin_force_elements"'),
    "forgets": (plugin("Push", mark=""), "@hookimpl"),
    "is_missing": (None, "acme_is_missing"),
    "does_not_parse": ("def (:\n", "SyntaxError"),
    "slips_through": ("class Out(BaseException):\n    pass\n\n\nraise Out('of here')\n", "Out: of here"),
    "offers_a_number": (plugin("'push', 3", head=""), "ForceKind"),
    "offers_it_elsewhere": (plugin("Push", hook="mbplugin_solvers"), "SolverKind"),
    "raises_in_hook": (plugin("undefined", head=""), "undefined"),
}


@pytest.fixture
def on(tmp_path):
    """A command on a scene with one force of this kind, with these folders on the path."""

    def on(kind, *words, sites):
        text = FREE_BODY + table("force", name="f", type=kind, body="a") + solver(end=0.1)
        (tmp_path / "scene.toml").write_text(text)
        first, *rest = words
        return command(first, "scene.toml", *rest, cwd=tmp_path, extra=sites)

    return on


def listed(folder, site, *words):
    """Rows of `mbplugin plugins` by name, and what was printed to standard error."""
    done = command("plugins", "--json", *words, cwd=folder, extra=[site])
    return {row["name"]: row for row in json.loads(done.stdout)}, done.stderr


def test_broken_plugins_are_left_out_by_name_and_strict_stops(tmp_path, on):
    sites = [
        distribution(tmp_path / name, f"acme_{name}", f"acme_{name}", source)
        for name, (source, _) in BROKEN.items()
    ]
    done = on("force", "check", sites=sites)
    assert done.returncode == 0, done.stderr
    for name, (_, why) in BROKEN.items():
        assert has(done.stderr, f"acme_{name}", why) and "Traceback" not in done.stderr
    for name, site in zip(BROKEN, sites):
        strict = on("force", "check", "--strict-plugins", "--json", sites=[site])
        error_of(strict, PluginError, f"--no-plugin acme_{name}")
    left_out = [word for name in BROKEN for word in ("--no-plugin", f"acme_{name}")]
    without = on("force", "check", "--strict-plugins", *left_out, sites=sites)
    assert without.returncode == 0 and without.stderr == ""


def test_a_scene_that_needs_the_broken_plugin_stops_with_its_name(tmp_path, on):
    site = distribution(tmp_path / "site", "acme", "acme", "raise RuntimeError('no license')\n")
    done = on("push", "run", "-o", "out", "--json", sites=[site])
    error = error_of(done, SceneError, "acme")
    assert has(done.stderr, "no license")
    assert (error["key"], error["value"]) == ("force[0].type", '"push"')
    assert not (tmp_path / "out").exists()


def test_two_plugins_with_one_name_are_both_named_and_one_can_be_left_out(tmp_path, on):
    site = distribution(tmp_path / "site", "acme", "acme", another("AppliedForce"))
    done = on("force", "check", "--json", sites=[site])
    error_of(done, PluginError, "acme", "mbplugin", "--no-plugin acme", "--no-plugin mbplugin_forces")
    assert on("force", "check", "--no-plugin", "acme", sites=[site]).returncode == 0


def test_a_clash_that_the_scene_does_not_meet_is_a_warning_and_strict_stops(tmp_path, on):
    site = distribution(tmp_path / "site", "acme", "acme", another("AppliedTorque"))
    done = on("force", "check", sites=[site])
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("warning: ") and has(done.stderr, '"torque"', "acme")
    strict = on("force", "check", "--strict-plugins", "--json", sites=[site])
    error_of(strict, PluginError, '"torque"', "acme")


def test_one_plugin_name_in_two_distributions_is_reported_by_distribution(tmp_path, on):
    site = distribution(tmp_path / "site", "acme", "acme", plugin("Push"))
    other = distribution(tmp_path / "other", "acme", "acme_two", plugin("Push"))
    (other / "acme-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: umbrella\nVersion: 2.0\n"
    )
    done = on("push", "check", "--json", sites=[site, other])
    error_of(done, PluginError, "--no-plugin acme", "--no-plugin umbrella")
    assert on("push", "check", "--no-plugin", "umbrella", sites=[site, other]).returncode == 0


def test_an_installation_that_is_half_removed_does_no_harm(tmp_path):
    site = distribution(tmp_path / "site", "acme", "acme", plugin("Push"))
    (site / "acme-1.0.dist-info" / "METADATA").unlink()
    (site / "void-1.0.dist-info").mkdir()
    (site / "odd-1.0.dist-info").mkdir()
    (site / "odd-1.0.dist-info" / "entry_points.txt").write_text("no = section\n[mbplugin\n= x\n")
    rows, _ = listed(tmp_path, site)
    assert rows["acme"]["state"] == "loaded" and rows["acme"]["distribution"] == "acme"
    own = (
        "bodies",
        "contact",
        "files",
        "flexible",
        "forces",
        "import",
        "joints",
        "lagrange",
        "penalty",
        "recursive",
    )
    assert set(rows) == {"acme", *(f"mbplugin_{name}" for name in own)}


#: what is imported by finding plugins, and by loading all but acme
IMPORTED = """
import sys
from mbplugin.hooks.load import find_plugins, load_plugins
print(sorted(p.name for p in find_plugins()))
print([m for m in sys.modules if m.startswith(("acme", "mbplugin_"))])
load_plugins(["acme"], True)
print("acme" in sys.modules)
heavy = ("zarr", "vtk", "vtkmodules", "pyvista", "matplotlib", "trimesh", "sympy")
print([m for m in heavy if m in sys.modules])
"""


def test_finding_plugins_imports_none_and_a_disabled_one_is_never_imported(tmp_path):
    site = distribution(tmp_path / "site", "acme", "acme", "raise SystemExit('imported')\n")
    names, imported, acme, heavy = command(cwd=tmp_path, extra=[site], code=IMPORTED).stdout.splitlines()
    assert "acme" in names and "mbplugin_joints" in names
    assert (imported, acme, heavy) == ("[]", "False", "[]")
    rows, said = listed(tmp_path, site, "--no-plugin", "acme")
    assert rows["acme"]["state"] == "disabled" and said == ""


def test_listing_names_version_distribution_state_and_what_is_offered(tmp_path):
    site = distribution(tmp_path / "site", "acme", "acme", "raise RuntimeError('no license')\n")
    rows, _ = listed(tmp_path, site)
    assert rows["acme"]["state"] == "broken" and "no license" in rows["acme"]["problem"]
    assert rows["acme"]["version"] == "1.0" and rows["acme"]["distribution"] == "acme"
    assert "revolute" in json.dumps(rows["mbplugin_joints"]) and rows["mbplugin_joints"]["state"] == "loaded"


def test_a_kind_is_shown_with_its_primitives_and_keys(tmp_path):
    for name in ("translational", "spring_damper", ".csv"):
        done = command("plugins", "show", name, cwd=tmp_path)
        same_report(f"plugins_show_{name.strip('.')}", done.stdout)
    (found,) = json.loads(command("plugins", "show", "spring_damper", "--json", cwd=tmp_path).stdout)
    assert found["plugin"] == "mbplugin_forces"
    assert found["keys"]["stiffness"] == {"needed": False, "default": 0.0, "is": "Stiffness [N/m]."}
    # the same text is in the schema that editors read
    rules = json.loads(command("schema", cwd=tmp_path).stdout)["$defs"]["Force"]["allOf"]
    spring = next(rule for rule in rules if '"spring_damper"' in json.dumps(rule["if"]))
    assert spring["then"]["properties"]["stiffness"]["description"] == "Stiffness [N/m]."
    wrong = error_of(command("plugins", "show", "revolut", "--json", cwd=tmp_path), SceneError)
    assert (wrong["key"], wrong["value"]) == ("plugins show", '"revolut"')


HELP = """
import sys
from mbplugin.cli import main
heavy = "numba zarr vtk vtkmodules pyvista matplotlib trimesh sympy scipy pydantic pluggy".split()
try:
    main()
except SystemExit:
    pass
print([m for m in heavy if m in sys.modules])
"""


def test_help_imports_nothing_heavy(tmp_path):
    done = command("--help", cwd=tmp_path, code=HELP)
    assert "verify" in done.stdout
    assert done.stdout.rstrip().endswith("[]"), done.stdout[-300:]
