# SPDX-License-Identifier: MIT
"""Programs in Java with libraries of Maven Central. A test is skipped where they cannot be had."""

import os
import pathlib
import shutil
import subprocess
import unittest

import line_program


def fill(folder):
    """Copies what the pom.xml of the folder names to LIBRARIES."""
    if shutil.which("java") is None or shutil.which("mvn") is None:
        raise unittest.SkipTest("there is no Java with Maven; on Debian: apt-get install openjdk-17-jdk-headless maven")
    filled = subprocess.run(["mvn", "-q", "-B", "-f", folder / "pom.xml", "dependency:copy-dependencies",
                             f"-DoutputDirectory={os.environ['LIBRARIES']}"], check=False)
    if filled.returncode:
        raise unittest.SkipTest("Maven did not give the libraries; is the network up?")


class Program(line_program.LineProgram):
    """A program in Java that hears and says lines."""

    def __init__(self, source, *arguments):
        super().__init__("java", "-cp", f"{os.environ['LIBRARIES']}/*", pathlib.Path(source), *arguments)
