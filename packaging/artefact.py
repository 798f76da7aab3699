"""What the scripts that make artefacts share: errors, the time of files, the processor of an ELF file."""
import os
import pathlib
import sys

FIRST_DAY = 315532800  # 1980-01-01, the first that zip files know
# e_machine of ELF: the triplet of Debian's libraries and binutils
TRIPLETS = {62: "x86_64-linux-gnu", 183: "aarch64-linux-gnu", 40: "arm-linux-gnueabihf"}


class Unfit(Exception):
    """What does not fit, and the way out, in one line."""


def epoch() -> int:
    """The time of all files and documents, in seconds."""
    return int(os.environ.get("SOURCE_DATE_EPOCH", FIRST_DAY))


def triplet_of(data: bytes) -> str:
    """Of an ELF file for a known processor, by its first 20 bytes; else empty."""
    return TRIPLETS.get(int.from_bytes(data[18:20], "little"), "") if data[:4] == b"\x7fELF" else ""


def ended(body) -> int:
    """Exit status of a script: 1 and one line where something does not fit."""
    try:
        body()
    except (Unfit, OSError) as error:
        print(f"{pathlib.Path(sys.argv[0]).name}: {error}", file=sys.stderr)
        return 1
    return 0
