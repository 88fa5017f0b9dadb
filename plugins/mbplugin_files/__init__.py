"""Files for other programs: tables, and the motion of the bodies."""

from mbplugin.interface import hookimpl
from mbplugin_files.glb import Glb
from mbplugin_files.load_cards import Abaqus, Nastran
from mbplugin_files.tables import Csv, Parquet
from mbplugin_files.vtkhdf import VtkHdf


@hookimpl
def mbplugin_exporters(register):
    for exporter in (Csv, Parquet, Glb, VtkHdf, Abaqus, Nastran):
        register(exporter)
