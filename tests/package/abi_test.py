#!/usr/bin/env python3
"""The C interface of liboctet.so.1 against the stored baseline, by packaging/abi/check_abi.py: what was built fits, and changes of a
header that break programs are found."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CHECK = SOURCE / "packaging/abi/check_abi.py"
# preset: its library, where that was built beside this one
BOARDS = ("aarch64", "armv7")
options = argparse.Namespace()


def check(*arguments):
    return subprocess.run([sys.executable, CHECK, *map(str, arguments)], capture_output=True, text=True)


class Abi(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="octet-abi-test-"))
        shutil.copytree(SOURCE / "runtime/include/octet", self.work / "octet")

    def tearDown(self):
        shutil.rmtree(self.work)

    def changed(self, header: str, pattern: str, by: str):
        """The check with one change in a header."""
        path = self.work / "octet" / header
        text, count = re.subn(pattern, by, path.read_text(), count=1, flags=re.S)
        self.assertEqual(count, 1, f"{pattern} is not in {header}")
        path.write_text(text)
        return check("--headers", self.work)

    def test_what_was_built_fits(self):
        done = check("--library", options.build / "lib/liboctet.so.1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("liboctet.so.1", done.stdout)
        for preset in BOARDS:
            library = options.build.parent / preset / "lib/liboctet.so.1"
            if library.exists() and preset in os.environ.get("OCTET_TEST_PRESETS", preset).split():
                done = check("--library", library)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_comment_is_no_change(self):
        done = self.changed("octet.h", r"#ifndef OCTET", "/* another comment */\n#ifndef OCTET")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_function_that_takes_another_type(self):
        done = self.changed("octet.h", r"(OCTET_API const char\* octet_isa_name\()[^)]*\)", r"\1const char* isa)")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("octet_isa_name", done.stderr)

    def test_a_member_that_is_gone(self):
        done = self.changed("linux.h", r"  const char\* plan;[^\n]*\n", "")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("octet_linux_options", done.stderr)

    def test_a_function_that_is_gone(self):
        done = self.changed("octet.h", r"OCTET_API const char\* octet_isa_name\([^)]*\);", "")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("octet_isa_name", done.stderr)

    def test_a_library_that_lacks_a_function_of_the_headers(self):
        subprocess.run(["cc", "-shared", "-nostdlib", "-x", "c", "/dev/null", "-o", self.work / "liboctet.so.1"], check=True)
        done = check("--library", self.work / "liboctet.so.1")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1))
        self.assertIn("octet_run@OCTET_1", done.stderr)

    def test_a_file_that_is_no_library(self):
        (self.work / "text").write_text("text\n")
        done = check("--library", self.work / "text")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.parse_args(namespace=options)
    options.build = options.build.resolve()
    if check().returncode == 77:
        print("package_abi: abidw and abidiff are not installed; ./setup.sh --tests installs them")
        return 77
    return not unittest.main(argv=[sys.argv[0], "-v"], exit=False).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
