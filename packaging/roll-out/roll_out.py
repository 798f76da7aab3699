#!/usr/bin/env python3
"""A model for many boards over ssh, cohort by cohort: roll_out.py --boards FILE --prometheus URL MODEL.octet

FILE has a board on each line, as `octet flash` takes it: USER@HOST:STORE; # begins a comment. The boards of a cohort are flashed
--at-once at a time. Then the roll-out waits, and asks Prometheus for the alerts of ports/linux/monitoring/alerts.yml. If one fires, on
any board, it pauses: no further board is touched, and only --continue-after-pause goes on. A board that was down before the first
board was flashed is no reason to pause. What is done stands in the state file, so the same command goes on after any other end.

Exit status: 0 all boards have it, 1 a board could not be flashed or Prometheus does not answer, 2 bad use, 3 paused by an alert,
4 all boards have it that can be reached (--allow-unreachable).
"""
import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request

ALERTS = "OctetRolledBack|OctetFlashRefused|OctetStoreRefusedBeforeStart|OctetStoreFails|OctetUncleanStart|OctetFramesStopped|OctetDown"
DOWN = "OctetDown"
PERIOD = 15  # seconds between two questions; Prometheus itself asks boards no more often
UNREACHABLE = "connection failed"  # in the line of octet flash where ssh finds no board


class Stop(Exception):
    def __init__(self, status: int, line: str):
        super().__init__(line)
        self.status = status


def read_boards(path: pathlib.Path) -> list:
    lines = [line.split("#")[0].strip() for line in path.read_text().splitlines()]
    boards = [line for line in lines if line]
    twice = {board for board in boards if boards.count(board) > 1}
    if not boards or twice:
        raise Stop(2, f"{path}: {'a board stands there twice: ' + sorted(twice)[0] if twice else 'has no boards'}")
    return boards


def cohorts_of(boards: list, sizes: str) -> list:
    """'1,10%,100%': how many boards have the model after each cohort."""
    ends = []
    for word in sizes.split(","):
        if not re.fullmatch(r"[1-9][0-9]*%?", word):
            raise Stop(2, f"--cohorts {sizes}: write it as 1,10%,100%")
        number = int(word.rstrip("%"))
        ends.append(min(len(boards), -(-len(boards) * number // 100) if word.endswith("%") else number))
    if ends != sorted(ends) or ends[-1] != len(boards):
        raise Stop(2, f"--cohorts {sizes}: has to rise, and to end with 100%")
    return [boards[begin:end] for begin, end in zip([0, *ends], ends) if begin < end]


def firing(prometheus: str, names: str) -> list:
    """'ALERT on INSTANCE' of each that fires now."""
    query = urllib.parse.urlencode({"query": f'ALERTS{{alertstate="firing",alertname=~"{names}"}}'})
    try:
        with urllib.request.urlopen(f"{prometheus.rstrip('/')}/api/v1/query?{query}", timeout=10) as answer:
            results = json.load(answer)["data"]["result"]
    except (OSError, ValueError, KeyError) as error:
        raise Stop(1, f"{prometheus} does not answer: {error}; nothing was flashed since the last cohort") from error
    return sorted(f"{one['metric']['alertname']} on {one['metric'].get('instance', '?')}" for one in results)


class State:
    """What is done with this model, in a file, written after each step."""

    def __init__(self, path: pathlib.Path, model: pathlib.Path):
        self.path, self.digest, self.lock = path, hashlib.sha256(model.read_bytes()).hexdigest(), threading.Lock()
        kept = json.loads(path.read_text()) if path.exists() else {}
        if kept.get("model") != self.digest:
            kept = {}
        self.boards = kept.get("boards", [])
        # A cohort that was flashed and not yet watched to its end.
        self.watched = kept.get("watched", 0) if self.boards else 0
        self.down = kept.get("down")  # alerts of boards that were down before the first one was flashed
        self.paused = kept.get("paused", [])

    def write(self) -> None:
        new = self.path.with_name(self.path.name + ".new")
        new.write_text(json.dumps({"model": self.digest, "boards": self.boards, "watched": self.watched, "down": self.down,
                                   "paused": self.paused}, indent=1) + "\n")
        new.replace(self.path)

    def add(self, board: str) -> None:
        with self.lock:
            self.boards.append(board)
            self.write()


def ask(options, state: State, until: float) -> None:
    while True:
        alerts = [alert for alert in firing(options.prometheus, options.alerts) if alert not in state.down]
        if alerts:
            state.paused = alerts
            state.write()
            raise Stop(3, f"paused: {', '.join(alerts)}. When that is settled, give the same command with --continue-after-pause")
        if time.monotonic() >= until:
            return
        time.sleep(min(PERIOD, max(0.0, until - time.monotonic())))


def flash(options, state: State, boards: list, told: str) -> list:
    """The boards that cannot be reached. Ends with the first that refuses; boards that are being flashed are waited for."""
    stop, unreachable = threading.Event(), []

    def one(board: str) -> str:
        if stop.is_set():
            return ""
        done = subprocess.run([options.octet, "flash", str(options.model), board, *options.flash], capture_output=True, text=True)
        if done.returncode == 0:
            state.add(board)
            print(f"{told}: {board}", flush=True)
            return ""
        line = (done.stderr.strip() or "no message").splitlines()[-1]
        if UNREACHABLE in line:
            unreachable.append(board)
            print(f"{told}: {board} cannot be reached", flush=True)
            if len(unreachable) <= options.allow_unreachable / 100 * len(boards):
                return ""
        stop.set()
        return f"{board}: {line}"

    with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        faults = [fault for fault in pool.map(one, boards) if fault]
    if faults:
        raise Stop(1, f"{faults[0]}; no board behind it was flashed")
    return unreachable


def roll_out(options) -> None:
    boards = read_boards(options.boards)
    cohorts = cohorts_of(boards, options.cohorts)
    state = State(options.state or options.boards.with_name(options.boards.name + ".done.json"), options.model)
    if state.paused and not options.continue_after_pause:
        raise Stop(3, f"paused before: {', '.join(state.paused)}. When that is settled, give the same command with --continue-after-pause")
    state.paused = []
    if state.down is None:
        state.down = [alert for alert in firing(options.prometheus, options.alerts) if alert.startswith(f"{DOWN} on ")]
        for alert in state.down:
            print(f"known from the start: {alert}", flush=True)
    state.write()
    missing = []
    for number, cohort in enumerate(cohorts, 1):
        ask(options, state, 0)
        missing += flash(options, state, [board for board in cohort if board not in state.boards], f"cohort {number} of {len(cohorts)}")
        if state.watched < number:
            ask(options, state, time.monotonic() + options.wait)
            state.watched = number
            state.write()
    if missing:
        raise Stop(4, f"{len(boards) - len(missing)} of {len(boards)} boards have {options.model}; not reached: {', '.join(missing)}. "
                      "The same command tries them again")
    print(f"{len(boards)} boards have {options.model}")


def share(word: str) -> float:
    if not 0 <= (value := float(word)) <= 100:
        raise ValueError
    return value


def positive(word: str) -> int:
    if (value := int(word)) < 1:
        raise ValueError
    return value


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path, metavar="MODEL.octet")
    parser.add_argument("--boards", type=pathlib.Path, required=True, metavar="FILE", help="a board on each line, USER@HOST:STORE")
    parser.add_argument("--prometheus", required=True, metavar="URL", help="as http://127.0.0.1:9090")
    parser.add_argument("--cohorts", default="1,10%,100%", help="boards that have it after each cohort (default %(default)s)".replace("%,", "%%,"))
    parser.add_argument("--at-once", type=positive, default=1, metavar="N", help="boards that are flashed at the same time (default 1)")
    parser.add_argument("--allow-unreachable", type=share, default=0, metavar="PERCENT",
                        help="boards of a cohort that ssh may not reach (default 0); the same command tries them again")
    parser.add_argument("--continue-after-pause", action="store_true", help="go on after an alert paused it")
    parser.add_argument("--wait", type=float, default=900, metavar="S", help="seconds to watch a cohort (default 900)")
    parser.add_argument("--alerts", default=ALERTS, metavar="REGEX", help="names of alerts that pause it (default: those of a bad model or board)")
    parser.add_argument("--state", type=pathlib.Path, metavar="FILE", help="what is done (default: the file of boards with .done.json behind it)")
    parser.add_argument("--octet", default="octet", metavar="PROGRAM", help="the program octet (default: that of the PATH)")
    parser.add_argument("--flash", action="append", default=[], metavar="OPTION", help="one more option of octet flash, as --flash=--key=FILE")
    options = parser.parse_args()
    try:
        roll_out(options)
    except (Stop, OSError) as stop:
        print(f"roll_out.py: {stop}", file=sys.stderr)
        return stop.status if isinstance(stop, Stop) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
