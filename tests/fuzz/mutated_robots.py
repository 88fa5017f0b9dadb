"""Robots that somebody might write by mistake: URDF and MJCF with elements, attributes, letters changed."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

MODELS = Path(__file__).parents[1] / "imports" / "models"
#: models of the tests that are short enough to be written 2,000 times
SHORT = 60_000
Element = ElementTree.Element

ARM = """<robot name="arm">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <link name="base"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <link name="upper">
    <inertial><origin xyz="0 0 0.2" rpy="0 0.1 0"/><mass value="2"/>
      <inertia ixx="0.1" ixy="0.01" ixz="0" iyy="0.1" iyz="0" izz="0.05"/></inertial>
    <visual><origin xyz="0 0 0.2"/><geometry><cylinder radius="0.05" length="0.4"/></geometry>
      <material name="red"/></visual>
    <collision><geometry><cylinder radius="0.05" length="0.4"/></geometry></collision>
  </link>
  <link name="lower">
    <inertial><mass value="1"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
    <visual><geometry><mesh filename="package://arm/tip.stl" scale="1 1 1"/></geometry></visual>
    <collision><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <link name="tool"><visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual></link>
  <link name="finger">
    <inertial><mass value="0.2"/>
      <inertia ixx="1e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" izz="1e-3"/></inertial>
  </link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 1" rpy="0 0 0.3"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="9" velocity="2"/>
    <dynamics damping="0.5" friction="0.1"/><safety_controller k_velocity="1"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><axis xyz="0 1 1"/></joint>
  <joint name="glue" type="fixed"><parent link="lower"/><child link="tool"/><origin xyz="0 0 0.3"/></joint>
  <joint name="slide" type="prismatic"><parent link="tool"/><child link="finger"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.1" effort="9" velocity="2"/>
    <mimic joint="elbow" multiplier="0.1" offset="0.05"/>
  </joint>
  <transmission name="drive"><type>simple</type><joint name="shoulder"/>
    <actuator name="motor"><mechanicalReduction>50</mechanicalReduction></actuator></transmission>
  <gazebo reference="base"/>
</robot>"""

WALKER = """<mujoco model="walker">
  <compiler angle="degree" meshdir="meshes"/>
  <option gravity="0 0 -9.81" timestep="0.002"><flag contact="enable"/></option>
  <default><joint damping="0.2" armature="0.05"/><geom friction="0.8"/>
    <default class="stiff"><joint stiffness="7" springref="25" ref="10"/></default></default>
  <asset><mesh name="wedge" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/>
    <material name="red" rgba="1 0 0 1"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <body name="trunk" pos="0 0 1"><freejoint name="root"/>
      <geom type="box" size="0.2 0.1 0.05" material="red"/>
      <body name="thigh" pos="0.2 0 0" euler="0 20 10">
        <joint name="hip" axis="0 1 0" range="-90 90" limited="true"/>
        <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.4"/><site name="knee_site" pos="0 0 -0.4"/>
        <body name="shank" pos="0 0 -0.4"><joint name="knee" class="stiff" axis="0 1 0" frictionloss="0.1"/>
          <joint name="twist" axis="0 0 1"/><geom type="cylinder" size="0.02 0.1" mass="0.7"/></body></body>
      <body name="tail" pos="-0.2 0 0"><joint name="ball" type="ball"/>
        <geom size="0.05" pos="-0.1 0 0"/></body>
    </body>
    <body name="crank" pos="0 1 1"><joint name="a" axis="0 1 0"/>
      <geom size="0.02" fromto="0 0 0 0 0 0.3" type="capsule"/>
      <body name="rod" pos="0 0 0.3"><joint name="b" axis="0 1 0"/>
        <geom type="mesh" mesh="wedge" mass="0.5"/></body></body>
    <body name="rocker" pos="1 1 1"><joint name="c" axis="0 1 0"/>
      <inertial pos="0 0 0.2" mass="1" diaginertia="0.1 0.1 0.1"/></body>
  </worldbody>
  <equality><connect body1="rod" body2="rocker" anchor="1 0 0"/>
    <joint joint1="twist" joint2="hip"/></equality>
  <tendon><fixed name="pair"><joint joint="hip" coef="0.5"/><joint joint="knee" coef="-2"/></fixed></tendon>
  <contact><exclude body1="trunk" body2="shank"/></contact>
  <actuator><motor name="hip" joint="hip" gear="12"/><position name="place" joint="knee" kp="40"/>
    <general name="both" tendon="pair" gainprm="2" biastype="affine" biasprm="0 -2 -0.4"/></actuator>
  <sensor><jointpos joint="hip"/></sensor>
  <keyframe><key name="up" ctrl="0.1 0.2 0.3"/></keyframe>
</mujoco>"""

NUMBERS = ("nan", "inf", "-inf", "1e300", "-1e300", "1e-300", "1e30", "1e15", "1e400", "0", "-0", "-1")
LISTS = ("0 0 0", "1 2", "1 2 3 4", "nan 0 0", "0 inf 1", "1e200 1e200 1e200", " ".join(["1"] * 400))
WORDS = (
    "",
    " ",
    "heavy",
    "1,5",
    "1_000",
    "0x10",
    "1.5m",
    "${mass}",
    "ground",
    "world",
    "(ground)",
    "time",
    "step",
    "漢字",
    "😀",
    "a b",
    "a.b",
    "../../x",
    "n" * 300,
    "true",
    "-",
    "robot surface",
    "file:///gone.stl",
    "package://",
)
TAGS = ("visual", "geometry", "inertial", "joint", "link", "body", "geom", "thing", "x:y", "mimic", "robot")


@cache
def models() -> dict[str, str]:
    """The texts of all models, by name and suffix."""
    files = sorted(file for file in MODELS.glob("*.*") if file.suffix in (".urdf", ".xml"))
    texts = {file.name: file.read_text() for file in files}
    short = {name: text for name, text in texts.items() if len(text) < SHORT}
    return {"arm.urdf": ARM, "walker.xml": WALKER, **short}


def case(number: int) -> tuple[str, bytes]:
    """Name of the model and content of case `number`, always the same."""
    chance = random.Random(number)
    # half of all cases are of the two models that have everything
    name = chance.choice(["arm.urdf", "walker.xml"] * len(models()) + [*models()] * 2)
    root = ElementTree.fromstring(models()[name])
    try:
        for _ in range(chance.choice((1, 1, 1, 1, 2, 3, 5))):
            chance.choice(MUTATIONS)(root, chance)
        content = written(root)
    except RecursionError:
        return case(number + 10**9)
    if chance.random() < 0.12:
        return name, chance.choice(SPOILERS)(content, chance)
    return name, content.encode("utf-8", "replace")


def written(root: Element) -> str:
    """An element as text, whatever its tags and attributes are."""
    attributes = "".join(f" {name}={quoteattr(value)}" for name, value in root.attrib.items())
    inside = "".join(written(child) for child in root) or (root.text or "").strip()
    return f"<{root.tag}{attributes}>{inside}</{root.tag}>\n"


def parents(root: Element) -> Iterator[tuple[Element, Element]]:
    """Every element but the root, after its parent."""
    yield from ((element, child) for element in root.iter() for child in element)


def choose(root: Element, chance: random.Random) -> tuple[Element, Element] | None:
    found = list(parents(root))
    return chance.choice(found) if found else None


def attribute_of(root: Element, chance: random.Random) -> tuple[Element, str] | None:
    found = [(element, name) for element in root.iter() for name in element.attrib]
    return chance.choice(found) if found else None


def drop(root: Element, chance: random.Random) -> None:
    if place := choose(root, chance):
        place[0].remove(place[1])


def duplicate(root: Element, chance: random.Random) -> None:
    if place := choose(root, chance):
        place[0].insert(chance.randrange(len(place[0]) + 1), copy.deepcopy(place[1]))


def rename(root: Element, chance: random.Random) -> None:
    if place := choose(root, chance):
        place[1].tag = chance.choice(TAGS)


def move(root: Element, chance: random.Random) -> None:
    """An element somewhere else, perhaps inside of a copy of itself."""
    if place := choose(root, chance):
        chance.choice(list(root.iter())).append(copy.deepcopy(place[1]))
        place[0].remove(place[1])


def drop_attribute(root: Element, chance: random.Random) -> None:
    if place := attribute_of(root, chance):
        del place[0].attrib[place[1]]


def rename_attribute(root: Element, chance: random.Random) -> None:
    if place := attribute_of(root, chance):
        place[0].set(chance.choice((*place[0].attrib, "size", "pos", "name", "class", "thing", "x:y")), "1")


def put(values: tuple[str, ...]) -> Callable[[Element, random.Random], None]:
    """A mutation that gives an attribute another value."""

    def mutation(root: Element, chance: random.Random) -> None:
        if place := attribute_of(root, chance):
            place[0].set(place[1], chance.choice(values))

    return mutation


def spoil_a_number(root: Element, chance: random.Random) -> None:
    """One number of a list."""
    if place := attribute_of(root, chance):
        words = place[0].get(place[1], "").split() or [""]
        words[chance.randrange(len(words))] = chance.choice(NUMBERS)
        place[0].set(place[1], " ".join(words))


def refer_elsewhere(root: Element, chance: random.Random) -> None:
    """A reference or name that becomes another one of the file, or none."""
    found = [(e, name) for e in root.iter() for name, value in e.attrib.items() if value.isidentifier()]
    if found:
        element, name = chance.choice(found)
        element.set(name, chance.choice([*(e.get(n, "") for e, n in found), "gone"]))


def nest(root: Element, chance: random.Random) -> None:
    """Elements in elements in elements."""
    if place := choose(root, chance):
        inner = place[1]
        for _ in range(chance.choice((2, 20, 200))):
            copied = Element(inner.tag, inner.attrib)
            inner.append(copied)
            inner = copied


def truncated(text: str, chance: random.Random) -> bytes:
    return text.encode()[: chance.randrange(len(text))]


def with_noise(text: str, chance: random.Random) -> bytes:
    noise = ("\0", "\x1b", "&", "<", ">", '"', "]]>", "<!--", "<?x?>", "&gone;", "é", "\ufeff", "<![CDATA[")
    at = chance.randrange(len(text))
    return (text[:at] + chance.choice(noise) + text[at:]).encode()


def another_encoding(text: str, chance: random.Random) -> bytes:
    told, used = (chance.choice(("utf-8", "utf-16", "latin-1", "gb2312", "ascii", "nothing")) for _ in "ab")
    used = "utf-8" if used == "nothing" else used
    return f'<?xml version="1.0" encoding="{told}"?>{text}'.encode(used, "replace")


def with_start(text: str, chance: random.Random) -> bytes:
    entity = '<!DOCTYPE robot [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    starts = (
        "\n\n",
        "\ufeff",
        "text",
        '<?xml version="1.0"?>',
        '\n<?xml version="1.0"?>',
        entity,
        "<!-- x -->",
    )
    return (chance.choice(starts) + text).encode()


def nothing(text: str, chance: random.Random) -> bytes:
    return chance.choice((b"", b" ", b"\xff\xfe", b"<robot/>", b"<mujoco/>", b"<robot>", b"\0" * 50))


MUTATIONS = (
    drop,
    drop,
    duplicate,
    duplicate,
    rename,
    move,
    drop_attribute,
    drop_attribute,
    rename_attribute,
    put(NUMBERS),
    put(LISTS),
    put(WORDS),
    put(WORDS),
    spoil_a_number,
    spoil_a_number,
    refer_elsewhere,
    refer_elsewhere,
    nest,
)
SPOILERS = (truncated, truncated, with_noise, with_noise, another_encoding, with_start, nothing)
