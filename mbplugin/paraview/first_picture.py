"""The first picture of a result of mbplugin: paraview --script=FILE, or pvpython FILE PICTURE.png"""

import inspect
import math
import sys

from paraview.simple import (
    AnnotateTimeFilter,
    ColorBy,
    GetActiveViewOrCreate,
    GetAnimationScene,
    GetColorTransferFunction,
    Glyph,
    Hide,
    HideScalarBarIfNotNeeded,
    LoadPlugin,
    OpenDataFile,
    OutputPort,
    RenameSource,
    Render,
    SaveScreenshot,
    SetActiveSource,
    Show,
    Text,
    _DisableFirstRenderCameraReset,
)

# ---- this result ----
READER = "mbplugin_reader.py"
RESULT = "out/result.mbr"
NAME = "result"
TIME = 0.0  # of the picture [s]
CAMERA = [0.0, -1.0, 0.0]  # [m]
FOCUS = [0.0, 0.0, 0.0]  # [m]
UP = [0.0, 0.0, 1.0]
HALF = [0.5, 0.3]  # of width and height of the picture at the focus [m]
EXTENT = [-1.0, 1.0, -1.0, 1.0, -1.0, 1.0]  # of the motion: x, y, z from, to [m]
ARROW = 0.0  # length over force [m/N]
CONTACTS_STORED = False
FORCES = False  # whether arrows are shown at once
# ---- its picture ----

BODIES, JOINTS, CONTACTS, CENTRES, LINES, SHAPES, MESHES = 0, 1, 2, 3, 4, 6, 7
INK, GREY = [0.1, 0.1, 0.1], [0.35, 0.35, 0.35]

if not hasattr(inspect, "getargspec"):  # without, ParaView 5.11 with Python 3.11 loads no plugin in Python
    inspect.getargspec = inspect.getfullargspec
_DisableFirstRenderCameraReset()
LoadPlugin(READER, remote=False, ns=globals())
result = OpenDataFile(RESULT)
RenameSource(NAME, result)
result.UpdatePipelineInformation()
if len(result.GetProperty("Bodies").Available) > result.BlockLimit:
    result.BlockLimit = 0  # glyphs instead
view = GetActiveViewOrCreate("RenderView")
scene = GetAnimationScene()
scene.UpdateAnimationUsingDataTimeSteps()
scene.AnimationTime = TIME
result.UpdatePipeline(TIME)


def size_of(port):
    return OutputPort(result, port).GetDataInformation().GetNumberOfPoints()


def show_blocks():
    shown = Show(OutputPort(result, BODIES), view)
    shown.Representation, shown.PointSize = "Surface", 5.0
    paint(shown)


def show_glyphs():
    """Copies of meshes; bodies without a shape as dots."""
    if size_of(SHAPES):
        shown = Show(OutputPort(result, SHAPES), view)
        shown.Representation = "3D Glyphs"
        shown.GlyphType = "Pipeline Connection"
        shown.GlyphType.Input = OutputPort(result, MESHES)
        shown.UseGlyphTable = shown.UseCompositeGlyphTable = 1
        shown.GlyphTableIndexArray = "mesh"
        shown.Orient, shown.OrientationMode, shown.SelectOrientationVectors = 1, "Quaternion", "orientation"
        shown.Scaling, shown.ScaleMode, shown.SelectScaleArray = 1, "Vector Components", "scale"
        shown.ScaleFactor = 1.0
        paint(shown)
    if size_of(SHAPES) < size_of(CENTRES):
        dots = Show(OutputPort(result, CENTRES), view)
        dots.PointSize, dots.AmbientColor, dots.DiffuseColor = 5.0, INK, INK


def paint(shown):
    """Show the colours of the scene."""
    ColorBy(shown, ("POINTS", "color"))
    shown.MapScalars = 0  # red, green, blue as they are
    shown.Ambient, shown.Diffuse, shown.Specular = 0.4, 0.75, 0.0
    HideScalarBarIfNotNeeded(GetColorTransferFunction("color"), view)


def show_arrows(port, name, colour, corner):
    """Arrows of the array `force`, and their scale in a corner."""
    source = OutputPort(result, port)
    arrows = Glyph(registrationName=name, Input=source, GlyphType="Arrow", GlyphMode="All Points")
    arrows.OrientationArray = arrows.ScaleArray = ["POINTS", "force"]
    arrows.VectorScaleMode, arrows.ScaleFactor = "Scale by Magnitude", ARROW
    shown = Show(arrows, view)
    shown.ColorArrayName = [None, ""]
    shown.AmbientColor = shown.DiffuseColor = colour
    length = nice(HALF[1])
    scale = f"{name}: an arrow of {length:g} m is {length / ARROW:.3g} N"
    label = Text(registrationName=f"Scale of {name.lower()}", Text=scale)
    text = Show(label, view)
    text.WindowLocation, text.Color, text.FontSize = corner, colour, 14
    if not FORCES:
        Hide(arrows, view)
        Hide(label, view)


def show_time():
    label = AnnotateTimeFilter(
        registrationName="Time", Input=OutputPort(result, BODIES), Format="t = {time:.4g} s"
    )
    shown = Show(label, view)
    shown.WindowLocation, shown.Color, shown.FontSize = "Upper Left Corner", INK, 18


def nice(x):
    """The largest of 1, 2 and 5 times a power of ten that is not above x."""
    power = 10.0 ** math.floor(math.log10(max(x, 1e-300)))
    return power * max(digit for digit in (1, 2, 5) if digit * power <= x * 1.000001)


def show_axes():
    """A white background, and axes in metres around the whole motion."""
    view.UseColorPaletteForBackground = 0
    view.Background = [1.0, 1.0, 1.0]
    view.OrientationAxesLabelColor = INK
    grid = view.AxesGrid
    grid.Visibility = 1
    grid.UseCustomBounds, grid.CustomBounds = 1, EXTENT
    grid.GridColor = [0.75, 0.75, 0.75]
    step = nice(max(EXTENT[1] - EXTENT[0], EXTENT[3] - EXTENT[2], EXTENT[5] - EXTENT[4]) / 5)
    for axis, low, high in zip("XYZ", EXTENT[::2], EXTENT[1::2]):
        # ParaView's own marks of a short axis lie outside of it
        marks = [step * k for k in range(math.ceil(low / step), math.floor(high / step) + 1)]
        setattr(grid, axis + "AxisUseCustomLabels", 1)
        setattr(grid, axis + "AxisLabels", marks)
        setattr(grid, axis + "Title", axis.lower() + " [m]")
        setattr(grid, axis + "TitleColor", GREY)
        setattr(grid, axis + "LabelColor", GREY)


def aim():
    """Let the camera see the whole motion in the view as it is."""
    width, height = view.ViewSize
    half = max(HALF[1], HALF[0] * height / width)
    view.CameraPosition, view.CameraFocalPoint, view.CameraViewUp = CAMERA, FOCUS, UP
    view.CenterOfRotation = FOCUS
    view.CameraViewAngle = math.degrees(2.0 * math.atan(1.2 * half / math.dist(CAMERA, FOCUS)))


show_blocks() if size_of(BODIES) else show_glyphs()
if size_of(LINES):
    lines = Show(OutputPort(result, LINES), view)
    lines.LineWidth, lines.AmbientColor, lines.DiffuseColor = 3.0, GREY, GREY
if ARROW > 0.0:
    if size_of(JOINTS):
        show_arrows(JOINTS, "Reactions", [0.76, 0.09, 0.36], "Upper Right Corner")
    if CONTACTS_STORED:
        show_arrows(CONTACTS, "Contact forces", [0.0, 0.47, 0.35], "Lower Right Corner")
show_time()
show_axes()
if sys.argv[-1].endswith(".png"):
    view.ViewSize = [1280, 720]
aim()
SetActiveSource(result)
Render(view)
if sys.argv[-1].endswith(".png"):
    SaveScreenshot(sys.argv[-1], view, ImageResolution=[1280, 720])
