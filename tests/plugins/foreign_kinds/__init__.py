"""What a third party might write: kinds that need every part of the plugin interface. Each is proven in
`tests/plugins`.
"""

from foreign_kinds.adams import Adams
from foreign_kinds.affine import Affine
from foreign_kinds.bar import Bar
from foreign_kinds.beam import Beam
from foreign_kinds.bristles import Bristles, Rail, Telling
from foreign_kinds.cable import Cable, ElasticCable, Path
from foreign_kinds.cam import Cam
from foreign_kinds.cohesion import Cohesive
from foreign_kinds.coupler import Coupler
from foreign_kinds.disc_clutch import DiscClutch
from foreign_kinds.functions import Cosine, Fails, InPython, Series, Wave
from foreign_kinds.hardening import Hardening
from foreign_kinds.implicit_contacts import ImplicitContacts
from foreign_kinds.lag import LaggedForce
from foreign_kinds.latch import Latch
from foreign_kinds.offset import Offset
from foreign_kinds.plain import PlainSpring
from foreign_kinds.relay import Relay
from foreign_kinds.rolling_disc import RollingDisc
from foreign_kinds.rough_floor import RoughFloor
from foreign_kinds.rough_stop import RoughStop
from foreign_kinds.stop import Stop
from foreign_kinds.tabulated import Cogging, MatrixSpring, TableSpring
from mbplugin.interface import hookimpl


@hookimpl
def mbplugin_body_kinds(register):
    for kind in (Affine, Bar, Beam, Offset):
        register(kind)


@hookimpl
def mbplugin_constraint_types(register):
    for kind in (Coupler, Cable, Cam, DiscClutch, RollingDisc, Rail, RoughFloor, RoughStop, Stop):
        register(kind)


@hookimpl
def mbplugin_measures(register):
    register("foreign_path", Path)


@hookimpl
def mbplugin_force_elements(register):
    springs = (Hardening, MatrixSpring, PlainSpring, TableSpring)
    for kind in (Bristles, Cogging, ElasticCable, LaggedForce, Latch, Relay, *springs):
        register(kind)


@hookimpl
def mbplugin_enforcements(register):
    register(Telling)


@hookimpl
def mbplugin_solvers(register):
    register(Adams)
    register(ImplicitContacts)


@hookimpl
def mbplugin_contact_laws(register):
    register(Cohesive)


@hookimpl
def mbplugin_functions(register):
    for function in (Cosine, Fails, InPython, Series, Wave):
        register(function)
