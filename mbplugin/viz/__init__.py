"""Pictures, movies, pages, windows and plots of results.

Only this package imports PyVista and matplotlib, and only when something is drawn.
"""

from mbplugin.viz.movie import render
from mbplugin.viz.options import Options
from mbplugin.viz.page import View
from mbplugin.viz.picture import Picture, picture, turnable
from mbplugin.viz.plot import plot
from mbplugin.viz.window import view
