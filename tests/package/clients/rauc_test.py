#!/usr/bin/env python3
"""packaging/updates/octet-update as a hook of the real RAUC: `rauc install` with the service on a private D-Bus. Needs root and a loop
device, because RAUC mounts bundles. rauc_test.py --build BUILD"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from board import UPDATE, Board, main, skip, until

MANIFEST = """[update]
compatible=door-cam
version=7

[bundle]
format=plain

[hooks]
filename=octet-update
hooks=install-check

[image.model]
filename=model.img
hooks=install
"""
# A board has its root slots and boot loader here too.
SYSTEM = """[system]
compatible={compatible}
bootloader=noop
mountprefix={work}/mnt
statusfile={work}/status

[keyring]
path={work}/cert.pem

[slot.rootfs.0]
device=/dev/null
type=raw
bootname=system

[slot.model.0]
device={work}/store
type=raw
"""
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path={work}/bus</listen>
<policy context="default"><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/><allow user="*"/></policy></busconfig>
"""


class Rauc(Board):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", cls.shared / "key.pem", "-out",
                        cls.shared / "cert.pem", "-days", "3650", "-subj", "/CN=test"], check=True, capture_output=True)

    def setUp(self) -> None:
        super().setUp()
        shutil.copy(self.shared / "cert.pem", self.work)
        (self.work / "mnt").mkdir()
        (self.work / "bus.conf").write_text(BUS.format(work=self.work))
        self.environment["DBUS_SYSTEM_BUS_ADDRESS"] = f"unix:path={self.work}/bus"
        self.service("dbus-daemon", f"--config-file={self.work}/bus.conf", "--nofork")
        until("the bus is there", (self.work / "bus").exists)

    def service(self, *words: str) -> None:
        service = subprocess.Popen(words, env=self.environment, cwd=self.work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(service.wait)
        self.addCleanup(service.terminate)

    def start_rauc(self, compatible: str = "door-cam") -> None:
        # A bundle that is still mounted goes with the service.
        (self.work / "system.conf").write_text(SYSTEM.format(work=self.work, compatible=compatible))
        self.service("unshare", "--mount", "rauc", "--conf=system.conf", "service", "--override-boot-slot=system")
        until("RAUC's service is there", lambda: self.run_it("rauc", "status").returncode == 0)

    def install(self, name: str) -> subprocess.CompletedProcess:
        bundle = self.work / "bundle"
        bundle.mkdir()
        (bundle / "manifest.raucm").write_text(MANIFEST)
        shutil.copy(UPDATE, bundle)
        shutil.copy(self.model(name), bundle / "model.img")
        made = self.run_it("rauc", "bundle", f"--cert={self.shared}/cert.pem", f"--key={self.shared}/key.pem", bundle, "model.raucb")
        self.assertEqual(made.returncode, 0, made.stdout)
        return self.run_it("rauc", "install", self.work / "model.raucb")

    def last_error(self, name: str) -> str:
        """Of an installation that fails: what rauc-hawkbit-updater reports to the server, too."""
        failed = self.install(name)
        self.assertEqual(failed.returncode, 1, failed.stdout)
        self.assertEqual(self.digest(), self.digest_of("first"))
        return next(line for line in failed.stdout.splitlines() if line.startswith("LastError: "))

    def test_a_good_model_is_installed_when_it_is_confirmed(self):
        self.start_rauc()
        self.start_camera()
        installed = self.install("good")
        self.assertEqual(installed.returncode, 0, installed.stdout)
        self.assertEqual(self.digest(), self.digest_of("good"))

    def test_a_refusal_is_the_error(self):
        self.start_rauc()
        self.assertIn("security counter too low", self.last_error("older"))

    def test_a_store_that_is_not_there_is_the_error_at_once(self):
        (self.work / "updates.conf").write_text(f"STORE={self.work}/nowhere\nWAIT=600\n")
        self.start_rauc()
        self.assertIn(f"octet-slot: cannot open {self.work}/nowhere: ", self.last_error("good"))

    def test_a_roll_back_is_the_error(self):
        self.start_rauc()
        self.camera_with_answers()
        self.assertIn("the model was rolled back: ", self.last_error("worse"))

    def test_a_trial_that_nobody_confirms_is_the_error(self):
        self.configure(wait=1)
        self.start_rauc()
        self.assertIn("not confirmed within 1 s and is rolled back", self.last_error("good"))

    def test_another_trial_ends_first(self):
        self.slot("stage", self.model("good"))
        self.slot("activate")
        self.start_rauc()
        self.start_camera()
        installed = self.install("good")
        self.assertEqual(installed.returncode, 0, installed.stdout)
        self.assertEqual(self.digest(), self.digest_of("good"))

    def test_a_bundle_for_another_product_is_refused(self):
        self.start_rauc(compatible="gate-cam")
        self.assertIn("the bundle is for 'door-cam', and this board is 'gate-cam'", self.last_error("good"))


def has_loop_devices() -> bool:
    """Whether a squashfs can be mounted, as RAUC does."""
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        (work / "mnt").mkdir()
        if subprocess.run(["mksquashfs", work / "mnt", work / "image", "-quiet"], capture_output=True).returncode != 0:
            return False
        mounted = subprocess.run(["mount", "-o", "loop", work / "image", work / "mnt"], capture_output=True).returncode == 0
        if mounted:
            subprocess.run(["umount", work / "mnt"], check=True)
        return mounted


if __name__ == "__main__":
    if os.geteuid() != 0 or not has_loop_devices():
        skip("this machine has no loop devices for this user")
    main(__doc__, {"rauc": "rauc", "dbus-daemon": "dbus-daemon", "openssl": "openssl", "mksquashfs": "squashfs-tools"})
    sys.exit(0)
