# SPDX-License-Identifier: MIT
"""Matplotlib, set up to draw into files.

To load it takes longer than to find that an artifact is torn, so it is imported where a picture is drawn.
"""

import os
import tempfile

os.environ.setdefault("MPLCONFIGDIR", tempfile.gettempdir())  # a home folder need not be there

import matplotlib  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as pyplot  # noqa: E402, F401
import matplotlib.ticker as ticker  # noqa: E402, F401
