"""A pseudo-terminal for a program, and the screen that its output makes: enough of ECMA-48 for Haul, a shell and line-wise tools."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

SEQUENCE = re.compile(r"\x1b\[(?P<numbers>[0-9;]*)(?P<private>[?>]?[0-9;]*)(?P<final>[A-Za-z])")


class Screen:
    """Lines of (character, style) as a terminal of this width shows them; it is as high as its text."""

    def __init__(self, columns):
        self.columns = columns
        self.rows = [[]]
        self.row = self.column = 0
        self.style = ""
        self._pending = b""

    def feed(self, data):
        data = self._pending + data
        whole = data
        # An escape sequence or a character of several bytes may be cut at the end of what was read.
        if cut := re.search(rb"\x1b(?:\[[0-9;?]*)?$", data):
            whole = data[:cut.start()]
        try:
            text = whole.decode()
        except UnicodeDecodeError as problem:
            if problem.end < len(whole):
                raise
            whole = whole[:problem.start]
            text = whole.decode()
        self._pending = data[len(whole):]
        place = 0
        while place < len(text):
            found = SEQUENCE.match(text, place)
            if found:
                self._sequence(found["final"], found["numbers"])
                place = found.end()
            else:
                self._character(text[place])
                place += 1

    def _character(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self._down()
        elif character == "\b":
            self.column = max(0, self.column - 1)
        elif character == "\t":
            self.column = min(self.columns - 1, self.column // 8 * 8 + 8)
        elif character >= " ":
            if self.column >= self.columns:
                self.column = 0
                self._down()
            line = self.rows[self.row]
            line.extend([(" ", "")] * (self.column - len(line)))
            line[self.column:self.column + 1] = [(character, self.style)]
            self.column += 1

    def _down(self):
        self.row += 1
        if self.row == len(self.rows):
            self.rows.append([])

    def _sequence(self, final, numbers):
        number = int(numbers.split(";")[0] or 0)
        if final == "A":
            self.row = max(0, self.row - max(1, number))
        elif final == "B":
            self.row = min(len(self.rows) - 1, self.row + max(1, number))
        elif final == "K":
            del self.rows[self.row][self.column:]
        elif final == "J":
            del self.rows[self.row][self.column:]
            del self.rows[self.row + 1:]
        elif final == "m":
            self.style = "" if numbers in ("", "0") else numbers

    def lines(self):
        """The text, without spaces at the end of lines and without empty lines at the end."""
        lines = ["".join(character for character, _ in row).rstrip() for row in self.rows]
        while lines and not lines[-1]:
            lines.pop()
        return lines


class Terminal:
    """A program in a pseudo-terminal."""

    def __init__(self, command, folder, environment, columns=80, height=24):
        self.screen = Screen(columns)
        self.code = None
        self.process, self._file = pty.fork()
        if self.process == 0:
            try:
                # The size is set before the program begins.
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", height, columns, 0, 0))
                os.chdir(folder)
                os.execvpe(command[0], command, environment)
            finally:
                os._exit(127)

    def read(self, seconds):
        """Waits up to this time for output, and feeds it to the screen; False if the program has closed the terminal."""
        if not select.select([self._file], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self._file, 65_536)
        except OSError:
            return False
        self.screen.feed(data)
        return bool(data)

    def type(self, text):
        os.write(self._file, text.encode())

    def wait(self, limit=60, on_turn=lambda: None):
        """Reads until the program ends; past the limit, it is killed. Returns its exit code, negative for a signal."""
        end = time.monotonic() + limit
        while self.read(0.02):
            on_turn()
            if time.monotonic() > end:
                os.killpg(self.process, signal.SIGKILL)
                break
        _, status = os.waitpid(self.process, 0)
        os.close(self._file)
        self.code = os.waitstatus_to_exitcode(status)
        return self.code
