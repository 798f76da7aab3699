#!/usr/bin/env python3
"""octet-serve under load, run by hand: load.py --build BUILD [--requests 10000] [--passes 2]

For each protocol: eight clients make the requests and compare every answer, while others vanish, stall and send what is wrong, and a
thousand connections are idle. The memory behind each phase; with --passes the same phases come again, and memory must not grow by
more than a tenth. Times are bench-serve's."""
import argparse
import multiprocessing
import pathlib
import socket
import sys
import time

import numpy as np

from clients import Frigate, Server, Web, detect, encoded, form, infer, scene, wait_for

CLIENTS = 8
IDLE = 1000


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


def client(protocol: str, places: list, wanted, requests: int, results):
    ask = asker(protocol, places)
    results.put(sum(ask() != wanted for _ in range(requests)))


def trouble(places: list, stop):
    """Clients that vanish, stall, and send garbage, wrong shapes and broken pictures."""
    port = int(places[0].rsplit(":", 1)[1])
    jpeg = encoded(scene(2), "jpeg")
    body = form(jpeg)
    head = f"POST /v1/vision/detection HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=XX\r\nContent-Length: {len(body)}\r\n\r\n"
    stalled, slow = [], socket.create_connection(("127.0.0.1", port))
    idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(IDLE)]
    at = 0
    while not stop.is_set():
        try:  # a byte now and then, until the server has had enough
            slow.sendall(head[at:at + 1].encode())
            at += 1
        except OSError:
            slow, at = socket.create_connection(("127.0.0.1", port)), 0
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


def phase(protocol: str, server: Server, requests: int) -> int:
    """Wrong answers."""
    context = multiprocessing.get_context("spawn")
    stop, results = context.Event(), context.Queue()
    wanted = asker(protocol, server.places)()
    bad = context.Process(target=trouble, args=(server.places, stop))
    bad.start()
    runs = [context.Process(target=client, args=(protocol, server.places, wanted, requests // CLIENTS, results)) for _ in range(CLIENTS)]
    begun = time.monotonic()
    for one in runs:
        one.start()
    wrong = sum(results.get() for _ in runs)
    took = time.monotonic() - begun
    stop.set()
    bad.join()
    web = Web(server.port)
    wait_for(lambda: web.json("GET", "/v1/status")[1]["connections"] < 5, 60)
    print(f"{protocol}: {requests} answers, {wrong} wrong, {took:.0f} s; resident {server.rss_kb()} KB", flush=True)
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--requests", type=int, default=10000)
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--threads", default="2")
    options = parser.parse_args()
    wrong, behind = 0, []
    with Server(options.build, "--http", "0", "--zmq", "tcp://127.0.0.1:*", "--threads", options.threads, places=2) as server:
        print(f"at the start: resident {server.rss_kb()} KB", flush=True)
        for _ in range(options.passes):
            wrong += sum(phase(protocol, server, options.requests) for protocol in ("zmq", "deepstack", "v2"))
            behind.append(server.rss_kb())
    grows = any(later > behind[0] * 1.1 for later in behind[1:])
    print(f"{wrong} wrong answers; resident behind each pass: {behind} KB{': it grows' if grows else ''}")
    return 1 if wrong or grows else 0


if __name__ == "__main__":
    sys.exit(main())
