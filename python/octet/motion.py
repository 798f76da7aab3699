"""Which frames of a fixed camera have to be run, and privacy masks: octet/motion.h and octet/mask.h."""
import ctypes
from typing import List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from octet import _library as c
from octet.frames import Frame
from octet.tracks import ONE, _memory, _microseconds, _share

REASONS = ("", "start", "change", "all", "longest", "hidden")
Polygon = Sequence[Tuple[float, float]]
Picture = Union[Frame, np.ndarray]


class Motion(NamedTuple):
    """Of one frame. Shares are 0 to 1."""

    run: bool  # False: nothing has moved
    reason: str  # "": still; "start", "change", "all" (most of the picture), "longest", "hidden": docs/motion.md
    changed: float  # share of the picture
    strength: float  # energy of the strongest change; 1 is the threshold
    noise: float  # levels of 255
    box: Optional[Tuple[float, float, float, float]]  # x0, y0, x1, y1 around all that has changed, in shares


def _polygons(polygons: Sequence[Polygon]) -> "ctypes.Array[c.PolygonStruct]":
    made = (c.PolygonStruct * len(polygons))()
    for polygon, points in zip(made, polygons):
        polygon.points = (c.PointStruct * len(points))(*[(_share("x", x), _share("y", y)) for x, y in points])
        polygon.point_count = len(points)
    return made


def _frame(picture: Picture) -> Frame:
    if isinstance(picture, Frame):
        return picture
    return Frame.grey(picture) if isinstance(picture, np.ndarray) and picture.ndim == 2 else Frame.rgb(picture)


class MotionGate:
    """Compares frames with a slow background, in integers: the same frames and times give the same answers on every machine.

        gate = octet.MotionGate(ignore=[[(0, 0), (1, 0), (1, 0.1), (0, 0.1)]])   # a clock in the picture
        for time, picture in film:
            if gate.frame(time, picture).run:
                print(model.detect(picture))
    """

    def __init__(self, *, longest: float = 5.0, ignore: Sequence[Polygon] = ()) -> None:
        """longest: seconds between two frames to run. ignore: polygons in which motion does not count, in shares of the picture."""
        self._library, self._ignore = c.library(), _polygons(ignore)
        self._config = c.MotionConfigStruct(width=0, height=0, longest_ms=round(longest * 1000), polygon_count=len(ignore),
                                            polygons=self._ignore)
        self._motion, self._own, self._answer = ctypes.c_void_p(), None, c.MotionAnswerStruct()

    def frame(self, time: float, picture: Picture) -> Motion:
        """time: of its capture, in seconds. picture: a Frame, or uint8 [height, width, 3] or [height, width]. A frame of another size than
        the one before begins anew."""
        frame = _frame(picture)
        if (frame.width, frame.height) != (self._config.width, self._config.height):
            self._begin(frame.width, frame.height)
        a = self._answer
        c.check(self._library.octet_motion_frame(self._motion, _microseconds(time), frame.pointer, a), "motion")
        return Motion(a.reason != 0, REASONS[a.reason], a.changed / ONE, a.strength / ONE, a.noise / ONE,
                      (a.x0 / ONE, a.y0 / ONE, a.x1 / ONE, a.y1 / ONE) if a.x1 else None)

    def _begin(self, width: int, height: int) -> None:
        self._config.width = self._config.height = 0  # nothing is there until all is
        config = c.MotionConfigStruct.from_buffer_copy(self._config)
        config.width, config.height = width, height
        size = self._library.octet_motion_bytes(config)
        self._own = _memory(size)
        c.check(self._library.octet_motion_init(self._own, size, config, ctypes.byref(self._motion)),
                f"motion in {width}x{height} pixels, {config.longest_ms} ms, {config.polygon_count} polygons")
        self._config = config

    def reset(self) -> None:
        """Forgets background and noise, as after the camera was moved."""
        if self._motion:
            self._library.octet_motion_reset(self._motion)


def paint_mask(picture: Picture, polygons: Sequence[Polygon]) -> None:
    """Paints every pixel that a polygon touches in one grey. The array of the picture is written."""
    frame = _frame(picture)
    if any(isinstance(owner, np.ndarray) and not owner.flags.writeable for owner in frame._owners):
        raise ValueError("paint_mask: the array cannot be written; give a copy")
    c.check(c.library().octet_mask_paint(frame.pointer, _polygons(polygons), len(polygons)), "mask")
