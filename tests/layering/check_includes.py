#!/usr/bin/env python3
"""Who may include whom: check_includes.py <root of the sources>

Reads the table between the <!-- layers --> marks of CONTRIBUTING.md and fails on any include, from a file of the
runtime, the ports or the converter, that it does not allow; on spellings that are not relative to the root; and on
system headers in the runtime other than those below.
"""
import pathlib
import re
import sys

CHECKED = ("runtime", "ports", "converter")
SUFFIXES = {".h", ".hpp", ".c", ".cc", ".inc"}
# Headers a freestanding compiler has, plus <string.h> for memcpy, memset and memmove.
RUNTIME_SYSTEM_HEADERS = {
    "cfloat", "climits", "cstddef", "cstdint", "cstring", "limits", "type_traits",
    "float.h", "limits.h", "stdbool.h", "stddef.h", "stdint.h", "string.h",
    "arm_acle.h", "arm_mve.h", "arm_neon.h", "immintrin.h",
}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def read_layers(text):
    """{folder: folders it may include} from the table of CONTRIBUTING.md."""
    table = text.split("<!-- layers -->")[1].split("<!-- /layers -->")[0]
    layers = {}
    for line in table.strip().splitlines()[2:]:
        folder, allowed = [cell.strip() for cell in line.strip().strip("|").split("|")]
        layers[folder] = [name.strip() for name in allowed.split(",") if name.strip()]
    return layers


def layer_of(path, layers):
    """The longest row of the table that holds this path, or None."""
    rows = [row for row in layers if path.startswith(row + "/")]
    return max(rows, key=len) if rows else None


def check_file(root, path, layers):
    name = path.relative_to(root).as_posix()
    layer = layer_of(name, layers)
    if layer is None:
        return [f"{name}: in no row of the table in CONTRIBUTING.md"]
    problems = []
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quoted, header = match.group(1) == '"', match.group(2)
        where = f"{name}:{number}: includes {header}"
        if quoted and header.startswith("octet/"):
            target = "runtime/include/" + header
        elif quoted or header.startswith(CHECKED) or header.startswith("octet/"):
            target = header
        else:
            if name.startswith("runtime/") and header not in RUNTIME_SYSTEM_HEADERS:
                problems.append(f"{where}: no system header the runtime may use")
            continue
        if not quoted:
            problems.append(f"{where}: own headers are included with quotes")
            continue
        if not (root / target).is_file():
            problems.append(f"{where}: no such file, seen from the root")
            continue
        if target.startswith("runtime/include/") and not header.startswith("octet/"):
            problems.append(f'{where}: the public interface is spelled "octet/..."')
        if not any(target.startswith(folder + "/") for folder in [layer, *layers[layer]]):
            problems.append(f"{where}: {layer} may not include {layer_of(target, layers) or target}")
    return problems


def check(root):
    layers = read_layers((root / "CONTRIBUTING.md").read_text())
    files = sorted(path for folder in CHECKED for path in (root / folder).rglob("*")
                   if path.suffix in SUFFIXES)
    return len(files), [problem for path in files for problem in check_file(root, path, layers)]


def main():
    count, problems = check(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(problems) or f"{count} files include only what they may")
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main())
