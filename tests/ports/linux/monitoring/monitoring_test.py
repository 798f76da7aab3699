#!/usr/bin/env python3
"""A real Prometheus scrapes a running octet-camera: what it exposes is what promtool likes, every alert does what its
test says, and every query of the dashboard answers."""
import argparse
import contextlib
import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "camera_pipes"))
import detector_blob  # noqa: E402

MONITORING = detector_blob.SOURCE / "ports/linux/monitoring"
SCRAPE_S = 1
SCRAPED_S = 12  # before queries are asked: rates need two scrapes within their window
WINDOW = "10s"  # in place of Grafana's $__rate_interval
CELSIUS = 47.5
# What a camera without slots and budget has not; the exporter beside this file has it.
NOT_HERE = ("octet_slot{", "octet_latency_budget_seconds")


def fetch(url: str) -> str:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode()


def await_line(stream, pattern: str) -> str:
    """The first group of the pattern in the first line that has it."""
    for line in stream:
        found = re.search(pattern, line)
        if found:
            return found.group(1)
    raise AssertionError(f"ended without {pattern}")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextlib.contextmanager
def running(*command, **streams):
    process = subprocess.Popen([str(word) for word in command], text=True, **streams)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def promtool(*arguments, text=None) -> None:
    done = subprocess.run(["promtool", *map(str, arguments)], input=text, capture_output=True, text=True)
    # `check metrics` says what it dislikes and ends with 3; with 0 and words it only advises, which counts as well.
    output = done.stdout + done.stderr
    assert done.returncode == 0, f"promtool {' '.join(map(str, arguments))}: {output}"
    if arguments[:2] == ("check", "metrics"):
        assert not output.strip(), f"promtool check metrics: {output}"


def dashboard_queries() -> list:
    """[(panel, expression)], variables filled in."""
    queries = []
    for panel in json.loads((MONITORING / "dashboard.json").read_text())["panels"]:
        assert panel["targets"], f"panel {panel['title']} asks nothing"
        for target in panel["targets"]:
            expression = target["expr"].replace("$__rate_interval", WINDOW).replace("$instance", ".*")
            assert "$" not in expression, f"{panel['title']}: a variable is left in {expression}"
            queries.append((panel["title"], expression))
    return queries


class Prometheus:
    def __init__(self, port: int):
        self.url = f"http://127.0.0.1:{port}"

    def await_ready(self) -> None:
        for _ in range(200):
            with contextlib.suppress(OSError):
                if fetch(f"{self.url}/-/ready"):
                    return
            time.sleep(0.1)
        raise AssertionError("prometheus does not get ready")

    def ask(self, path: str, **parameters):
        answer = json.loads(fetch(f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"))
        assert answer["status"] == "success", answer
        return answer["data"]

    def query(self, expression: str) -> list:
        return self.ask("query", query=expression)["result"]


def make_garments(folder: pathlib.Path) -> None:
    """Random ones: the scene needs some, and what is on them does not matter here."""
    random = np.random.Generator(np.random.PCG64(2))
    np.save(folder / "test.npy", random.integers(0, 256, (100, 28, 28), np.uint8))
    np.save(folder / "labels.npy", (np.arange(100) % 10).astype(np.uint8))


def write_config(work: pathlib.Path, targets: list) -> pathlib.Path:
    config = work / "prometheus.yml"
    config.write_text(f"""global: {{scrape_interval: {SCRAPE_S}s, evaluation_interval: {SCRAPE_S}s}}
rule_files: ["{MONITORING / 'alerts.yml'}"]
scrape_configs:
  - job_name: octet
    static_configs: [{{targets: {json.dumps(targets)}}}]
""")
    return config


def check_running(server: Prometheus, camera: str, exporter: str) -> int:
    """AssertionError where a query, an alert or a number is wrong; the count of queries that answered."""
    states = {target["labels"]["instance"]: target for target in server.ask("targets")["activeTargets"]}
    for name in (camera, exporter):
        assert states[name]["health"] == "up", states[name]
    queries = dashboard_queries()
    for panel, expression in queries:
        instances = {series["metric"].get("instance", "all") for series in server.query(expression)}
        assert instances, f"panel {panel}: no series for {expression}"
        if not instances & {camera, "all"}:
            assert expression.startswith(NOT_HERE), f"panel {panel}: the camera has nothing for {expression}"
    rules = [rule for group in server.ask("rules")["groups"] for rule in group["rules"]]
    assert len(rules) == (MONITORING / "alerts.yml").read_text().count("- alert:"), "rules are missing"
    for rule in rules:
        assert rule["health"] == "ok", f"{rule['name']}: {rule.get('lastError')}"
    firing = [alert["labels"] for alert in server.ask("alerts")["alerts"]
              if alert["state"] == "firing" and alert["labels"]["instance"] == camera]
    assert not firing, f"alerts of a camera that is well: {firing}"

    def number(expression: str) -> float:
        (one,) = server.query(expression)
        return float(one["value"][1])

    of = f'{{instance="{camera}"}}'
    assert number(f"octet_temperature_celsius{of}") == CELSIUS
    assert 1 <= number(f"count(quantization_error{of})") <= 16
    (info,) = server.query(f"octet_blob_info{of}")
    assert (info["metric"]["model"], info["metric"]["board"]) == ("scene_detector", "x86-host"), info
    assert number(f"octet_inference_seconds_count{of}") == number(f"octet_frames_total{of}") > 0
    assert 0 < number(f"histogram_quantile(0.5, rate(octet_inference_seconds_bucket{of}[{WINDOW}]))") < 10
    assert abs(number(f"octet_start_time_seconds{of}") - time.time()) < 120
    assert number(f'octet_plan{{instance="{camera}", plan="int8"}}') == 1
    assert number(f'octet_plan{{instance="{camera}", plan="fp16"}}') == 0
    return len(queries)


def check(build: pathlib.Path, work: pathlib.Path) -> None:
    for argument in ("rules", "config"):
        promtool("check", argument, MONITORING / {"rules": "alerts.yml", "config": "prometheus.yml"}[argument])
    promtool("test", "rules", HERE / "alerts_test.yml")
    make_garments(work)
    zone = work / "thermal/thermal_zone0"
    zone.mkdir(parents=True)
    (zone / "type").write_text("x86_pkg_temp\n")
    (zone / "temp").write_text(f"{CELSIUS * 1000:.0f}\n")
    (work / "blob").mkdir()
    # A board's file brings the guard's settings and probes.
    blob = detector_blob.make(build, work / "blob", "--board", detector_blob.SOURCE / "boards/x86-host.yaml")
    with contextlib.ExitStack() as stack:
        # Its detector was calibrated with noise, so that its plans need not agree.
        camera = stack.enter_context(running(
            build / "bin/octet-camera", blob, "--source", "scene", "--garments", work, "--fps", "30", "--metrics", "0",
            "--guard-set", "trip_score=0", "--thermal-root", work / "thermal", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE))
        exporter = stack.enter_context(running(build / "tests/monitoring_exporter", stdin=subprocess.PIPE,
                                               stdout=subprocess.PIPE))
        targets = [await_line(camera.stderr, r"http://(\S+)/metrics"),
                   "127.0.0.1:" + await_line(exporter.stdout, r"(\d+)")]
        port = free_port()
        log = stack.enter_context((work / "prometheus.log").open("w+"))
        stack.enter_context(running(
            "prometheus", f"--config.file={write_config(work, targets)}", f"--storage.tsdb.path={work / 'tsdb'}",
            f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn", stdout=log, stderr=log))
        server = Prometheus(port)
        server.await_ready()
        time.sleep(SCRAPED_S)
        for target in targets:
            promtool("check", "metrics", text=fetch(f"http://{target}/metrics"))
        count = check_running(server, *targets)
        log.seek(0)
        complaints = [line for line in log if "level=error" in line or "Error" in line]
        assert not complaints, complaints
    frames = camera.returncode
    assert frames == 0, f"octet-camera ended with {frames}"
    print(f"passed: {count} queries of the dashboard answered, alerts checked")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    lacking = [tool for tool in ("prometheus", "promtool") if shutil.which(tool) is None]
    if lacking:
        print(f"skipped: {' and '.join(lacking)} not installed (./setup.sh --tests)")
        return detector_blob.SKIPPED
    with tempfile.TemporaryDirectory(prefix="octet-monitoring-") as folder:
        try:
            check(options.build, pathlib.Path(folder))
        except AssertionError as error:
            print(f"FAILED: {error}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
