"""The interface of plugins: base classes of kinds, markers, parameter types, compilation."""

from mbplugin.derive.author import Known, where
from mbplugin.derive.graph import TraceError
from mbplugin.derive.sums import sum_along
from mbplugin.errors import optional_library
from mbplugin.hookmarks import hookimpl
from mbplugin.interface.analysis import AnalysisKind, AnalysisReport
from mbplugin.interface.bearing import Bearing, Pressed, guided, sliding, turning
from mbplugin.interface.body import (
    BodyContent,
    BodyKeys,
    BodyKind,
    BodyPlan,
    FaceRule,
    Faces,
    MarkerKeys,
    NodeCells,
    NodeMesh,
    SurfaceNodes,
)
from mbplugin.interface.command import Command
from mbplugin.interface.constraint import CHAIN, ConstraintKind
from mbplugin.interface.contact_law import OPEN, SLIP, STICK, ContactLaw
from mbplugin.interface.contact_points import MAX_POINTS, ContactPoints, empty_points, put_point
from mbplugin.interface.drawing import DrawingKind, Glyphs
from mbplugin.interface.enforcement import EnforcedRow, EnforcementKind
from mbplugin.interface.exporter import Exporter
from mbplugin.interface.force import COORDINATE, ForceKind
from mbplugin.interface.function import ExpressionFunction
from mbplugin.interface.importer import Imported, Importer
from mbplugin.interface.marker import Marker, axis
from mbplugin.interface.measure import Basic, Measure
from mbplugin.interface.method import MethodKind
from mbplugin.interface.outputs import ContactArray, OutputList
from mbplugin.interface.sensor import SensorKind
from mbplugin.interface.shape import Outline, PlacedShape, ShapeKind, unit_sphere
from mbplugin.interface.solver import FoundContacts, Integrator, SolverKind
from mbplugin.interface.supporting_face import MAX_CORNERS, SupportingFace, empty_face, put_corner, put_rim
from mbplugin.interface.tableau import Tableau
from mbplugin.interface.watcher import Watcher
from mbplugin.math.jit import compiled_entry, inlined, internal, jit
from mbplugin.math.spline import spline, spline_integral
from mbplugin.model.contact import Elasticity, Material, Poisson
from mbplugin.model.curve import OnMarker
from mbplugin.model.curve_fit import CurveTable
from mbplugin.model.expression import RESERVED_NAMES
from mbplugin.model.mass import MassProperties
from mbplugin.model.orientation import from_matrix as quaternion_of
from mbplugin.model.quantities import (
    AUTO,
    Count,
    Function,
    NonNegative,
    NonNegativeOrAuto,
    Number,
    Positive,
    Time,
    Tolerance,
    Vector,
)
from mbplugin.model.scene_files import path_in_folder
from mbplugin.model.table import Parameters
from mbplugin.model.tabulated import Columns, Entries, Numbers, SplineTable
from mbplugin.tables.records import ACCELERATION_LEVEL, POSITION_LEVEL, ROW_TYPES, VELOCITY_LEVEL
from mbplugin.tables.spec import Array

__all__ = [
    "ACCELERATION_LEVEL",
    "AUTO",
    "CHAIN",
    "COORDINATE",
    "MAX_CORNERS",
    "MAX_POINTS",
    "OPEN",
    "POSITION_LEVEL",
    "RESERVED_NAMES",
    "ROW_TYPES",
    "SLIP",
    "STICK",
    "VELOCITY_LEVEL",
    "AnalysisKind",
    "AnalysisReport",
    "Array",
    "Basic",
    "Bearing",
    "BodyContent",
    "BodyKeys",
    "BodyKind",
    "BodyPlan",
    "Columns",
    "Command",
    "ConstraintKind",
    "ContactArray",
    "ContactLaw",
    "ContactPoints",
    "Count",
    "CurveTable",
    "DrawingKind",
    "Elasticity",
    "EnforcedRow",
    "EnforcementKind",
    "Entries",
    "Exporter",
    "ExpressionFunction",
    "FaceRule",
    "Faces",
    "ForceKind",
    "FoundContacts",
    "Function",
    "Glyphs",
    "Imported",
    "Importer",
    "Integrator",
    "Known",
    "Marker",
    "MarkerKeys",
    "MassProperties",
    "Material",
    "Measure",
    "MethodKind",
    "NodeCells",
    "NodeMesh",
    "NonNegative",
    "NonNegativeOrAuto",
    "Number",
    "Numbers",
    "OnMarker",
    "Outline",
    "OutputList",
    "Parameters",
    "PlacedShape",
    "Poisson",
    "Positive",
    "Pressed",
    "SensorKind",
    "ShapeKind",
    "SolverKind",
    "SplineTable",
    "SupportingFace",
    "SurfaceNodes",
    "Tableau",
    "Time",
    "Tolerance",
    "TraceError",
    "Vector",
    "Watcher",
    "axis",
    "compiled_entry",
    "empty_face",
    "empty_points",
    "guided",
    "hookimpl",
    "inlined",
    "internal",
    "jit",
    "optional_library",
    "path_in_folder",
    "put_corner",
    "put_point",
    "put_rim",
    "quaternion_of",
    "sliding",
    "spline",
    "spline_integral",
    "sum_along",
    "turning",
    "unit_sphere",
    "where",
]
