# SPDX-License-Identifier: MIT
"""Files that are written completely or not at all."""

import contextlib
import errno
import pathlib


@contextlib.contextmanager
def replaced(path):
    """Gives the path of a file beside this one, which takes its place if all goes well. An OSError names the place."""
    path = pathlib.Path(path)
    if path.exists() and not (path.is_file() or path.is_dir()):  # a device, say, which a file would take the place of
        raise OSError(errno.EINVAL, "it is no file", str(path))
    unfinished = path.with_name(f".unfinished.{path.name}")  # with the same ending, which tells what to draw
    try:
        yield unfinished
        unfinished.replace(path)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink()


def write_text(path, text):
    with replaced(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
