"""Content of a store, read with numpy alone: metadata, shapes, meshes, contact frames, colours.

`paraview/mbplugin_reader.py` loads this folder in ParaView's own Python, 3.8 or later, which does not know
mbplugin; the modules import numpy and each other only.
"""
