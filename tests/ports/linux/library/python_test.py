#!/usr/bin/env python3
"""The package python/octet on liboctet.so: installed as a user does, answers of octet-run and octet-camera, frames that are
not copied, errors of one line, and what a call costs."""
import argparse
import copy
import ctypes
import json
import os
import pathlib
import pickle
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from typing import Callable

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(SOURCE / "tests/models"))
from model_tests import Report, run  # noqa: E402

import small_models  # noqa: E402
from answers import as_json, as_printed  # noqa: E402
from python_install import check_finding, install  # noqa: E402

sys.path.insert(0, str(SOURCE / "examples/board"))
from make_data import draw  # noqa: E402

OVERHEAD_US, BOUND_US = 30, 300  # promised on a quiet machine; more is a fault on a busy one, too
SIZE = (90, 121)  # height and width of the pictures: neither the model's nor even


class Tests:
    def __init__(self, octet, build: pathlib.Path, work: pathlib.Path):
        self.octet, self.build, self.work = octet, build, work
        self.pictures = small_models.pictures(7, 6, *SIZE)
        (work / "pictures").mkdir()
        for i, picture in enumerate(self.pictures):
            header = f"P6\n{SIZE[1]} {SIZE[0]}\n255\n".encode()
            (work / f"pictures/{i}.ppm").write_bytes(header + picture.tobytes())
        self.blobs = {task: small_models.make(build, work, task) for task in small_models.MAKERS}

    def program(self, task: str, *options) -> list:
        """octet-run's answers for the pictures."""
        text = run([self.build / "bin/octet-run", self.blobs[task], "--input", self.work / "pictures", "--json", *options])
        return json.loads(text)["results"]

    def stream(self, task: str, name: str, size: tuple, frames) -> list:
        """octet-camera's detections in raw frames that come through a pipe."""
        done = subprocess.run([self.build / "bin/octet-camera", self.blobs[task], "--source", "-", "--format", name, "--size",
                               f"{size[0]}x{size[1]}", "--every-frame", "--json"], capture_output=True,
                              input=b"".join(frame.tobytes() for frame in frames))
        assert done.returncode == 0, done.stderr
        lines = [json.loads(line) for line in done.stdout.splitlines()[:-1]]
        assert len(lines) == len(frames), done.stdout
        return [as_printed(line["detections"]) for line in lines]

    def info(self) -> None:
        with self.octet.Model(self.blobs["detect"], threads=2) as model:
            assert model.inputs == (self.octet.TensorInfo("image", (1, 3, 64, 64), True, 64, 64, 3),), model.inputs
            assert [(info.name, info.shape) for info in model.outputs] == [("boxes", (1, 17, 16)), ("protos", (1, 4, 16, 16))]
            assert model.plans == ("int8", "fp16") and model.plan == "int8" and model.task == "detect"
            assert model.labels == small_models.LABELS and model.threads == 2 and model.isa == self.octet.isas()[-1]
            assert model.blob_bytes == self.blobs["detect"].stat().st_size and model.macs > 0
        told = json.loads(run([self.build / "bin/octet-run", self.blobs["detect"], "--input", self.work / "pictures",
                               "--json"]))
        with self.octet.Model(self.blobs["detect"]) as model:
            # Of every plan here, of the one that runs there.
            assert model.arena_bytes >= told["arena_bytes"] > 0, (model.arena_bytes, told["arena_bytes"])

    def same_boxes(self) -> None:
        """Every level, both plans, threads: boxes, key points and masks of octet-run."""
        boxes = 0
        for isa in self.octet.isas():
            for plan in ("int8", "fp16"):
                with self.octet.Model(self.blobs["detect"], plan=plan, isa=isa, threads=3) as model:
                    assert model.plan == plan and model.isa == isa
                    told = self.program("detect", "--plan", plan, "--isa", isa)
                    for picture, line in zip(self.pictures, told):
                        found = as_json(model.detect(picture))
                        assert found == as_printed(line["detections"]), (isa, plan, found, line)
                        boxes += len(found)
        assert boxes > 20 and any(d["mask"]["runs"] for d in found), boxes

    def callers_threshold(self) -> None:
        """min_score takes the place of the blob's threshold: a higher one keeps the first boxes, a lower one adds behind."""
        with self.octet.Model(self.blobs["detect"]) as model:
            boxes = model.detect(self.pictures[0], masks=False)
            own = as_json(boxes)
            assert len(own) > 2, own
            higher = as_json(model.detections(masks=False, min_score=boxes[1].score))
            assert higher == own[:len(higher)] and 2 <= len(higher) < len(own), (own, higher)
            lower = as_json(model.detect(self.pictures[0], masks=False, min_score=0))
            assert lower[:len(own)] == own and len(lower) >= len(own), (own, lower)
            assert not model.detections(min_score=2)
            try:
                model.detections(min_score=float("nan"))
            except ValueError:
                return
            raise AssertionError("no ValueError for NaN")

    def forks_and_copies(self) -> None:
        """A child of os.fork() is told, whatever the parent's threads do; copies and plans that are none raise."""
        def refused(call: Callable[[], object]) -> None:
            try:
                call()
            except TypeError:
                return
            raise AssertionError("no TypeError")

        with self.octet.Model(self.blobs["detect"], threads=2) as model:
            for call in (copy.copy, copy.deepcopy, pickle.dumps):
                refused(lambda call=call: call(model))
            done = threading.Event()

            def work() -> None:
                while not done.is_set():
                    model.detect(self.pictures[0])

            worker = threading.Thread(target=work)
            worker.start()
            for _ in range(5):
                child = os.fork()
                if child == 0:
                    code = 1
                    try:
                        model.detect(self.pictures[0])
                    except RuntimeError as error:
                        code = 0 if "fork" in str(error) else 2
                    model.close()
                    os._exit(code)
                for _ in range(200):
                    ended, status = os.waitpid(child, os.WNOHANG)
                    if ended:
                        break
                    time.sleep(0.05)
                else:
                    os.kill(child, 9)
                    os.waitpid(child, 0)
                    raise AssertionError("the child hangs")
                assert os.waitstatus_to_exitcode(status) == 0, status
            done.set()
            worker.join()
            model.detect(self.pictures[0])
        refused(lambda: self.octet.Model(self.blobs["detect"], plan=1))

    def empty_masks(self) -> None:
        """Boxes whose right side lies left of the left one have no pixels; the programs took billions."""
        height, width = 91, 121
        frames = [small_models.pictures(seed, 1, height, width)[0] for seed in range(70)]
        told = self.stream("detect", "rgb24", (width, height), frames)
        with self.octet.Model(self.blobs["detect"]) as model:
            found = [model.detect(frame) for frame in frames]
        assert [as_json(one) for one in found] == told
        assert any(d.y1 < d.y0 - 2 and d.mask.pixels.size == 0 for one in found for d in one), "no such box among them"

    def camera(self) -> None:
        """Streams of every format through octet-camera, and the same bytes as buffers."""
        height, width = 90, 122  # packed raw frames of even width: Y, UV and rows of arrays agree
        random = np.random.Generator(np.random.PCG64(9))
        luma = small_models.pictures(8, 5, height, width)[:, :, :, 0]
        frame = self.octet.Frame
        makers = {"nv12": frame.nv12, "yuv420p": frame.yuv420p, "yuyv": frame.yuyv}
        with self.octet.Model(self.blobs["detect"]) as model:
            for name, make in makers.items():
                rows = height * 3 // 2 if name != "yuyv" else height
                stream = random.integers(0, 256, (5, rows, width * (2 if name == "yuyv" else 1)), np.uint8)
                if name == "yuyv":
                    stream[:, :, ::2] = luma
                else:
                    stream[:, :height] = luma
                for array, told in zip(stream, self.stream("detect", name, (width, height), stream)):
                    found = as_json(model.detect(make(array)))
                    assert found and found == told, (name, found, told)
                    if name != "yuyv":  # one piece of bytes of a given size
                        assert as_json(model.detect(make(array.tobytes(), width, height))) == found
                padded = np.zeros((rows, 128 * (2 if name == "yuyv" else 1)), np.uint8)
                if name == "yuv420p":
                    padded[:height, :width] = array[:height]
                    halves = padded[height:].reshape(2 * (rows - height), 64)
                    halves[:, :width // 2] = array[height:].reshape(-1, width // 2)
                else:
                    padded[:, :array.shape[1]] = array
                size = {"width": width} if name == "yuyv" else {"width": width, "height": height}
                assert as_json(model.detect(make(padded, **size))) == found, name
                if name != "yuyv":  # odd sizes in tight buffers
                    odd = random.integers(0, 256, 121 * 91 + 2 * 61 * 46, np.uint8)
                    odd[:121 * 91] = small_models.pictures(8, 1, 91, 121)[0, :, :, 0].ravel()
                    assert as_json(model.detect(make(odd, 121, 91))) == self.stream("detect", name, (121, 91), [odd])[0]
                if name == "nv12":
                    chroma = array[height:].reshape(height // 2, width // 2, 2)
                    assert as_json(model.detect(frame.planes(array[:height], chroma))) == found

    def scene(self) -> None:
        """The demo's detector over 1,000 frames of the built-in scene: boxes as octet-camera finds them."""
        count, width, height = 1000, 320, 240
        garments = np.stack([draw(i % 3, 7 + i % 4, 1 + i % 5, 90 + i % 7 * 20) for i in range(60)])[..., None]
        np.save(self.work / "garments.npy", garments)
        np.save(self.work / "classes.npy", np.array([(1, 3, 8)[i % 3] for i in range(60)], np.uint8))
        scene = [self.build / "bin/octet-scene", "--pictures", self.work / "garments.npy", "--labels", self.work / "classes.npy",
                 "--size", f"{width}x{height}"]
        run([*scene, "--frames", "32", "--seed", "100", "--output", self.work / "calib.npy"])
        run([*scene, "--frames", str(count), "--seed", "3", "--video", "--output", self.work / "scene.npy"])
        self.blobs["scene"] = self.work / "scene.octet"
        run([self.build / "bin/octet", "convert", SOURCE / "demo/scene_detector.onnx", "-o", self.blobs["scene"], "--calibrate",
             self.work / "calib.npy", "--mean", "0,0,0", "--std", "1,1,1", "--task", "detect", "--decode",
             SOURCE / "demo/scene_decode.yaml", "--labels", SOURCE / "demo/labels.txt"])
        frames = np.load(self.work / "scene.npy")
        assert frames.shape == (count, height, width, 3), frames.shape
        told = self.stream("scene", "rgb24", (width, height), frames)
        boxes = 0
        with self.octet.Model(self.blobs["scene"]) as model:
            for i, frame in enumerate(frames):
                found = as_json(model.detect(frame))
                assert found == told[i], (i, found, told[i])
                boxes += len(found)
        assert boxes > count, f"{boxes} boxes in {count} frames"
        print(f"{boxes} boxes in {count} frames, the same from octet-camera")

    def no_copy(self) -> None:
        """What the C function gets is where the array lies; writing there between two runs is seen."""
        with self.octet.Model(self.blobs["detect"]) as model:
            library, seen = model._library, []
            original = library.octet_set_input_frame

            def recorder(session, index, pointer):
                seen.append((pointer.contents.planes[0], pointer.contents.strides[0]))
                return original(session, index, pointer)

            library.octet_set_input_frame = recorder
            try:
                large = small_models.pictures(4, 1, 300, 400)[0]
                crop = large[10:200, 30:300]
                model.run(large)
                found = as_json(model.detect(crop))
                assert seen == [(large.ctypes.data, 1200), (crop.ctypes.data, 1200)], seen
                assert crop.ctypes.data == large.ctypes.data + 10 * 1200 + 30 * 3
                assert as_json(model.detect(np.ascontiguousarray(crop))) == found and found
                large.flags.writeable = False
                kept = self.octet.Frame.rgb(large)
                assert kept.addresses == (large.ctypes.data,)
                raw = bytes(64 * 96)
                yuv = self.octet.Frame.nv12(raw, 64, 64)
                start = np.frombuffer(raw, np.uint8).ctypes.data
                assert yuv.addresses == (start, start + 64 * 64)
            finally:
                library.octet_set_input_frame = original
            scratch = small_models.pictures(5, 1, 64, 64)[0]
            frame = self.octet.Frame.rgb(scratch)
            before = (model.run(frame), model.output())[1]
            scratch[:] = small_models.pictures(6, 1, 64, 64)[0]
            after = (model.run(frame), model.output())[1]
            assert not np.array_equal(before, after)

    def other_tasks(self) -> None:
        with self.octet.Model(self.blobs["classify"]) as model:
            for picture, line in zip(self.pictures, self.program("classify")):
                found = [{"label": one.name, "class": one.label, "score": f"{one.score:.4f}"} for one in model.classify(picture)]
                assert found == [{**one, "score": f"{one['score']:.4f}"} for one in line["classes"]], (found, line)
            assert len(model.classes(top=1)) == 1
        with self.octet.Model(self.blobs["segment"]) as model:
            for picture, line in zip(self.pictures, self.program("segment")):
                labels = model.segment(picture)
                assert labels.shape == (16, 16) and labels.dtype == np.uint8
                counts = np.bincount(labels.ravel(), minlength=3)
                shares = {one["class"]: f"{one['share']:.4f}" for one in line["segments"]}
                assert shares == {i: f"{count / 256:.4f}" for i, count in enumerate(counts) if count}, (counts, line)

        with self.octet.Model(self.blobs["text"]) as model:
            texts = []
            for picture, line in zip(self.pictures, self.program("text")):
                texts.append(model.read(picture))
                assert texts[-1] == model.text() == line["text"], (texts[-1], line)
                assert [f"{one.score:.4f}" for one in model.characters()] == [f"{score:.4f}" for score in line["scores"]]
            assert any(texts) and all(set("".join(texts)) <= set("".join(small_models.LABELS)) for _ in texts), texts

    def numbers(self) -> None:
        """float32 in and out, and both plans: octet-run's bytes."""
        values = np.random.Generator(np.random.PCG64(3)).random((4, 3, 64, 64), np.float32)
        np.save(self.work / "values.npy", values)
        with self.octet.Model(self.blobs["plain"]) as model:
            for plan in ("fp16", "int8", "fp16"):
                model.set_plan(plan)
                assert model.plan == plan
                run([self.build / "bin/octet-run", self.blobs["plain"], "--input", self.work / "values.npy", "--output",
                     self.work / "out.npy", "--plan", plan])
                told = np.load(self.work / "out.npy")
                for i, value in enumerate(values):
                    (returned,) = model.run(value if i % 2 else value[None])
                    assert np.array_equal(returned[0], told[i]), (returned, told[i])
                    assert model.run(value, outputs=False) == []
                    out = np.empty((1, 3), np.float32)
                    assert model.output(0, out) is out and np.array_equal(out[0], told[i]), (out, told[i])
                    assert np.array_equal(model.all_outputs()[0], out)
                model.run(values[3].transpose(0, 2, 1).copy().transpose(0, 2, 1))  # strided
                assert np.array_equal(model.output(), out)

    def example(self) -> None:
        """examples/draw_boxes.py: a line for each box, and its pixels in the PNG."""
        np.save(self.work / "picture.npy", self.pictures[0])
        out = self.work / "drawn.png"
        text = run([sys.executable, SOURCE / "examples/draw_boxes.py", self.blobs["detect"], self.work / "picture.npy", out])
        with self.octet.load(self.blobs["detect"]) as model:
            found = model.detect(self.pictures[0])
        assert len(text.splitlines()) == len(found) > 0, text
        content = out.read_bytes()
        assert content[:8] == b"\x89PNG\r\n\x1a\n" and content[16:24] == struct.pack(">II", SIZE[1], SIZE[0])
        at = content.index(b"IDAT")
        packed = content[at + 4:at + 4 + int.from_bytes(content[at - 4:at], "big")]
        rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(SIZE[0], 1 + 3 * SIZE[1])
        drawn = rows[:, 1:].reshape(*SIZE, 3)
        changed = (drawn != self.pictures[0]).any(axis=2)
        last = found[-1]  # drawn over the others
        row, column = min(int(last.y0), SIZE[0] - 1), min(int(last.x0), SIZE[1] - 1)
        assert changed[row, column] and not changed.all(), (row, column, changed.mean())

    def refusals(self) -> None:
        """Each an exception of one line that says what is expected."""
        octet, work = self.octet, self.work
        broken = work / "broken.octet"
        content = bytearray(self.blobs["detect"].read_bytes())
        content[len(content) // 2] ^= 1
        broken.write_bytes(content)
        (work / "text.octet").write_text("no blob")
        plain, model = octet.Model(self.blobs["plain"]), octet.Model(self.blobs["detect"])
        grey, rgb = np.zeros((8, 8), np.uint8), np.zeros((8, 8, 3), np.uint8)
        frame = octet.Frame
        cases = [
            (octet.OctetError, "cannot open", lambda: octet.Model(work / "none.octet")),
            (octet.OctetError, "not a blob", lambda: octet.Model(work / "text.octet")),
            (octet.OctetError, "hash mismatch", lambda: octet.Model(broken)),
            (octet.OctetError, "it has int8, fp16", lambda: octet.Model(self.blobs["detect"], plan="int4")),
            (octet.OctetError, "mmx", lambda: octet.Model(self.blobs["detect"], isa="mmx")),
            (octet.OctetError, "not on this machine", lambda: octet.Model(self.blobs["detect"], isa="i8mm")),
            (ValueError, "1 to 256", lambda: octet.Model(self.blobs["detect"], threads=0)),
            (ValueError, "run a frame first", model.output),
            (ValueError, "give 1: image", model.run),
            (ValueError, "uint8 [8, 8, 4] is not a picture", lambda: model.run(np.zeros((8, 8, 4), np.uint8))),
            (ValueError, "float32 [3, 32, 32]; expected float32 [1, 3, 64, 64]",
             lambda: model.run(np.zeros((3, 32, 32), np.float32))),
            (TypeError, "float64 [8, 8, 3]", lambda: model.run(rgb.astype(np.float64))),
            (TypeError, "a list; expected", lambda: model.run([1, 2])),
            (ValueError, "0x8", lambda: model.run(rgb[:, :0])),
            (ValueError, "contiguous", lambda: model.run(rgb[:, :, ::-1])),
            (ValueError, "contiguous", lambda: model.run(rgb[:, ::2])),
            (ValueError, "backwards", lambda: model.run(rgb[::-1])),
            (ValueError, "give width and height", lambda: frame.nv12(bytes(96))),
            (ValueError, "need 96", lambda: frame.nv12(bytes(95), 8, 8)),
            (ValueError, "need 88", lambda: frame.nv12(bytes(87), 7, 8)),  # pairs of UV: rows of 8
            (ValueError, "need 88", lambda: frame.yuv420p(bytes(87), 7, 8)),
            (ValueError, "too short for 9 pixels", lambda: frame.nv12(grey, width=9)),
            (ValueError, "to Frame.planes", lambda: frame.yuv420p(np.zeros((12, 16), np.uint8)[:, :8])),
            (ValueError, "UV is uint8 [8, 8]", lambda: frame.planes(grey, grey)),
            (TypeError, "float32", lambda: frame.grey(grey.astype(np.float32))),
            (ValueError, "no plan int4; it has int8, fp16", lambda: model.set_plan("int4")),
            (ValueError, "does not say what its outputs mean", lambda: plain.detect(rgb)),
            (ValueError, "is for the task detect", lambda: model.classify(rgb)),
            (ValueError, "frame of -1x2", lambda: model.detections(frame_size=(-1, 2))),
            (IndexError, "output 5", lambda: model.output(5)),
            (ValueError, "expected writable float32", lambda: plain.output(0, np.zeros(2, np.float32))),
        ]
        for kind, words, act in cases:
            try:
                act()
            except Exception as error:
                assert type(error) is kind and words in str(error) and "\n" not in str(error), (words, repr(error))
            else:
                raise AssertionError(f"nothing said: {words}")
        plain.close()
        plain.close()
        for act in (lambda: plain.run(rgb), lambda: plain.plan, plain.output):
            try:
                act()
            except ValueError as error:
                assert "closed" in str(error)
            else:
                raise AssertionError("a closed model answered")

    def states(self) -> None:
        """A model that remembers: reset, a copy that another model takes, plans that share it, and octet-run's numbers."""
        with self.octet.Model(self.blobs["states"]) as model, self.octet.Model(self.blobs["states"], plan="fp16") as other:
            assert [info.name for info in model.inputs] == ["image"] and [info.name for info in model.outputs] == ["scores"]
            assert [(info.name, info.shape) for info in model.states] == [("h", (1, 8, 16, 16))]
            first = [model.run(picture)[0] for picture in self.pictures]
            assert not np.array_equal(model.run(self.pictures[0])[0], first[0]), "nothing is remembered"
            model.reset()
            copies = []
            for picture, wanted in zip(self.pictures, first):
                copies.append(model.get_state())
                assert np.array_equal(model.run(picture)[0], wanted)
            for i in (4, 1):
                other.set_state(copies[i])
                other.set_plan("int8")
                assert np.array_equal(other.run(self.pictures[i])[0], first[i])
                other.set_plan("fp16")
            try:
                model.set_state(copies[0][:-1])
            except self.octet.OctetError as error:
                assert "invalid argument" in str(error), error
            else:
                raise AssertionError("a copy of another size was taken")
        np.save(self.work / "frames.npy", self.pictures)
        for lengths, starts in ((None, (0,)), ("2,4", (0, 2))):
            run([self.build / "bin/octet-run", self.blobs["states"], "--input", self.work / "frames.npy", "--output",
                 self.work / "scores.npy", "--repeat", "2", *(["--sequences", lengths] if lengths else [])])
            with self.octet.Model(self.blobs["states"]) as model:
                for i, found in enumerate(np.load(self.work / "scores.npy")):
                    if i in starts:
                        model.reset()
                    assert np.array_equal(model.run(self.pictures[i])[0].reshape(-1), found.reshape(-1)), (lengths, i)
        with self.octet.Model(self.blobs["plain"]) as plain:
            assert plain.states == () and plain.get_state() == b""
            plain.set_state(b"")
            plain.reset()

    def gap(self) -> None:
        """A camera that was still for longer than --state-gap-ms begins a sequence."""
        frames = small_models.pictures(11, 3, 64, 64)
        for milliseconds in (800, 0):
            camera = subprocess.Popen([self.build / "bin/octet-camera", self.blobs["states"], "--source", "-", "--format", "rgb24", "--size",
                                       "64x64", "--every-frame", "--json", "--state-gap-ms", str(milliseconds)], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE)
            told = []
            for i, frame in enumerate(frames):
                if i == 2:
                    time.sleep(1.2)
                camera.stdin.write(frame.tobytes())
                camera.stdin.flush()
                told.append(json.loads(camera.stdout.readline())["classes"])
            camera.communicate()
            assert camera.returncode == 0
            with self.octet.Model(self.blobs["states"]) as model:
                for i, frame in enumerate(frames):
                    if milliseconds and i == 2:
                        model.reset()
                    found = model.classify(frame, top=len(told[i]))
                    assert [f"{one['score']:.4f}" for one in told[i]] == [f"{one.score:.4f}" for one in found], (milliseconds, i, told[i], found)

    def changed_file(self) -> None:
        """A plan whose weights are no longer what was checked is refused, and the other goes on."""
        blob = self.work / "changed.octet"
        shutil.copy(self.blobs["detect"], blob)
        with self.octet.Model(blob) as model:
            found = as_json(model.detect(self.pictures[0]))
            with open(blob, "r+b") as file:
                file.write(bytes(blob.stat().st_size))
            try:
                model.set_plan("fp16")
            except self.octet.OctetError as error:
                assert "has changed since" in str(error)
            else:
                raise AssertionError("a changed file was taken")
            assert model.plan == "int8" and as_json(model.detect(self.pictures[0])) == found

    def plain_c(self) -> None:
        """The C functions as another language meets them: errors are cut to the buffer, options have a size."""
        library = ctypes.CDLL(os.environ["OCTET_LIBRARY"])
        library.octet_linux_open.restype = ctypes.c_void_p
        path, error = os.fsencode(self.blobs["plain"]), ctypes.create_string_buffer(b"x" * 16, 16)
        assert library.octet_linux_open(b"/none", None, error, ctypes.c_size_t(16)) is None
        assert error.raw == b"cannot open /no\0", error.raw
        assert library.octet_linux_open(b"/none", None, None, ctypes.c_size_t(0)) is None
        assert library.octet_linux_open(None, None, error, ctypes.c_size_t(16)) is None and b"path" in error.value, error.value
        library.octet_linux_close(None)
        from octet._library import OptionsStruct
        text = ctypes.create_string_buffer(512)
        for options, words in ((OptionsStruct(size=4), b"set size"), (OptionsStruct(threads=257), b"1 to 256"),
                               (OptionsStruct(threads=1, flags=128), b"flags 128")):
            assert library.octet_linux_open(path, ctypes.byref(options), text, ctypes.c_size_t(512)) is None
            assert words in text.value, text.value
        # A caller of an older header, whose options ended sooner.
        older = OptionsStruct(size=8, isa=ctypes.cast(1, ctypes.c_char_p))
        model = library.octet_linux_open(path, ctypes.byref(older), text, ctypes.c_size_t(512))
        assert model and text.value == b"", text.value
        library.octet_linux_close(ctypes.c_void_p(model))

    def lives(self) -> None:
        """Opening and closing leaves nothing behind; threads of Python share a model one after another."""
        def held():
            return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))

        before = held()
        for _ in range(20):
            with self.octet.Model(self.blobs["detect"], threads=3) as model:
                model.run(self.pictures[0])
        del model
        self.octet.Model(self.blobs["detect"])  # closed by the collector
        assert held() == before, (held(), before)
        others = set(os.listdir("/proc/self/task"))
        with self.octet.Model(self.blobs["detect"], threads=2) as model:
            # Ctrl-C is for Python's main thread, whatever the pool does. Numbers of threads start again from below.
            (added,) = set(os.listdir("/proc/self/task")) - others
            status = pathlib.Path(f"/proc/self/task/{added}/status").read_text()
            blocked = int(status.split("SigBlk:")[1].split()[0], 16)
            assert blocked >> (signal.SIGINT - 1) & 1, status
            wanted = [as_json(model.detect(picture)) for picture in self.pictures]
            wrong = []

            def work(i):
                for _ in range(20):
                    if as_json(model.detect(self.pictures[i])) != wanted[i]:
                        wrong.append(i)

            threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert not wrong, wrong

    def tracks(self) -> None:
        """Tracks of boxes as octet-run has them, and a person who crosses a line."""
        random = np.random.default_rng(57)
        lines, frames = [], []
        for f in range(60):
            boxes = [(100 * i + 3 * f, 50, 100 * i + 3 * f + 40, 150, round(float(random.uniform(0.2, 0.95)), 3), i % 2) for i in range(4)]
            frames.append(boxes)
            lines += [f"{f + 1},-1,{x0},{y0},{x1 - x0},{y1 - y0},{score},{label},-1\n" for x0, y0, x1, y1, score, label in boxes]
        (self.work / "boxes.txt").write_text("".join(lines))
        (self.work / "times.json").write_text(json.dumps({"times": [f / 25 for f in range(60)]}))
        all_found = set()
        for settings, words in (({}, "method=bytetrack"), ({"method": "ocsort", "iou": 0.4, "inertia": 0.1}, "method=ocsort,iou=0.4,inertia=0.1")):
            run([self.build / "bin/octet-run", "--boxes", self.work / "boxes.txt", "--times", self.work / "times.json", "--tracks",
                 self.work / "tracks.txt", "--tracker", words])
            tracker = self.octet.Tracker(**settings)
            found = "".join(f"{f + 1},{t.id},{t.x0:.2f},{t.y0:.2f},{t.x1 - t.x0:.2f},{t.y1 - t.y0:.2f},{t.score:.4f},{t.label},-1\n"
                            for f, boxes in enumerate(frames) for t in tracker.frame(f / 25, boxes) if t.seen)
            assert found == (self.work / "tracks.txt").read_text(), found
            assert len(found.splitlines()) > 100, found
            all_found.add(found)
        assert len(all_found) == 2, all_found
        tracker, zones = self.octet.Tracker(8), self.octet.Zones({"door": [(0, 0.5), (1, 0.5)], "all": [(0, 0), (1, 0), (1, 1), (0, 1)]}, capacity=8)
        events = []
        for f in range(30):
            tracker.frame(f / 10, [(100, 10 * f, 140, 10 * f + 80, 0.9, 3)])
            events += zones.frame(f / 10, (320, 240), tracker)
        assert [(e.kind, e.zone) for e in events if e.kind != "inside"] == [("entered", "all"), ("in", "door"), ("left", "all")], events
        assert zones.counts("door") == (1, 0, 0) and zones.counts("all") == (1, 1, 0)
        for call, error in ((lambda: self.octet.Tracker(classes="x"), ValueError), (lambda: self.octet.Tracker(high=2), ValueError),
                            (lambda: self.octet.Tracker(method="sort"), ValueError),
                            (lambda: self.octet.Tracker(low=0.9), self.octet.OctetError), (lambda: self.octet.Zones({"a": [(0, 0)]}), self.octet.OctetError)):
            try:
                call()
            except error:
                continue
            raise AssertionError("not refused")

    def motion(self) -> None:
        """What moves is found where it is, in every kind of picture; a mask hides it; what breaks a rule is refused."""
        octet, random = self.octet, np.random.default_rng(56)
        left = [(0, 0), (0.5, 0), (0.5, 1), (0, 1)]

        def picture(moved: bool) -> np.ndarray:
            pixels = random.integers(98, 103, (96, 160), np.uint8)
            pixels[40:56, 32:48] += 60 if moved else 0
            return pixels

        kinds = (lambda p: p, lambda p: np.repeat(p[:, :, None], 3, 2), octet.Frame.grey,
                 lambda p: octet.Frame.nv12(np.concatenate([p, np.full((48, 160), 128, np.uint8)]), 160, 96))
        for kind in kinds:
            gate, seen = octet.MotionGate(longest=2), []
            for f in range(95):
                seen.append(gate.frame(f / 30, kind(picture(f > 90))))
            assert [s.reason for s in seen[:91]] == ["start", *[""] * 59, "longest", *[""] * 30], [s.reason for s in seen]
            assert seen[60].run and not seen[61].run and seen[61].box is None and 0 < seen[61].noise < 1, seen[61]
            last = seen[94]
            assert last.run and last.reason == "change" and last.strength > 1 and 0 < last.changed < 0.5, last
            assert last.box[0] <= 0.2 and last.box[2] >= 0.3 and last.box[1] <= 40 / 96 and last.box[3] >= 56 / 96, last
            gate.reset()
            assert gate.frame(4, kind(picture(False))).reason == "start"
        gate = octet.MotionGate(ignore=[left])
        assert [gate.frame(f / 30, picture(f > 90)).run for f in range(95)] == [True, *[False] * 94]
        assert gate.frame(3.5, picture(False)[:, :80]).reason == "start", "of another size"
        masked = picture(True)
        octet.paint_mask(masked, [left])
        assert len(np.unique(masked[:, :80])) == 1 and masked[:, 90:].std() > 1
        masked.flags.writeable = False
        for call, error in ((lambda: octet.paint_mask(masked, [left]), ValueError), (lambda: octet.MotionGate(ignore=[[(0, 2)]]), ValueError),
                            (lambda: octet.paint_mask(picture(True), [left[:2]]), octet.OctetError),
                            (lambda: octet.MotionGate(longest=0).frame(0, masked), octet.OctetError),
                            (lambda: octet.MotionGate().frame(0, masked[:8]), octet.OctetError),
                            (lambda: octet.MotionGate().frame(-1, masked), ValueError)):
            try:
                call()
            except error:
                continue
            raise AssertionError("not refused")

    def overhead(self) -> None:
        """run(array) against the two C functions on a description made before, in turn; the median of both."""
        with self.octet.Model(self.blobs["classify"]) as model:
            library, session, picture = model._library, model._session, self.pictures[0]
            frame = self.octet.Frame.rgb(picture)
            clock = time.perf_counter_ns
            took = {"array": [], "frame": [], "bare": [], "nothing": []}
            for _ in range(3000):
                start = clock()
                model.run(picture, outputs=False)
                took["array"].append(clock() - start)
                start = clock()
                model.run(frame, outputs=False)
                took["frame"].append(clock() - start)
                start = clock()
                library.octet_set_input_frame(session, 0, frame.pointer)
                library.octet_run(session)
                took["bare"].append(clock() - start)
                start = clock()
                library.octet_plan(session)
                took["nothing"].append(clock() - start)
        median = {name: statistics.median(values) / 1000 for name, values in took.items()}
        # What ctypes itself adds to the two calls is part of the price.
        array, kept = (median[name] - median["bare"] + 2 * median["nothing"] for name in ("array", "frame"))
        print(f"a call costs {array:.1f} us more than octet_set_input_frame and octet_run alone ({median['bare']:.1f} us), "
              f"{kept:.1f} us with a Frame kept; {OVERHEAD_US} us are promised")
        assert array < BOUND_US, f"{array:.1f} us a call"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--report", type=pathlib.Path)
    options = parser.parse_args()
    build = options.build.resolve()
    library = build / "lib/liboctet.so"
    report = Report("library_python", options.report)
    with tempfile.TemporaryDirectory(prefix="octet-python-") as folder:
        work = pathlib.Path(folder)
        # Away from the tree, where a build and Python would leave files.
        packages = shutil.copytree(SOURCE / "python", work / "python", ignore=shutil.ignore_patterns("build", "__pycache__"))
        with report.case("install"):
            packages = install(work)
        with report.case("finding"):
            check_finding(library, packages, work)
        os.environ["OCTET_LIBRARY"] = str(library)
        os.environ["PYTHONPATH"] = str(packages)  # of programs that are started
        sys.path.insert(0, str(packages))
        sys.dont_write_bytecode = True
        import octet
        assert pathlib.Path(octet.__file__).parents[1] == packages, octet.__file__
        tests = Tests(octet, build, work)
        for name in ("info", "same_boxes", "callers_threshold", "forks_and_copies", "empty_masks", "camera", "scene", "no_copy", "other_tasks", "numbers", "example", "refusals", "states", "gap", "changed_file",
                     "plain_c", "lives", "tracks", "motion", "overhead"):
            with report.case(name):
                getattr(tests, name)()
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
