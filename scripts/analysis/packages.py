# SPDX-License-Identifier: MIT
"""Importing this makes sure that Matplotlib, NumPy and SciPy are there. Debian's packages belong to its own Python, and
PATH may have another one before it: then the program begins again with Debian's.
"""

import importlib.util
import os
import pathlib
import sys

DEBIANS = "/usr/bin/python3"
TRIED = "LLMES_PYTHON"  # in the environment: with which Python the program has begun again

if not all(map(importlib.util.find_spec, ("matplotlib", "numpy", "scipy"))):
    if not os.path.exists(DEBIANS) or os.environ.get(TRIED) == DEBIANS:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: no python3 with matplotlib, numpy and scipy; "
                 "scripts/setup.sh bench installs them")
    os.execve(DEBIANS, [DEBIANS, *sys.argv], {**os.environ, TRIED: DEBIANS})
