"""A blob, opened and run."""
import ctypes
import math
import os
import threading
import weakref
from typing import Any, List, NamedTuple, Optional, Tuple, Union

import numpy as np

from octet import _library as c
from octet.frames import SIZE_MAX, Frame, describe
from octet.results import ClassScore, Detection, Mask

ERROR_BYTES = 1024
# As many as the programs take of a frame.
DETECTIONS_MAX = 1024


class TensorInfo(NamedTuple):
    """An input or an output, as the ONNX model has it."""

    name: str
    shape: Tuple[int, ...]  # of the float32 array, batch first
    is_image: bool  # inputs: True if it takes pictures of any size, which are resized to height x width
    height: int  # of the picture, in pixels; these three are 0 if is_image is False
    width: int
    channels: int


_open_models: "weakref.WeakSet[Model]" = weakref.WeakSet()


def _leave_to_the_parent() -> None:
    """In a child of os.fork(): threads, and whoever held a lock, are not here. Nothing waits for them or ends them."""
    for model in list(_open_models):
        model._lock = threading.RLock()
        model._handle, model._forked = None, True


os.register_at_fork(after_in_child=_leave_to_the_parent)


class Model:
    """An open blob with checked bytes, threads and working memory. `with`, close() or the garbage collector closes it.

    Calls from several threads of Python run one after another. Several models run at the same time. A child made by
    os.fork() (multiprocessing's "fork") does not have the threads, so every call raises there. Open the model in the child.
    A model owns memory and threads, so it cannot be copied or pickled.

    Attributes, all fixed after opening:
      inputs, outputs: tuple of TensorInfo (name, shape of the float32 array, whether it takes pictures)
      states: tuple of TensorInfo, what the model keeps from frame to frame; they are no inputs and no outputs
      plans, labels: names; task: "detect", "classify", "segment", "text" or "none"
      isa: the instruction set of the kernels; threads: their number, the calling one included
      arena_bytes: working memory of all plans and threads; blob_bytes: size of the blob
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"], *, plan: Optional[str] = None, threads: int = 1,
                 isa: Optional[str] = None, verify: bool = True, map: bool = False) -> None:
        """plan: a name; None: the blob's first. threads: 1 to 256, the calling one included. isa: one of octet.isas();
        None: the best. verify: check the file's SHA-256. map: run from the mapped file, which nothing may write to."""
        self._handle: Optional[int] = None
        self._forked = False
        self._lock = threading.RLock()
        if plan is not None and not isinstance(plan, str):
            raise TypeError(f"plan={plan!r}: not a str; give the name of a plan")
        self._library = library = c.library()
        if not 1 <= threads <= 256:
            raise ValueError(f"threads={threads}: not supported; use 1 to 256")
        options = c.OptionsStruct(isa=isa.encode() if isa else None, plan=plan.encode() if plan else None, threads=threads,
                                  flags=(0 if verify else c.NO_VERIFY) | (c.MAP if map else 0))
        error = ctypes.create_string_buffer(ERROR_BYTES)
        self._handle = library.octet_linux_open(os.fsencode(path), options, error, ERROR_BYTES)
        if not self._handle:
            raise c.OctetError(c.text(error.value))
        _open_models.add(self)
        self._session = library.octet_linux_session(self._handle)
        self._ran = False
        self._describe()

    def _describe(self) -> None:
        library, session = self._library, self._session

        def infos(count: int, function: Any) -> Tuple[TensorInfo, ...]:
            result = []
            for i in range(count):
                info = c.TensorInfoStruct()
                c.check(function(session, i, info), f"tensor {i}")
                result.append(TensorInfo(c.text(info.name), tuple(info.dims[:info.rank]), bool(info.is_image),
                                         info.height, info.width, info.channels))
            return tuple(result)

        self.inputs: Tuple[TensorInfo, ...] = infos(library.octet_input_count(session), library.octet_input_info)
        self.outputs: Tuple[TensorInfo, ...] = infos(library.octet_output_count(session), library.octet_output_info)
        self.states: Tuple[TensorInfo, ...] = infos(library.octet_state_count(session), library.octet_state_tensor)
        self.plans: Tuple[str, ...] = tuple(c.text(library.octet_plan_name(session, i))
                                            for i in range(library.octet_plan_count(session)))
        self.labels: Tuple[str, ...] = tuple(c.text(library.octet_label(session, i))
                                             for i in range(library.octet_label_count(session)))
        self.task: str = c.TASKS[library.octet_model_task(session)]
        self.isa: str = c.text(library.octet_isa_name(library.octet_linux_isa(self._handle)))
        self.threads: int = library.octet_linux_threads(self._handle)
        self.arena_bytes: int = library.octet_linux_arena_bytes(self._handle)
        self.blob_bytes: int = library.octet_linux_blob_bytes(self._handle)
        self._points = library.octet_keypoint_count(session)
        self._masks = bool(library.octet_has_masks(session))
        self._decode_input = library.octet_linux_decode_input(self._handle)
        # (width, height) of the last picture of each input: what detections speak of.
        self._sizes: List[Optional[Tuple[int, int]]] = [None] * len(self.inputs)
        bytes_wanted = library.octet_decode_bytes(session)
        memory = np.zeros(bytes_wanted + 64, np.uint8)
        self._decode_owner, self._decodes = memory, bytes_wanted != 0
        self._decode_memory = (memory.ctypes.data + 63) // 64 * 64
        self._boxes = (c.DetectionStruct * min(DETECTIONS_MAX, library.octet_linux_max_detections(self._handle)))()
        self._count = ctypes.c_uint32()

    def close(self) -> None:
        """Stops the threads and frees everything. A second call does nothing."""
        with self._lock:
            handle, self._handle = self._handle, None
            if handle:
                self._library.octet_linux_close(handle)

    def __copy__(self) -> "Model":
        raise TypeError("a model owns memory and threads, so it cannot be copied; open the blob again")

    def __deepcopy__(self, memo: Any) -> "Model":
        return self.__copy__()

    def __reduce__(self) -> Any:
        raise TypeError("a model owns memory and threads, so it cannot be pickled; send the path and open it there")

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.close()

    def __repr__(self) -> str:
        return f"<octet.Model {self.task}, {self.isa}, {self.threads} threads{'' if self._handle else ', closed'}>"

    def _open_session(self) -> int:
        if self._forked:
            raise RuntimeError("this model was opened before os.fork(), and its threads are not here; open it in the child")
        if not self._handle:
            raise ValueError("this model is closed; open it again: octet.load(path)")
        return self._session

    def _finished_session(self) -> int:
        session = self._open_session()
        if not self._ran:
            raise ValueError("nothing has been run yet with this plan; run a frame first")
        return session

    @property
    def plan(self) -> str:
        """Name of the plan that runs."""
        with self._lock:
            return self.plans[self._library.octet_plan(self._open_session())]

    @property
    def macs(self) -> int:
        """Multiply-accumulates of one run of this plan."""
        with self._lock:
            return self._library.octet_macs(self._open_session())

    def set_plan(self, plan: Union[str, int]) -> None:
        """plan: name or number. Call it between two frames."""
        index = self.plans.index(plan) if plan in self.plans else plan
        if not isinstance(index, int) or not 0 <= index < len(self.plans):
            raise ValueError(f"no plan {plan}; it has {', '.join(self.plans)}")
        with self._lock:
            self._open_session()
            status = self._library.octet_linux_set_plan(self._handle, index)
            if status.code == c.CORRUPT:
                raise c.OctetError(f"plan {self.plans[index]}: the file has changed since it was opened; open it again")
            c.check(status, f"plan {self.plans[index]}")
            self._ran = False

    def reset(self) -> None:
        """The next frame is the first of a sequence: states start anew."""
        with self._lock:
            c.check(self._library.octet_reset(self._open_session()), "reset")

    def get_state(self) -> bytes:
        """A copy of what the model keeps from frame to frame; empty if it keeps nothing."""
        with self._lock:
            session = self._open_session()
            info = c.StateInfoStruct()
            c.check(self._library.octet_state_describe(session, info), "state")
            copy = ctypes.create_string_buffer(info.bytes)
            c.check(self._library.octet_state_get(session, copy, info.bytes), "state")
            return copy.raw

    def set_state(self, state: bytes) -> None:
        """state: of get_state(), of a model opened from the same blob."""
        with self._lock:
            c.check(self._library.octet_state_set(self._open_session(), state, len(state)),
                    f"state of {len(state)} bytes")

    def run(self, *inputs: Union[np.ndarray, Frame], outputs: bool = True) -> List[np.ndarray]:
        """Runs one inference. Returns the outputs as float32 arrays in the model's own layout, one for each of `self.outputs`.
        outputs=False copies no output and returns []. output(), detections() and similar calls work in both cases.

        Each input is one of

        - uint8 [height, width, 3] (RGB) or [height, width] (grey) of any size, or a Frame, for an input of pictures. It is
          read in place, so nothing may write to it before run returns.
        - float32 in the model's own layout, already normalised, of the shape in `inputs`. The batch dimension of 1 may be
          missing. Strided arrays are copied, others are read in place.
        """
        with self._lock:
            self._run(inputs)
            return self.all_outputs() if outputs else []

    def _run(self, inputs: Tuple[Union[np.ndarray, Frame], ...]) -> None:
        with self._lock:
            session = self._open_session()
            if len(inputs) != len(self.inputs):
                raise ValueError(f"{len(inputs)} inputs given; give {len(self.inputs)}: "
                                 + ", ".join(info.name for info in self.inputs))
            self._ran = False
            for i, value in enumerate(inputs):
                self._set_input(session, i, value)
            c.check(self._library.octet_run(session), "run")
            self._ran = True

    def _set_input(self, session: int, index: int, value: Union[np.ndarray, Frame]) -> None:
        info = self.inputs[index]
        if isinstance(value, np.ndarray) and value.dtype == np.float32:
            if value.shape != info.shape and (1,) + value.shape != info.shape:
                raise ValueError(f"input {info.name}: {describe(value)}; expected float32 {list(info.shape)}")
            dense = np.ascontiguousarray(value)
            self._sizes[index] = (info.width, info.height) if info.is_image else None
            c.check(self._library.octet_set_input_f32(session, index, dense.ctypes.data, dense.size), f"input {info.name}")
            return
        if not isinstance(value, Frame):
            if not isinstance(value, np.ndarray) or value.dtype != np.uint8 or not info.is_image:
                picture = "uint8 [height, width, 3] or [height, width], an octet.Frame or " if info.is_image else ""
                raise TypeError(f"input {info.name}: {describe(value)}; expected {picture}float32 {list(info.shape)}")
            value = Frame.of(value)
        elif not info.is_image:
            raise TypeError(f"input {info.name} does not take pictures; give float32 {list(info.shape)}")
        c.check(self._library.octet_set_input_frame(session, index, value.pointer), f"input {info.name}")
        self._sizes[index] = (value.width, value.height)

    def output(self, index: int = 0, out: Optional[np.ndarray] = None) -> np.ndarray:
        """An output of the last run, float32 in the model's own layout. out: a dense float32 array of that shape to write to."""
        with self._lock:
            session = self._finished_session()
            if not 0 <= index < len(self.outputs):
                raise IndexError(f"no output {index}; give 0 to {len(self.outputs) - 1}")
            info = self.outputs[index]
            if out is None:
                out = np.empty(info.shape, np.float32)
            elif (out.dtype != np.float32 or out.shape != info.shape or not out.flags.c_contiguous
                  or not out.flags.writeable):
                raise ValueError(f"out: {describe(out)}; expected writable float32 {list(info.shape)} in one piece")
            c.check(self._library.octet_get_output(session, index, out.ctypes.data, out.size), f"output {info.name}")
            return out

    def all_outputs(self) -> List[np.ndarray]:
        """Every output of the last run."""
        with self._lock:
            return [self.output(i) for i in range(len(self.outputs))]

    def _decoder(self, task: str) -> int:
        session = self._finished_session()
        if self.task != task or not self._decodes:
            said = f"is for the task {self.task}" if self.task != "none" else "does not say what its outputs mean"
            raise ValueError(f"this blob {said}{'' if self._decodes else ', without a decoder'}; convert the model with "
                             f"--task {task}{' and --decode' if task == 'detect' else ''}, or take its output()")
        return session

    def name(self, label: int) -> str:
        """The name of a class; "" if the blob has no names."""
        return self.labels[label] if label < len(self.labels) else ""

    def classes(self, top: int = 5) -> List[ClassScore]:
        """The best classes of the last run, best first."""
        with self._lock:
            session = self._decoder("classify")
            if top < 1:
                raise ValueError(f"top={top}: use 1 or more")
            best = (c.ClassScoreStruct * min(top, 65536))()
            c.check(self._library.octet_classify(session, self._decode_memory, best, len(best), self._count), "classify")
            return [ClassScore(one.label, self.name(one.label), one.score) for one in best[:self._count.value]]

    def detections(self, frame_size: Optional[Tuple[int, int]] = None, masks: bool = True,
                   min_score: Optional[float] = None) -> List[Detection]:
        """Boxes of the last run after suppression, best first, with key points if the model has them.

        frame_size: (width, height) of the picture for the boxes. It is needed for a float32 input, as one cut from a picture.
        masks: False returns no masks, which take the most time.
        min_score: the least score of a box, in place of the blob's own threshold.
        """
        with self._lock:
            session = self._decoder("detect")
            size = frame_size or self._sizes[self._decode_input]
            if size is None:
                raise ValueError("the input was not a picture; give frame_size=(width, height)")
            width, height = size
            if not (1 <= width <= SIZE_MAX and 1 <= height <= SIZE_MAX):
                raise ValueError(f"a frame of {width}x{height}; sides are 1 to {SIZE_MAX} pixels")
            room = (width, height, self._decode_memory, self._boxes, len(self._boxes), self._count)
            if min_score is None:
                c.check(self._library.octet_detect(session, *room), "detect")
            elif math.isnan(min_score):
                raise ValueError("min_score is not a number; use 0 to 1, or None for the blob's threshold")
            else:
                c.check(self._library.octet_detect_above(session, min_score, *room), "detect")
            found = []
            for i in range(self._count.value):
                box = self._boxes[i]
                points = self._keypoints(session, width, height, i) if self._points else None
                mask = self._mask(session, width, height, i) if masks and self._masks else None
                found.append(Detection(box.x0, box.y0, box.x1, box.y1, box.score, box.label, self.name(box.label), points,
                                       mask))
            return found

    def _keypoints(self, session: int, width: int, height: int, index: int) -> np.ndarray:
        points = np.empty((self._points, 3), np.float32)
        c.check(self._library.octet_keypoints(session, width, height, self._decode_memory, index, points.ctypes.data,
                                              self._points), "key points")
        return points

    def _mask(self, session: int, width: int, height: int, index: int) -> Mask:
        box = self._boxes[index]
        left, top = int(box.x0), int(box.y0)
        columns = max(0, min(width, math.ceil(box.x1)) - left)
        rows = max(0, min(height, math.ceil(box.y1)) - top)
        pixels = np.zeros((rows, columns), np.uint8)
        if pixels.size:
            c.check(self._library.octet_mask(session, width, height, self._decode_memory, index, left, top, columns, rows,
                                             pixels.ctypes.data, pixels.size), "mask")
        return Mask(left, top, pixels.view(np.bool_))

    def segments(self) -> np.ndarray:
        """uint8 [rows, columns] of the output's grid, which covers the whole picture: the label of each cell."""
        with self._lock:
            session = self._decoder("segment")
            rows, columns = ctypes.c_uint32(), ctypes.c_uint32()
            c.check(self._library.octet_segment_size(session, rows, columns), "segment")
            labels = np.empty((rows.value, columns.value), np.uint8)
            pointer = labels.ctypes.data_as(ctypes.POINTER(ctypes.c_uint8))
            c.check(self._library.octet_segment(session, self._decode_memory, pointer, labels.size), "segment")
            return labels

    def characters(self) -> List[ClassScore]:
        """The characters of the last run's text, first to last. Their names joined are the text."""
        with self._lock:
            session = self._decoder("text")
            most = ctypes.c_uint32()
            c.check(self._library.octet_text_size(session, most), "text")
            found = (c.ClassScoreStruct * most.value)()
            c.check(self._library.octet_text(session, self._decode_memory, found, len(found), self._count), "text")
            return [ClassScore(one.label, self.name(one.label), one.score) for one in found[:self._count.value]]

    def text(self) -> str:
        """The text of the last run."""
        return "".join(character.name for character in self.characters())

    def classify(self, *inputs: Union[np.ndarray, Frame], top: int = 5) -> List[ClassScore]:
        """run() and classes() in one."""
        with self._lock:
            self._run(inputs)
            return self.classes(top)

    def detect(self, *inputs: Union[np.ndarray, Frame], masks: bool = True,
               min_score: Optional[float] = None) -> List[Detection]:
        """run() and detections() in one."""
        with self._lock:
            self._run(inputs)
            return self.detections(masks=masks, min_score=min_score)

    def segment(self, *inputs: Union[np.ndarray, Frame]) -> np.ndarray:
        """run() and segments() in one."""
        with self._lock:
            self._run(inputs)
            return self.segments()

    def read(self, *inputs: Union[np.ndarray, Frame]) -> str:
        """run() and text() in one."""
        with self._lock:
            self._run(inputs)
            return self.text()


def load(path: Union[str, "os.PathLike[str]"], **options: Any) -> Model:
    """An open blob, as Model(path, **options): octet.load("yolov8n.octet").detect(picture)."""
    return Model(path, **options)
