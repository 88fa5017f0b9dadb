"""Importers of plugins: how they are chosen, what the kit finds in wrong ones, and what is refused."""

import itertools
import json

import pytest
from refusals import stopped

from mbplugin.errors import PluginError, SceneError
from mbplugin.hooks.load import load_plugins
from mbplugin.imports.one_scene import import_scene
from mbplugin.interface import Imported, Importer, hookimpl
from mbplugin.testing import check_importer

EXAMPLE = '[["cabin", 3.0]]'


def tables(file):
    try:
        cabins = json.loads(file.read_text())
    except ValueError as error:
        raise SceneError(mend=f"is not JSON: {error}") from None
    return {"body": [{"name": n, "type": "point", "mass": 5.0, "position": [0, 0, z]} for n, z in cabins]}


class Lift(Importer):
    name = "lift"
    suffixes = (".lift",)
    examples = (EXAMPLE,)

    @classmethod
    def read(cls, file, params):
        return Imported(tables(file), {"notes/plan.txt": b"up"}, ["buttons"])


class Other(Lift):
    name = "other_lift"


class Unnamed(Importer):
    name = "unnamed"
    suffixes = ("lift",)


class Silent(Importer):
    name = "silent"
    suffixes = (".lift",)


class Counting(Lift):
    name = "counting"
    _count = itertools.count(1)

    @classmethod
    def read(cls, file, params):
        return Imported({**tables(file), "scene": {"gravity": [0, 0, -float(next(cls._count))]}})


class Writing(Lift):
    name = "writing"

    @classmethod
    def read(cls, file, params):
        file.with_suffix(".log").write_text("read")
        return super().read(file, params)


class Crashing(Lift):
    name = "crashing"

    @classmethod
    def read(cls, file, params):
        assert file.stat().st_size
        return super().read(file, params)


class Without(Lift):
    name = "without"
    examples = ()


def registry_with(*kinds):
    class Module:
        @staticmethod
        @hookimpl
        def mbplugin_importers(register):
            for kind in kinds:
                register(kind)

    return load_plugins(strict=True, extra=[("acme", Module)])[0]


def test_an_importer_of_a_third_party_is_called_by_its_suffix(tmp_path):
    (tmp_path / "house.lift").write_text(EXAMPLE)
    system = import_scene(tmp_path / "house.lift", tmp_path / "scene", registry_with(Lift), {})
    assert [body.name for body in system.bodies] == ["cabin"]
    assert system.scene.left_out == ("buttons",)
    assert (tmp_path / "scene" / "notes" / "plan.txt").read_text() == "up"


def test_two_importers_of_one_suffix_are_told_apart_by_the_user(tmp_path):
    (tmp_path / "house.lift").write_text(EXAMPLE)
    with stopped(PluginError, '"lift"', "acme"):
        import_scene(tmp_path / "house.lift", tmp_path / "scene", registry_with(Lift, Other), {})


@pytest.mark.parametrize(("kind", "names"), [(Unnamed, ["`suffixes`"]), (Silent, ["`read`"])])
def test_an_incomplete_importer_is_not_registered(kind, names):
    with stopped(PluginError, *names):
        registry_with(kind)


def test_a_right_importer_passes_the_kit():
    assert all(check.ok for check in check_importer(Lift).checks)


@pytest.mark.parametrize(
    ("kind", "fact"),
    [
        (Counting, "makes the same scene of example 0 twice"),
        (Writing, "leaves example 0 as it was"),
        (Crashing, "refuses an empty file by a SceneError"),
        (Without, "has an example"),
    ],
)
def test_the_kit_finds_what_is_wrong(kind, fact):
    assert [check.what for check in check_importer(kind).checks if not check.ok] == [fact]
