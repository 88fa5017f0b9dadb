"""ParaView: a reader of results for it, and a first picture.

`mbplugin_reader.py` and `first_picture.py` run in ParaView's own Python and are not imported here.
"""

from mbplugin.paraview.script import READER, script_of
from mbplugin.paraview.start import start
