"""Runs the marked blocks of a page in a terminal, and compares what they print."""

import os
import re
import shutil
import signal

from commands.blocks import blocks, unmarked
from common.payload import MIB
from common.tally import Wrong
from common.terminal import Terminal

WIDTH = 250
# A line that says how the person who runs the command stops it, and what the script does instead.
STOPS = {"^C": signal.SIGINT, "Killed": signal.SIGKILL}
STOP_AFTER = 6 * MIB
HEX = re.compile(r"\b[0-9a-f]{32,}\b")
NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
NEEDS = re.compile(r"needs (\S+)")
SPEED = re.compile(r", N/s(?=,|$)")
UNIT = re.compile(r"\bN (?:[KMG]iB|[KMG]?B|ms|s|min|h)\b")


def check_page(path, haul, place, server, tally, name):
    """Runs each block as a case, in one folder."""
    # In the background of a shell script it is ignored, and so it would be by the programs that are started here.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    text = path.read_text(encoding="utf-8")
    with tally.case(f"{name}: all commands are marked"):
        if found := list(unmarked(text)):
            raise Wrong(f"no mark before the block in line {found[0]}")
    fresh(place)
    for block in blocks(text):
        if block.kind == "restart":
            fresh(place)
        elif block.kind == "file":
            (place / block.argument).write_text("\n".join(block.lines) + "\n", encoding="utf-8")
        elif block.kind == "setup":
            with tally.case(f"{name}:{block.number}: {block.argument}", quiet=True):
                if (ended := run(block.argument, haul, place, server))[0] != 0:
                    raise Wrong(f"exit code {ended[0]}: {ended[1]}")
        else:
            label = f"{name}:{block.number}: {block.commands()[0].text.splitlines()[0]}"
            if (needed := NEEDS.search(block.argument)) and not shutil.which(needed[1], path=haul.environment["PATH"]):
                print(f"skipped {label}: there is no {needed[1]}")
                continue
            with tally.case(label):
                check_block(block, haul, place, server)


def fresh(place):
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()


def check_block(block, haul, place, server):
    wanted = int(found[1]) if (found := re.search(r"exit (\d+)", block.argument)) else 0
    columns = int(found[1]) if (found := re.search(r"(\d+) columns", block.argument)) else WIDTH
    commands = block.commands()
    last = 0
    for index, command in enumerate(commands):
        if command.text == "echo $?":
            if command.output != [str(last)]:
                raise Wrong(f"line {command.number}: the exit code is {last} instead of {' '.join(command.output)}")
            continue
        stop = next((STOPS[line] for line in command.output if line in STOPS), None)
        last, lines = run(command.text, haul, place, server, stop, columns)
        is_shown = index + 1 < len(commands) and commands[index + 1].text == "echo $?"
        if not is_shown and stop is None and last != wanted:
            raise Wrong(f"line {command.number}: exit code {last} instead of {wanted}: {lines[-1:]}")
        if stop != signal.SIGKILL:
            compare(command, lines, "any order" in block.argument)


def run(text, haul, place, server, stop=None, columns=WIDTH):
    """The exit code and the lines of one command."""
    terminal = Terminal(["bash", "-c", text], place, haul.environment, columns)
    terminal.screen.columns = WIDTH  # A page shows a longer line as one.
    before = server.sent()
    stopped = []

    def turn():
        if stop and not stopped and server.sent() - before > STOP_AFTER:
            os.killpg(terminal.process, stop)
            stopped.append(stop)

    code = terminal.wait(on_turn=turn)
    if stop and not stopped:
        raise Wrong(f"{text}: ended before it could be stopped")
    return code if code >= 0 else 128 - code, [shown(line, haul.environment) for line in terminal.screen.lines()]


def shown(line, environment):
    """The line as a user would see it, without the folders of this run."""
    return line.replace(environment["HOME"], "/home/me").replace(environment["XDG_RUNTIME_DIR"], "/run/user/1000")


def plain(line):
    """What is compared: without numbers, digests, and the speed, which very small files do not have."""
    line = NUMBER.sub("N", HEX.sub("HEX", line.rstrip()))
    return " ".join(SPEED.sub("", UNIT.sub("N", line)).split())


def compare(command, lines, any_order):
    got = [plain(line) for line in lines if plain(line) and line not in STOPS]
    wanted = [plain(line) for line in command.output if plain(line) and line not in STOPS]
    if any_order:
        got.sort()
        wanted.sort()
    if not match(wanted, got):
        found = "\n          ".join(lines)
        raise Wrong(f"line {command.number}: prints something else than the page shows:\n          {found}")


def match(wanted, got):
    """Whether the lines are equal; `...` stands for any number of lines, and at the end of a line for its rest."""
    if not wanted:
        return not got
    if wanted[0] == "...":
        return any(match(wanted[1:], got[skipped:]) for skipped in range(len(got) + 1))
    if not got:
        return False
    first = wanted[0]
    same = got[0].startswith(first[:-3].rstrip()) if first.endswith("...") else got[0] == first
    return same and match(wanted[1:], got[1:])
