#!/usr/bin/env python3
"""octet-serve as its clients see it: answers of octet-run by every protocol, refusals, clients that stall, vanish and flood,
access, and a store whose model changes under load."""
import argparse
import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(SOURCE / "tests/models"))
from model_tests import Report, run  # noqa: E402

from clients import DETECTOR, Frigate, Server, Web, detect, encoded, form, infer, pixels, scene, wait_for  # noqa: E402
from crowds import CrowdCases  # noqa: E402

READY = {"model_available": True, "model_loaded": True}


def is_zero(rows: np.ndarray) -> bool:
    return not rows.any()


class Tests(CrowdCases):
    def __init__(self, build: pathlib.Path, work: pathlib.Path):
        self.build, self.work = build, work

    def printed(self, path: pathlib.Path) -> list:
        """octet-run's boxes in a file, to the pixel; of at least 0.4."""
        text = run([self.build / "bin/octet-run", DETECTOR, "--input", path, "--json"])
        boxes = json.loads(text)["results"][0]["detections"]
        return [(b["label"], b["class"], b["score"], b["box"]) for b in boxes if b["score"] >= 0.4][:20]

    def floats(self, path: pathlib.Path) -> np.ndarray:
        run([self.build / "bin/octet-run", DETECTOR, "--input", path, "--output", self.work / "out.npy"])
        return np.load(self.work / "out.npy")

    def same_answers(self) -> None:
        """Every protocol and every form of a picture: octet-run's boxes to the pixel, its numbers to the bit."""
        found = 0
        with Server(self.build, "--http", "0", "--zmq", "tcp://127.0.0.1:*", "--zmq", f"ipc://{self.work}/s", places=3) as server:
            web = Web(server.port)
            by_tcp, by_ipc = (Frigate(place) for place in server.places[1:])
            assert by_tcp.handshake() == READY and by_ipc.handshake() == READY
            for seed, (width, height, kind) in enumerate([(320, 320, "png"), (640, 360, "jpeg"), (123, 321, "png"), (64, 64, "jpeg")]):
                picture = scene(seed, width, height)
                path = self.work / f"p.{'jpg' if kind == 'jpeg' else kind}"
                path.write_bytes(encoded(picture, kind))
                wanted = self.printed(path)
                found += len(wanted)
                status, told = detect(web, path.read_bytes())
                assert status == 200 and told["success"] and told["count"] == len(told["predictions"]), told
                for one, (label, _, score, box) in zip(told["predictions"], wanted):
                    assert one["label"] == label and abs(one["confidence"] - score) < 6e-5, (one, score)
                    sides = [one["x_min"], one["y_min"], one["x_max"], one["y_max"]]
                    assert all(abs(side - place) <= 0.551 for side, place in zip(sides, box)), (sides, box)
                assert len(told["predictions"]) == len(wanted), (told, wanted)
                assert {"inferenceMs", "processMs", "analysisRoundTripMs"} <= set(told)
                more = detect(web, path.read_bytes(), min_confidence="0.05")[1]["predictions"]
                assert pixels(more)[:len(wanted)] == pixels(told["predictions"])
                fewer = detect(web, path.read_bytes(), min_confidence="0.99")[1]["predictions"]
                assert all(one["confidence"] >= 0.99 for one in fewer)
                if kind == "png":
                    planar = picture.transpose(2, 0, 1)[None].copy()
                    forms = [picture[None], planar, (planar / np.float32(255)).astype(np.float32)]
                    rows = [client.detect(array) for client in (by_tcp, by_ipc) for array in forms]
                    for one in rows:
                        assert np.array_equal(one, rows[0]), (one, rows[0])
                    assert is_zero(rows[0][len(wanted):]) and (rows[0][:len(wanted), 1] >= 0.4).all()
                    for row, (_, number, score, box) in zip(rows[0], wanted):
                        sides = row[[3, 2, 5, 4]] * [width, height, width, height]
                        assert row[0] == number and abs(row[1] - score) < 6e-5 and np.abs(sides - box).max() < 0.06, (row, box)
                array = self.work / "p.npy"
                np.save(array, np.stack([picture]))
                values = {"uint8": (picture[None], self.floats(array))} if kind == "png" else {}
                raw = np.random.Generator(np.random.PCG64(seed)).random((1, 3, 320, 320), np.float32)
                np.save(array, raw)
                values["float32"] = (raw, self.floats(array))
                for name, (tensor, told_floats) in values.items():
                    for binary in (False, True):
                        status, outputs = infer(web, f"{name} {binary}", {"image": tensor}, binary)
                        assert status == 200, outputs
                        assert outputs["detections"].tobytes() == told_floats.tobytes(), (name, binary)
        assert found >= 6, found

    def other_words(self) -> None:
        """What each protocol tells of server and model."""
        with Server(self.build, "--http", "0") as server:
            web = Web(server.port)
            assert web.json("GET", "/v2")[1]["extensions"] == ["binary_tensor_data", "model_repository"]
            for path in ("/v2/health/live", "/v2/health/ready", "/v2/models/detector/ready", "/v2/models/detector/versions/1/ready"):
                assert web.ask("GET", path)[0] == 200, path
            told = web.json("GET", "/v2/models/detector/versions/1")[1]
            assert told["inputs"] == [{"name": "image", "datatype": "FP32", "shape": [1, 3, 320, 320]}], told
            assert web.json("POST", "/v2/repository/index", b"{}")[1][0]["name"] == "detector"
            assert web.json("POST", "/v1/vision/custom/list")[1] == {"success": True, "models": ["detector"]}
            assert detect(web, encoded(scene(0), "png"), "/v1/vision/custom/detector")[1]["success"]
            assert web.json("GET", "/v1/status")[1]["runs"] == 1
            metrics = web.ask("GET", "/metrics")[2].decode()
            assert 'octet_serve_answers_total{protocol="deepstack",answer="done"} 1' in metrics, metrics
            # Frigate's client ends at a 21st box, and reads until a score is below its own least.
            boxes = detect(web, encoded(scene(5, 640, 640, 60), "jpeg"), min_confidence="0.01")[1]["predictions"]
            assert len(boxes) == 20 and [b["confidence"] for b in boxes] == sorted((b["confidence"] for b in boxes), reverse=True), boxes
            assert all(type(b[side]) is int for b in boxes for side in ("x_min", "y_min", "x_max", "y_max")), boxes
            for status, method, path in ((404, "GET", "/"), (404, "GET", "/v2/models/other"), (404, "GET", "/v2/models/detector/versions/2"),
                                         (405, "GET", "/v1/vision/detection"), (405, "GET", "/v2/models/detector/infer"), (405, "POST", "/metrics"),
                                         (404, "POST", "/v1/vision/custom/other"), (404, "POST", "/v1/vision/face"), (404, "GET", "/v2/models/detector/x")):
                told = web.json(method, path)
                assert told[0] == status and told[1]["error"], (path, told)

    def refusals(self) -> None:
        """Garbage, wrong shapes, broken pictures: the stated error, and the next request is answered."""
        jpeg = encoded(scene(1), "jpeg")
        with Server(self.build, "--http", "0", "--zmq", "tcp://127.0.0.1:*", places=2) as server:
            web, frigate = Web(server.port), Frigate(server.places[1])
            good, rows = detect(web, jpeg)[1]["predictions"], frigate.detect(scene(1)[None])
            assert good and rows.any()
            huge = jpeg[:jpeg.index(b"\xff\xc0") + 5] + b"\xff\xff\xff\xff" + jpeg[jpeg.index(b"\xff\xc0") + 9:]
            for image in (b"", b"garbage", jpeg[:200], jpeg[:len(jpeg) // 2], huge, None):
                status, told = detect(web, image)
                assert status == 400 and not told["success"] and told["error"], told
            status, told = detect(web, jpeg, min_confidence="much")
            assert status == 400 and "min_confidence" in told["error"], told
            for body, kind in ((b"", ""), (b"x" * 1000, "multipart/form-data; boundary=XX"), (form(jpeg), "image/jpeg")):
                assert web.json("POST", "/v1/vision/detection", body, Content_Type=kind)[0] == 400
            assert pixels(detect(web, jpeg)[1]["predictions"]) == pixels(good)
            tensor = np.zeros((1, 3, 320, 320), np.float32)
            for inputs in ({"other": tensor}, {"image": tensor[:, :, :-1]}, {"image": tensor[0]}, {"image": np.zeros((1, 3, 5, 5), np.uint8)}):
                status, why = infer(web, "x", inputs, True)
                assert status == 400 and why, why
            assert infer(web, "x", {"image": tensor}, True, outputs=[{"name": "other"}])[0] == 400
            assert web.json("POST", "/v2/models/detector/infer", b"{")[0] == 400
            status, told = web.json("POST", "/v2/models/detector/infer", b"x", Content_Encoding="gzip")
            assert status == 415 and told["error"], told
            web.close()
            with socket.create_connection(("127.0.0.1", server.port)) as raw:
                raw.sendall(b"POST /v1/vision/detection HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n")
                assert raw.recv(100).startswith(b"HTTP/1.1 413 ")
            with socket.create_connection(("127.0.0.1", server.port)) as raw:  # a length that nobody told before
                raw.sendall(b"POST /v1/vision/detection HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
                for _ in range(17):
                    raw.sendall(b"100000\r\n" + bytes(1 << 20) + b"\r\n")
                raw.sendall(b"0\r\n\r\n")
                assert raw.recv(100).startswith(b"HTTP/1.1 413 ")
            assert infer(Web(server.port), "x", {"image": tensor}, True)[0] == 200
            for frames in ([b""], [b"garbage"], [b"{}", b"x"], [b"[" * 4000, b""], [b'{"shape": [1,320,320,3], "dtype": "uint8"}', b"short"],
                           [b'{"shape": [1,320,320,3], "dtype": "int64"}', b""], [b"a"] * 50):
                assert frigate.ask(*frames) == [bytes(480)], frames
            upload = frigate.ask(json.dumps({"model_data": True, "model_name": "x.onnx"}).encode(), b"model")
            assert json.loads(upload[0]) == {"model_saved": False, "model_loaded": False}
            assert np.array_equal(frigate.detect(scene(1)[None]), rows)
            with socket.create_connection(("127.0.0.1", int(server.places[1].rsplit(":", 1)[1]))) as raw:
                raw.sendall(b"GET / HTTP/1.1\r\n\r\n" * 10)
                assert np.array_equal(frigate.detect(scene(1)[None]), rows)

    def both_orders(self) -> None:
        """Frigate starts before us, and we end and start again while it runs."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            endpoint = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        frigate = Frigate(endpoint, 500)
        for _ in range(2):
            with Server(self.build, "--zmq", endpoint):
                def shaken() -> bool:
                    try:
                        return frigate.handshake() == READY
                    except Exception:  # zmq.Again: as Frigate does
                        frigate.connect()
                        return False
                wait_for(shaken)
                assert frigate.detect(scene(1)[None]).any()

    def label_map(self) -> None:
        names = self.work / "labelmap.txt"
        names.write_text("0  person\n3  top\n62  Dress\nPullover = top\n")
        png = encoded(scene(1), "png")
        with Server(self.build, "--http", "0", "--zmq", "tcp://127.0.0.1:*", "--labels-map", names, places=2) as server:
            labels = {one["label"] for one in detect(Web(server.port), png, min_confidence="0.1")[1]["predictions"]}
            assert labels and labels <= {"top", "Dress"}, labels
            rows = Frigate(server.places[1]).detect(scene(1)[None])
            assert set(rows[rows[:, 1] > 0, 0]) <= {3, 62}, rows

    def access(self) -> None:
        token = self.work / "token"
        token.write_text("0123456789abcdef\n")
        png = encoded(scene(1), "png")
        program = self.build / "bin/octet-serve"
        for options in (["--http", "0.0.0.0:0"], ["--zmq", "tcp://0.0.0.0:*"], ["--http", "0", "--zmq", "tcp://*:5555"], ["--zmq", "tcp://eth0:1"],
                        ["--http", "0", "--token", "/nonexistent"], ["--http", "0", "--labels-map", "/nonexistent"], ["--http", "0", "--slots", "."],
                        ["--http", "0", "--zmq-colour", "cmyk"], ["--http", "99999"]):
            done = subprocess.run([program, DETECTOR, *options], capture_output=True, text=True, timeout=20)
            assert done.returncode == 2 and len(done.stderr.splitlines()) == 1 and done.stderr.startswith("octet-serve: "), (options, done)
        with Server(self.build, "--http", "0.0.0.0:0", "--token", token, "--zmq", "tcp://0.0.0.0:*", "--zmq-peers", "192.0.2.1", places=2) as server:
            bare, known = Web(server.port), Web(server.port, "0123456789abcdef")
            for path in ("/metrics", "/v1/status", "/v2", "/v2/models/detector"):
                assert bare.ask("GET", path)[0] == 401 and known.ask("GET", path)[0] == 200, path
            assert bare.ask("GET", "/v2/health/live")[0] == 200
            assert infer(bare, "x", {"image": np.zeros((1, 3, 320, 320), np.float32)}, True)[0] == 401
            for web, key, status in ((Web(server.port), None, 401), (Web(server.port), "0123456789abcdeg", 401), (Web(server.port), "0123456789abcdef", 200)):
                assert detect(web, png, **({"api_key": key} if key else {}))[0] == status, key
            assert detect(known, png)[0] == 200
            assert Frigate(f"tcp://127.0.0.1:{server.places[1].rsplit(':', 1)[1]}").handshake() == READY
            own = subprocess.run(["hostname", "-I"], capture_output=True, text=True).stdout.split()
            if own:
                stranger = Frigate(f"tcp://{own[0]}:{server.places[1].rsplit(':', 1)[1]}", 700)
                try:
                    stranger.handshake()
                except Exception:  # zmq.Again: never connected
                    own = []
                assert not own, "an address that is not in the list was served"
        with Server(self.build, "--http", "0") as server:
            assert Web(server.port).json("GET", "/v1/status", Host="evil.example")[0] == 403

    def cell(self) -> tuple:
        """A recurrent cell with a tied state, two sequences, and octet-run's answers to them."""
        import onnx
        from onnx import helper, numpy_helper
        random = np.random.Generator(np.random.PCG64(3))
        weights = random.normal(0, 0.5, (8, 8)).astype(np.float32)
        nodes = [helper.make_node("MatMul", ["h", "W"], ["a"]), helper.make_node("Add", ["a", "x"], ["b"]),
                 helper.make_node("Tanh", ["b"], ["h_out"]), helper.make_node("MatMul", ["h_out", "V"], ["y"])]
        value = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 8]) for name in ("x", "h", "y", "h_out")]
        graph = helper.make_graph(nodes, "cell", value[:2], value[2:], [numpy_helper.from_array(weights, "W"), numpy_helper.from_array(weights.T.copy(), "V")])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        onnx.save(model, self.work / "cell.onnx")
        frames = random.normal(0, 1, (40, 8)).astype(np.float32)
        np.save(self.work / "frames.npy", frames)
        run([self.build / "bin/octet", "convert", self.work / "cell.onnx", "-o", self.work / "cell.octet", "--calibrate", self.work / "frames.npy",
             "--state", "h=h_out", "--sequences", "20,20"])
        run([self.build / "bin/octet-run", self.work / "cell.octet", "--input", self.work / "frames.npy", "--sequences", "20,20", "--output",
             self.work / "y.npy"])
        return frames, np.load(self.work / "y.npy")

    def sequences(self) -> None:
        """A model with states: two sequences in turn, on two threads, have octet-run's answers."""
        frames, wanted = self.cell()
        model = self.work / "cell.octet"
        done = subprocess.run([self.build / "bin/octet-serve", model, "--zmq", "tcp://127.0.0.1:*"], capture_output=True, text=True, timeout=20)
        assert done.returncode == 2 and "keeps states" in done.stderr, done
        with Server(self.build, "--http", "0", "--threads", "2", model=model) as server:
            webs = [Web(server.port), Web(server.port)]

            def ask(which: int, i: int, **parameters):
                return infer(webs[which], "x", {"x": frames[20 * which + i:20 * which + i + 1]}, False, "cell", parameters=parameters)

            for i in range(20):
                for which, key in enumerate((7, "seven")):
                    more = {"sequence_start": True} if i == 0 else {"sequence_end": True} if i == 19 else {}
                    if i == 5:  # one that is wrong in between leaves the sequence as it was
                        assert infer(webs[which], "x", {"x": frames[:2]}, False, "cell", parameters={"sequence_id": key})[0] == 400
                    status, outputs = ask(which, i, sequence_id=key, **more)
                    assert status == 200, outputs
                    assert outputs["y"].tobytes() == wanted[20 * which + i:20 * which + i + 1].tobytes(), (which, i)
            for parameters, status in (({}, 400), ({"sequence_id": 7}, 409), ({"sequence_id": 1.5}, 400), ({"sequence_id": 8, "sequence_start": 1}, 400),
                                       ({"sequence_id": 0, "sequence_start": True}, 400), ({"sequence_id": 8, "sequence_start": True}, 200)):
                assert ask(0, 0, **parameters)[0] == status, parameters
            assert detect(webs[0], encoded(scene(1), "png"))[0] == 400
        with Server(self.build, "--http", "0") as server:
            tensor = np.zeros((1, 3, 320, 320), np.float32)
            assert infer(Web(server.port), "x", {"image": tensor}, False, parameters={"sequence_id": 7})[0] == 400

    def manual(self) -> None:
        """The clients of docs/service.md, as they stand there."""
        page = (SOURCE / "docs/service.md").read_text()
        (self.work / "street.jpg").write_bytes(encoded(scene(1), "jpeg"))
        with Server(self.build, "--http", "0") as server:
            (curl,) = re.findall(r"^```sh\n(curl .*?)\n```$", page, re.M | re.S)
            (python,) = re.findall(r"^```python\n(.*?)\n```$", page, re.M | re.S)
            words = ["sh", "-c", curl.replace(":5000/", f":{server.port}/").replace("curl ", "curl -sS ")], [sys.executable, "-c", python.replace(":5000/", f":{server.port}/")]
            told = [subprocess.run(one, cwd=self.work, capture_output=True, text=True, check=True).stdout for one in words]
        assert json.loads(told[0])["success"] and "detections" in told[1], told

    def unit(self) -> None:
        """With the families of sockets that the unit for systemd allows, and no others."""
        text = (SOURCE / "packaging/systemd/octet-serve.service").read_text()
        (words,) = re.findall(r"^RestrictAddressFamilies=(.*)$", text, re.M)
        options = ["--http", "0", "--zmq", "tcp://127.0.0.1:*", "--zmq", f"ipc://{self.work}/u"]
        with Server(self.build, *options, places=3, families=[getattr(socket, word) for word in words.split()]) as server:
            assert detect(Web(server.port), encoded(scene(1), "png"))[1]["success"]
            for place in server.places[1:]:
                assert Frigate(place).detect(scene(1)[None]).any()
        try:
            with Server(self.build, *options, places=3, families=[socket.AF_UNIX]):
                raise RuntimeError("the families were not restricted")
        except AssertionError:
            pass

    def store(self) -> None:
        """A store: trial, confirmation by answers, and a change of the model under load."""
        store = self.work / "store"
        slot = self.build / "bin/octet-slot"
        store.mkdir()
        for command in ("stage", "activate"):
            run([slot, store, command, *([DETECTOR] if command == "stage" else [])])
        png = encoded(scene(1), "png")

        def listed() -> dict:
            return json.loads(run([slot, store, "list", "--json"]))

        with Server(self.build, "--http", "0", "--slots", store, "--confirm-after", "10", model=None) as server:
            web = Web(server.port)
            good = pixels(detect(web, png)[1]["predictions"])
            assert good and "on trial" in server.lines[0], server.lines
            for _ in range(10):
                detect(web, png)
            wait_for(lambda: listed()["pending"] is None)
            stop, failed, slowest = threading.Event(), [], [0.0]

            def load() -> None:
                mine = Web(server.port)
                while not stop.is_set():
                    begun = time.monotonic()
                    status, told = detect(mine, png)
                    slowest[0] = max(slowest[0], time.monotonic() - begun)
                    if status != 200 or pixels(told["predictions"]) != good:
                        failed.append(told)

            threads = [threading.Thread(target=load) for _ in range(2)]
            for thread in threads:
                thread.start()
            for command in ("stage", "activate"):
                run([slot, store, command, *([DETECTOR] if command == "stage" else [])])
            wait_for(lambda: b"octet_serve_model_changes_total 1\n" in web.ask("GET", "/metrics")[2])
            wait_for(lambda: listed()["pending"] is None)
            stop.set()
            for thread in threads:
                thread.join()
            assert not failed and slowest[0] < 2, (failed[:1], slowest)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--report", type=pathlib.Path)
    parser.add_argument("--only", action="append")
    options = parser.parse_args()
    report = Report("serve_program", options.report)
    work = pathlib.Path(tempfile.mkdtemp(prefix="octet-serve-test-"))
    try:
        tests = Tests(options.build.resolve(), work)
        for name in options.only or ("same_answers", "other_words", "refusals", "both_orders", "label_map", "crowds", "large", "full_queue", "access", "manual", "sequences", "unit", "store"):
            with report.case(name):
                getattr(tests, name)()
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
