"""Pictures, movies, windows and plots of results.

Only this package imports PyVista and matplotlib, and only when something is drawn.
"""

from mbplugin.viz.movie import render
from mbplugin.viz.picture import Picture, picture
from mbplugin.viz.plot import plot
from mbplugin.viz.stage import Options
from mbplugin.viz.window import view

__all__ = ["Options", "Picture", "picture", "plot", "render", "view"]
