#!/usr/bin/env python3
"""systemd-analyze reads the units of octet-camera and octet-serve without a complaint, and the programs take the settings that the heads
of the units write, as the units start them."""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77


def check_serve(source: pathlib.Path, build: pathlib.Path) -> str:
    """What is wrong with the unit of octet-serve; "" where nothing is."""
    text = (source / "packaging/systemd/octet-serve.service").read_text()
    program = build / "bin/octet-serve"
    if not program.exists():
        return ""  # a build without its libraries
    (start,) = re.findall(r"^ExecStart=/usr/bin/octet-serve (.*) \$OPTIONS$", text, re.M)
    (given,) = re.findall(r"^#   echo 'OPTIONS=(.*)' > /etc/octet/serve.conf$", text, re.M)
    # Whether it takes these words: only the model is missing.
    done = subprocess.run([program, *start.split(), *given.split()], capture_output=True, text=True, timeout=20)
    if done.returncode != 2 or "/etc/octet/model.octet" not in done.stderr:
        return f"the program does not take its options: {done.stderr}"
    with tempfile.TemporaryDirectory(prefix="octet-unit-") as folder:
        unit = pathlib.Path(folder) / "octet-serve.service"
        unit.write_text(text.replace("ExecStart=/usr/bin/octet-serve", f"ExecStart={program.resolve()}"))
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True)
    complaints = [line for line in (done.stdout + done.stderr).splitlines() if "octet-serve" in line]
    if done.returncode != 0 or complaints:
        return f"systemd-analyze ends with {done.returncode}: {complaints or done.stderr}"
    security = subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=15",
                               source / "packaging/systemd/octet-serve.service"], capture_output=True, text=True)
    if security.returncode != 0:
        return f"less secure than 1.5: {security.stdout[-2000:]}{security.stderr}"
    if (source / "debian/octet-serve.sysusers").read_text() != (source / "packaging/systemd/octet-serve.sysusers").read_text():
        return "the package makes another user"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    if shutil.which("systemd-analyze") is None:
        print("skipped: no systemd-analyze here (Debian's package systemd)")
        return SKIPPED
    text = (options.source / "packaging/systemd/octet-camera.service").read_text()
    program = options.build / "bin/octet-camera"
    (head,) = re.findall(r"^#   (printf .*\\\n#.*)$", text, re.M)
    (start,) = re.findall(r"^ExecStart=/usr/bin/octet-camera (.*) \$OPTIONS$", text, re.M)
    if "\nExecReload=/bin/kill -HUP $MAINPID\n" not in text:
        print("FAILED: the unit does not reload by SIGHUP")
        return 1
    with tempfile.TemporaryDirectory(prefix="octet-unit-") as folder:
        settings = pathlib.Path(folder) / "camera.yaml"
        subprocess.run(["sh", "-ec", head.replace("\n#", "\n").replace("/etc/octet/camera.yaml", str(settings))], check=True)
        words = start.replace("/etc/octet/camera.yaml", str(settings)).split()
        done = subprocess.run([program, *words, "--print-config"], capture_output=True, text=True)
        wanted = ["slots: /var/lib/octet", "source: /dev/video0", "require-signature: true", "least-security-counter: 1", "key: [/etc/octet/key.pub]", "threads: 4"]
        missing = [line for line in wanted if line not in done.stdout.splitlines()]
        if done.returncode != 0 or missing:
            print(f"FAILED: octet-camera does not take its settings file: {missing} {done.stderr}")
            return 1
        unit = pathlib.Path(folder) / "octet-camera.service"
        # The program has to be there; where it is installed is another matter.
        unit.write_text(text.replace("ExecStart=/usr/bin/octet-camera", f"ExecStart={program.resolve()}"))
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True)
    # Of other units on this machine it may say something as well.
    complaints = [line for line in (done.stdout + done.stderr).splitlines() if "octet-camera" in line]
    if done.returncode != 0 or complaints:
        print(f"FAILED: systemd-analyze ends with {done.returncode}: {complaints or done.stderr}")
        return 1
    security = subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=15",
                               options.source / "packaging/systemd/octet-camera.service"], capture_output=True, text=True)
    if security.returncode != 0:
        print(f"FAILED: less secure than 1.5: {security.stdout[-2000:]}{security.stderr}")
        return 1
    # A board without a network, and with a clock that nobody sets, has to start.
    ordered = re.findall(r"^(?:After|Wants|Requires)=.*(?:time|network).*$", text, re.MULTILINE)
    if ordered:
        print(f"FAILED: waits for {ordered}")
        return 1
    for line in ("User=octet", "StateDirectoryMode=2770", "WatchdogSec=30"):
        if f"\n{line}\n" not in text:
            print(f"FAILED: no {line}")
            return 1
    why = check_serve(options.source, options.build)
    if why:
        print(f"FAILED: octet-serve.service: {why}")
        return 1
    print("passed: the units are as systemd wants them")
    return 0


if __name__ == "__main__":
    sys.exit(main())
