# SPDX-License-Identifier: MIT
"""Prints a line of C++ for each public enumerator of include/llmes/, in the order of the headers:

    NAMED(llmes::Side, Buy)             to_string gives the name
    IN_WORDS(llmes::FillCause, Queue)   the header has words for it
    NUMBERS(llmes::itch::Locate)        an enumeration without enumerators

An enumeration that this cannot read is an error, so that none is forgotten.
"""

import pathlib
import re
import sys

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "include"


def enumerations(text):
    """The qualified name of each public enumeration of a header, with its enumerators."""
    namespaces, owner, is_public, is_template = [], "", False, False
    lines = iter([re.sub(r"//.*", "", line).rstrip() if "// namespace" not in line else line for line in text.splitlines()])
    for line in lines:
        if match := re.match(r"(?:inline )?namespace ([\w: ]+) {$", line):
            namespaces.append(match[1].replace("inline LLMES_NAMESPACE", "").replace("::::", "::").strip(":"))
        elif re.match(r"}\s+// namespace", line):
            namespaces.pop()
        elif match := re.match(r"(class|struct) (?:alignas\(\w+\) )?(\w+)[^;]*{$", line):
            owner, is_public = match[2], match[1] == "struct"
        elif line == "};":
            owner, is_template = "", False
        elif line.startswith("template"):
            is_template = True
        elif match := re.match(r" (public|private|protected):", line):
            is_public = match[1] == "public"
        elif match := re.match(r"( *)enum (?:class )?(\w+)(?: : [\w:]+)? {(.*)", line):
            body = match[3]
            while "}" not in body:
                body += next(lines)
            names = re.findall(r"(\w+)\s*(?:=[^,]*)?(?:,|$)", body[: body.index("}")].strip())
            if match[1] and not is_public:
                continue
            if match[1] and (not owner or is_template or len(match[1]) != 2):
                sys.exit(f"enumerations.py: cannot read where {match[2]} stands")
            yield "::".join([*namespaces, *([owner] if match[1] else []), match[2]]), names
        elif re.search(r"(?<!using )\benum\b", line):
            sys.exit(f"enumerations.py: cannot read: {line}")


def main():
    for header in sorted(INCLUDE.rglob("*.hpp")):
        text = header.read_text()
        for enumeration, names in enumerations(text):
            if "::detail::" in enumeration:  # what no user names
                continue
            if not names:
                print(f"NUMBERS({enumeration})")
            words = re.search(rf"\bto_string\({enumeration.split('::')[-1]} ", text)
            for name in names:
                print(f"{'IN_WORDS' if words else 'NAMED'}({enumeration}, {name})")


main()
