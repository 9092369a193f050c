#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make.py --repository URL FOLDER: writes what a pull request to flash1-dev/matching-engine-benchmark adds.

FOLDER is additional_references/llmes_adapter/ of that repository. The adapter is the one that scripts/lab challenge
measures: bench/contenders/challenge/any_price.cpp, with the headers beside it put into the same file. It is built from
URL at the commit that is checked out here. PULL_REQUEST.md is the text of the request, and no file of it.
"""

import argparse
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
ADAPTER = "bench/contenders/challenge/any_price.cpp"
OURS = re.compile(r'^#include "(bench/contenders/challenge/.*)"\n', re.MULTILINE)
ONCE = re.compile(r"^// SPDX-License-Identifier: .*\n//\n|^#pragma once\n\n", re.MULTILINE)


def whole(path, seen):
    """The text of a file, with the text of each file of ours in the place of its first include."""
    if path in seen:
        return ""
    seen.add(path)
    text = ONCE.sub("", (ROOT / path).read_text(encoding="utf-8"))
    return OURS.sub(lambda found: whole(found[1], seen) + "\n", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repository", metavar="URL", required=True, help="where the adapter's build clones this library from")
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER")
    arguments = parser.parse_args()
    commit = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "HEAD"], text=True, stdout=subprocess.PIPE, check=True).stdout.strip()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    adapter = f"// SPDX-License-Identifier: MIT\n//\n// llmes behind matching_engine_api.h. Written by its scripts/packaging/challenge/make.py.\n\n{whole(ADAPTER, set())}"
    (arguments.folder / "llmes_adapter.cpp").write_text(adapter, encoding="utf-8")
    for template in sorted(HERE.glob("*.in")):
        text = template.read_text(encoding="utf-8").replace("@REPOSITORY@", arguments.repository).replace("@COMMIT@", commit)
        (arguments.folder / template.stem).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
