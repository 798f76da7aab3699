"""The package python/octet as a user installs it, and the ways it finds liboctet.so."""
import os
import pathlib
import shutil
import subprocess
import sys

from model_tests import Skip, run


def install(work: pathlib.Path) -> pathlib.Path:
    """A virtual environment with the package, made without a network; its site-packages."""
    if subprocess.run([sys.executable, "-c", "import venv, ensurepip, setuptools, wheel"], capture_output=True).returncode:
        raise Skip("Debian's python3-venv, python3-setuptools or python3-wheel is not installed")
    run([sys.executable, "-m", "venv", "--system-site-packages", work / "venv"])
    run([work / "venv/bin/python", "-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation",
         "--disable-pip-version-check", work / "python"])
    (package,) = (work / "venv").glob("lib/python*/site-packages/octet")
    return package.parent


def imported(python, folder: pathlib.Path, **environment) -> subprocess.CompletedProcess:
    """Another Python that imports the package and asks for the library's version."""
    clean = {key: value for key, value in os.environ.items() if key not in ("OCTET_LIBRARY", "LD_LIBRARY_PATH")}
    return subprocess.run([python, "-c", "import octet\ntry:\n  print(octet.version())\nexcept octet.OctetError as error:\n"
                           "  print('refused:', error)"], cwd=folder, capture_output=True, text=True,
                          env={**clean, **{key: str(value) for key, value in environment.items()}})


def check_finding(library: pathlib.Path, packages: pathlib.Path, work: pathlib.Path) -> None:
    def said(**environment) -> str:
        done = imported(sys.executable, work, PYTHONPATH=packages, **environment)
        assert done.returncode == 0 and done.stdout.count("\n") == 1, done.stdout + done.stderr
        return done.stdout.strip()

    version = said(OCTET_LIBRARY=library)
    assert version[0].isdigit(), version
    assert said(LD_LIBRARY_PATH=library.parent) == version
    for words, environment in (("OCTET_LIBRARY", {}), ("/no/such.so", {"OCTET_LIBRARY": "/no/such.so"}),
                               ("of this version", {"OCTET_LIBRARY": "libm.so.6"})):
        text = said(**environment)
        assert text.startswith("refused:") and words in text, text
    shutil.copy(library, packages / "octet/liboctet.so.1")
    beside = said()
    (packages / "octet/liboctet.so.1").unlink()
    assert beside == version, beside
