"""Export for other programs: the ParaView series, with one merged PolyData per frame."""

from mbplugin.export.series import SeriesWriter, write_series

__all__ = ["SeriesWriter", "write_series"]
