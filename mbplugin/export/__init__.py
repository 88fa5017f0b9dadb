"""Files for other programs: the ParaView series, one merged PolyData for each frame."""

from mbplugin.export.series import SeriesWriter, write_series

__all__ = ["SeriesWriter", "write_series"]
