"""The sensors of a scene, with their keys checked by their kinds."""

from __future__ import annotations

from mbplugin.errors import SceneError, did_you_mean
from mbplugin.hooks.registry import Registry
from mbplugin.model import System
from mbplugin.model.table import join_path, validated


def complete_sensors(system: System, registry: Registry) -> None:
    """Give sensors the kinds of their types. Once is enough. Raises SceneError, PluginError."""
    for k, sensor in enumerate(system.sensors):
        if sensor.kind is not None:
            continue
        key, known = f"sensor[{k}]", type(sensor).keys()
        kind = registry.find("sensor", sensor.type, f"{key}.type")
        for name in sensor.raw if kind.parameters is None else ():
            hint = did_you_mean(name, known)
            raise SceneError(f"{key}.{name}", sensor.raw[name], f'unknown key of sensor "{kind.name}"{hint}')
        params = None
        if kind.parameters is not None:
            params = validated(kind.parameters, sensor.raw, key, system.symbols, known, system.folder)
        try:
            kind.check(params, system)
        except SceneError as error:
            path = join_path(key, [error.key] if error.key else [])
            raise SceneError(path, error.value, error.mend) from None
        sensor.complete(kind, params)
