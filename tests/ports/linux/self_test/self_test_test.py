#!/usr/bin/env python3
"""octet-run --self-test: the hashes of this build, those of docs/boards.md, and what changed bytes of the program do."""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[4]
PAGE = SOURCE / "docs/boards.md"
KEYS = {"isa", "plan", "threads", "hash_ok", "hash", "half_sums", "frames", "median_ms", "first_ms", "share_of_peak", "temperature_before_c",
        "temperature_after_c"}
QUICK = ["--plan", "int8", "--threads", "1"]
options = argparse.Namespace()


def run(*arguments, program=None):
    command = [*options.emulator.split(), program or options.run, *arguments]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


def levels() -> list:
    return run("--isa", "list").stdout.split()


class SelfTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="octet-self-test-"))

    def tearDown(self):
        shutil.rmtree(self.folder)

    def changed(self, at: int, by: int = 1) -> pathlib.Path:
        """A copy of the program with another byte at `at`."""
        data = bytearray(options.run.read_bytes())
        data[at] ^= by
        path = self.folder / "octet-run"
        path.write_bytes(data)
        path.chmod(0o755)
        return path

    def test_each_level_and_plan_with_one_and_all_threads(self):
        zone = self.folder / "thermal_zone0"
        zone.mkdir()
        (zone / "type").write_text("cpu-thermal\n")
        (zone / "temp").write_text("48250\n")
        # Under emulation a run takes seconds: one of each level, unless --whole asks for all.
        narrow = QUICK if options.emulator and not options.whole else []
        done = run("--self-test", "--json", "--thermal-root", self.folder, *narrow)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count("\n"), 1)
        report = json.loads(done.stdout)
        self.assertTrue(report["ok"])
        threads = {1} if narrow else {1, min(256, len(os.sched_getaffinity(0)))}
        plans = {"int8"} if narrow else {"int8", "fp16"}
        wanted = {(isa, plan, count) for isa in levels() for plan in plans for count in threads}
        self.assertEqual({(row["isa"], row["plan"], row["threads"]) for row in report["runs"]}, wanted)
        self.assertEqual(len(report["runs"]), len(wanted))
        documented = dict(re.findall(r"^\| `(\w+)` \| `([0-9a-f]{64})` \|$", PAGE.read_text(), re.M))
        self.assertEqual({(row["plan"], row["hash"]) for row in report["runs"]},
                         {(plan, documented[plan]) for plan in plans})
        self.assertEqual(report["sensor"], "cpu-thermal")
        for row in report["runs"]:
            self.assertEqual(set(row), KEYS)
            self.assertGreater(row["median_ms"], 0)
            self.assertGreater(row["first_ms"], 0)
            self.assertEqual((row["temperature_before_c"], row["temperature_after_c"]), (48.25, 48.25))

    def test_the_page_has_a_row_for_each_board(self):
        rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| ") and line.count("|") == 5]
        for board in sorted((SOURCE / "boards").glob("*.yaml")):
            named = [row for row in rows if f"`boards/{board.name}`" in row]
            self.assertEqual(len(named), 1, board.name)
            self.assertTrue(named[0].split("|")[4].strip(), board.name)

    def test_table_is_aligned(self):
        shown = levels()[-1:] if options.emulator else levels()
        only = ["--isa", shown[0]] if options.emulator else []
        lines = run("--self-test", *QUICK, *only, "--thermal-root", self.folder).stdout.split("\n\n")[1].splitlines()
        self.assertEqual(len(lines), 1 + len(shown))
        self.assertEqual({len(line) for line in lines}, {len(lines[0])})
        for line in lines[1:]:
            self.assertEqual(line.split()[3], "ok")
            self.assertEqual(line.split()[-2:], ["-", "-"])

    def test_a_wrong_expected_hash_is_status_1(self):
        at = options.run.read_bytes().index(dict(re.findall(r'\{"(\w+)", "([0-9a-f]{64})"\}', (
            SOURCE / "ports/linux/run/shipped_hashes.h").read_text()))["int8"].encode())
        done = run("--self-test", "--json", "--isa", levels()[-1], *QUICK, program=self.changed(at))
        self.assertEqual(done.returncode, 1)
        report = json.loads(done.stdout)
        self.assertFalse(report["ok"])
        self.assertEqual([row["hash_ok"] for row in report["runs"]], [False])

    def test_a_changed_blob_in_the_program_is_status_1(self):
        blob = (SOURCE / "demo/scene/detector.octet").read_bytes()
        at = options.run.read_bytes().index(blob)
        done = run("--self-test", program=self.changed(at + len(blob) // 2))
        self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (1, "", 1))

    def test_bad_use_is_status_2(self):
        for arguments in (["--self-test", "--repeat", "3"], ["--self-test", "--profile"], ["--self-test", "--plan", "int4"],
                          ["--self-test", "--isa", "none"], ["--thermal-root", "/sys"], ["--self-test", PAGE],
                          ["--self-test", SOURCE / "demo/scene/detector.octet"]):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), arguments)

    def test_golden_vectors_of_another_blob(self):
        octet = options.build / "bin/octet"
        if not octet.exists():
            self.skipTest("this build has no converter")
        blob = self.folder / "m.octet"
        subprocess.run([octet, "convert", SOURCE / "demo/fashion_mnist.onnx", "-o", blob, "--random-calibration", "--golden", "3",
                        "--mean", "0.2860", "--std", "0.3530", "--effort", "fast"], check=True, capture_output=True)
        done = run("--self-test", "--json", blob)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertTrue(all(row["hash_ok"] and row["frames"] >= 3 for row in report["runs"]))
        data = bytearray(blob.read_bytes())
        data[len(data) // 2] ^= 1
        blob.write_bytes(data)
        self.assertEqual(run("--self-test", blob).returncode, 2)

    def test_plans_that_may_add_in_fp16_are_compared_with_float_sums(self):
        octet = options.build / "bin/octet"
        if options.emulator or not octet.exists():
            self.skipTest("this build has no converter")
        blob = self.folder / "half.octet"
        subprocess.run([octet, "convert", SOURCE / "demo/fashion_mnist.onnx", "-o", blob, "--random-calibration", "--golden", "2", "--native-fp16",
                        "--mean", "0.2860", "--std", "0.3530", "--effort", "fast"], check=True, capture_output=True)
        report = json.loads(run(blob, "--self-test", "--threads", "1", "--json").stdout)
        for row in report["runs"]:
            if row["plan"] == "fp16":
                self.assertLessEqual(row["half_sums"], 0.01, row)
            else:
                self.assertIsNone(row["half_sums"], row)
        self.assertIn("sums in FP16", run(blob, "--self-test", "--threads", "1").stdout)

    def test_a_changed_constant_of_a_kernel_is_status_1(self):
        """Of the constants that the convolution of avx2 reads, a flipped bit of at least one changes results."""
        if options.emulator or "avx2" not in levels():
            self.skipTest("this CPU has no avx2")
        if not shutil.which("objdump"):
            self.skipTest("no objdump; sudo apt-get install binutils")
        offsets = kernel_constants(options.run, "Avx2")
        self.assertTrue(offsets)
        for at in offsets:
            done = run("--self-test", "--json", "--isa", "avx2", *QUICK, program=self.changed(at))
            if done.returncode == 1 and done.stdout:
                self.assertEqual([row["hash_ok"] for row in json.loads(done.stdout)["runs"]], [False])
                return
        self.fail(f"none of {len(offsets)} changed constants was found")


def kernel_constants(program: pathlib.Path, level: str) -> list:
    """Offsets in the file of the constants that the int8 convolution of a level reads."""
    header = subprocess.run(["objdump", "-h", program], capture_output=True, text=True, check=True).stdout
    size, address, offset = (int(word, 16) for word in re.search(
        r" \.rodata +(\w+) +(\w+) +\w+ +(\w+)", header).groups())
    code = subprocess.run(["objdump", "-dC", "--no-show-raw-insn", program], capture_output=True, text=True, check=True).stdout
    found, inside = set(), False
    for line in code.splitlines():
        if name := re.match(r"[0-9a-f]+ <(.*)>:", line):
            inside = "RunConv" in name[1] and level in name[1] and "F16" not in name[1]
        elif inside and (reference := re.search(r"# ([0-9a-f]+) <", line)):
            if address <= int(reference[1], 16) < address + size:
                found.add(int(reference[1], 16) - address + offset)
    return sorted(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--emulator", default="")
    parser.add_argument("--whole", action="store_true", help="both plans, one and all threads, under an emulator too")
    parser.parse_args(namespace=options)
    options.run = options.build.resolve() / "bin/octet-run"
    return not unittest.main(argv=[sys.argv[0], "-v"], exit=False).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
