"""Octet blobs in Python: ctypes over liboctet.so, frames as NumPy arrays without a copy.

    import octet

    for found in octet.load("yolov8n.octet").detect(picture):      # uint8 [height, width, 3], RGB
        print(found.name, found.score, found.x0, found.y0, found.x1, found.y1)

load opens a blob, and Model runs it. Frame describes pictures that are not plain RGB arrays (NV12, YUV420, YUYV). An OctetError
says what the library refuses. A ValueError or TypeError says what does not fit the model. Each has one line.
"""
from octet._library import OctetError, isas, version
from octet.frames import Frame
from octet.model import Model, TensorInfo, load
from octet.motion import Motion, MotionGate, paint_mask
from octet.results import ClassScore, Detection, Mask
from octet.tracks import Track, Tracker, ZoneEvent, Zones

__all__ = ["ClassScore", "Detection", "Frame", "Mask", "Model", "Motion", "MotionGate", "OctetError", "TensorInfo", "Track", "Tracker",
           "ZoneEvent", "Zones", "isas", "load", "paint_mask", "version"]
