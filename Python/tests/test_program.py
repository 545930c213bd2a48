"""The command line, the options and the exit codes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import haul
from conftest import Site, wait_for
from haul import _program

ROOT = Path(__file__).resolve().parents[1]


def test_options_become_a_command_line() -> None:
    options = {
        "per_host": 4,
        "robots_txt": True,
        "deep": False,
        "id_column": None,
        "accept": ["image/*", "video/*"],
        "header": ["A: 1", "B: 2"],
        "continue_": True,
        "retry_failed": "timedOut",
    }
    line = _program.command("batch", ["-"], options)
    assert line[1:] == [
        *("batch", "--per-host=4", "--robots-txt", "--accept=image/*,video/*", "--header=A: 1", "--header=B: 2"),
        *("--continue", "--retry-failed=timedOut", "--", "-"),
    ]


def test_headers_may_be_a_mapping() -> None:
    line = _program.command("get", [], {"header": {"A": "1", "B": 2}})
    assert line[2:] == ["--header=A: 1", "--header=B: 2"]
    with pytest.raises(TypeError, match="data is a value or a list, not a mapping"):
        _program.command("get", [], {"data": {"a": 1}})


@pytest.mark.parametrize("name", ["help", "help_", "version", "help_hidden", "generate_completion_script"])
def test_an_option_that_prints_a_text_is_refused(tmp_path: Path, name: str) -> None:
    options: Any = {name: True}
    refused = f"{name} is not an option here: it prints a text"
    with pytest.raises(TypeError, match=refused):
        haul.download("http://127.0.0.1:1/a", directory=tmp_path, **options)
    with pytest.raises(TypeError, match=refused):
        haul.batch([], tmp_path / "out", **options)
    with pytest.raises(TypeError, match=refused):
        haul.check_batch([], tmp_path, **options)


def test_an_option_that_the_function_decides_is_refused(tmp_path: Path) -> None:
    options: Any = {"input_file": tmp_path / "list"}
    with pytest.raises(TypeError, match="input_file is not an option here: the function decides it"):
        haul.download("http://127.0.0.1:1/a", directory=tmp_path, **options)
    options = {"check": tmp_path}
    with pytest.raises(TypeError, match="check is not an option here"):
        haul.check_batch([], tmp_path / "out", **options)


def test_an_entry_of_a_folder_is_a_path(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    with os.scandir(tmp_path) as entries:
        entry = next(entries)
    line = _program.command("get", [], {"directory": entry, "mirror": [entry], "cookies": Path("c.txt")})
    assert line[2:] == [f"--directory={tmp_path}/files", f"--mirror={tmp_path}/files", "--cookies=c.txt"]


def test_a_wrong_path_in_haul_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAUL", "/no/haul")
    with pytest.raises(FileNotFoundError, match="HAUL names /no/haul"):
        haul.download("http://127.0.0.1:1/a")


def test_the_options_are_those_of_the_program() -> None:
    environment = {**os.environ, "HAUL": haul.find_program()}
    subprocess.run([sys.executable, ROOT / "tools/options.py", "--check"], check=True, env=environment)


def test_the_exit_codes_are_those_of_the_program() -> None:
    source = ROOT.parent / "Sources/HaulCLI/ExitCode.swift"
    if not source.exists():
        pytest.skip("only in a clone of the repository")
    cases = re.findall(r"^    case `?(\w+)`? = (\d+)$", source.read_text(), re.MULTILINE)
    assert {name: int(code) for name, code in cases} == {each.name: each.value for each in haul.ExitCode}


def test_a_signal_has_a_label() -> None:
    assert haul.ExitCode.label(3) == "notFound"
    assert haul.ExitCode.label(-9) == "signal9"
    assert haul.ExitCode.label(99) == "exit99"


def test_the_program_dies_with_its_parent(site: Site, tmp_path: Path) -> None:
    site.gate.clear()
    text = f"import haul; haul.download({site.url('big')!r}, directory={str(tmp_path)!r}, connections=1)"
    parent = subprocess.Popen([sys.executable, "-c", text])
    wait_for(lambda: site.active.total() > 0)
    children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()
    assert len(children) == 1
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    wait_for(lambda: not is_running(children[0]))


def is_running(process: str) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_an_interrupt_while_a_command_starts_leaves_nothing_running(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[subprocess.Popen[bytes]] = []
    real = _program._open

    def interrupted(line: Sequence[str]) -> subprocess.Popen[bytes]:
        signal.raise_signal(signal.SIGINT)
        made.append(real(line))
        return made[0]

    monkeypatch.setattr(_program, "_open", interrupted)
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        _program.start(["sleep", "60"])
    assert made[0].returncode == -signal.SIGKILL
    assert signal.getsignal(signal.SIGINT) == handler


def test_a_handler_that_only_takes_note_ends_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    noted: list[int] = []
    real = _program._open

    def interrupted(line: Sequence[str]) -> subprocess.Popen[bytes]:
        signal.raise_signal(signal.SIGINT)
        return real(line)

    monkeypatch.setattr(_program, "_open", interrupted)
    handler = signal.signal(signal.SIGINT, lambda number, _: noted.append(number))
    try:
        with _program.start(["cat"]) as process:
            assert process.communicate(b"text")[0] == b"text"
    finally:
        signal.signal(signal.SIGINT, handler)
    assert noted == [signal.SIGINT]
