"""`mbplugin schema`."""

from __future__ import annotations

import json

from mbplugin.cli.common import loaded
from mbplugin.hooks.schema import scene_schema


def print_schema() -> None:
    registry, _ = loaded([], False)
    print(json.dumps(scene_schema(registry), indent=2))
