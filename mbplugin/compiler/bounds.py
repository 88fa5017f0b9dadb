"""Whether compiled functions check the indices of arrays."""

from __future__ import annotations

import os


def checks_bounds() -> bool:
    """Whether functions of plugins are compiled with checks of every index (MBPLUGIN_BOUNDS=1)."""
    return os.environ.get("MBPLUGIN_BOUNDS", "") not in ("", "0")


def of_engine(module: str) -> bool:
    return module.partition(".")[0] == "mbplugin"
