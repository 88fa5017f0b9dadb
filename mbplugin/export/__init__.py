"""Export for other programs: the ParaView series, with one PolyData of all bodies per frame."""

from mbplugin.export.choice import chosen_series, stored_series
from mbplugin.export.series import SeriesWriter
