"""Members of blocks of transient rows: the bodies of their sides, or the parts of them that move."""

from mbplugin.kernels.members import PARTS, first_member, members_of
from mbplugin.kernels.transient import spread_side

__all__ = ["PARTS", "first_member", "members_of", "spread_side"]
