#!/usr/bin/env python3
"""Messages are plain technical English (docs/style-of-words.md): check_words.py <root of the sources>

Looks for turns of phrase that the page replaces, in string literals of several words under converter and
ports/linux. Adjacent literals are one.
"""
import pathlib
import re
import sys

FOLDERS = ("converter", "ports/linux")
SUFFIXES = {".h", ".cc", ".inc"}
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|#include[^\n]*|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)\'', re.S)
PHRASES = {
    r"(?<!there )\bis no (?!longer)\w": "is not a ...",
    r"\bleft out\b": "skipped, not used",
    r"\bleave (it|that|them|one|one of them) out\b": "remove ...",
    r"\b(has|have) to be\b": "must be",
    r"\b(nobody|somebody)\b": "the program or person meant",
    r"\banew\b": "again",
    r", for (it|they|pictures) ": "because",
    r"\b(one value|a list|a map|a text|one number) is expected\b": "expected ...",
    r"\bnone of (it|this|that) is\b": "not ...",
}


def literals(text):
    """(line, text) of every run of adjacent string literals."""
    runs, end = [], None
    for match in TOKEN.finditer(text):
        word = match.group(0)
        if word[0] != '"':
            continue
        if end is not None and not text[end:match.start()].strip():
            runs[-1] = (runs[-1][0], runs[-1][1] + word[1:-1])
        else:
            runs.append((text.count("\n", 0, match.start()) + 1, word[1:-1]))
        end = match.end()
    return runs


def check(root):
    problems, count = [], 0
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            count += 1
            for line, text in literals(path.read_text(errors="replace")):
                if text.count(" ") < 2:
                    continue
                problems += [f"{path.relative_to(root).as_posix()}:{line}: '{found.group(0).strip()}'; write: {instead}"
                             for phrase, instead in PHRASES.items() if (found := re.search(phrase, text))]
    return count, problems


def main():
    count, problems = check(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(problems) or f"{count} files keep the rules")
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main())
