"""Cases of the emulated board with two cameras, and what they share with those of one."""
import pathlib
import re
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(SOURCE / "boards/emulated"))
from board import OPTIONS  # noqa: E402
from machine import STORE, free_port  # noqa: E402

MEMORY_SLACK_BYTES = 256 << 10
# So long a camera, a plan or a page may take to come; seconds where nothing else runs.
PATIENCE_SECONDS = 90
CAMERA = [*OPTIONS[:2], "--confirm-after", "3"]  # a trial short enough to cut several
HOT, COOL = 75, 40  # degrees Celsius, beyond the guard's thresholds of 60 and 55
VIVID = "/sys/bus/platform/drivers/vivid"
# The kernel's camera and a program, in one list. {wait}: of the program, seconds from frame to frame.
LIST = """cameras:
  - {{name: cam, source: /dev/video0, size: 320x180, fps: {fps}}}
  - {{name: film, source: 'exec:sh /film.sh', source-timeout-s: 120}}
"""
FILM = """echo 'YUV4MPEG2 W64 H48 C420jpeg'
while echo FRAME; do head -c 4608 /dev/zero; sleep {wait}; done
"""
# On a board whose clock skips what is idle. Its console has the end.
HOUR = r"""say() { echo "hour: $*" >/dev/console; }
octet-camera %s --config /list.yaml --json >/run/lines 2>/run/camera.log &
program=$!
count() { grep -c "^{\"camera\":\"$1\",\"frame\"" /run/lines; }
until_more() { last=$(count $1); for i in $(seq 100); do if [ $(count $1) -gt $((last + 1)) ]; then return; fi; sleep 5; done; say no frames of $1; }
memory() { grep VmRSS /proc/$program/status | tr -dc 0-9; }
until_more cam
echo vivid.0 >%s/unbind
sleep 60
film=$(count film); cam=$(count cam); kb=$(memory)
sleep 3600
film=$(($(count film) - film)); cam=$(($(count cam) - cam)); kb=$(($(memory) - kb))
opened=$(grep -c 'cam: .*disconnected\|cam: .*no such device' /run/camera.log)
echo vivid.0 >%s/bind
begun=$(cut -d . -f 1 /proc/uptime)
until_more cam
say film=$film cam=$cam kb=$kb lines=$opened back=$(($(cut -d . -f 1 /proc/uptime) - begun)) .
sleep 100000
"""


def until(what: str, found, seconds: float = PATIENCE_SECONDS):
    """The first true answer of found()."""
    end = time.monotonic() + seconds
    while not (answer := found()):
        assert time.monotonic() < end, f"{what}: not within {seconds} s"
        time.sleep(0.2)
    return answer


class ListCases:
    """Of Cases in emulated_test.py, which has the board."""

    def turned(self, classifier: pathlib.Path) -> pathlib.Path:
        """The same with its classes in the order from last to first: every answer is another."""
        import onnx
        from onnx import numpy_helper
        model = onnx.load(classifier)
        for tensor in model.graph.initializer:
            if tensor.name in model.graph.node[-1].input[1:]:
                tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor)[::-1].copy(), tensor.name))
        onnx.save(model, self.work / "turned.onnx")
        return self.work / "turned.onnx"

    def files(self, fps: int, wait: float, **more: str) -> dict:
        """The list and its program, and more, by their names on the board."""
        texts = {"list.yaml": LIST.format(fps=fps), "film.sh": FILM.format(wait=wait), **more}
        for name, text in texts.items():
            (self.work / name).write_text(text)
        return {name: self.work / name for name in texts}

    def flows(self, camera: str) -> None:
        """Frames come."""
        name = f'octet_frames_total{{camera="{camera}"}}'
        first = until(f"frames of {camera}", lambda: max(0, self.metric(name)))
        until(f"more frames of {camera}", lambda: self.metric(name) > first)

    def two_cameras(self) -> str:
        """Heat moves both. The one that is away neither confirms a model nor keeps it from being confirmed, and answers that differ are rolled back."""
        self.board.stop()
        self.board.make_disk(self.models)
        self.boot(*CAMERA, cameras=("cam", "film"))
        for celsius, plan in ((HOT, "fp16"), (COOL, "int8")):
            self.board.heat(celsius)
            for camera in self.cameras:
                until(f"{plan} of {camera} at {celsius} C", lambda: self.metric(f'octet_plan{{camera="{camera}",plan="{plan}"}}') == 1)
        self.tell(f"echo vivid.0 >{VIVID}/unbind")
        until("the camera is away", lambda: self.metric('octet_source_up{camera="cam"}') == 0)
        self.flows("film")
        assert self.flash(self.models[1]).wait() == 0
        until("slot B confirmed", lambda: self.store()["active"] == "B")
        self.tell(f"echo vivid.0 >{VIVID}/bind")
        self.flows("cam")
        assert self.flash(self.other).wait() == 0
        until("a roll-back", lambda: "rolled back" in self.tell("cat /run/camera.log"))
        until("slot B again", lambda: (self.status() or {"slot": ""})["slot"].lower() == "b")
        store = self.store()
        assert (store["active"], store["pending"]) == ("B", None), store
        for camera in self.cameras:
            self.flows(camera)
        log = self.tell("cat /run/camera.log")
        assert log.count("cam: /dev/video0: the camera was disconnected") == 1 and "cam: frames come again" in log, log[-500:]
        return next(line for line in log.splitlines() if "rolled back" in line)

    def an_hour(self) -> str:
        """A camera that is unplugged for an hour of the board, whose clock skips what is idle: the other goes on, memory stays, and it comes back."""
        self.board.stop()
        model = f"{STORE}/models/{self.models[0].name}"
        files = self.files(1, 60, **{"hour.sh": HOUR % (model, VIVID, VIVID)})
        self.board.boot(["sh", "/hour.sh"], free_port(), free_port(), files, skips_idle=True)
        said = until("the end of the hour", lambda: re.search(r"hour: (.*) \.", self.board.said()), 3 * PATIENCE_SECONDS)
        told = {word.split("=")[0]: int(word.split("=")[1]) for word in said.group(1).split()}
        assert 58 <= told["film"] <= 61 and told["cam"] == 0, told
        assert told["kb"] <= MEMORY_SLACK_BYTES >> 10, told
        assert told["lines"] <= 13 and told["back"] <= 70, told  # each reason once in ten minutes; opened each 64 s
        return said.group(1)
