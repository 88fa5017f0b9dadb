"""What `<option>` of MuJoCo switches off, and its settings that a scene does not have."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin_import.words import LeftOut

#: flags that the importer heeds. The others set up MuJoCo's solver, and are listed
HEEDED = {"constraint", "equality", "frictionloss", "limit", "contact", "spring", "damper", "gravity"}
HEEDED |= {"clampctrl", "actuation", "passive"}
#: fields of options that the importer reads
READ = ("gravity", "wind", "density", "viscosity", "disableflags", "enableflags", "disableactuator")


def flags(model: Any, kind: str, bits: int) -> set[str]:
    """Names of the flags that are set in `bits`; kind: "Disable" or "Enable"."""
    import mujoco

    members = getattr(mujoco, f"mjt{kind}Bit").__members__.items()
    return {name.partition("_")[2].lower() for name, bit in members if "_" in name and bits & int(bit)}


def switched_off(model: Any) -> set[str]:
    """What the flags of a model disable: "spring", "equality", ..."""
    off = flags(model, "Disable", int(model.opt.disableflags))
    if "constraint" in off:
        off |= {"equality", "frictionloss", "limit", "contact"}
    if "passive" in off:  # of versions in which it is one flag
        off |= {"spring", "damper"}
    return off


def is_disabled(model: Any, k: int) -> bool:
    """Whether an actuator is in a group that is switched off."""
    group = int(model.actuator_group[k])
    return 0 <= group < 31 and bool(int(model.opt.disableactuator) >> group & 1)


def list_settings(model: Any, off: set[str], left_out: LeftOut) -> None:
    """Add flags and settings of MuJoCo's solver that differ from their defaults."""
    import mujoco

    others = sorted((off - HEEDED) | flags(model, "Enable", int(model.opt.enableflags)))
    default = mujoco.MjModel.from_xml_string("<mujoco/>").opt
    names = [name for name in dir(default) if name[0] != "_" and name not in READ]
    changed = [name for name in names if np.any(getattr(model.opt, name) != getattr(default, name))]
    left_out.add("{} of MuJoCo's solver", others, "flag", "flags")
    left_out.add("{} of MuJoCo's solver", changed, "setting", "settings")
