#!/usr/bin/env python3
"""Links of the documents: check_links.py <root of the sources>, or check_links.py --self-test

Every link of every .md file leads to a file of the tree, and its anchor to a heading there, under the name that both GitHub
and the manual's site give it. A file that is named in back quotes (`docs/verdict.md`) exists, beside the page or from the
root; so do those that messages and comments of the code name. Every page of docs/ is in the navigation of mkdocs.yml, and
whatever stands there exists; decisions are in docs/decisions/index.md. Links to other hosts are not followed.
"""
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import markdown_pages as markdown  # noqa: E402

NAMED = re.compile(r"^[\w.-]+(/[\w.-]+)+\.md$")
IN_CODE = re.compile(r"\bdocs/[\w/-]+\.md\b")
IN_SITE = re.compile(r":\s*([\w./-]+\.md)\s*$")
MADE = {"c-api.md"}  # by docs/lay_out.py
DECISIONS = "docs/decisions/"
SUFFIXES = {".h", ".c", ".cc", ".inc", ".py", ".sh", ".in", ".cmake", ".txt", ".service", ".yml", ".yaml"}
FOLDERS = ("runtime", "converter", "ports", "python", "examples", "bench", "demo", "boards", "packaging", "cmake")


def link_problem(root, page, link, anchors_of):
    """What is wrong with a link of a page, or None."""
    if re.match(r"^[a-z][a-z0-9+.-]*:", link.target):
        return None
    name, _, anchor = link.target.partition("#")
    target = (page.parent / name).resolve() if name else page
    if root != target and root not in target.parents:
        return "leads out of the tree"
    if not target.exists():
        return "there is no such file"
    if not anchor:
        return None
    if target.suffix != ".md":
        return "an anchor in a file that is no page"
    anchors = anchors_of(target)
    if anchor not in anchors:
        return f"{target.relative_to(root)} has no such heading"
    if anchors[anchor] != anchor:
        return f"the site calls that heading #{anchors[anchor]}; make the heading plainer"
    return None


def check_pages(root):
    read, problems, links = {}, [], 0

    def page_of(path):
        if path not in read:
            read[path] = markdown.read(path)
        return read[path]

    for path in markdown.pages(root):
        page, name = page_of(path), path.relative_to(root).as_posix()
        for link in page.links:
            links += 1
            problem = link_problem(root, path, link, lambda target: page_of(target).anchors)
            if problem:
                problems.append(f"{name}:{link.line}: {link.target}: {problem}")
        problems += [f"{name}:{code.line}: `{code.target}`: there is no such file" for code in page.code
                     if NAMED.match(code.target) and not (root / code.target).exists() and not (path.parent / code.target).exists()]
    return links, problems


def check_code(root):
    problems = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SUFFIXES or not path.is_file():
                continue
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                problems += [f"{path.relative_to(root).as_posix()}:{number}: {name}: there is no such file"
                             for name in IN_CODE.findall(line) if not (root / name).exists()]
    return problems


def check_site(root):
    site = root / "mkdocs.yml"
    if not site.exists():
        return []
    named = [found[1] for found in map(IN_SITE.search, site.read_text().splitlines()) if found]
    problems = [f"mkdocs.yml: {name}: there is no such file" for name in named if name not in MADE and not (root / name).exists()]
    problems += [f"mkdocs.yml: {name} stands there twice" for name in sorted(set(named)) if named.count(name) > 1]
    pages = {path.relative_to(root).as_posix() for path in (root / "docs").rglob("*.md") if not path.name.endswith("-template.md")}
    index = root / DECISIONS / "index.md"
    listed = {DECISIONS + link.target for link in markdown.read(index).links} if index.exists() else set()
    return problems + [f"{name}: is not in {index.relative_to(root) if name.startswith(DECISIONS) else 'the navigation of mkdocs.yml'}"
                       for name in sorted(pages - set(named) - listed)]


def check(root):
    links, problems = check_pages(root)
    return links, problems + check_code(root) + check_site(root)


GOOD = """# A page
## Two words, `code`
See [it](other.md#second-part), [here](#two-words-code), [a folder](sub), `docs/other.md`, [far](https://example.org/x#y).
`[no](link.md)` and
```sh
[[ -e nothing ]] && echo "[no](link.md)"
```
"""
# A text in place of a part of GOOD, and a part of the complaint that it must bring.
BAD = (("other.md#second-part", "othr.md", "docs/page.md:3: othr.md: there is no such file"),
       ("#second-part", "#third-part", "docs/page.md:3: other.md#third-part: docs/other.md has no such heading"),
       ("(#two-words-code)", "(#two-words)", "#two-words: docs/page.md has no such heading"),
       ("(#two-words-code)", "(../../x.md)", "leads out of the tree"),
       ("`docs/other.md`", "`docs/another.md`", "`docs/another.md`: there is no such file"),
       ("words, `code`", "words - code", "#two-words-code: docs/page.md has no such heading"),
       ("Two words, `code`\nSee [it]", "Two - words\nSee [it](#two---words)[it]", "the site calls that heading #two-words"),
       ("(sub)", "(subs)", "subs: there is no such file"))


def self_test():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        (root / "docs/sub").mkdir(parents=True)
        (root / "converter").mkdir()
        (root / "docs/other.md").write_text("# Other\n\n## Second part\n")
        site, code = root / "mkdocs.yml", root / "converter/a.cc"

        def expect(page, wanted):
            (root / "docs/page.md").write_text(page)
            _, problems = check(root)
            if not (any(wanted in problem for problem in problems) if wanted else not problems):
                failures.append(f"wanted {wanted!r}, got {problems} for\n{page}")

        site.write_text("nav:\n  - A: docs/page.md\n  - B: docs/other.md\n")
        code.write_text('Fail("docs/other.md says more");\n')
        expect(GOOD, None)
        for part, instead, complaint in BAD:
            assert part in GOOD
            expect(GOOD.replace(part, instead), complaint)
        code.write_text('Fail("docs/gone.md says more");\n')
        expect(GOOD, "converter/a.cc:1: docs/gone.md: there is no such file")
        code.write_text("")
        site.write_text("nav:\n  - A: docs/page.md\n")
        expect(GOOD, "docs/other.md: is not in the navigation")
        site.write_text("nav:\n  - A: docs/page.md\n  - B: docs/other.md\n  - C: docs/gone.md\n")
        expect(GOOD, "mkdocs.yml: docs/gone.md: there is no such file")
        site.write_text("nav:\n  - A: docs/page.md\n  - B: docs/other.md\n  - C: c-api.md\n  - D: docs/decisions/index.md\n")
        (root / "docs/decisions").mkdir()
        (root / "docs/decisions/0001-a.md").write_text("# A\n")
        (root / "docs/decisions/index.md").write_text("# Decisions\n[A](0001-a.md)\n")
        expect(GOOD, None)
        (root / "docs/decisions/index.md").write_text("# Decisions\n")
        expect(GOOD, "docs/decisions/0001-a.md: is not in docs/decisions/index.md")
    print("\n".join(failures) or f"{len(BAD) + 4} faults are found")
    return 1 if failures else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    links, problems = check(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(problems) or f"{links} links lead somewhere")
    return 1 if problems or not links else 0


if __name__ == "__main__":
    sys.exit(main())
