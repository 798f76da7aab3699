#!/usr/bin/env python3
"""Figures of octet-serve under load, run by hand: load.py --build BUILD [--requests 10000] [--options ...]

For each protocol: eight clients make the requests, while others vanish, stall and send what is wrong. Then one client alone: its
time for an answer, less the time of the network that octet-serve measures itself. Memory before and after."""
import argparse
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import multiprocessing
import time

import numpy as np

from clients import DETECTOR, Frigate, Server, Web, detect, encoded, form, infer, scene

CLIENTS = 8


def asker(protocol: str, places: list):
    """A call that makes one request, and returns what can be compared."""
    port = int(places[0].rsplit(":", 1)[1])
    picture = scene(1)
    if protocol == "zmq":
        frigate = Frigate(places[1])
        return lambda: frigate.detect(picture[None]).tobytes()
    web = Web(port)
    if protocol == "deepstack":
        jpeg = encoded(picture, "jpeg")
        return lambda: str(detect(web, jpeg)[1]["predictions"])
    return lambda: infer(web, "x", {"image": picture[None]}, True)[1]["detections"].tobytes()


def client(protocol: str, places: list, wanted, seconds: float, most: int, begin, results):
    ask = asker(protocol, places)
    ask()
    begin.wait()
    end, done, wrong = time.monotonic() + seconds, 0, 0
    while done < most and time.monotonic() < end:
        wrong += ask() != wanted
        done += 1
    results.put((done, wrong))


def trouble(places: list, stop):
    """Clients that vanish, stall, and send garbage, wrong shapes and broken pictures."""
    port = int(places[0].rsplit(":", 1)[1])
    jpeg = encoded(scene(2), "jpeg")
    body = form(jpeg)
    head = f"POST /v1/vision/detection HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=XX\r\nContent-Length: {len(body)}\r\n\r\n"
    stalled = []
    while not stop.is_set():
        for part in (b"GET", head.encode(), head.encode() + body[:100], head.encode() + body, b"\x00garbage\r\n\r\n"):
            one = socket.create_connection(("127.0.0.1", port))
            one.sendall(part)
            if len(stalled) < 100:
                stalled.append(one)
            else:
                one.close()
        web = Web(port)
        detect(web, jpeg[:300])
        detect(web, b"garbage")
        infer(web, "x", {"image": np.zeros((1, 3, 5, 5), np.float32)}, True)
        web.close()
        frigate = Frigate(places[1])
        frigate.ask(b"garbage")
        frigate.ask(b'{"shape": [1,320,320,3], "dtype": "uint8"}', b"short")
        frigate.socket.send_multipart([b'{"shape": [1,320,320,3], "dtype": "uint8"}', bytes(320 * 320 * 3)])
        frigate.close()
        time.sleep(0.02)


def network_ms(server, web) -> tuple:
    text = web.ask("GET", "/metrics")[2].decode()
    return tuple(float(re.search(rf"^octet_serve_run_seconds_{name} (.*)$", text, re.M)[1]) for name in ("sum", "count"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--requests", type=int, default=10000)
    parser.add_argument("--threads", default="2")
    options = parser.parse_args()
    with Server(options.build, "--http", "0", "--zmq", "tcp://127.0.0.1:*", "--threads", options.threads, places=2) as server:
        for protocol in ("zmq", "deepstack", "v2"):
            wanted = asker(protocol, server.places)()
            context = multiprocessing.get_context("spawn")
            stop, results, begin = context.Event(), context.Queue(), context.Barrier(CLIENTS + 1)
            bad = context.Process(target=trouble, args=(server.places, stop))
            bad.start()
            most = options.requests // CLIENTS
            runs = [context.Process(target=client, args=(protocol, server.places, wanted, 1e9, most, begin, results)) for _ in range(CLIENTS)]
            for one in runs:
                one.start()
            begin.wait()
            before, begun = server.rss_kb(), time.monotonic()
            told = [results.get() for _ in runs]
            took = time.monotonic() - begun
            stop.set()
            bad.join()
            done, wrong = sum(one[0] for one in told), sum(one[1] for one in told)
            print(f"{protocol}: {done} answers, {wrong} wrong, {done / took:.0f} a second; resident {before} -> {server.rss_kb()} KB", flush=True)
            begin = context.Barrier(CLIENTS + 1)
            runs = [context.Process(target=client, args=(protocol, server.places, wanted, 5, 10 ** 9, begin, results)) for _ in range(CLIENTS)]
            for one in runs:
                one.start()
            begin.wait()
            counts = sorted(results.get()[0] for _ in runs)
            mean = sum(counts) / len(counts)
            print(f"{protocol}: shares of eight clients {counts[0] / mean - 1:+.1%} to {counts[-1] / mean - 1:+.1%} of the mean ({mean:.0f} in 5 s)", flush=True)
            ask, times, web = asker(protocol, server.places), [], Web(int(server.places[0].rsplit(":", 1)[1]))
            for _ in range(50):
                ask()
            sum0, count0 = network_ms(server, web)
            for _ in range(1000):
                begun = time.perf_counter()
                ask()
                times.append((time.perf_counter() - begun) * 1000)
            sum1, count1 = network_ms(server, web)
            net = (sum1 - sum0) / (count1 - count0) * 1000
            p50, p99 = np.percentile(times, [50, 99])
            print(f"{protocol}: one client p50 {p50:.2f} ms, p99 {p99:.2f} ms; the network alone {net:.2f} ms on average: {p50 - net:+.2f} and {p99 - net:+.2f} ms", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
