"""Which presets belong to this run of ./test.sh: the folders of others may hold old programs."""
import os


def left_out(preset: str) -> str:
    """Why a test may not use build/<preset>, or nothing. Without ./test.sh (ctest by hand) every folder counts."""
    chosen = os.environ.get("OCTET_TEST_PRESETS")
    return "" if chosen is None or preset in chosen.split() else f"preset {preset} is not part of this run"
