# SPDX-License-Identifier: MIT
"""Files as pieces of bytes, unpacked on a thread of their own, with progress."""
import gzip
import io
import os
import queue
import stat
import sys
import threading
import time

from . import _core

_PIECE = 1 << 20  # it stays in the caches between the two threads
_PACKED = 1 << 14  # bytes of zstd that are unpacked at once


def _unpacked(file):
    """A reader of what is in `file`: gzip and zstd are found by their first bytes."""
    packing = _core.packing_of(file.peek(4)[:4])
    if packing == "gzip":
        return gzip.open(file, "rb")
    if packing == "zstd":
        try:
            import zstandard
        except ImportError:
            raise RuntimeError("packed by zstd; install the package that reads it: pip install 'llmes[zstd]'") from None
        return io.BufferedReader(_Frames(file, zstandard.ZstdDecompressor()), _PIECE)
    return file


class _Frames(io.RawIOBase):
    """What frames of zstd have packed; EOFError if the last one is cut off."""

    def __init__(self, file, unpacker):
        self._file, self._unpacker = file, unpacker
        self._frame, self._left = unpacker.decompressobj(), memoryview(b"")

    def readable(self):
        return True

    def readinto(self, room):
        while not self._left:
            packed = self._frame.unused_data if self._frame.eof else b""
            if not packed and not (packed := self._file.read(_PACKED)):
                if not self._frame.eof:
                    raise EOFError
                return 0
            if self._frame.eof:
                self._frame = self._unpacker.decompressobj()
            self._left = memoryview(self._frame.decompress(packed))
        size = min(len(room), len(self._left))
        room[:size], self._left = self._left[:size], self._left[size:]
        return size


def regular(path):
    """The path of a file that can be opened, and read more than once."""
    if isinstance(path, (list, tuple, set, dict)):
        raise TypeError(f"path: one file, not {len(path)}; open a day for each, and play them one after the other")
    try:
        path = os.fsdecode(path)
    except TypeError:
        raise TypeError(f"path: the path of a file, not {path!r}") from None
    kind = os.stat(path).st_mode
    if not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):
        raise ValueError(f"{path}: not a file; a day is read more than once, so write it to a file first")
    with open(path, "rb"):
        return path


def stamp_of(path):
    """What differs if a file has changed."""
    found = os.stat(path)
    return found.st_ino, found.st_size, found.st_mtime_ns


def beginning(path, size):
    """The first bytes of what is in a file; None if it cannot be unpacked."""
    with open(path, "rb") as file:
        try:
            reader, start = _unpacked(file), b""
            while len(start) < size and (more := reader.read(size - len(start))):
                start += more
            return start
        except Exception:
            return None  # who reads on says what is wrong


class _Progress:
    """A line on the terminal while a file is read, if that takes more than a second."""

    def __init__(self, path, size, wanted):
        self._path, self._size = os.path.basename(path), size
        self._shown = sys.stderr.isatty() if wanted is None else wanted
        self._begun = time.monotonic()
        self._next = self._begun + 1

    def at(self, place):
        now = time.monotonic()
        if not self._shown or now < self._next or not self._size:
            return
        self._next = now + 0.5
        share = min(1, place / self._size)
        left = (now - self._begun) * (1 - share) / share if share else 0
        print(f"\r{self._path}: {share:4.0%}, {left:.0f} s left ", end="", file=sys.stderr, flush=True)

    def end(self):
        if self._shown and self._next > self._begun + 1:
            print("\r" + " " * 79 + "\r", end="", file=sys.stderr, flush=True)


def pieces(path, progress=None):
    """Yields the bytes of a file, packed or not, in pieces. Reading and unpacking have a thread of their own."""
    path = os.fspath(path)
    room = queue.Queue(maxsize=4)
    stop = threading.Event()

    def put(item):
        if not stop.is_set():
            room.put(item)

    def read():
        try:
            with open(path, "rb", buffering=1 << 16) as file:
                reader = _unpacked(file)
                while piece := reader.read(_PIECE):
                    put((piece, file.tell()))
                    if stop.is_set():
                        return
            put(None)
        except BaseException as error:  # it is raised where the pieces are used
            put(error)

    line = _Progress(path, os.path.getsize(path), progress)
    thread = threading.Thread(target=read, name="llmes reader", daemon=True)
    try:
        thread.start()
        while (item := room.get()) is not None:
            if isinstance(item, BaseException):
                if isinstance(item, EOFError):
                    raise RuntimeError(f"{path}: the packed file is cut off") from item
                if isinstance(item, OSError):
                    raise type(item)(*item.args) from item
                raise RuntimeError(f"{path}: {item}") from item
            line.at(item[1])
            yield item[0]
    finally:
        stop.set()
        while not room.empty():  # the thread may wait for room; it puts at most one more piece
            room.get()
        if thread.is_alive():
            thread.join()
        line.end()
