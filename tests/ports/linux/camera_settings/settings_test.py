#!/usr/bin/env python3
"""octet-camera --config: one list of options for command line, settings file, --print-config, help and manual; errors with line and
nearest name; the command line counts before the file; SIGHUP."""
import argparse
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(SOURCE / "tests/ports/linux/camera_pipes"))
import detector_blob  # noqa: E402

# Of one start, and no settings: nothing of a run.
ACTIONS = {"help", "help-all", "version", "config", "print-config", "check", "support-bundle"}
# Words that a parser may take for something else.
ODD = ["-", "null", "~", "yes", "0123", "1e3", "a: b", "#x", " padded ", "a#b", "a'b\"c", "*a", "&a", "!t", "[x", "{x", "%x", "@x", "?",
       "two\nlines", "tab\there", "ä", "true", "<<", "---", "...", "a, b", "\\n", "|", ">", "key:", ":"]
build = work = blob = None


def camera(*words, **more):
    return subprocess.run([build / "bin/octet-camera", *map(str, words)], capture_output=True, text=True, timeout=60, **more)


def options() -> dict:
    """Every option of the help by its name, MODEL among them, with what follows it there."""
    text = camera("--help-all").stdout
    found = dict(re.findall(r"^  --([a-z][a-z-]*)(.*)$", text, re.M))
    assert re.search(r"^  MODEL TEXT", text, re.M), text
    return {"model": " TEXT", **{name: rest for name, rest in found.items() if name not in ACTIONS}}


def config(text: str) -> pathlib.Path:
    path = work / "camera.yaml"
    path.write_text(text)
    return path


def printed(*words):
    """What --print-config says: {name: text behind the colon}, [names not set]."""
    done = camera(*words, "--print-config")
    assert done.returncode == 0, done.stderr
    unset = re.findall(r"^# not set: (.*)$", done.stdout, re.M)
    names = re.findall(r"^([a-z][a-z-]*): (.*)$", done.stdout, re.M)
    return dict(names), unset[0].split(", ") if unset else [], done.stdout


class OneList(unittest.TestCase):
    def test_every_option_is_a_setting_and_every_setting_an_option(self):
        values, unset, _ = printed()
        self.assertGreater(len(options()), 30)
        self.assertEqual(sorted([*values, *unset]), sorted(options()))

    def test_the_file_takes_every_option(self):
        for name in options():
            done = camera("--config", config(f"{name}: {{a: b}}\n"))
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"camera.yaml:1: {name}: expected a value", done.stderr)
            done = camera("--config", config(f"\n{name}:\n"))
            self.assertIn(f"camera.yaml:2: {name}: has no value", done.stderr)

    def test_what_stands_in_help_stands_in_the_manual(self):
        page = (SOURCE / "docs/config.md").read_text()
        table = page[page.index("| now"):page.index("## ", page.index("| now"))]
        listed = set(re.findall(r"`([a-z][a-z-]*)`", table))
        self.assertEqual(listed, set(options()))

    def test_actions_are_no_settings(self):
        for name in ACTIONS:
            done = camera("--config", config(f"{name}: true\n"))
            self.assertIn(f"camera.yaml:1: '{name}' is not a setting; the nearest name is '", done.stderr)


class File(unittest.TestCase):
    def refused(self, text, *words):
        done = camera("--config", config(text), *words)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr.replace(str(work) + "/", "")

    def test_unknown_names_have_line_and_nearest_name(self):
        for wrong, right in (("sorce", "source"), ("every_frame", "every-frame"), ("tread", "threads"), ("--json", "json"),
                             ("confirm", "confirm-after"), ("Model", "model"), ("metircs", "metrics")):
            self.assertEqual(self.refused(f"# a comment\n\n{wrong}: 1\n"),
                             f"octet-camera: camera.yaml:3: '{wrong}' is not a setting; the nearest name is '{right}'\n")

    def test_wrong_values_have_their_line(self):
        for text, line, words in (
                ("model: m\nthreads: 0\n", 2, "threads: "), ("threads: many\n", 1, "threads: "), ("json: 1\n", 1, "json: '1' is neither true nor false"),
                ("model: ''\n", 1, "is empty"), ("threads: [1, 2]\n", 1, "threads: expected one value"),
                ("dump-format: gif\n", 1, "gif"), ("json: true\njson: true\n", 2, "json: set twice"), ("- a\n", 1, "expected lines of"),
                ("a: [\n", 2, "not valid YAML"), ("json: true\n---\njson: true\n", 2, "second document"), ("key: [[a]]\n", 1, "list of words"),
                ("model: m\nsource: scene\nisa: neon9\n", 3, "unknown word"), ("model: m\nsource: x\nconfirm-after: 7\n", 3, "needs --slots"),
                ("model: m\nsource: x\nfps: -2\n", 3, "at least 0")):
            said = self.refused(text)
            self.assertTrue(said.startswith(f"octet-camera: camera.yaml:{line}: "), said)
            self.assertIn(words, said)

    def test_what_is_no_file_is_refused(self):
        self.assertIn("check the path", camera("--config", work / "none.yaml").stderr)
        self.assertIn("not a regular file", camera("--config", work).stderr)
        self.assertIn("longer than 65536", self.refused("#" * 70000))
        deep = self.refused("a: " + "[" * 20000 + "\n")
        self.assertIn("camera.yaml:", deep)

    def test_the_command_line_counts_before_the_file(self):
        path = config("model: a\nthreads: 3\njson: true\nkey: [k1, k2]\nslots: s\nsource: scene\nframes: 9\n")
        values, _, _ = printed("--config", path, "--threads", 2, "--json=false", "--key", "k3")
        self.assertEqual((values["threads"], values["json"], values["key"], values["frames"]), ("2", "false", "[k3]", "9"))

    def test_no_settings_are_settings(self):
        for text in ("", "# nothing\n", "---\n", "{}\n"):
            self.assertEqual(printed("--config", config(text))[0], printed()[0])


class ReadBack(unittest.TestCase):
    def test_settings_in_force_read_back_as_they_are(self):
        for words in ((), ("m.octet", "--source", "scene"), ("--slots", "s", "--key", "a", "--key", "b", "--confirm-after", "7"),
                      ("m", "--guard-set", "dwell_s=3,trip_frames=5", "--fps", "29.97", "--seed", str(2**64 - 1)), ("--guard=false", "--map"),
                      ("m", "--drift", "r", "--drift-set", "gain=0.5", "--http", "0", "--frames", "100000")):
            first = printed(*words)[2]
            self.assertEqual(printed("--config", config(first))[2], first)

    def test_any_word_reads_back(self):
        for word in ODD:
            if word.startswith("-"):
                continue
            first = printed("--garments", word, "--metrics", word)[2]
            self.assertEqual(printed("--config", config(first))[2], first, word)
            self.assertEqual(printed("--config", config(first), "--garments", "x")[0]["garments"], "x")
        keys = printed("--slots", "s", *[part for word in ODD if not word.startswith("-") for part in ("--key", word)])[2]
        self.assertEqual(printed("--config", config(keys))[2], keys)

    def test_a_guard_that_is_implied_is_in_force(self):
        self.assertEqual(printed("--guard-set", "dwell_s=3")[0]["guard"], "true")


class Reload(unittest.TestCase):
    def start(self, text):
        self.path = config(text)
        self.errors = (work / "err").open("w+")
        self.results = (work / "out").open("w")
        self.child = subprocess.Popen([build / "bin/octet-camera", "--config", self.path, "--source", "-", "--format", "rgb24", "--size", "320x320"],
                                      stdin=subprocess.PIPE, stdout=self.results, stderr=self.errors, bufsize=0)

    def tearDown(self):
        if getattr(self, "child", None):
            self.child.kill()
            self.child.wait()
            self.child.stdin.close()
            self.errors.close()
            self.results.close()

    def said(self):
        return (work / "err").read_text().replace(str(work) + "/", "")

    def lines(self):
        return (work / "out").read_text().splitlines()

    def feed_until(self, seen, what):
        """Frames, until it is seen."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                self.child.stdin.write(bytes(320 * 320 * 3))
            except BrokenPipeError:  # it has ended
                self.child.wait(60)
                self.assertTrue(seen(), f"{what}: {self.said()}")
            if seen():
                return
            time.sleep(0.02)
        self.fail(f"{what}: {self.said()}")

    def reload(self, text, words):
        self.path.write_text(text)
        self.child.send_signal(signal.SIGHUP)
        self.feed_until(lambda: words in self.said(), words)

    def test_what_can_change_does_and_what_cannot_is_named(self):
        first = f"model: {blob}\nthreads: 1\njson: false\n"
        self.start(first)
        self.feed_until(lambda: self.lines(), "a first result")
        self.reload(f"model: {blob}\nthreads: 2\njson: true\nfps: 3\ncpus: '0'\n",
                    "camera.yaml: in force now: threads, json; cannot change while octet-camera runs: fps, cpus (restart it)")
        self.feed_until(lambda: any(line.startswith('{"frame":') for line in self.lines()), "JSON lines")
        self.reload(f"model: {blob}\nthreads: 2\njsn: true\n", "camera.yaml:3: 'jsn' is not a setting; the nearest name is 'json'; the previous settings stay")
        other = work / "other.octet"
        other.write_bytes(b"no blob")
        self.reload(f"model: {other}\nthreads: 2\njson: true\n", "other.octet")
        self.reload(f"model: {blob}\nthreads: 2\nguard-set: dwell_s=3\njson: true\n", "guard would change too, but cannot change while octet-camera runs; restart it")
        count = len(self.lines())
        self.feed_until(lambda: len(self.lines()) > count, "further results")
        self.reload(f"model: {blob}\nthreads: 2\njson: true\nframes: 1\n", "in force now: frames")
        self.child.stdin.close()
        self.assertEqual(self.child.wait(60), 0, self.said())
        self.assertIn('"model_changes":1', self.lines()[-1])  # threads; for the blob that is none the model does not stop

    def test_a_model_whose_file_is_damaged_meanwhile_goes_on(self):
        """Each change would load the model again. Its file is gone, cut, another model cut in two, no blob; then whole again."""
        model = work / "model.octet"
        settings = f"model: {model}\njson: true\n"
        whole = blob.read_bytes()
        model.write_bytes(whole)
        self.start(settings)
        self.feed_until(lambda: self.lines(), "a first result")
        other = bytearray(whole[:-1000])
        other[100] ^= 1  # another digest, half copied
        for number, (damage, words) in enumerate(((model.unlink, "model.octet: No such file or directory; check the path; the previous settings stay in force"),
                                                  (lambda: model.write_bytes(other), "the previous settings stay in force"),
                                                  (lambda: model.write_bytes(b"no blob"), "not a blob"),
                                                  (lambda: model.write_bytes(whole[:1000]), "in force now: threads"),
                                                  (lambda: model.write_bytes(whole), "in force now: threads"))):
            damage()
            before = len(self.said())
            self.path.write_text(settings + f"threads: {number + 2}\n")
            self.child.send_signal(signal.SIGHUP)
            self.feed_until(lambda: words in self.said()[before:], words)
            count = len(self.lines())
            self.feed_until(lambda: len(self.lines()) > count, "results go on")
        # A setting that this model cannot have: the one before comes back from memory.
        model.unlink()
        self.reload(settings + "plan: none\n", "No such file")
        model.write_bytes(whole)
        self.reload(settings + "plan: none\n", "no plan none")
        count = len(self.lines())
        self.feed_until(lambda: len(self.lines()) > count, "results go on")
        self.child.stdin.close()
        self.assertEqual(self.child.wait(60), 0, self.said())
        frames = [json.loads(line) for line in self.lines()]
        self.assertEqual(frames[-1]["summary"]["model_changes"], 2)

    def test_without_a_file_the_signal_is_a_clean_end(self):
        done = subprocess.Popen([build / "bin/octet-camera", blob, "--source", "-", "--format", "rgb24", "--size", "320x320"], stdin=subprocess.PIPE,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(1)
        done.send_signal(signal.SIGHUP)
        self.assertEqual(done.wait(20), 0)
        done.stdin.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    arguments, rest = parser.parse_known_args()
    build = arguments.build.resolve()
    with tempfile.TemporaryDirectory(prefix="octet-settings-test-") as folder:
        work = pathlib.Path(folder)
        (work / "blob").mkdir()
        blob = detector_blob.make(build, work / "blob")
        unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
