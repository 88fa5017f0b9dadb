"""The first picture of a result of mbplugin: paraview --script=FILE, or pvpython FILE PICTURE.png"""

import inspect
import math
import sys

from paraview.simple import (
    AnnotateTimeFilter,
    Box,
    ColorBy,
    GetActiveViewOrCreate,
    GetAnimationScene,
    GetColorTransferFunction,
    GetScalarBar,
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
ARROW = 0.0  # length over force [m/N]: 1, 2 or 5 times a power of ten
CONTACTS_STORED = False
FORCES = False  # whether arrows are shown at once
COLOURS = [[0.5, 0.5, 0.5]]  # red, green, blue of each `color_index`; []: there are too many
PALE = False  # whether planes of the ground have no colour of their own
DRAWINGS = {}  # name of a drawing -> its .pvd file
STOPPED = ""  # of last steps before an error: what it said
# ---- its picture ----

BODIES, JOINTS, CONTACTS, CENTRES, LINES, TABLE, SHAPES, MESHES = range(8)  # outputs of the reader
INK, GREY = [0.1, 0.1, 0.1], [0.35, 0.35, 0.35]
FLOOR, SELECTOR = "ground plane", "/Root/groundplane"  # name of the block, and how ParaView writes it

if not hasattr(inspect, "getargspec"):  # without, ParaView 5.11 with Python 3.11 loads no plugin in Python
    inspect.getargspec = inspect.getfullargspec
_DisableFirstRenderCameraReset()
LoadPlugin(READER, remote=False, ns=globals())
result = OpenDataFile(RESULT)
RenameSource(NAME, result)
result.UpdatePipelineInformation()
blocks = list(result.GetProperty("Bodies").Available)
if len(blocks) > result.BlockLimit:  # glyphs instead; a plane among them would hide the axes
    result.BlockLimit, result.Bodies = 0, [name for name in blocks if name != FLOOR]
view = GetActiveViewOrCreate("RenderView")
scene = GetAnimationScene()
scene.UpdateAnimationUsingDataTimeSteps()
scene.AnimationTime = TIME
result.UpdatePipeline(TIME)


def size_of(port):
    return OutputPort(result, port).GetDataInformation().GetNumberOfPoints()


def show_blocks():
    display = Show(OutputPort(result, BODIES), view)
    display.Representation, display.PointSize = "Surface", 5.0
    display.BlockOpacities = [SELECTOR, "0.4"]
    if PALE:
        display.BlockColors = [SELECTOR, "0.8", "0.79", "0.76"]
    paint(display)


def show_glyphs():
    """Copies of meshes; bodies without a shape as dots."""
    if size_of(SHAPES):
        display = Show(OutputPort(result, SHAPES), view)
        display.Representation = "3D Glyphs"
        display.GlyphType = "Pipeline Connection"
        display.GlyphType.Input = OutputPort(result, MESHES)
        display.UseGlyphTable = display.UseCompositeGlyphTable = 1
        display.GlyphTableIndexArray = "mesh"
        display.Orient, display.OrientationMode, display.SelectOrientationVectors = (
            1,
            "Quaternion",
            "orientation",
        )
        display.Scaling, display.ScaleMode, display.SelectScaleArray = 1, "Vector Components", "scale"
        display.ScaleFactor = 1.0
        paint(display)
    if size_of(SHAPES) < size_of(CENTRES):
        dots = Show(OutputPort(result, CENTRES), view)
        dots.PointSize, dots.AmbientColor, dots.DiffuseColor = 5.0, INK, INK


def paint(display):
    """Show the colours of the scene. Where they come from a table, another array can be chosen at once; red,
    green and blue as they are need Map Scalars off.
    """
    display.Ambient, display.Diffuse, display.Specular = 0.4, 0.75, 0.0
    name = "color_index" if COLOURS else "color"
    ColorBy(display, ("POINTS", name))
    table = GetColorTransferFunction(name)
    if COLOURS:
        rows = COLOURS if len(COLOURS) > 1 else 2 * COLOURS
        table.AutomaticRescaleRangeMode, table.ColorSpace = "Never", "RGB"
        table.RGBPoints = [x for k, colour in enumerate(rows) for x in (float(k), *colour)]
        table.Discretize, table.NumberOfTableValues = 1, len(rows)
    else:
        display.MapScalars = 0
    HideScalarBarIfNotNeeded(table, view)


def show_arrows(port, name, force, colour):
    """Arrows of an array of forces."""
    source = OutputPort(result, port)
    arrows = Glyph(registrationName=name, Input=source, GlyphType="Arrow", GlyphMode="All Points")
    arrows.OrientationArray = arrows.ScaleArray = ["POINTS", force]
    arrows.VectorScaleMode, arrows.ScaleFactor = "Scale by Magnitude", ARROW
    display = Show(arrows, view)
    display.ColorArrayName = [None, ""]
    display.AmbientColor = display.DiffuseColor = colour
    if not FORCES:
        Hide(arrows, view)


def write(name, words, corner, colour):
    """A text in a corner of the view."""
    label = Text(registrationName=name, Text=words)
    text = Show(label, view)
    text.WindowLocation, text.Color, text.FontSize = corner, colour, 14
    return label


def show_drawing(name, file):
    drawing = OpenDataFile(file)
    RenameSource(f"Drawing {name}", drawing)
    drawing.UpdatePipeline(TIME)
    parts = [drawing]
    if drawing.PointData.GetArray("arrow") is not None:
        arrows = Glyph(registrationName=f"Arrows of {name}", Input=drawing, GlyphType="Arrow")
        arrows.OrientationArray = arrows.ScaleArray = ["POINTS", "arrow"]
        arrows.GlyphMode, arrows.VectorScaleMode, arrows.ScaleFactor = "All Points", "Scale by Magnitude", 1.0
        parts.append(arrows)
    for part in parts:
        display = Show(part, view)
        display.PointSize, display.LineWidth, display.MapScalars = 6.0, 2.0, 0
        ColorBy(display, ("POINTS", "color"))


def show_time():
    label = AnnotateTimeFilter(
        registrationName="Time", Input=OutputPort(result, BODIES), Format="t = {time:.4g} s"
    )
    display = Show(label, view)
    display.WindowLocation, display.Color, display.FontSize = "Upper Left Corner", INK, 18


def prepare_scales():
    """Dark letters for the scales of colours of all arrays, which are white otherwise; a palette of ParaView
    would do it too, and become the user's own.
    """
    for port in (BODIES, JOINTS, CONTACTS, CENTRES, SHAPES):
        information = OutputPort(result, port).GetDataInformation()
        for data in (information.GetPointDataInformation(), information.GetCellDataInformation()):
            for name in (data.GetArrayInformation(k).GetName() for k in range(data.GetNumberOfArrays())):
                bar = GetScalarBar(GetColorTransferFunction(name), view)
                bar.TitleColor = bar.LabelColor = INK
                bar.RangeLabelFormat, bar.Visibility = "%-#6.3g", 0
    speed = GetColorTransferFunction("velocity")
    speed.ApplyPreset("Viridis (matplotlib)", True)
    bar = GetScalarBar(speed, view)
    bar.Title, bar.ComponentTitle = "velocity [m/s]", ""


def nice(x):
    """The largest of 1, 2 and 5 times a power of ten that is not above x."""
    power = 10.0 ** math.floor(math.log10(max(x, 1e-300)))
    return power * max(digit for digit in (1, 2, 5) if digit * power <= x * 1.000001)


def show_axes():
    """A white background, and axes in metres around the whole motion."""
    view.UseColorPaletteForBackground, view.Background = 0, [1.0, 1.0, 1.0]
    lengths = [high - low for low, high in zip(EXTENT[::2], EXTENT[1::2])]
    middle = [0.5 * (low + high) for low, high in zip(EXTENT[::2], EXTENT[1::2])]
    box = Box(registrationName="Extent of the motion", Center=middle)
    box.XLength, box.YLength, box.ZLength = lengths
    corners = Show(box, view)  # without, planes of clipping cut the axes off
    corners.Representation, corners.PointSize, corners.ColorArrayName = "Points", 1.0, [None, ""]
    corners.AmbientColor = corners.DiffuseColor = [0.75, 0.75, 0.75]
    view.OrientationAxesLabelColor = INK
    grid = view.AxesGrid
    grid.Visibility = 1
    grid.UseCustomBounds, grid.CustomBounds = 1, EXTENT
    grid.GridColor = [0.75, 0.75, 0.75]
    step = nice(max(lengths) / 5)
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
    view.CameraViewAngle = math.degrees(2.0 * math.atan(1.12 * half / math.dist(CAMERA, FOCUS)))


show_blocks() if size_of(BODIES) else show_glyphs()
if size_of(LINES):
    lines = Show(OutputPort(result, LINES), view)
    lines.LineWidth, lines.MapScalars = 3.0, 0
    ColorBy(lines, ("CELLS", "color"))
if ARROW > 0.0:
    kinds = []
    if size_of(JOINTS):
        show_arrows(JOINTS, "Reactions", "force", [0.76, 0.09, 0.36])
        kinds.append("reactions (red)")
    if CONTACTS_STORED:
        show_arrows(CONTACTS, "Contact forces", "supporting_force", [0.0, 0.47, 0.35])
        kinds.append("contact forces (green)")
    newtons = 10.0 ** math.floor(math.log10(HALF[1] / ARROW))  # so that the length is as round as ARROW
    scale = f"{' and '.join(kinds)}: an arrow of {newtons * ARROW:g} m is {newtons:g} N"
    label = write("Scale of forces", scale, "Upper Right Corner", INK)
    if not FORCES:
        Hide(label, view)
for drawing in DRAWINGS.items():
    show_drawing(*drawing)
if STOPPED:
    write("Error", STOPPED, "Lower Left Corner", [0.7, 0.0, 0.0])
prepare_scales()
show_time()
show_axes()
if sys.argv[-1].endswith(".png"):
    view.ViewSize = [1280, 720]
aim()
SetActiveSource(result)
Render(view)
if sys.argv[-1].endswith(".png"):
    SaveScreenshot(sys.argv[-1], view, ImageResolution=[1280, 720])
