#!/usr/bin/env python3
"""Man pages and the manual's tables of options, made of what the programs declare: each prints its declaration by --help-json.

Writes docs/options.md, docs/man/PROGRAM/*.1 and the parts of pages that stand between the comments `made by docs/options.py` and
`end`. With --check it writes nothing, and ends with status 1 where a file differs; the test docs_options does so."""
import argparse
import json
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[1]
PROGRAMS = ("octet", "octet-run", "octet-camera", "octet-slot", "octet-scene", "octet-serve")
AGAIN = "docs/options.py"
PART = re.compile(r"(<!-- made by docs/options\.py: (\S+) ?(.*?) -->\n)(.*?)(<!-- end -->)", re.S)
# Ends that a type has, not an option: 2^31, and what is next to it.
NO_LIMIT = 2 ** 31 - 1


def declarations(programs: pathlib.Path) -> dict:
    """What each program and each of its commands declares, by the words that call it."""
    found = {}
    for program in PROGRAMS:
        done = subprocess.run([programs / program, "--help-json"], capture_output=True, text=True, check=True)
        declared = json.loads(done.stdout)
        for one in (declared, *declared.get("commands", [])):
            found[one["name"]] = one
    return found


def all_options(declared: dict) -> list:
    return [option for group in declared["groups"] for option in group["options"]]


def limits(option: dict) -> str:
    """The values that the declaration allows, in words; "" where it sets no limit."""
    if "among" in option:
        return ", ".join(option["among"])
    if "least" not in option:
        return ""
    return f"at least {option['least']}" if int(option["most"]) >= NO_LIMIT else f"{option['least']} to {option['most']}"


def sentences(text: str) -> list:
    """Lines of a footer; those that are laid out by spaces keep them."""
    return text.split("\n") if text else []


# Tables of the manual.

def cell(text: str) -> str:
    """Placeholders such as <b> and bars would be markup."""
    return re.sub(r"([|<>*_])", r"\\\1", text) if "`" not in text else text.replace("|", "\\|")


def row(option: dict) -> str:
    name = ", ".join(f"`{name}`" for name in option["names"])
    words = limits(option) if "among" not in option else ", ".join(f"`{word}`" for word in option["among"])
    value = option.get("value", "") + (" ..." if option.get("many") else "")
    value = ": ".join(part for part in (value, words) if part)
    default = "required" if option.get("required") else f"`{option['default']}`" if "default" in option else ""
    return f"| {name} | {value} | {default} | {cell(option['help'])} |"


def table(options: list) -> list:
    return ["| option | value | default | meaning |", "| --- | --- | --- | --- |", *map(row, options), ""]


def synopsis(declared: dict) -> list:
    """Words of a call as (text, is a placeholder): what is required, the rest, arguments."""
    words = [(word, False) for word in declared["name"].split()]
    if "commands" in declared:
        return [*words, ("COMMAND", True), ("[OPTIONS]", True)]
    for option in all_options(declared):
        if option.get("required"):
            words += [(option["names"][0], False), (option["value"], True)]
    words.append(("[OPTIONS]", True))
    for option in declared["arguments"]:
        name = option["names"][0] + ("..." if option.get("many") else "")
        words.append((name if option.get("required") else f"[{name}]", True))
    return words


def options_page(declared: dict) -> str:
    lines = ["# Options", "", f"All options of all programs. `{AGAIN}` makes this page and the man pages of what the programs declare.", ""]
    for name, one in declared.items():
        lines += [f"## {name}", "", *(f"{line}\n" for line in sentences(one["description"]))]
        lines += ["```text", " ".join(word for word, _ in synopsis(one)), "```", ""]
        if "commands" in one:
            lines += ["| command | purpose |", "| --- | --- |"]
            lines += [f"| [`{command['name']}`](#{command['name'].replace(' ', '-')}) | {command['description']} |" for command in one["commands"]]
            lines.append("")
        first = True
        for group in one["groups"]:
            if not first:
                lines += [f"{group['title']}:", ""]
            lines += table([*one["arguments"], *group["options"]] if first else group["options"])
            first = False
    return "\n".join(lines).rstrip("\n") + "\n"


def settings_table(declared: dict) -> str:
    """Of a program with a settings file: what a change of each setting takes."""
    kinds = {"now": "now", "with model": "the model is loaded again, which takes the time of a model change (`max_change_ms`)",
             None: "after a restart"}
    names = {kind: [] for kind in kinds}
    for option in [*declared["arguments"], *all_options(declared)]:
        if not option.get("once"):
            names[option.get("reload")].append(f"`{option['names'][-1].lstrip('-').lower()}`")
    rows = [f"| {text} | {', '.join(names[kind])} |" for kind, text in kinds.items()]
    return "\n".join(["", "| when | settings |", "| --- | --- |", *rows, "", ""])


def with_parts(text: str, declared: dict) -> str:
    """A page with its made parts: `settings PROGRAM`, or `options PROGRAM: --NAME ...`."""
    def made(found) -> str:
        if found[2] == "settings":
            return found[1] + settings_table(declared[found[3]]) + found[5]
        name, _, wanted = found[3].partition(": ")
        options = {option["names"][-1]: option for option in all_options(declared[name])}
        return found[1] + "\n" + "\n".join([*table([options[word] for word in wanted.split()]), found[5]])
    return PART.sub(made, text)


# Man pages.

def roff(text: str) -> str:
    """Text as man(7) has it: `words` in bold, dashes as they are typed, no line that reads as a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("~", "\\(ti").replace("^", "\\(ha").replace("'", "\\(aq")
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", text)
    return "\\&" + text if text.startswith(".") else text


def roff_option(option: dict) -> list:
    names = ", ".join(f"\\fB{roff(name)}\\fR" for name in option["names"])
    if option["names"][0][0] != "-":
        names = names.replace("\\fB", "\\fI")
    elif "value" in option:
        names += f" \\fI{option['value']}\\fR" + (" ..." if option.get("many") else "")
    notes = [limits(option), f"default {option['default']}" if "default" in option else "", "required" if option.get("required") else ""]
    said = "; ".join(note for note in notes if note)
    return [".TP", names, roff(option["help"]), *([".br", roff(f"({said})")] if said else [])]


def roff_lines(text: str) -> list:
    """Paragraphs; text that is laid out by spaces as it is."""
    lines = sentences(text)
    if any(line.startswith(" ") or "  " in line for line in lines):
        return [".nf", *map(roff, lines), ".fi"]
    return [part for line in lines for part in (".PP", roff(line))][1:]


def man_page(declared: dict, around: list, status: str) -> str:
    name = declared["name"].replace(" ", "-")
    # A description ends with what every command has: the exit status.
    first, *rest = [line for line in sentences(declared["description"]) if line != status]
    lines = [f".\\\" Made by {AGAIN} of what the program declares.", f'.TH {name.upper()} 1 "" Octet "Octet manual"',
             ".SH NAME", f"{roff(name)} \\- {roff(first)}", ".SH SYNOPSIS",
             " ".join((f"\\fI{roff(word)}\\fR" if holder else f"\\fB{roff(word)}\\fR") for word, holder in synopsis(declared))]
    told = [*map(roff, rest), *roff_lines(declared.get("footer", ""))]
    if declared.get("more_footer"):
        told += [*([".PP"] if told else []), *roff_lines(declared["more_footer"])]
    if told:
        lines += [".SH DESCRIPTION", *told]
    if "commands" in declared:
        lines.append(".SH COMMANDS")
        for command in declared["commands"]:
            lines += [".TP", f"\\fB{roff(command['name'].replace(' ', '-'))}\\fR(1)", roff(command["description"])]
    if declared["arguments"]:
        lines += [".SH ARGUMENTS", *(line for option in declared["arguments"] for line in roff_option(option))]
    lines.append(".SH OPTIONS")
    for i, group in enumerate(declared["groups"]):
        lines += [*([f".SS {roff(group['title'])}"] if i else []), *(line for option in group["options"] for line in roff_option(option))]
    if "Exit status:" not in declared.get("footer", "") and status:
        lines += [".SH EXIT STATUS", roff(status.partition(": ")[2])]
    others = [other.replace(" ", "-") for other in around if other != declared["name"]]
    lines += [".SH SEE ALSO", ", ".join(f"\\fB{roff(other)}\\fR(1)" for other in others)]
    return "\n".join(lines) + "\n"


def made_files(declared: dict) -> dict:
    """The text of each made file by its path in the sources."""
    status = next(line for line in declared["octet"]["description"].split("\n") if line.startswith("Exit status: "))
    files = {"docs/options.md": options_page(declared)}
    for name, one in declared.items():
        program = name.split()[0]
        around = [program, *(other for other in PROGRAMS if other != program)] if " " in name else list(PROGRAMS)
        files[f"docs/man/{program}/{name.replace(' ', '-')}.1"] = man_page(one, around, status)
    for page in sorted((SOURCE / "docs").glob("*.md")):
        text = page.read_text()
        if PART.search(text):
            files.setdefault(page.relative_to(SOURCE).as_posix(), with_parts(text, declared))
    return files


def differing(files: dict) -> list:
    """Paths of the sources that are not what was made, among them man pages of no program."""
    paths = [path for path, text in files.items() if not (SOURCE / path).is_file() or (SOURCE / path).read_text() != text]
    stray = [path.relative_to(SOURCE).as_posix() for path in (SOURCE / "docs/man").rglob("*.1")]
    return paths + sorted(path for path in stray if path not in files)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, default=pathlib.Path("build/native/bin"))
    parser.add_argument("--check", action="store_true", help="write nothing; status 1: a file differs")
    arguments = parser.parse_args()
    files = made_files(declarations(arguments.programs.resolve()))
    paths = differing(files)
    for path in paths:
        if arguments.check:
            print(f"{path}: is not what the programs declare; write it again: {AGAIN} --programs FOLDER")
        elif path in files:
            (SOURCE / path).parent.mkdir(parents=True, exist_ok=True)
            (SOURCE / path).write_text(files[path])
        else:
            (SOURCE / path).unlink()
    if not arguments.check:
        print(f"{len(paths)} of {len(files)} files written")
    return 1 if arguments.check and paths else 0


if __name__ == "__main__":
    sys.exit(main())
