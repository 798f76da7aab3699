#!/usr/bin/env python3
"""The recipe of packaging/yocto as far as it can be held against this tree without bitbake: the license's checksum, options that
CMake knows, every installed file in one package. yocto_test.py --source ROOT --build NATIVE_BUILD
"""
import argparse
import fnmatch
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDERS = {"bindir": "usr/bin", "libdir": "usr/lib", "includedir": "usr/include", "datadir": "usr/share", "docdir": "usr/share/doc",
           "mandir": "usr/share/man"}
# Of the native build alone: images have neither the converter nor what plugins are linked with.
DESK = re.compile(r"^usr/(bin/(octet|bench-.*)|lib/liboctet_(converter|run)\.a|include/octet-plugins/.*)$")


def check(holds, what):
    if not holds:
        sys.exit(f"yocto: {what}")


def read_recipe(path):
    """{variable: value} of assignments; a line that ends in a backslash goes on."""
    text = path.read_text().replace("\\\n", "")
    found = {}
    for name, value in re.findall(r'^([\w:${}\[\]-]+)\s*(?:\?\?=|\?=|=\+|\+=|\.=|=)\s*"([^"]*)"', text, re.M):
        found[name] = value
    found["inherit"] = " ".join(re.findall(r"^inherit (.*)$", text, re.M))
    return found


def check_license(recipe, source):
    name, wanted = re.fullmatch(r"file://(\S+);md5=([0-9a-f]{32})", recipe["LIC_FILES_CHKSUM"]).groups()
    check(hashlib.md5((source / name).read_bytes()).hexdigest() == wanted, f"{name} has another checksum")
    version = ".".join(re.findall(r"#define OCTET_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", (source / "runtime/include/octet/octet.h").read_text()))
    check(recipe["PV"].split("+")[0] == version, f"PV is {recipe['PV']}, the project's version {version}")


def check_options(recipe, source, build, work):
    """A cross build where there is a compiler for it, as bitbake's is; CMake warns of options it does not know."""
    on, off = recipe["PACKAGECONFIG[shared]"].split(",")[:2]
    cache = (build / "CMakeCache.txt").read_text()
    for option in f"{recipe['EXTRA_OECMAKE']} {on} {off}".split():
        name, value = re.fullmatch(r"-D(\w+)=(ON|OFF)", option).groups()
        check(f"\n{name}:BOOL=" in cache, f"{name} is no option of this project")
    toolchain = ["--toolchain", source / "toolchains/aarch64.cmake"]
    if subprocess.run(["sh", "-c", "command -v aarch64-linux-gnu-g++"], capture_output=True).returncode != 0:
        print("yocto: no compiler for AArch64; configured for this machine")
        toolchain = []
    done = subprocess.run(["cmake", "-G", "Ninja", "-S", source, "-B", work / "build", *toolchain,
                           *recipe["EXTRA_OECMAKE"].split(), on], text=True, capture_output=True)
    check(done.returncode == 0 and "not used by the project" not in done.stderr, f"cmake: {done.stderr}")


def check_packages(recipe, build, work):
    subprocess.run(["cmake", "--install", build, "--prefix", work / "usr"], check=True, capture_output=True)
    patterns = {}
    for name, value in recipe.items():
        if name.startswith("FILES:"):
            words = re.sub(r"\$\{(\w+)\}", lambda m: FOLDERS[m[1]], value).split()
            patterns[name.replace("${PN}", "octet").removeprefix("FILES:")] = words
    seen = set()
    for path in sorted((work / "usr").rglob("*")):
        name = path.relative_to(work).as_posix()
        if path.is_dir() or DESK.match(name):
            continue
        packages = [package for package, words in patterns.items()
                    if any(fnmatch.fnmatchcase(name, word) or name.startswith(word + "/") for word in words)]
        check(len(packages) == 1, f"{name} is in {packages or 'no package'}")
        seen.update(packages)
    check(seen == set(patterns), f"nothing installed is in {set(patterns) - seen}")
    for package in (recipe["PACKAGES"] + " ${PN}-dev ${PN}-staticdev").replace("${PN}", "octet").split():
        check(package in patterns, f"{package} has no FILES")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    source, build = options.source.resolve(), options.build.resolve()
    layer = source / "packaging/yocto/meta-octet"
    conf = read_recipe(layer / "conf/layer.conf")
    files = [glob.replace("${LAYERDIR}/", "") for glob in conf["BBFILES"].split()]
    (path,) = {path for glob in files for path in layer.glob(glob)}
    recipe = read_recipe(path)
    check({"cmake", "pkgconfig"} <= set(recipe["inherit"].split()), "cmake is not inherited")
    with tempfile.TemporaryDirectory(prefix="octet-yocto-") as folder:
        work = pathlib.Path(folder)
        check_license(recipe, source)
        check_options(recipe, source, build, work)
        check_packages(recipe, build, work)
    print(f"yocto: {path.name} fits this tree; bitbake was not run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
