"""Meshes of finite-element bodies: made of shapes or read from files, checked, with named sets."""

from mbplugin_flexible.meshes.checks import check_mesh
from mbplugin_flexible.meshes.files import read_mesh
from mbplugin_flexible.meshes.mesh import Mesh
from mbplugin_flexible.meshes.remarks import remark_on_size
from mbplugin_flexible.meshes.shapes import beam, box, cylinder

__all__ = ["Mesh", "beam", "box", "check_mesh", "cylinder", "read_mesh", "remark_on_size"]
