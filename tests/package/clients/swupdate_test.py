#!/usr/bin/env python3
"""packaging/updates/octet-update as a script of the real SWUpdate: `swupdate -i` with signed updates. swupdate_test.py --build BUILD"""
import hashlib
import shutil
import subprocess
import sys

from board import UPDATE, Board, main, options

DESCRIPTION = """software = {{
  version = "7";
  hardware-compatibility: ["1.0"];
  files: ({{
    filename = "model.octet";
    path = "{path}";
    sha256 = "{model}";
    properties = {{ create-destination = "true"; }};
  }});
  scripts: ({{
    filename = "octet-update";
    type = "shellscript";
    data = "{path}";
    sha256 = "{script}";
  }});
}}
"""


class SwUpdate(Board):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        for name in ("own", "other"):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", cls.shared / f"{name}.key", "-out",
                            cls.shared / f"{name}.pem", "-days", "3650", "-subj", "/CN=test", "-addext", "extendedKeyUsage=emailProtection"],
                           check=True, capture_output=True)

    def install(self, name: str, signer: str = "own") -> subprocess.CompletedProcess:
        parts = self.work / "parts"
        parts.mkdir()
        self.arrived = self.work / "incoming/model.octet"
        shutil.copy(UPDATE, parts)
        shutil.copy(self.model(name), parts / "model.octet")
        sums = {key: hashlib.sha256((parts / file).read_bytes()).hexdigest() for key, file in (("model", "model.octet"), ("script", "octet-update"))}
        (parts / "sw-description").write_text(DESCRIPTION.format(path=self.arrived, **sums))
        subprocess.run(["openssl", "cms", "-sign", "-in", parts / "sw-description", "-out", parts / "sw-description.sig", "-signer",
                        self.shared / f"{signer}.pem", "-inkey", self.shared / f"{signer}.key", "-outform", "DER", "-nosmimecap", "-binary"], check=True)
        packed = subprocess.run(["cpio", "--create", "--format", "crc"], input=b"sw-description\nsw-description.sig\nmodel.octet\noctet-update\n", cwd=parts,
                                capture_output=True, check=True).stdout
        (self.work / "model.swu").write_bytes(packed)
        return self.run_it("swupdate", "-H", "door-cam:1.0", "-k", self.shared / "own.pem", "-i", "model.swu")

    def failure(self, name: str, **more) -> str:
        failed = self.install(name, **more)
        self.assertEqual(failed.returncode, 1, failed.stdout)
        self.assertEqual(self.digest(), self.digest_of("first"))
        self.assertFalse(self.arrived.exists(), "the model's file stays behind")
        return failed.stdout

    def test_a_good_model_is_installed_when_it_is_confirmed(self):
        self.start_camera()
        installed = self.install("good")
        self.assertEqual(installed.returncode, 0, installed.stdout)
        self.assertEqual(self.digest(), self.digest_of("good"))
        self.assertFalse(self.arrived.exists(), "the model's file stays behind")

    def test_a_refusal_fails_with_its_reason(self):
        self.assertIn("security counter too low", self.failure("older"))

    def test_a_roll_back_fails_with_its_reason(self):
        self.camera_with_answers()
        self.assertIn("the model was rolled back: ", self.failure("worse"))

    def test_a_trial_that_nobody_confirms_fails(self):
        self.configure(wait=1)
        self.assertIn("not confirmed within 1 s and is rolled back", self.failure("good"))

    def test_a_store_that_does_not_answer_for_a_while_decides_nothing(self):
        slot = self.work / "bin/octet-slot"
        slot.parent.mkdir()
        # Of the questions that wait for the end of the trial the first two get no answer.
        slot.write_text(f"""#!/bin/sh
if [ "$2" = list ]; then
  echo >>{self.work}/asked
  case $(wc -l <{self.work}/asked) in [34]) exit 2 ;; esac
fi
exec {options.build}/bin/octet-slot "$@"
""")
        slot.chmod(0o755)
        self.environment["PATH"] = f"{slot.parent}:{self.environment['PATH']}"
        self.start_camera()
        installed = self.install("good")
        self.assertEqual(installed.returncode, 0, installed.stdout)
        self.assertEqual(self.digest(), self.digest_of("good"))

    def test_an_update_with_another_signature_reaches_no_script(self):
        self.failure("good", signer="other")
        self.assertEqual(self.store()["refusals"], 0)


if __name__ == "__main__":
    main(__doc__, {"swupdate": "swupdate", "openssl": "openssl", "cpio": "cpio"})
    sys.exit(0)
