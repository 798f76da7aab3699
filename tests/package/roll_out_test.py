#!/usr/bin/env python3
"""Roll-outs: packaging/roll-out/roll_out.py with boards and a Prometheus that are stand-ins. roll_out_test.py --build BUILD"""
import argparse
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

SOURCE = pathlib.Path(__file__).resolve().parents[2]
ROLL_OUT = SOURCE / "packaging/roll-out/roll_out.py"
options = argparse.Namespace()


class Prometheus(http.server.BaseHTTPRequestHandler):
    """Answers each query with the alerts of the class; keeps the queries."""
    alerts, queries = [], []

    def do_GET(self):
        self.queries.append(urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)["query"][0])
        results = [{"metric": {"alertname": name, "instance": instance}, "value": [0, "1"]} for name, instance in self.alerts]
        body = json.dumps({"status": "success", "data": {"resultType": "vector", "result": results}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class RollOut(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="octet-roll-out-"))
        Prometheus.alerts, Prometheus.queries = [], []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Prometheus)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.boards = [f"pi@board{i}:/store" for i in range(10)]
        (self.work / "boards").write_text("# shops\n" + "\n".join(self.boards) + "\n\n")
        (self.work / "m.octet").write_bytes(b"model")
        # An `octet flash` that writes down what it was called with; a board named in `refuse` refuses.
        (self.work / "octet").write_text(f"#!/bin/sh\necho \"$@\" >>{self.work}/calls\n"
                                         f"! grep -qsx \"$3\" {self.work}/refuse || {{ echo 'octet flash: refused: signature' >&2; exit 1; }}\n")
        (self.work / "octet").chmod(0o755)

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()
        shutil.rmtree(self.work)

    def run_it(self, *more, url=None):
        return subprocess.run([sys.executable, ROLL_OUT, "--boards", self.work / "boards", "--octet", self.work / "octet", "--wait", "0",
                               "--prometheus", url or f"http://127.0.0.1:{self.server.server_port}", *more, self.work / "m.octet"],
                              capture_output=True, text=True)

    def flashed(self) -> list:
        calls = self.work / "calls"
        return [line.split()[2] for line in calls.read_text().splitlines()] if calls.exists() else []

    def test_all_boards_get_it_once_in_their_order(self):
        done = self.run_it("--flash=--key=k.pub")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.flashed(), self.boards)
        self.assertIn("--key=k.pub", (self.work / "calls").read_text())
        self.assertEqual(self.run_it().returncode, 0)
        self.assertEqual(self.flashed(), self.boards)
        (self.work / "m.octet").write_bytes(b"another")
        self.assertEqual(self.run_it().returncode, 0)
        self.assertEqual(self.flashed(), self.boards * 2)

    def test_an_alert_pauses_it_and_the_same_command_goes_on(self):
        # The flash of the fifth board ends once an alert fires.
        (self.work / "octet").write_text((self.work / "octet").read_text() +
                                         f"[ $3 != {self.boards[4]} ] || while [ ! -e {self.work}/fires ]; do sleep 0.05; done\n")
        Prometheus.alerts = [("OctetRolledBack", "board0:9110")]
        paused = self.run_it("--cohorts", "1,50%,100%")
        self.assertEqual((paused.returncode, self.flashed()), (3, []))
        Prometheus.alerts = []
        go_on = ("--cohorts", "1,50%,100%", "--continue-after-pause")

        def fire():
            while len(self.flashed()) < 5:
                time.sleep(0.01)
            Prometheus.alerts = [("OctetRolledBack", "board3:9110")]
            (self.work / "fires").touch()

        watcher = threading.Thread(target=fire)
        watcher.start()
        paused = self.run_it(*go_on)
        watcher.join()
        self.assertEqual((paused.returncode, self.flashed()), (3, self.boards[:5]))
        self.assertIn("OctetRolledBack on board3:9110", paused.stderr)
        self.assertEqual(self.run_it(*go_on).returncode, 3)
        self.assertEqual(self.flashed(), self.boards[:5])
        # OctetRolledBack ends after a while, and the model is as bad as before.
        Prometheus.alerts = []
        again = self.run_it("--cohorts", "1,50%,100%")
        self.assertEqual((again.returncode, self.flashed()), (3, self.boards[:5]))
        self.assertIn("OctetRolledBack on board3:9110", again.stderr)
        self.assertEqual(self.run_it(*go_on).returncode, 0)
        self.assertEqual(self.flashed(), self.boards)
        (self.work / "m.octet").write_bytes(b"the next release")
        self.assertEqual(self.run_it().returncode, 0)

    def test_a_board_that_was_down_before_does_not_pause_it(self):
        Prometheus.alerts = [("OctetDown", "board9:9110")]
        self.assertEqual(self.run_it("--cohorts", "1,100%").returncode, 0)
        (self.work / "m.octet").write_bytes(b"another")
        Prometheus.alerts = []
        (self.work / "octet").write_text((self.work / "octet").read_text() + f"[ $3 != {self.boards[4]} ] || exit 1\n")
        self.assertEqual(self.run_it("--cohorts", "1,100%").returncode, 1)
        Prometheus.alerts = [("OctetDown", "board9:9110")]
        self.assertEqual(self.run_it("--cohorts", "1,100%").returncode, 3, "it went down since the first board")

    def unreachable(self, *boards):
        """octet, whose ssh does not reach these boards."""
        away = "|".join(boards)
        (self.work / "octet").write_text(f"#!/bin/sh\necho \"$@\" >>{self.work}/calls\ncase $3 in {away}) "
                                         "echo 'octet: ssh x: connection failed; check it' >&2; exit 2 ;; esac\n")

    def test_boards_that_cannot_be_reached(self):
        self.unreachable(self.boards[3])
        self.assertEqual(self.run_it("--cohorts", "50%,100%").returncode, 1)
        self.assertEqual(self.flashed(), self.boards[:4])
        allowed = self.run_it("--cohorts", "50%,100%", "--allow-unreachable", "25")
        self.assertEqual((allowed.returncode, len(allowed.stderr.splitlines())), (1, 1), "one of the two boards left in the cohort")
        allowed = self.run_it("--cohorts", "50%,100%", "--allow-unreachable", "50")
        self.assertEqual(allowed.returncode, 4, allowed.stderr)
        self.assertIn(self.boards[3], allowed.stderr)
        (self.work / "octet").write_text(f"#!/bin/sh\necho \"$@\" >>{self.work}/calls\n")
        self.assertEqual(self.run_it("--cohorts", "50%,100%").returncode, 0)
        self.assertEqual(self.flashed()[-1], self.boards[3])

    def test_octet_flash_says_so_where_ssh_reaches_no_board(self):
        ssh = self.work / "ssh"
        ssh.write_text("#!/bin/sh\nexit 255\n")
        ssh.chmod(0o755)
        blob = SOURCE / "demo/scene/detector.octet"
        done = subprocess.run([options.build / "bin/octet", "flash", blob, self.boards[0]], capture_output=True, text=True,
                              env={**os.environ, "PATH": f"{self.work}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("connection failed", done.stderr)

    def test_a_login_shell_that_runs_nothing_is_no_flash(self):
        for shell in ("exit 0", "echo 'Please change your password.'"):
            ssh = self.work / "ssh"
            ssh.write_text(f"#!/bin/sh\n{shell}\n")
            ssh.chmod(0o755)
            shutil.copy(SOURCE / "demo/scene/detector.octet", self.work / "m.octet")
            (self.work / "octet").write_text(f"#!/bin/sh\nPATH={self.work}:$PATH exec {options.build / 'bin/octet'} \"$@\"\n")
            done = self.run_it()
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)
            self.assertEqual(json.loads((self.work / "boards.done.json").read_text())["boards"], [])

    def test_several_boards_at_once(self):
        # Each flash waits until four have begun: one after the other would wait for ever.
        (self.work / "octet").write_text(f"#!/bin/sh\necho \"$@\" >>{self.work}/calls\n"
                                         f"i=0; while [ $(wc -l <{self.work}/calls) -lt 4 ]; do i=$((i+1)); [ $i -lt 200 ] || exit 1; sleep 0.05; done\n")
        self.assertEqual(self.run_it("--cohorts", "100%", "--at-once", "4").returncode, 0)
        self.assertEqual(sorted(self.flashed()), sorted(self.boards))
        state = json.loads((self.work / "boards.done.json").read_text())
        self.assertEqual(sorted(state["boards"]), sorted(self.boards))
        (self.work / "calls").unlink()
        (self.work / "m.octet").write_bytes(b"refused")
        (self.work / "octet").write_text(f"#!/bin/sh\necho \"$@\" >>{self.work}/calls\nexit 1\n")
        self.assertEqual(self.run_it("--cohorts", "100%", "--at-once", "2").returncode, 1)
        self.assertLess(len(self.flashed()), 5, "nothing begins after the first that refuses")

    def test_it_watches_for_as_long_as_it_is_told(self):
        begun = time.monotonic()
        self.assertEqual(self.run_it("--cohorts", "100%", "--wait", "2").returncode, 0)
        self.assertGreater(time.monotonic() - begun, 2)

    def test_a_board_that_refuses_stops_it(self):
        (self.work / "refuse").write_text(self.boards[4] + "\n")
        stopped = self.run_it("--cohorts", "3,100%")
        self.assertEqual((stopped.returncode, len(stopped.stderr.splitlines())), (1, 1))
        self.assertIn(self.boards[4], stopped.stderr)
        self.assertIn("refused: signature", stopped.stderr)
        self.assertEqual(self.flashed(), self.boards[:5])
        (self.work / "refuse").unlink()
        self.assertEqual(self.run_it("--cohorts", "3,100%").returncode, 0)
        self.assertEqual(self.flashed(), self.boards[:5] + self.boards[4:])

    def test_without_prometheus_nothing_is_flashed(self):
        stopped = self.run_it(url="http://127.0.0.1:1")
        self.assertEqual((stopped.returncode, len(stopped.stderr.splitlines()), self.flashed()), (1, 1, []))

    def test_bad_use(self):
        for wrong in (["--at-once", "0"], ["--allow-unreachable", "101"], ["--allow-unreachable", "x"]):
            self.assertEqual(self.run_it(*wrong).returncode, 2, wrong)
        for cohorts in ("", "1,2", "50%,10%,100%", "a", "0,100%"):
            stopped = self.run_it("--cohorts", cohorts)
            self.assertEqual((stopped.returncode, len(stopped.stderr.splitlines())), (2, 1), cohorts)
        (self.work / "boards").write_text("a:/s\na:/s\n")
        self.assertEqual(self.run_it().returncode, 2)
        self.assertEqual(self.flashed(), [])

    def test_the_alerts_that_pause_it_are_shipped(self):
        self.run_it()
        (names,) = {re.search(r'alertname=~"([^"]*)"', query)[1] for query in Prometheus.queries}
        shipped = re.findall(r"- alert: (\w+)", (SOURCE / "ports/linux/monitoring/alerts.yml").read_text())
        self.assertIn("OctetRolledBack", names.split("|"))
        self.assertEqual(set(names.split("|")) - set(shipped), set())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.parse_args(namespace=options)
    options.build = options.build.resolve()
    return not unittest.main(argv=[sys.argv[0], "-v"], exit=False).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
