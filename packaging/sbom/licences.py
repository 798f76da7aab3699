"""The licence of a Debian package as an SPDX expression, out of its copyright file where that is machine-readable (DEP-5)."""
import re
from dataclasses import dataclass, field

NOTHING = "NOASSERTION"
# The short names of DEP-5 in lower case. Others become references to their text.
IDENTIFIERS = {
    "apache-2.0": "Apache-2.0", "bsd-2-clause": "BSD-2-Clause", "bsd-3-clause": "BSD-3-Clause", "bsd-3-clause~google": "BSD-3-Clause",
    "cc0": "CC0-1.0", "cc0-1.0": "CC0-1.0", "expat": "MIT", "isc": "ISC", "mit": "MIT", "ntp": "NTP", "x11": "X11", "zlib": "Zlib",
    "gpl-2": "GPL-2.0-only", "gpl-2+": "GPL-2.0-or-later", "gpl-2.0+": "GPL-2.0-or-later", "gpl-3": "GPL-3.0-only",
    "gpl-3+": "GPL-3.0-or-later", "lgpl-2.1": "LGPL-2.1-only", "lgpl-2.1+": "LGPL-2.1-or-later",
}
# Packages whose copyright file is not of DEP-5, or names the licence of a whole source of which they have a part: (start of the
# name, licence, where it is said).
BY_NAME = (
    ("libc6", "LGPL-2.1-or-later", "the GNU C Library"),
    ("libquadmath", "LGPL-2.1-or-later", "GCC's library of quad precision"),
    ("libgcc", "GPL-3.0-or-later WITH GCC-exception-3.1", "the run-time library of GCC"),
    ("libgfortran", "GPL-3.0-or-later WITH GCC-exception-3.1", "the run-time library of GCC"),
    ("libgomp", "GPL-3.0-or-later WITH GCC-exception-3.1", "the run-time library of GCC"),
    ("libstdc++", "GPL-3.0-or-later WITH GCC-exception-3.1", "the run-time library of GCC"),
    ("linux-libc-dev", "GPL-2.0-only WITH Linux-syscall-note", "the headers of Linux for programs"),
)


@dataclass
class Licence:
    expression: str
    comment: str
    copyright: str = NOTHING
    texts: dict = field(default_factory=dict)  # of each LicenseRef-


def paragraphs(text: str) -> list:
    """[{field in lower case: value}] of a file of DEP-5; [] of any other."""
    found = [{name.lower(): value.strip() for name, value in re.findall(r"^([A-Za-z-]+):((?:.*)(?:\n[ \t].*)*)", block, re.M)}
             for block in re.split(r"\n\s*\n", text)]
    return found if found and "copyright-format" in found[0].get("format", "") else []


def short_name(paragraph: dict) -> str:
    return (paragraph.get("license") or "none").splitlines()[0].strip()


def own_text(paragraph: dict) -> str:
    lines = paragraph.get("license", "").splitlines()[1:]
    return "\n".join("" if line.strip() == "." else line.strip() for line in lines)


def expression_of(name: str, source: str, read: list, texts: dict) -> str:
    """An SPDX expression of a short name, as "public-domain or Expat". What has no identifier goes into texts."""
    def one(word: str) -> str:
        if word.lower() in IDENTIFIERS:
            return IDENTIFIERS[word.lower()]
        identity = "LicenseRef-Debian-" + re.sub(r"[^A-Za-z0-9.-]+", "-", f"{source}-{word}")
        found = next((own_text(part) for part in read if short_name(part) == word and own_text(part)), "")
        texts[identity] = found or f"Debian's copyright file of the source {source} calls it '{word}'."
        return identity

    words = re.split(r",?\s+(and|or)\s+", name)
    return " ".join(word.upper() if place % 2 else one(word) for place, word in enumerate(words))


def joined(expressions) -> str:
    """All of them, each once."""
    single = sorted({part for one in expressions for part in ([one] if " OR " in one else one.split(" AND "))} - {NOTHING})
    return " AND ".join(f"({one})" if " OR " in one and len(single) > 1 else one for one in single) or NOTHING


def licence_of(name: str, source: str, text: str) -> Licence:
    """name, source: of a Debian package. text: its copyright file."""
    for start, expression, what in BY_NAME:
        if name.startswith(start):
            return Licence(expression, f"of {what}; the copyright file of the package has the whole text")
    read = paragraphs(text)
    files = [part for part in read if "files" in part and not part["files"].startswith("debian/")]
    if not files:
        return Licence(NOTHING, f"the copyright file of {name} is not machine-readable; read /usr/share/doc/{name}/copyright")
    whole = [part for part in files if part["files"].split() == ["*"]]
    texts = {}
    chosen = whole or files
    expression = joined(expression_of(short_name(part), source, read, texts) for part in chosen)
    others = sorted({short_name(part) for part in files} - {short_name(part) for part in chosen})
    comment = "of all files, by Debian's copyright file" if not whole else "of 'Files: *' in Debian's copyright file"
    if others:
        comment += f"; single files of the source have others: {', '.join(others)}"
    holders = sorted({" ".join(line.split()) for part in chosen for line in part.get("copyright", "").splitlines() if line.strip()})
    return Licence(expression, comment, "\n".join(holders) or NOTHING, texts)
