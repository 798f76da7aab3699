#!/usr/bin/env python3
"""Messages for a reader's trial: draw_messages.py <root of the sources> [--seed TEXT] [--count N] [--all]

Draws N messages (errors, warnings, verdicts) of the programs and prints each, with nothing else. A value that the program fills
in is {}, alternatives are divided by " | ", arguments by " ; ". The seed is the commit, unless given. --all prints every message with its place.
"""
import argparse
import pathlib
import random
import re
import subprocess
import sys

FOLDERS = ("converter", "ports/linux", "runtime")
SUFFIXES = {".h", ".hpp", ".cc", ".inc"}
NO_TEXT = ("runtime/kernels/", "ports/linux/peak.cc")  # their literals are assembler
WORDS_LEAST = 4
WORD = re.compile(r"(?<![\w%])[A-Za-z][a-z]+(?![\w=(])")
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n]*|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)\'|[;{}]|\w+|::|[^\s\w]', re.S | re.M)
# Options and their descriptions are help; static_assert and #error speak to who builds.
NO_MESSAGE = re.compile(r"\b(Add|AddFlag|Group|MoreGroup|Footer|CommandLine|static_assert|Describe\w*|kHelp\w*|k\w*Help)\b")

# Nor do headers of HTTP, files that a program writes, paths, metrics and their help, tables, and what only an internal error says.
NOT_SAID = re.compile(r"Content-Type:|iou_threshold: |^verified (blob|plan) has no |\.globl |^a pass lost the codes |^octet_\w+ ;|^\{?\}?/[a-z]+/|"
                      r"^\.jpg |\\x01\\x02|^layout: |^channels: |^outputs: \{| ; int8 ms ; | ; layers ; macs ; |Cache-Control:|^\{\}\{\}has (given )?codes")


def unescape(word):
    return word[1:-1].replace(r"\"", '"').replace(r"\n", " ").replace("\\\\", "\\")


def parts(tokens):
    """Literals and placeholders of one statement, in order."""
    out, between = [], []
    for token in tokens:
        if token[0] != '"':
            between.append(token)
            continue
        if out and between:
            out.append(" | " if ":" in between or "?" in between else "{}" if "+" in between else " ; " if "," in between else "")
        elif "+" in between:
            out.append("{}")
        out.append(unescape(token))
        between = []
    if out and "+" in between:
        out.append("{}")
    text = "".join(out)
    return re.sub(r"%-?[\d.*]*(?:l|ll|z|j)?[sdiufgexXp]\b", "{}", re.sub(r"\{:[^}]*\}", "{}", text))


def messages(path):
    """(line, text) of every statement that has a text of several words."""
    text = path.read_text(errors="replace")
    statement, line = [], 1
    for match in TOKEN.finditer(text):
        token = match.group(0)
        if token.startswith(("//", "/*")) or token.lstrip().startswith("#"):
            continue
        if token.startswith('R"') or token not in (";", "{", "}"):
            if not statement:
                line = text.count("\n", 0, match.start()) + 1
            statement.append(token)
            continue
        if not NO_MESSAGE.search(" ".join(word for word in statement if word[0] != '"')):
            told = parts([word for word in statement if not word.startswith('R"')]).strip(" |")
            if not NOT_SAID.search(told) and any(len(WORD.findall(piece)) >= WORDS_LEAST for piece in re.split(r" \| | ; ", told)):
                yield line, told
        statement = []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--seed", help="of the draw (default: the commit)")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--all", action="store_true", help="every message, with file and line")
    options = parser.parse_args()
    found = [(f"{path.relative_to(options.root)}:{line}", text) for folder in FOLDERS for path in sorted((options.root / folder).rglob("*"))
             if path.suffix in SUFFIXES and not path.relative_to(options.root).as_posix().startswith(NO_TEXT)
             for line, text in messages(path)]
    if options.all:
        print("\n".join(f"{place}: {text}" for place, text in found))
        return 0
    seed = options.seed or subprocess.run(["git", "-C", options.root, "rev-parse", "HEAD"], check=True, capture_output=True,
                                          text=True).stdout.strip()
    drawn = random.Random(seed).sample(sorted({text for _, text in found}), options.count)
    print("\n".join(drawn))
    return 0


if __name__ == "__main__":
    sys.exit(main())
