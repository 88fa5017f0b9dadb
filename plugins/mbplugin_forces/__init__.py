"""Force elements: gravity, springs and dampers, forces and torques as functions."""

from mbplugin.interface import hookimpl
from mbplugin_forces.applied import AppliedForce, AppliedTorque
from mbplugin_forces.ball_springs import RotationSpringDamper, SwingSpringDamper
from mbplugin_forces.beam import Beam
from mbplugin_forces.bushing import Bushing
from mbplugin_forces.gravity import Gravity
from mbplugin_forces.line_force import LineForce
from mbplugin_forces.motor import Motor
from mbplugin_forces.on_coordinates import JointForce, JointSpringDamper, JointStop
from mbplugin_forces.pid import Pid
from mbplugin_forces.spring_damper import SpringDamper
from mbplugin_forces.torsion_spring import TorsionSpringDamper


@hookimpl
def mbplugin_force_elements(register):
    for kind in (
        Gravity,
        SpringDamper,
        TorsionSpringDamper,
        Bushing,
        Beam,
        JointSpringDamper,
        JointForce,
        JointStop,
        SwingSpringDamper,
        RotationSpringDamper,
        Motor,
        Pid,
        LineForce,
        AppliedForce,
        AppliedTorque,
    ):
        register(kind)
