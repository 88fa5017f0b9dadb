"""`mbplugin plugins`, `mbplugin schema`."""

from __future__ import annotations

from json import dumps

from mbplugin.cli.common import loaded
from mbplugin.cli.streams import print_answer, print_document
from mbplugin.hooks.describe import description, lines_of, offers_of
from mbplugin.hooks.schema import scene_schema


def list_plugins(json: bool, no_plugin: list[str], strict: bool) -> None:
    _, found = loaded(no_plugin, strict)
    if json:
        keys = ("name", "version", "distribution", "value", "state", "problem", "offers")
        print_document([{key: getattr(f, key) for key in keys} for f in found])
        return
    for f in found:
        print(f"{f.name}  {f.version}  ({f.distribution})  {f.state}")
        for category, names in f.offers.items():
            print(f"    {category}: {', '.join(names)}")
        if f.problem:
            print(f"    {f.problem}")


def show_kind(name: str, json: bool, no_plugin: list[str], strict: bool) -> None:
    """What has this name, whoever offers it."""
    registry, _ = loaded(no_plugin, strict)
    found = [description(category, offer) for category, offer in offers_of(registry, name)]
    print_answer(json, lambda: found, lambda: "\n".join(line for each in found for line in lines_of(each)))


def check_one(name: str) -> None:
    """The report of one plugin; exit code 1 where a check fails."""
    import sys

    from mbplugin.testing import check_plugin

    report = check_plugin(name)
    print(report)
    if not report.ok:
        sys.exit(1)


def print_schema() -> None:
    registry, _ = loaded([], False)
    print(dumps(scene_schema(registry), indent=2))
