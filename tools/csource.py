# SPDX-License-Identifier: Apache-2.0
"""What the gates need to know of C text: comments and strings blanked, and where functions are.

This is a scanner, not a parser.  It relies on the format that check-format holds: a function's
opening brace stands in the first column after its head, and its closing brace too.
"""
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
BRANCH = re.compile(r"\b(?:if|for|while|case)\b|&&|\|\||\?")
SKIPPED_FOLDERS = {"__pycache__", "node_modules", ".venv", ".git", "corpus", "data"}


def files(*folders, ends=(".c", ".h")):
    """Paths relative to the root, sorted, of files below folders with one of these endings."""
    found = []
    for folder in folders:
        for at, below, names in os.walk(os.path.join(ROOT, folder)):
            below[:] = sorted(name for name in below if name not in SKIPPED_FOLDERS)
            found += [os.path.relpath(os.path.join(at, name), ROOT) for name in names if name.endswith(ends)]
    return sorted(found)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as source:
        return source.read()


def blank(match):
    """Blanks of the same shape, so that lines and columns stay; quotes stay too."""
    text = match.group(0)
    if text[0] in "\"'":
        return text[0] + re.sub(r"[^\n]", " ", text[1:-1]) + text[-1]
    return re.sub(r"[^\n]", " ", text)


def code_only(text):
    return TOKEN.sub(blank, text)


def functions(text):
    """(name, first line, lines from head to brace, complexity) of each function definition."""
    lines = code_only(text).split("\n")
    found = []
    head = 0
    for number, line in enumerate(lines):
        if line == "{":
            head = number - 1
            while head > 0 and lines[head - 1].strip() and not lines[head - 1].rstrip().endswith((";", "}")) \
                    and not lines[head - 1].startswith("#"):
                head -= 1
        elif line.rstrip() == "}" and head:
            body = "\n".join(lines[head:number + 1])
            name = re.search(r"(\w+)\s*\(", body)
            if name:
                found.append((name.group(1), head + 1, number - head + 1, 1 + len(BRANCH.findall(body))))
            head = 0
    return found
