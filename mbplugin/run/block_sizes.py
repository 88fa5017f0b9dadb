"""How much a run does in one call of compiled code."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class BlockSizes:
    """Sizes that runs of one compiled system have found, and with which the next one begins. They depend on
    the machine, and no number of a result on them.
    """

    work: int = 1  # evaluations of a call
    frames: int = 1  # of a block
