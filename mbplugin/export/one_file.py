"""A result as one file of another program, by the exporter of its suffix."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from mbplugin.errors import PluginError, SceneError, StoreError
from mbplugin.hooks.blame import errors_of_plugins
from mbplugin.hooks.registry import Registry, validated_keys
from mbplugin.hooks.settings import settings_kept


def export(result: Any, registry: Registry, file: Path, what: Sequence[str], keys: Mapping[str, Any]) -> Path:
    """Write `file`, whose suffix chooses the exporter; an older one is replaced when all is written.

    result: a `Result`. what: names of quantities, none for all. keys: parameters of the exporter.

    Raises SceneError, StoreError, PluginError, MissingLibraryError.
    """
    kind = registry.exporter(file.suffix.lower(), "-o")
    if what and not kind.chooses:
        mend = f"the exporter {kind.name} takes no quantities; leave the names out"
        raise SceneError("what", list(what), mend)
    params = validated_keys(kind, keys, f"the exporter {kind.name}")
    part = file.with_name(f".{file.name}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with settings_kept(f"the exporter {kind.name}"), errors_of_plugins(registry, (Exception, SystemExit)):
            kind.write(result, part.absolute(), tuple(what), params)
        if not part.exists():
            raise PluginError(f"{file}: the exporter {kind.name} has written no such file")
        os.replace(part, file)
    except OSError as error:
        raise StoreError(f"{file}: cannot be written: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return file
