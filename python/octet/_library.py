"""liboctet.so: where it is found, and its functions as octet/octet.h and octet/linux.h declare them."""
import ctypes
import itertools
import os
import pathlib
from ctypes import POINTER, Structure, c_char_p, c_float, c_int, c_int32, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from typing import List, Optional

SONAME = "liboctet.so.1"
VARIABLE = "OCTET_LIBRARY"
TASKS = ("none", "classify", "detect", "segment", "text")
OK, CORRUPT = 0, 5


class OctetError(RuntimeError):
    """The library is missing, or it refuses a file or an option. One line."""


class Status(Structure):
    _fields_ = [("code", c_int), ("offset", c_uint32)]


class SizedStruct(Structure):
    """Begins with its size, as octet.h has it."""

    def __init__(self, **fields):
        super().__init__(**{"size": ctypes.sizeof(self), **fields})


class TensorInfoStruct(SizedStruct):
    _fields_ = [("size", c_uint32), ("name", c_char_p), ("rank", c_uint32), ("dims", c_uint32 * 8), ("element_count", c_size_t),
                ("is_image", c_uint32), ("height", c_uint32), ("width", c_uint32), ("channels", c_uint32)]


class StateInfoStruct(SizedStruct):
    _fields_ = [("size", c_uint32), ("bytes", c_size_t), ("frame_bytes", c_size_t), ("arena_bytes", c_size_t)]


class FrameStruct(SizedStruct):
    _fields_ = [("size", c_uint32), ("format", c_int), ("width", c_uint32), ("height", c_uint32), ("planes", c_void_p * 3),
                ("strides", c_size_t * 3)]


class ClassScoreStruct(Structure):
    _fields_ = [("label", c_uint32), ("score", c_float)]


class DetectionStruct(Structure):
    _fields_ = [("x0", c_float), ("y0", c_float), ("x1", c_float), ("y1", c_float), ("score", c_float),
                ("label", c_uint32)]


class OptionsStruct(SizedStruct):
    _fields_ = [("size", c_uint32), ("isa", c_char_p), ("plan", c_char_p), ("threads", c_uint32),
                ("flags", c_uint32), ("ticks", c_void_p)]


class BoxStruct(Structure):
    _fields_ = [("x0", c_int32), ("y0", c_int32), ("x1", c_int32), ("y1", c_int32), ("score", c_uint32), ("label", c_uint32)]


class TrackStruct(Structure):
    _fields_ = [("id", c_uint64), ("begun_us", c_uint64), ("seen_us", c_uint64), ("x0", c_int32), ("y0", c_int32), ("x1", c_int32),
                ("y1", c_int32), ("score", c_uint32), ("label", c_uint32), ("state", c_uint32), ("box", c_uint32)]


class TracksConfigStruct(SizedStruct):
    _fields_ = [(name, c_uint32) for name in ("size", "high", "low", "new", "match", "second", "unconfirmed", "buffer_ms", "classes",
                                        "method", "iou", "inertia")]


class PointStruct(Structure):
    _fields_ = [("x", c_int32), ("y", c_int32)]


class ZoneStruct(SizedStruct):
    _fields_ = [("size", c_uint32), ("point_count", c_uint32), ("points", POINTER(PointStruct)), ("anchor", c_uint32),
                ("frames", c_uint32), ("window", c_uint32), ("band", c_uint32), ("update_ms", c_uint32)]


class ZonesConfigStruct(SizedStruct):
    _fields_ = [("size", c_uint32), ("zone_count", c_uint32), ("zones", c_void_p), ("label_count", c_uint32), ("capacity", c_uint32)]


class ZoneEventStruct(Structure):
    _fields_ = [("kind", c_uint32), ("zone", c_uint32), ("track", c_uint64), ("label", c_uint32), ("ended", c_uint32),
                ("time_us", c_uint64), ("begun_us", c_uint64), ("dwell_us", c_uint64)]


class ZoneCountsStruct(Structure):
    _fields_ = [("in_", c_uint64), ("out", c_uint64), ("inside", c_uint64)]


class PolygonStruct(Structure):
    _fields_ = [("points", POINTER(PointStruct)), ("point_count", c_uint32)]


class MotionConfigStruct(SizedStruct):
    _fields_ = [("size", c_uint32), ("width", c_uint32), ("height", c_uint32), ("longest_ms", c_uint32), ("polygon_count", c_uint32),
                ("zero", c_uint32), ("polygons", POINTER(PolygonStruct))]


class MotionAnswerStruct(SizedStruct):
    _fields_ = [(name, c_uint32) for name in ("size", "reason", "changed", "strength", "noise")] + \
               [(name, c_int32) for name in ("x0", "y0", "x1", "y1")]


EventFunction = ctypes.CFUNCTYPE(None, c_void_p, POINTER(ZoneEventStruct))
NO_BOX, ALL_LABELS = 0xFFFFFFFF, 0xFFFFFFFF

NO_VERIFY, MAP = 1, 2  # OptionsStruct.flags

_SESSION, _MODEL = c_void_p, c_void_p
_COUNT = POINTER(c_uint32)
# name: (what it returns, what it takes)
_FUNCTIONS = {
    "octet_code_name": (c_char_p, c_int),
    "octet_isa_name": (c_char_p, c_int),
    "octet_plan_count": (c_uint32, _SESSION),
    "octet_plan_name": (c_char_p, _SESSION, c_uint32),
    "octet_plan": (c_uint32, _SESSION),
    "octet_input_count": (c_uint32, _SESSION),
    "octet_output_count": (c_uint32, _SESSION),
    "octet_input_info": (Status, _SESSION, c_uint32, POINTER(TensorInfoStruct)),
    "octet_output_info": (Status, _SESSION, c_uint32, POINTER(TensorInfoStruct)),
    "octet_set_input_frame": (Status, _SESSION, c_uint32, POINTER(FrameStruct)),
    "octet_set_input_f32": (Status, _SESSION, c_uint32, c_void_p, c_size_t),
    "octet_run": (Status, _SESSION),
    "octet_state_count": (c_uint32, _SESSION),
    "octet_state_tensor": (Status, _SESSION, c_uint32, POINTER(TensorInfoStruct)),
    "octet_state_describe": (Status, _SESSION, POINTER(StateInfoStruct)),
    "octet_state_get": (Status, _SESSION, c_void_p, c_size_t),
    "octet_state_set": (Status, _SESSION, c_char_p, c_size_t),
    "octet_reset": (Status, _SESSION),
    "octet_get_output": (Status, _SESSION, c_uint32, c_void_p, c_size_t),
    "octet_macs": (c_uint64, _SESSION),
    "octet_label_count": (c_uint32, _SESSION),
    "octet_label": (c_char_p, _SESSION, c_uint32),
    "octet_model_task": (c_int, _SESSION),
    "octet_decode_bytes": (c_size_t, _SESSION),
    "octet_classify": (Status, _SESSION, c_void_p, POINTER(ClassScoreStruct), c_uint32, _COUNT),
    "octet_detect": (Status, _SESSION, c_uint32, c_uint32, c_void_p, POINTER(DetectionStruct), c_uint32, _COUNT),
    "octet_detect_above": (Status, _SESSION, c_float, c_uint32, c_uint32, c_void_p, POINTER(DetectionStruct), c_uint32,
                           _COUNT),
    "octet_keypoint_count": (c_uint32, _SESSION),
    "octet_keypoints": (Status, _SESSION, c_uint32, c_uint32, c_void_p, c_uint32, c_void_p, c_uint32),
    "octet_has_masks": (c_int, _SESSION),
    "octet_mask": (Status, _SESSION, c_uint32, c_uint32, c_void_p, c_uint32, c_uint32, c_uint32, c_uint32, c_uint32,
                   c_void_p, c_size_t),
    "octet_segment_size": (Status, _SESSION, _COUNT, _COUNT),
    "octet_segment": (Status, _SESSION, c_void_p, POINTER(c_uint8), c_size_t),
    "octet_text_size": (Status, _SESSION, _COUNT),
    "octet_text": (Status, _SESSION, c_void_p, POINTER(ClassScoreStruct), c_uint32, _COUNT),
    "octet_tracks_bytes": (c_size_t, c_uint32),
    "octet_tracks_init": (Status, c_void_p, c_size_t, c_uint32, POINTER(TracksConfigStruct), POINTER(c_void_p)),
    "octet_tracks_frame": (Status, c_void_p, c_uint64, POINTER(BoxStruct), c_uint32, POINTER(TrackStruct), c_uint32, _COUNT),
    "octet_tracks_reset": (None, c_void_p),
    "octet_zones_bytes": (c_size_t, POINTER(ZonesConfigStruct)),
    "octet_zones_init": (Status, c_void_p, c_size_t, POINTER(ZonesConfigStruct), POINTER(c_void_p)),
    "octet_zones_frame": (Status, c_void_p, c_uint64, c_uint32, c_uint32, POINTER(TrackStruct), c_uint32, EventFunction, c_void_p),
    "octet_zones_counts": (Status, c_void_p, c_uint32, c_uint32, POINTER(ZoneCountsStruct)),
    "octet_mask_paint": (Status, POINTER(FrameStruct), POINTER(PolygonStruct), c_uint32),
    "octet_motion_bytes": (c_size_t, POINTER(MotionConfigStruct)),
    "octet_motion_init": (Status, c_void_p, c_size_t, POINTER(MotionConfigStruct), POINTER(c_void_p)),
    "octet_motion_frame": (Status, c_void_p, c_uint64, POINTER(FrameStruct), POINTER(MotionAnswerStruct)),
    "octet_motion_reset": (None, c_void_p),
    "octet_linux_open": (_MODEL, c_char_p, POINTER(OptionsStruct), c_char_p, c_size_t),
    "octet_linux_close": (None, _MODEL),
    "octet_linux_session": (_SESSION, _MODEL),
    "octet_linux_set_plan": (Status, _MODEL, c_uint32),
    "octet_linux_isa": (c_int, _MODEL),
    "octet_linux_threads": (c_uint32, _MODEL),
    "octet_linux_arena_bytes": (c_size_t, _MODEL),
    "octet_linux_blob_bytes": (c_size_t, _MODEL),
    "octet_linux_decode_input": (c_uint32, _MODEL),
    "octet_linux_max_detections": (c_uint32, _MODEL),
    "octet_linux_can_run": (c_int, c_int),
    "octet_linux_best_isa": (c_int,),
    "octet_linux_version": (c_char_p,),
}

_library: Optional[ctypes.CDLL] = None


def _open() -> ctypes.CDLL:
    named = os.environ.get(VARIABLE)
    if named:
        try:
            return ctypes.CDLL(named)
        except OSError as error:
            raise OctetError(f"{VARIABLE}={named}: {error}; name the file {SONAME} there") from None
    here = pathlib.Path(__file__).resolve().parent
    beside = here / SONAME
    try:
        return ctypes.CDLL(str(beside) if beside.exists() else SONAME)
    except OSError as error:
        raise OctetError(f"no {SONAME} ({error}); name its path in {VARIABLE}, copy it to {here}, or install it where the "
                         "system's loader looks (ldconfig)") from None


def library() -> ctypes.CDLL:
    """The library, loaded at the first call. ctypes lets other threads of Python run while its functions do."""
    global _library
    if _library is None:
        opened = _open()
        for name, (result, *arguments) in _FUNCTIONS.items():
            try:
                function = getattr(opened, name)
            except AttributeError:
                raise OctetError(f"{opened._name}: has no {name}, so it is not the {SONAME} of this version; name that in {VARIABLE}, "
                                 "or install it") from None
            function.restype, function.argtypes = result, arguments
        _library = opened
    return _library


def check(status: Status, what: str) -> None:
    """OctetError with the library's word for the status, unless it is fine."""
    if status.code != OK:
        raise OctetError(f"{what}: {text(library().octet_code_name(status.code))}")


def text(raw: Optional[bytes]) -> str:
    return (raw or b"").decode("utf-8", "replace")


def isas() -> List[str]:
    """Instruction sets that this build and machine can run, the best last."""
    known = library()
    # An armv7 machine has cm4 and neon, and the second, which is the better one, has the lesser number.
    codes = itertools.takewhile(lambda isa: text(known.octet_isa_name(isa)) != "unknown", itertools.count())
    best = known.octet_linux_best_isa()
    return [text(known.octet_isa_name(isa)) for isa in sorted(filter(known.octet_linux_can_run, codes), key=lambda isa: (isa == best, isa))]


def version() -> str:
    """Of the library, like "0.1.0"."""
    return text(library().octet_linux_version())
