#!/usr/bin/env python3
"""packaging/updates/octet-update as an update module of the real Mender client: `mender install` and `commit`, and the daemon with a server
that is a stand-in, through power cuts. Mender's fixed folders are private mounts. mender_test.py --build BUILD"""
import json
import os
import shutil
import signal
import subprocess
import sys

from board import UPDATE, Board, main, skip, until
from mender_server import Server

OWN_ROOT = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]
# The package's /var/lib/mender is a link to /data, which is not there.
MOUNTS = 'mount --bind "$0/share" /usr/share/mender && mount --bind "$0/var" /var/lib && mount --bind "$0/etc" /etc/mender && exec mender --no-syslog "$@"'


class Mender(Board):
    def setUp(self) -> None:
        super().setUp()
        for folder in ("share/modules/v3", "share/identity", "share/inventory", "var/mender", "etc"):
            (self.work / folder).mkdir(parents=True)
        shutil.copy(UPDATE, self.work / "share/modules/v3/octet")
        identity = self.work / "share/identity/mender-device-identity"
        identity.write_text("#!/bin/sh\necho mac=52:54:00:12:34:56\n")
        identity.chmod(0o755)
        (self.work / "var/mender/device_type").write_text("device_type=raspberrypi4\n")
        (self.work / "etc/artifact_info").write_text("artifact_name=model-0\n")
        self.serve("http://127.0.0.1:9")

    def serve(self, url: str) -> None:
        (self.work / "etc/mender.conf").write_text(json.dumps({"ServerURL": url, "UpdatePollIntervalSeconds": 1, "RetryPollIntervalSeconds": 1,
                                                               "InventoryPollIntervalSeconds": 60, "DBus": {"Enabled": False}}))

    def words(self, *words) -> list:
        return [*OWN_ROOT, "sh", "-c", MOUNTS, self.work, *words]

    def mender(self, *words) -> subprocess.CompletedProcess:
        return self.run_it(*self.words(*words))

    def artifact(self, name: str):
        out = self.work / f"{name}.mender"
        made = self.run_it("mender-artifact", "write", "module-image", "-T", "octet", "-t", "raspberrypi4", "-n", f"model-{name}", "-o", out, "-f",
                           self.model(name))
        self.assertEqual(made.returncode, 0, made.stdout)
        return out

    @staticmethod
    def await_module(mender: subprocess.Popen, state: str) -> None:
        """Until Mender has called the module for this state."""
        until(f"the module is in {state}", lambda: f"octet {state} " in subprocess.run(["ps", "-o", "args", "-s", str(mender.pid)], capture_output=True,
                                                                                       text=True).stdout)

    def running(self) -> tuple:
        return self.mender("show-artifact").stdout.strip().splitlines()[-1], self.digest()


class CommandLine(Mender):
    def test_a_good_model_is_committed_when_it_is_confirmed(self):
        self.start_camera()
        installed = self.mender("install", self.artifact("good"))
        self.assertEqual(installed.returncode, 0, installed.stdout)
        committed = self.mender("commit")
        self.assertEqual(committed.returncode, 0, committed.stdout)
        self.assertEqual(self.running(), ("model-good", self.digest_of("good")))

    def test_a_refused_model_is_not_installed(self):
        refused = self.mender("install", self.artifact("older"))
        self.assertEqual(refused.returncode, 1, refused.stdout)
        self.assertIn("security counter too low", refused.stdout)
        self.assertEqual(self.running(), ("model-0", self.digest_of("first")))
        self.assertEqual(self.mender("commit").returncode, 2, "there is nothing to commit")

    def test_a_model_that_is_rolled_back_is_not_committed(self):
        self.camera_with_answers()
        self.assertEqual(self.mender("install", self.artifact("worse")).returncode, 0)
        failed = self.mender("commit")
        self.assertEqual(failed.returncode, 1, failed.stdout)
        self.assertIn("the model was rolled back: ", failed.stdout)
        self.assertEqual(self.running(), ("model-0", self.digest_of("first")))

    def test_a_commit_that_a_power_cut_ends_goes_on_with_the_trial(self):
        self.assertEqual(self.mender("install", self.artifact("good")).returncode, 0)
        commit = subprocess.Popen(self.words("commit"), env=self.environment, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.await_module(commit, "ArtifactCommit")
        os.killpg(commit.pid, signal.SIGKILL)
        commit.wait()
        self.start_camera()
        committed = self.mender("commit")
        self.assertEqual(committed.returncode, 0, committed.stdout)
        self.assertEqual(self.running(), ("model-good", self.digest_of("good")))

    def test_a_model_that_nobody_confirms_is_rolled_back(self):
        self.configure(wait=1)
        self.assertEqual(self.mender("install", self.artifact("good")).returncode, 0)
        failed = self.mender("commit")
        self.assertEqual(failed.returncode, 1, failed.stdout)
        self.assertIn("not confirmed within 1 s and is rolled back", failed.stdout)
        self.assertEqual(self.running(), ("model-0", self.digest_of("first")))


    def test_what_cannot_be_rolled_back_is_named_so(self):
        self.start_camera()
        self.assertEqual(self.mender("install", self.artifact("newer")).returncode, 0)
        until("the camera confirms it", lambda: self.store()["pending"] is None)
        failed = self.mender("rollback")
        self.assertEqual(failed.returncode, 1, failed.stdout)
        self.assertIn("its security counter is 2, and this store takes 3 and above", failed.stdout)
        self.assertEqual(self.running(), ("model-newer_INCONSISTENT", self.digest_of("newer")))


class Daemon(Mender):
    def setUp(self) -> None:
        super().setUp()
        self.server = Server()
        self.addCleanup(self.server.close)
        self.serve(self.server.url)
        self.start()
        self.addCleanup(self.cut_power)

    def start(self) -> None:
        self.daemon = subprocess.Popen(self.words("daemon"), env=self.environment, start_new_session=True, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)

    def cut_power(self) -> None:
        """The daemon and its module, at once."""
        if self.daemon.poll() is None:
            os.killpg(self.daemon.pid, signal.SIGKILL)
            self.daemon.wait()


    def test_a_deployment_succeeds_when_the_model_is_confirmed(self):
        self.server.deploy("1", self.artifact("good"), "model-good")
        until("the model is on trial", lambda: self.store()["pending"])
        self.assertEqual(self.server.wait_for("rebooting", "success", "failure"), "rebooting")
        self.start_camera()
        self.assertEqual(self.server.wait_for("success", "failure"), "success")
        self.assertEqual(self.digest(), self.digest_of("good"))

    def test_a_deployment_fails_with_the_roll_back_and_its_reason(self):
        self.camera_with_answers()
        self.server.deploy("1", self.artifact("worse"), "model-worse")
        self.assertEqual(self.server.wait_for("success", "failure"), "failure")
        until("the log arrives", lambda: "the model was rolled back: " in self.server.log)
        self.assertEqual(self.digest(), self.digest_of("first"))

    def test_a_power_cut_in_the_trial_and_the_trial_goes_on(self):
        self.server.deploy("1", self.artifact("good"), "model-good")
        self.await_module(self.daemon, "ArtifactReboot")
        self.cut_power()
        self.start_camera()
        self.start()
        self.assertEqual(self.server.wait_for("success", "failure"), "success")
        self.assertEqual(self.digest(), self.digest_of("good"))

    def test_the_second_power_cut_fails_it_also_if_the_model_was_confirmed(self):
        self.server.deploy("1", self.artifact("good"), "model-good")
        self.await_module(self.daemon, "ArtifactReboot")
        self.cut_power()
        self.start()
        self.await_module(self.daemon, "ArtifactVerifyReboot")
        self.cut_power()
        self.start_camera()
        until("the camera confirms it", lambda: self.store()["pending"] is None)
        self.assertEqual(self.digest(), self.digest_of("good"))
        self.start()
        self.assertEqual(self.server.wait_for("success", "failure"), "failure")
        self.assertEqual(self.digest(), self.digest_of("first"), "what failed does not run")


if __name__ == "__main__":
    if shutil.which("unshare") is None or subprocess.run([*OWN_ROOT, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True).returncode != 0:
        skip("this machine has no mounts for a program alone")
    main(__doc__, {"mender": "mender-client", "mender-artifact": "mender-artifact"})
    sys.exit(0)
