# SPDX-License-Identifier: MIT
"""Programs in Rust with crates of crates.io. A test is skipped where they cannot be had."""

import os
import pathlib
import shutil
import subprocess
import unittest


def build(folder):
    """Builds the package of the folder in LIBRARIES. The path of its program `client`."""
    if shutil.which("cargo") is None:
        raise unittest.SkipTest("there is no Cargo; https://rustup.rs has it")
    cargo = ["cargo", "--quiet", "--locked"]
    manifest = ["--manifest-path", folder / "Cargo.toml"]
    if subprocess.run([*cargo, "fetch", *manifest], check=False).returncode:
        raise unittest.SkipTest("Cargo did not give the crates; is the network up, and Cargo at least 1.85?")
    target = pathlib.Path(os.environ["LIBRARIES"])
    subprocess.run([*cargo, "--offline", "build", *manifest, "--target-dir", target], check=True)
    return target / "debug" / "client"
