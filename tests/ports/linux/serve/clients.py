"""Clients of octet-serve, one for each protocol, and the program itself."""
import ctypes
import errno
import http.client
import io
import json
import os
import pathlib
import select
import struct
import subprocess
import time

import numpy as np
import zmq
from PIL import Image

SOURCE = pathlib.Path(__file__).resolve().parents[4]
DETECTOR = SOURCE / "demo/scene/detector.octet"
GARMENTS = SOURCE / "demo/scene/test.npy"


def scene(seed: int, width: int = 320, height: int = 320, count: int = 4) -> np.ndarray:
    """A picture with garments, in which the detector of the demo finds some."""
    random = np.random.Generator(np.random.PCG64(seed))
    garments = np.load(GARMENTS, mmap_mode="r")
    picture = random.integers(60, 90, (height, width, 3)).astype(np.uint8)
    side = int(min(width, height) * 0.3)
    for _ in range(count):
        x, y = int(random.integers(0, width - side)), int(random.integers(0, height - side))
        one = Image.fromarray(garments[random.integers(len(garments)), :, :, 0]).resize((side, side))
        view = picture[y:y + side, x:x + side]
        np.maximum(view, np.asarray(one)[:, :, None], out=view)
    return picture


def encoded(picture: np.ndarray, kind: str) -> bytes:
    file = io.BytesIO()
    Image.fromarray(picture).save(file, kind)
    return file.getvalue()


def restrict_families(families: list) -> None:
    """From now on this process opens sockets of these families alone, as RestrictAddressFamilies of systemd has it."""
    call = {"x86_64": 41, "aarch64": 198}[os.uname().machine]
    load, equal, answer, allowed, refused = 0x20, 0x15, 0x06, 0x7FFF0000, 0x00050000 | errno.EAFNOSUPPORT
    steps = [(load, 0, 0, 0), (equal, 0, len(families) + 2, call), (load, 0, 0, 16)]  # the number of the call, its first argument
    steps += [(equal, len(families) - i, 0, int(family)) for i, family in enumerate(families)]
    steps += [(answer, 0, 0, refused), (answer, 0, 0, allowed)]
    filters = b"".join(struct.pack("HBBI", *step) for step in steps)
    buffer = ctypes.create_string_buffer(filters)
    program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(buffer))
    library = ctypes.CDLL(None, use_errno=True)
    for words in ((38, 1, 0, 0, 0), (22, 2, program, 0, 0)):  # PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP
        if library.prctl(*(ctypes.c_char_p(word) if isinstance(word, bytes) else ctypes.c_ulong(word) for word in words)) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


class Server:
    """octet-serve at ports that were free; the lines that it prints first name them. families: of its sockets; none: all."""

    def __init__(self, build: pathlib.Path, *options, model=DETECTOR, places: int = 1, families: list = ()):
        words = [str(build / "bin/octet-serve"), *([str(model)] if model else []), *map(str, options)]
        before = (lambda: restrict_families(families)) if families else None
        self.process = subprocess.Popen(words, stderr=subprocess.PIPE, preexec_fn=before)
        self.lines, self.places, text = [], [], b""
        while len(self.places) < places:
            ready, _, _ = select.select([self.process.stderr], [], [], 20)
            read = os.read(self.process.stderr.fileno(), 4096) if ready else b""
            text += read
            if not read:
                self.process.kill()
                raise AssertionError(f"octet-serve did not start: {text}")
            self.lines = [line.split(": ", 1)[1] for line in text[:text.rfind(b"\n") + 1].decode().splitlines()]
            self.places = [line for line in self.lines if line.startswith(("http://", "tcp://", "ipc://"))]

    @property
    def port(self) -> int:
        return int(self.places[0].rsplit(":", 1)[1])

    def rss_kb(self) -> int:
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0])

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.process.terminate()
        try:
            status = self.process.wait(timeout=10)
        finally:
            self.process.kill()
        self.process.stderr.close()
        assert kind is not None or status == 0, f"octet-serve ended with {status}"


class Web:
    """One kept connection."""

    def __init__(self, port: int, token: str = "", timeout: float = 20):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def ask(self, method: str, path: str, body: bytes = b"", **headers):
        """(status, headers, body)"""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.connection.request(method, path, body or None, {**self.headers, **named})
        reply = self.connection.getresponse()
        return reply.status, reply.headers, reply.read()

    def json(self, method: str, path: str, body: bytes = b"", **headers):
        status, _, text = self.ask(method, path, body, **headers)
        return status, json.loads(text)

    def close(self):
        self.connection.close()


def form(image=None, **fields) -> bytes:
    parts = [f'--XX\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode() for name, value in fields.items()]
    if image is not None:
        parts.append(b'--XX\r\nContent-Disposition: form-data; name="image"; filename="image"\r\n\r\n' + image + b"\r\n")
    return b"".join(parts) + b"--XX--\r\n"


def detect(web: Web, image=None, path: str = "/v1/vision/detection", **fields):
    return web.json("POST", path, form(image, **fields), Content_Type="multipart/form-data; boundary=XX")


def pixels(boxes: list) -> list:
    return [(p["label"], p["confidence"], p["x_min"], p["y_min"], p["x_max"], p["y_max"]) for p in boxes]


def infer(web: Web, name: str, inputs: dict, binary: bool, model: str = "detector", **more):
    """(status, outputs by name, or the error)"""
    tensors, tail = [], b""
    for key, array in inputs.items():
        one = {"name": key, "shape": list(array.shape), "datatype": {"float32": "FP32", "uint8": "UINT8"}[array.dtype.name]}
        if binary:
            one["parameters"] = {"binary_data_size": array.nbytes}
            tail += array.tobytes()
        else:
            one["data"] = array.ravel().tolist()
        tensors.append(one)
    request = {"id": name, "inputs": tensors, **more}
    if binary:
        request["parameters"] = {**more.get("parameters", {}), "binary_data_output": True}
    head = json.dumps(request).encode()
    extra = {"Inference_Header_Content_Length": str(len(head))} if binary else {}
    status, headers, body = web.ask("POST", f"/v2/models/{model}/infer", head + tail, **extra)
    length = int(headers.get("Inference-Header-Content-Length", len(body)))
    told = json.loads(body[:length])
    if status != 200:
        return status, told["error"]
    assert told["id"] == name and told["model_name"] == model, told
    outputs, rest = {}, body[length:]
    for one in told["outputs"]:
        if "data" in one:
            values = np.array(one["data"], np.float32)
        else:
            size = one["parameters"]["binary_data_size"]
            values, rest = np.frombuffer(rest[:size], np.float32), rest[size:]
        outputs[one["name"]] = values.reshape(one["shape"])
    assert not rest
    return status, outputs


class Frigate:
    """What Frigate's zmq detector does: a REQ that is made anew behind a timeout."""

    def __init__(self, endpoint: str, timeout_ms: int = 20000):
        self.context, self.endpoint, self.timeout_ms, self.socket = zmq.Context.instance(), endpoint, timeout_ms, None
        self.connect()

    def connect(self):
        if self.socket is not None:
            self.socket.close(linger=0)
        self.socket = self.context.socket(zmq.REQ)
        for option in (zmq.RCVTIMEO, zmq.SNDTIMEO):
            self.socket.setsockopt(option, self.timeout_ms)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.connect(self.endpoint)

    def ask(self, *frames) -> list:
        self.socket.send_multipart(list(frames))
        return self.socket.recv_multipart()

    def handshake(self):
        return json.loads(self.ask(json.dumps({"model_request": True, "model_name": "any.onnx"}).encode())[0])

    def detect(self, array: np.ndarray) -> np.ndarray:
        header = {"shape": list(array.shape), "dtype": array.dtype.name, "model_type": "ssd"}
        frames = self.ask(json.dumps(header).encode(), array.tobytes())
        assert len(frames) == 1 and len(frames[0]) == 480, frames
        return np.frombuffer(frames[0], np.float32).reshape(20, 6)

    def close(self):
        self.socket.close(linger=0)


def wait_for(condition, seconds: float = 20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)
