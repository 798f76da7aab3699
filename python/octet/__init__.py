"""Octet blobs in Python: ctypes over liboctet.so, frames as NumPy arrays without a copy.

    import octet

    with octet.Model("yolov8n.octet", threads=4) as model:
        for found in model.detect(frame):      # uint8 [height, width, 3], RGB
            print(found.name, found.score, found.x0, found.y0, found.x1, found.y1)

Model opens a blob and runs it; Frame describes pictures that are no plain RGB arrays (NV12, YUV420, YUYV). Whatever the
library refuses is an OctetError, what does not fit the model a ValueError or TypeError, each with one line.
"""
from octet._library import OctetError, isas, version
from octet.frames import Frame
from octet.model import Model, TensorInfo
from octet.results import ClassScore, Detection, Mask

__all__ = ["ClassScore", "Detection", "Frame", "Mask", "Model", "OctetError", "TensorInfo", "isas", "version"]
