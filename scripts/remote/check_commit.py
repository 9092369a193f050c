# SPDX-License-Identifier: MIT
"""check_commit.py FOLDER COMMIT: fails unless the folder has artifacts, and all of them were made from the commit."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "analysis"))
from campaign import Unusable, read_json  # noqa: E402


def check(folder, commit):
    fingerprints = 0
    for path in sorted(folder.rglob("*.json")):
        content = read_json(path)
        if isinstance(content, dict) and isinstance(content.get("fingerprint"), dict):
            fingerprints += 1
            made_from = content["fingerprint"].get("commit")
            if made_from != commit:
                raise Unusable(f"{path.relative_to(folder)} was made from commit {made_from}, not {commit}")
    if fingerprints == 0:
        raise Unusable("none of what came back carries a fingerprint, which would name its commit")


if __name__ == "__main__":
    try:
        check(pathlib.Path(sys.argv[1]), sys.argv[2])
    except Unusable as error:
        sys.exit(f"check_commit.py: {error}")
