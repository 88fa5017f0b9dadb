"""The scene as the user writes it, validated on input."""

from mbplugin.model.body import Body
from mbplugin.model.contact import Contact, Material
from mbplugin.model.curve import Curve
from mbplugin.model.expression import Expression
from mbplugin.model.force import Force
from mbplugin.model.input import Input
from mbplugin.model.joint import Joint, Start
from mbplugin.model.linear_system import StateSpace, TransferFunction
from mbplugin.model.marker import Marker
from mbplugin.model.mass import MassProperties
from mbplugin.model.motion import Motion
from mbplugin.model.of_plugin import Drawing, Sensor
from mbplugin.model.orientation import Orientation
from mbplugin.model.output import Output
from mbplugin.model.scene import Scene
from mbplugin.model.shape import Box, Capsule, Cone, Convex, Cylinder, Ellipsoid, Mesh, Plane, Sphere
from mbplugin.model.solver import Solver
from mbplugin.model.symbols import Spline, State, Variable
from mbplugin.model.system import System
from mbplugin.model.table import Parameters, validated
