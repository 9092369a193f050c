# SPDX-License-Identifier: MIT
"""Programs in other languages around clients that others wrote. They hear and say lines."""

import queue
import subprocess
import threading

PATIENCE = 60  # how long a line may take, however busy the machine is


class LineProgram:
    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.heard = queue.Queue()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.heard.put(line.rstrip())
        self.heard.put("it has ended")

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def hear(self):
        """The next line, without those of its log, such as that nobody listens at the moment."""
        try:
            while (line := self.heard.get(timeout=PATIENCE)).startswith("<"):
                pass
        except queue.Empty:
            raise AssertionError("the client says nothing more") from None
        return line

    def end(self):
        self.process.stdin.close()
        self.finish()

    def kill(self):
        self.process.kill()
        self.finish()

    def finish(self):
        self.process.wait(timeout=PATIENCE)
        self.reader.join()
        for stream in (self.process.stdin, self.process.stdout):
            try:
                stream.close()
            except BrokenPipeError:
                pass
