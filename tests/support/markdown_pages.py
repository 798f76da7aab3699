"""Pages of Markdown as the checks of the manual see them: code blocks with their marks, links, headings and their anchors."""
import pathlib
import re
import subprocess
import unicodedata
from typing import Dict, List, NamedTuple, Optional

FENCE = re.compile(r"^(\s*)(```+|~~~+)\s*([\w+-]*)\s*$")
COMMENT = re.compile(r"^\s*<!--\s*(.*?)\s*-->\s*$")
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]*)>?(?:\s+\"[^\"]*\")?\s*\)")
DEFINITION = re.compile(r"^\s{0,3}\[[^\]]+\]:\s*<?(\S+?)>?\s*$")
CODE = re.compile(r"(`+)(.+?)\1")


class Block(NamedTuple):
    line: int  # of its first line of code, from 1
    language: str  # "": none, "indented": not fenced
    mark: Optional[str]  # the comment right above it
    text: str


class Link(NamedTuple):
    line: int
    target: str


class Page(NamedTuple):
    blocks: List[Block]
    links: List[Link]
    code: List[Link]  # what stands in back quotes in the text
    anchors: Dict[str, str]  # as GitHub makes them, and for the same heading as Python-Markdown does


def plain(heading: str) -> str:
    """A heading without its marks: links as their text, no back quotes, no stars."""
    heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[`*]", "", heading)


def github_anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", plain(heading).lower()).replace(" ", "-")


def site_anchor(heading: str) -> str:
    text = unicodedata.normalize("NFKD", plain(heading)).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", text).strip().lower())


def read(path: pathlib.Path) -> Page:
    page = Page([], [], [], {})
    fence, start, language, body = None, 0, "", []
    mark, before, seen = None, "", {}
    for number, line in enumerate([*path.read_text(encoding="utf-8").splitlines(), ""], 1):
        found = FENCE.match(line)
        if fence:
            if found and found[2].startswith(fence[2]) and not found[3]:
                page.blocks.append(Block(start, language, mark, "\n".join(body) + "\n"))
                fence, mark, before = None, None, line
            else:
                body.append(line[len(fence[1]):] if line.startswith(fence[1]) else line)
            continue
        if found:
            fence, start, language, body = found, number + 1, found[3], []
            continue
        comment = COMMENT.match(line)
        if comment:
            mark, before = comment[1], line
            continue
        if line.startswith("    ") and not before.strip() and line.strip():
            page.blocks.append(Block(number, "indented", mark, line + "\n"))
        if line.strip():
            mark = None
        before = line
        heading = HEADING.match(line)
        if heading:
            anchor = github_anchor(heading[2])
            again = seen.get(anchor, 0)
            seen[anchor] = again + 1
            name, there = (f"{anchor}-{again}", f"{site_anchor(heading[2])}_{again}") if again else (anchor, site_anchor(heading[2]))
            page.anchors[name] = there
        page.code.extend(Link(number, code[2].strip()) for code in CODE.finditer(line))
        text = CODE.sub("", line)
        page.links.extend(Link(number, link[1]) for link in LINK.finditer(text))
        definition = DEFINITION.match(text)
        if definition:
            page.links.append(Link(number, definition[1]))
    if fence:
        page.blocks.append(Block(start, "open", mark, "\n".join(body)))
    return page


def pages(root: pathlib.Path) -> List[pathlib.Path]:
    """Every .md file of the tree: those that git knows or would add, else all outside of build folders."""
    told = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "*.md"], capture_output=True, text=True)
    if told.returncode == 0 and told.stdout:
        return sorted(path for path in (root / name for name in told.stdout.splitlines()) if path.exists())
    return sorted(path for path in root.rglob("*.md") if "build" not in path.relative_to(root).parts)
