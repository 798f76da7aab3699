#!/usr/bin/env python3
"""How programs end: each with an output that is full, closed, slow or that nobody reads; below limits of the system; by signals while
a model is on trial. ends_test.py --build BUILD [--moments N] prints the table of programs and outputs."""
import argparse
import fcntl
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[4]
BLOB = SOURCE / "demo/scene/detector.octet"
F_SETPIPE_SZ = 1031
options = argparse.Namespace()
work = pathlib.Path()
table = []


def program(name):
    return str(options.build / "bin" / name)


def run(words, stdout=subprocess.PIPE, **more):
    return subprocess.run([program(words[0]), *map(str, words[1:])], stdout=stdout, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=120, **more)


def pictures():
    """A folder of four pictures, once."""
    folder = work / "pictures"
    if not folder.exists():
        folder.mkdir()
        source = random.Random(1)
        for i in range(4):
            (folder / f"{i}.ppm").write_bytes(b"P6\n64 48\n255\n" + source.randbytes(64 * 48 * 3))
    return folder


def store():
    """A new store with a model that runs and the same one on trial."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="store-", dir=work))
    for step in (("stage", BLOB), ("activate",), ("boot",), ("confirm",), ("stage", BLOB), ("activate",)):
        done = run(["octet-slot", folder, *step])
        assert done.returncode == 0, done.stderr
    return folder


def listed(folder):
    return json.loads(run(["octet-slot", folder, "list", "--json"]).stdout)


def slowly(words):
    """Its status and all that came through a small pipe that does not block, read late and little by little."""
    end, begin = os.pipe()
    fcntl.fcntl(begin, fcntl.F_SETFL, os.O_NONBLOCK)
    fcntl.fcntl(begin, F_SETPIPE_SZ, 4096)
    child = subprocess.Popen([program(words[0]), *map(str, words[1:])], stdout=begin, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    os.close(begin)
    time.sleep(0.2)
    text = b""
    while part := os.read(end, 1000):
        text += part
        if len(text) < 100_000:
            time.sleep(0.002)
    os.close(end)
    return child.wait(60), text


def lines(text):
    """How many lines it has. The profile has one more where a layer was faster than the measured peak; that depends on the machine's load."""
    return sum(not line.startswith(b"above 100 %") for line in text.split(b"\n"))


def unread(words):
    end, begin = os.pipe()
    os.close(end)
    done = run(words, stdout=begin)
    os.close(begin)
    return done


class Outputs(unittest.TestCase):
    def commands(self):
        run_words = ["octet-run", BLOB, "--input", pictures()]
        camera = ["octet-camera", BLOB, "--source", pictures()]
        slots = store()
        return {
            "octet --help": ["octet", "--help"], "octet --version": ["octet", "--version"], "octet convert --help-all": ["octet", "convert", "--help-all"],
            "octet --help-json": ["octet", "--help-json"], "octet inspect": ["octet", "inspect", BLOB],
            "octet inspect --json": ["octet", "inspect", BLOB, "--json"], "octet boards": ["octet", "boards"],
            "octet-run": run_words, "octet-run --json": [*run_words, "--json"], "octet-run --profile": [*run_words, "--profile"],
            "octet-run --isa list": ["octet-run", "--isa", "list"], "octet-run --help": ["octet-run", "--help"],
            "octet-slot list": ["octet-slot", slots, "list"], "octet-slot list --json": ["octet-slot", slots, "list", "--json"],
            "octet-slot verify": ["octet-slot", slots, "verify"], "octet-slot boot": ["octet-slot", slots, "boot"],
            "octet-slot boot --json": ["octet-slot", slots, "boot", "--json"], "octet-scene --help": ["octet-scene", "--help"],
            "octet-camera --help-all": ["octet-camera", "--help-all"], "octet-camera --print-config": [*camera, "--print-config"],
            "octet-camera --check": [*camera, "--check"], "octet-camera --isa list": ["octet-camera", "--isa", "list"],
            "octet-camera, pictures": camera, "octet-camera --json, pictures": [*camera, "--json"],
        }

    def test_each_program_on_each_output(self):
        for name, words in self.commands().items():
            with self.subTest(name):
                # What a boot changes is taken back where its path does not arrive.
                is_boot = "boot" in name
                before = listed(words[1])["attempts"] if is_boot else None
                with open("/dev/full", "wb") as full:
                    filled = run(words, stdout=full)
                closed = subprocess.run(["sh", "-c", 'exec "$0" "$@" >&-', program(words[0]), *map(str, words[1:])], stderr=subprocess.PIPE,
                                        stdin=subprocess.DEVNULL, timeout=120)
                gone = unread(words)
                if is_boot:
                    self.assertEqual(listed(words[1])["attempts"], before)
                usual = run(words)
                status, text = slowly(words)
                table.append((name, filled.returncode, closed.returncode, f"{status}, {len(text)} of {len(usual.stdout)} bytes", gone.returncode))
                for done, why in ((filled, b"No space left on device"), (closed, b"Bad file descriptor")):
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn(why, done.stderr)
                    self.assertNotIn(b"internal error", done.stderr)
                # A camera ends with its reader, as a filter does.
                self.assertEqual(gone.returncode, 0 if name.startswith("octet-camera") and "pictures" in name else 2, gone.stderr)
                self.assertEqual(status, usual.returncode)
                self.assertIn(usual.returncode, (0, 1) if "--check" in name else (0,), usual.stderr)
                self.assertEqual(lines(text), lines(usual.stdout))
                self.assertEqual(text[-1:], b"\n")
                if "json" in name and "camera" not in name:
                    json.loads(text)

    def test_a_camera_says_that_its_last_lines_are_lost(self):
        words = ["octet-camera", BLOB, "--source", "-", "--format", "rgb24", "--size", "64x48", "--json"]
        with open("/dev/full", "wb") as full:
            done = subprocess.run([program(words[0]), *map(str, words[1:])], input=bytes(64 * 48 * 3 * 5), stdout=full, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(b"the last lines did not arrive", done.stderr)

    def test_closed_descriptors_are_nobody_elses(self):
        """The program's own files do not become its stdin or stdout."""
        camera = [program("octet-camera"), BLOB, "--source", "-", "--format", "grey8", "--size", "8x8", "--json"]
        done = subprocess.run(["sh", "-c", 'exec "$0" "$@" <&-', *camera], capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"stdin", done.stderr)
        staged = subprocess.run(["sh", "-c", 'exec "$0" "$@" <&- 2>&-', program("octet-slot"), store(), "verify"], capture_output=True, timeout=60)
        self.assertEqual(staged.returncode, 0)
        output = work / "o.npy"
        bare = subprocess.run(["sh", "-c", 'exec "$0" "$@" <&- >&- 2>&-', program("octet-run"), BLOB, "--input", pictures() / "0.ppm", "--json",
                               "--output", output], timeout=60)
        self.assertEqual(bare.returncode, 2)
        first = output.with_suffix(".0.npy") if not output.exists() else output
        self.assertEqual(first.read_bytes()[:6], b"\x93NUMPY")

    def test_names_do_not_reach_the_terminal_raw(self):
        folder = work / "names"
        folder.mkdir(exist_ok=True)
        name = "a\x1b]0;title\x07\n\xc2\x9bm.ppm".encode("latin-1")
        shutil.copy(pictures() / "0.ppm", os.fsencode(folder) + b"/" + name)
        (folder / "b\x1b[31m.ppm").write_bytes(b"P6 none")
        for words in (["octet-camera", BLOB, "--source", folder], ["octet-run", BLOB, "--input", folder],
                      ["octet-run", folder / "none\x1b[0m", "--input", folder]):
            done = run(words)
            text = done.stdout + done.stderr
            self.assertIsNone(re.search(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]", text), text)
        self.assertIn(b"a?]0;title??", run(["octet-camera", BLOB, "--source", folder]).stdout)


class Limits(unittest.TestCase):
    def test_each_limit_is_a_line_that_names_it(self):
        grown = work / "grown.npy"
        camera = ["octet-camera", BLOB, "--source", pictures()]
        run_words = ["octet-run", BLOB, "--input", pictures()]
        cases = (
            (camera, resource.RLIMIT_STACK, 160 << 10, "ulimit -s"), (run_words, resource.RLIMIT_STACK, 160 << 10, "ulimit -s"),
            (["octet-slot", store(), "list"], resource.RLIMIT_STACK, 160 << 10, "ulimit -s"),
            (["octet", "inspect", BLOB], resource.RLIMIT_STACK, 160 << 10, "ulimit -s"),
            (camera, resource.RLIMIT_NOFILE, 4, "ulimit -n"), (run_words, resource.RLIMIT_NOFILE, 4, "ulimit -n"),
            (["octet-slot", store(), "list"], resource.RLIMIT_NOFILE, 4, "ulimit -n"),
            ([*run_words, "--output", grown], resource.RLIMIT_FSIZE, 4096, "ulimit -f"),
            ([*camera, "--dump", work / "dumped"], resource.RLIMIT_FSIZE, 1000, "ulimit -f"),
            ([*run_words, "--threads", "64"], resource.RLIMIT_AS, 150 << 20, "ulimit -v"),
            ([*camera, "--threads", "64"], resource.RLIMIT_AS, 150 << 20, "ulimit -v"),
        )
        for words, limit, value, name in cases:
            with self.subTest(f"{words[0]} {name}"):
                done = run(words, preexec_fn=lambda limit=limit, value=value: resource.setrlimit(limit, (value, value)))
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(name.encode(), done.stderr)
                self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
        for most in range(5, 24):  # whichever call it is that finds none
            with self.subTest(f"{most} descriptors"):
                done = run([*camera, "--json", "--http", "0", "--metrics", "0"],
                           preexec_fn=lambda most=most: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))
                self.assertIn(done.returncode, (0, 2))
                named = [line for line in done.stderr.splitlines() if b"ulimit -n" in line]
                if done.returncode == 2:
                    self.assertTrue(named, done.stderr)
                else:  # a thread of the page may have held the last one for a moment: that picture alone is lost
                    self.assertTrue(all(line.endswith(b"; skipped") for line in named), done.stderr)
        self.assertFalse([path for path in work.iterdir() if "grown" in path.name], "what was not written whole is gone")


class Trial(unittest.TestCase):
    """A model on trial, and a signal at a random moment: a clean end is no boot, a crash is one."""

    def start(self, folder):
        child = subprocess.Popen([program("octet-camera"), "--slots", folder, "--source", "-", "--format", "rgb24", "--size", "64x48", "--json",
                                  "--confirm-after", "1000000"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        feeder = subprocess.Popen([sys.executable, "-c", "import os,time\ntry:\n while True: os.write(1, bytes(64*48*3)); time.sleep(0.01)\n"
                                   "except OSError: pass"], stdout=child.stdin)
        child.stdin.close()
        child.stdin = None
        return child, feeder

    def test_signals_at_random_moments(self):
        seed = random.SystemRandom().randrange(1 << 31)
        print(f"seed {seed}")
        source = random.Random(seed)
        folder = store()
        crashes = 0
        for i in range(options.moments):
            number = (signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)[i % 4]
            child, feeder = self.start(folder)
            time.sleep(source.uniform(0, 0.4))
            child.send_signal(number)
            _, said = child.communicate(timeout=60)
            feeder.kill()
            feeder.wait()
            was_on_trial = b"slot B, on trial" in said
            with self.subTest(f"{i}: {number.name}"):
                after = listed(folder)
                if number == signal.SIGQUIT:
                    self.assertEqual(child.returncode, -signal.SIGQUIT)
                    self.assertLessEqual(after["attempts"], crashes + 1)
                    self.assertGreaterEqual(after["attempts"], crashes + was_on_trial)
                else:
                    # Before it obeys signals nothing is counted.
                    self.assertIn(child.returncode, (0,) if was_on_trial else (0, -number), said)
                    self.assertEqual(after["attempts"], crashes)
                self.assertEqual((after["active"], after["pending"]), ("A", "B"))
                crashes = after["attempts"]
            if crashes == 2:  # the third would end the trial
                shutil.rmtree(folder)
                folder, crashes = store(), 0

    def test_what_says_nothing_about_the_model_is_no_boot(self):
        """A port in use three times, and an output that is full."""
        import socket
        with socket.create_server(("127.0.0.1", 0)) as taken:
            folder = store()
            words = ["--slots", folder, "--source", pictures(), "--json", "--confirm-after", "1000000"]
            for _ in range(3):
                done = run(["octet-camera", *words, "--http", taken.getsockname()[1]])
                self.assertEqual(done.returncode, 2)
                self.assertIn(b"Address already in use", done.stderr)
            with open("/dev/full", "wb") as full:
                self.assertEqual(run(["octet-camera", *words], stdout=full).returncode, 2)
            self.assertEqual((listed(folder)["attempts"], listed(folder)["pending"]), (0, "B"))


def main() -> int:
    global work
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--moments", type=int, default=20)
    _, rest = parser.parse_known_args(namespace=options)
    options.build = options.build.resolve()
    with tempfile.TemporaryDirectory(prefix="octet-ends-") as folder:
        work = pathlib.Path(folder)
        good = unittest.main(argv=[sys.argv[0], *rest], verbosity=2, exit=False).result.wasSuccessful()
    if table:
        print("| program | full disk | closed | slow pipe | reader gone |\n| --- | --- | --- | --- | --- |")
        for row in table:
            print("| " + " | ".join(map(str, row)) + " |")
    return not good


if __name__ == "__main__":
    sys.exit(main())
