"""What counts as a plugin when it is loaded."""

import pytest
from refusals import has, refused, stopped, warned

from mbplugin.errors import PluginError
from mbplugin.hooks.load import load_plugins
from mbplugin.interface import Exporter, ForceKind, hookimpl


class Nothing(Exporter):
    """Writes an empty line."""

    name = "nothing"
    suffix = ".nothing"

    @classmethod
    def write(cls, result, file, what, params):
        file.write_text("\n")


class OfTwoVersions:
    """Serves this version, and one with a hook that this version does not have."""

    @hookimpl
    def mbplugin_exporters(self, register):
        register(Nothing)

    @hookimpl(optionalhook=True)
    def mbplugin_wind_tunnels(self, register):
        raise AssertionError("nobody calls it here")


class Misspelt:
    @hookimpl
    def mbplugin_exporter(self, register):
        register(Nothing)


def test_a_hook_of_another_version_is_left_alone_if_it_is_marked_optional():
    registry, _ = load_plugins(strict=True, extra=[("two_versions", OfTwoVersions())])
    assert registry.exporter(".nothing") is Nothing
    with stopped(PluginError, "mbplugin_exporter", "mbplugin_exporters"):
        load_plugins(strict=True, extra=[("misspelt", Misspelt())])


def test_a_plugin_for_another_version_alone_is_loaded_and_offers_nothing():
    class OfAnotherVersion:
        mbplugin_wind_tunnels = OfTwoVersions.mbplugin_wind_tunnels

    _, plugins = load_plugins(strict=True, extra=[("another", OfAnotherVersion())])
    assert next(plugin for plugin in plugins if plugin.name == "another").state == "loaded"


def test_a_plugin_that_offers_nothing_is_not_loaded_and_says_so():
    class Empty:
        """As an empty namespace package."""

    with stopped(PluginError, "empty", "Empty"):
        load_plugins(strict=True, extra=[("empty", Empty())])
    with warned("empty"):
        _, plugins = load_plugins(strict=False, extra=[("empty", Empty())])
    assert next(plugin for plugin in plugins if plugin.name == "empty").state == "broken"


@pytest.mark.parametrize("states", [{"plastic": "m"}, ("back", "plastic")])
def test_a_state_and_an_output_of_one_name_are_refused(states):
    class Plugin:
        @hookimpl
        def mbplugin_force_elements(self, register):
            given = {"name": "yields", "states": states, "outputs": {"plastic": "N"}}
            register(type("Yields", (ForceKind,), given))

    with stopped(PluginError, "yields", "plastic"):
        load_plugins(strict=True, extra=[("foreign", Plugin())])


@pytest.mark.parametrize(
    "category, elsewhere, here",
    [
        ("constraint type", "prismatic", "translational"),
        ("constraint type", "hinge", "revolute"),
        ("force element", "spring", "spring_damper"),
        ("body kind", "rigid", "spatial"),
        ("body kind", "beam", "finite_element"),
        ("constraint type", "bushing", "bushing"),
        ("constraint type", "cable", "rope"),
        ("constraint type", "belt", "gear"),
        ("constraint type", "cam", "unilateral"),
        ("force element", "tire", "wheel"),
    ],
)
def test_a_name_of_another_package_is_answered_with_the_one_here(category, elsewhere, here):
    registry, _ = load_plugins(strict=True)
    assert any(here in registry.offers[of] for of in (category, "constraint type", "force element"))
    with refused("", elsewhere) as caught:
        registry.find(category, elsewhere)
    assert has(caught.value.mend, f'"{here}"')
