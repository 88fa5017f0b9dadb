"""Mesh files that are damaged, huge or flat: one clear line each, soon."""

from __future__ import annotations

import os
import struct
import time

import pytest
from refusals import has, refused

from mbplugin.model import System

CORNERS = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
FACES = ["1 3 2", "1 2 4", "1 4 3", "2 3 4"]
MASS, DENSITY = "mass = 1\ninertia = [1, 1, 1]\n", "density = 6\n"


def obj(points: str, faces: list[str]) -> bytes:
    return (points + "".join(f"f {face}\n" for face in faces)).encode()


def ply(last: str, corner: str = "0 0 1") -> bytes:
    """Four vertices and faces; the last ones as given."""
    head = "ply\nformat ascii 1.0\nelement vertex 4\n" + "".join(f"property float {c}\n" for c in "xyz")
    head += "element face 4\nproperty list uchar int vertex_indices\nend_header\n"
    faces = f"3 0 2 1\n3 0 1 3\n3 0 3 2\n{last}\n"
    return f"{head}0 0 0\n1 0 0\n0 1 0\n{corner}\n{faces}".encode()


def stl(*corners: float) -> bytes:
    return b" " * 80 + struct.pack("<I12fH", 1, 0, 0, 0, *corners, 0)


def body(tmp_path, name: str, content: bytes, keys: str):
    (tmp_path / name).write_bytes(content)
    text = f'[[body]]\nname = "a"\n{keys}shape = [{{ type = "mesh", file = "{name}" }}]\n'
    return System.from_text(text, folder=tmp_path).bodies[0]


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("a.obj", obj(CORNERS.replace("v 1", "v nan"), FACES), ""),
        ("a.obj", obj(CORNERS.replace("v 1", "v 1e999"), FACES), ""),
        ("a.obj", obj(CORNERS.replace("v 1", "v 1e300"), FACES), ""),
        ("a.obj", obj(CORNERS, [*FACES, "1 2 99"]), ""),
        ("a.obj", obj(CORNERS, [*FACES, "1 2 -99"]), ""),
        ("a.obj", obj(CORNERS, ["0 3 2", *FACES[1:]]), "line 5"),
        ("a.obj", obj(CORNERS, ["0 2 1", "0 1 3", "0 3 2", "1 2 3"]), "line 5"),
        ("a.obj", obj(CORNERS, [*FACES[:3], "2 3 -5"]), "line 8"),
        ("a.obj", obj(CORNERS, [*FACES[:3], "2 3 5"]), "line 8"),
        ("a.obj", obj(CORNERS, [*FACES[:3], "2/1 3/1 5/1"]), "line 8"),
        ("a.obj", obj(CORNERS, ["1 2 3 5", *FACES]), "line 5"),
        ("a.obj", obj(CORNERS, [*FACES[:3], "2 3 99999999999999999999"]), "line 8"),
        ("a.obj", obj(CORNERS, [*FACES, "1 2"]), "line 9"),
        ("a.obj", obj(CORNERS, [*FACES, "1 2 x"]), "line 9"),
        ("a.obj", obj(CORNERS, [*FACES, "1 2 3.5"]), "line 9"),
        ("a.obj", obj(CORNERS + "v nan 0 0\n", FACES), "line 5"),
        ("a.obj", obj(CORNERS + "v 0 1\n", FACES), "line 5"),
        ("a.obj", obj(CORNERS + "v 0 0 1,5\n", FACES), "line 5"),
        ("a.obj", obj(CORNERS, ["1 3 \\\n2", *FACES[1:3], "2 3 9"]), "line 9"),
        ("a.ply", ply("3 1 2 9"), ""),
        ("a.ply", ply("3 1 2 -1"), ""),
        ("a.ply", ply("4 1 2 3 9"), ""),
        ("a.ply", ply("2 1 2"), ""),
        ("a.ply", ply(""), ""),
        ("a.ply", ply("3 1 2 3", "nan 0 1"), ""),
        ("a.obj", b"", ""),
        ("a.stl", stl(float("nan"), 0, 0, 1, 0, 0, 0, 1, 0), ""),
        ("a.stl", b" " * 80 + struct.pack("<I", 4_000_000_000) + b"\0" * 500, ""),
        ("a.ply", b"ply\nformat ascii 1.0\nelement face 99999999999\nend_header\n", ""),
    ],
)
@pytest.mark.parametrize("keys", [MASS, DENSITY], ids=["mass", "density"])
def test_a_damaged_mesh_is_refused_with_its_reason(tmp_path, name, content, place, keys):
    with refused("body[0].shape[0].file") as caught:
        made = body(tmp_path, name, content, keys)
        made.mass_properties()
        made.shapes[0].mesh()
    assert has(caught.value.mend, place) and str(caught.value).count("\n") == 0


@pytest.mark.parametrize("faces", [["1 2 3", "2 4 3"], ["1 2 3", "2 4 3", "3 2 1", "3 4 2"]])
def test_a_flat_mesh_encloses_no_volume(tmp_path, faces):
    content = obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n", faces)
    with refused("body[0].shape[0].file", "a.obj"):
        body(tmp_path, "a.obj", content, DENSITY).mass_properties()
    points, triangles = body(tmp_path, "a.obj", content, MASS).shapes[0].mesh()
    assert points.shape == (4, 3) and len(triangles) == len(faces)


@pytest.mark.parametrize(
    "word", ["usemtl", *(pytest.param(word, marks=pytest.mark.slow) for word in ("g", "o", "mtllib", "s"))]
)
def test_an_obj_with_200000_materials_is_read_in_seconds(tmp_path, word):
    faces = "".join(f"{word} m{k}\nf {FACES[k % 4]}\n" for k in range(200_000))
    start = time.process_time()
    _, triangles = body(tmp_path, "a.obj", (CORNERS + faces).encode(), MASS).shapes[0].mesh()
    assert time.process_time() - start < 10.0
    assert len(triangles) == 200_000


def test_materials_do_not_change_a_mesh(tmp_path):
    plain = body(tmp_path, "a.obj", obj(CORNERS, FACES), DENSITY).mass_properties()
    faces = "".join(f"usemtl m{k}\ng part {k}\nf {face}\n" for k, face in enumerate(FACES))
    grouped = body(tmp_path, "b.obj", (CORNERS + faces).encode(), DENSITY).mass_properties()
    # a corner of a cube: 1/6
    assert grouped.mass == pytest.approx(1.0, rel=1e-12) and plain.mass == pytest.approx(1.0, rel=1e-12)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
@pytest.mark.parametrize(
    "faces",
    [
        ["-4 -2 -3", "-4 -3 -1", "-4 -1 -2", "-3 -2 -1"],
        [face.replace(" ", "/7/9 ") + "/7/9" for face in FACES],
        [face.replace(" ", "//1 ") + "//1" for face in FACES],
        [FACES[0], "1 2 \\\n4", *FACES[2:]],
    ],
)
def test_every_way_to_name_a_vertex_gives_the_same_mesh(tmp_path, faces):
    """A tetrahedron of three unit edges has the volume 1/6, of density 6 the mass 1."""
    named = body(tmp_path, "a.obj", b"\xef\xbb\xbf" + obj(CORNERS, faces), DENSITY).mass_properties()
    plain = body(tmp_path, "b.obj", obj(CORNERS, FACES), DENSITY).mass_properties()
    assert named.mass == pytest.approx(1.0) and (named.inertia == plain.inertia).all()


def test_faces_of_many_vertices_are_fans(tmp_path):
    """A cube of quads, and one whose bottom is split into a pentagon's fan, have the same mass."""
    corners = "".join(f"v {x} {y} {z}\n" for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1)))
    sides = ["5 6 7 8", "1 2 6 5", "2 3 7 6", "3 4 8 7"]
    cube = obj(corners, ["4 3 2 1", *sides, "4 1 5 8"])
    five = obj(corners + "v 0 0.5 0\n", ["9 4 3 2 1", *sides, "9 1 5 8 4"])
    for content in (cube, five):
        found = body(tmp_path, "a.obj", content, DENSITY).mass_properties()
        assert found.mass == pytest.approx(6.0) and found.center_of_mass == pytest.approx([0.5] * 3)


def test_a_fifo_is_no_mesh_and_no_table(tmp_path):
    os.mkfifo(tmp_path / "pipe.obj")
    os.mkfifo(tmp_path / "pipe.csv")
    text = f'[[body]]\nname = "a"\n{MASS}shape = [{{ type = "mesh", file = "pipe.obj" }}]\n'
    with refused("body[0].shape[0].file", "pipe.obj"):
        System.from_text(text, folder=tmp_path)
    for name in ("pipe.csv", "/dev/zero"):
        text = f'[[body]]\nname = "a"\n{MASS}[[spline]]\nname = "s"\nfile = "{name}"\n'
        with refused("spline[0].file", name):
            System.from_text(text, folder=tmp_path)
