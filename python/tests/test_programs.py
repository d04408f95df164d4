# SPDX-License-Identifier: Apache-2.0
"""``python -m temper`` and the window."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
from collections.abc import Sequence

import numpy
import pytest

import temper
from temper import _programs

COMMAND_LINE = pathlib.Path(_programs.COMMAND_LINE)
needs_command_line = pytest.mark.skipif(
    not COMMAND_LINE.exists(), reason="the command line is not built"
)


def as_module(*arguments: str | pathlib.Path) -> list[str]:
    return [sys.executable, "-m", "temper", *map(str, arguments)]


def result(command: Sequence[str | pathlib.Path]) -> tuple[int, str, str]:
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@needs_command_line
def test_the_module_is_the_command_line(mlp_path: pathlib.Path) -> None:
    for arguments in (["--version"], ["inspect", "--json", str(mlp_path)], ["inspect"], ["trian"]):
        expected = result([COMMAND_LINE, *arguments])
        assert result(as_module(*arguments)) == expected
        assert expected[0] == (0 if len(arguments) > 1 or arguments[0] == "--version" else 2)


@needs_command_line
def test_a_closed_pipe_ends_it_as_it_ends_the_program() -> None:
    def status(command: list[str]) -> int:
        read, write = os.pipe()
        os.close(read)
        with os.fdopen(write, "wb") as closed:
            return subprocess.run(command, stdout=closed).returncode

    assert status(as_module("--help")) == status([str(COMMAND_LINE), "--help"]) == -signal.SIGPIPE


@needs_command_line
def test_control_c_stops_the_training_that_it_runs(
    art: pathlib.Path, tmp_path: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    data = tmp_path / "data.npz"
    numpy.savez(data, x=x, labels=labels)
    endless = ["train", str(art), "--data", str(data), "--epochs", "1000000000"]

    def interrupted(command: list[str]) -> int:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert process.stdout is not None
        while not process.stdout.readline().startswith("epoch 1:"):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        process.communicate()
        return process.returncode

    assert interrupted(as_module(*endless)) == interrupted([str(COMMAND_LINE), *endless])


def test_a_missing_command_line_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    monkeypatch.setattr(_programs, "COMMAND_LINE", str(tmp_path / "temper"))
    with pytest.raises(FileNotFoundError) as caught:
        _programs.become_command_line(["--version"])
    assert caught.value.filename == str(tmp_path / "temper")


def script(path: pathlib.Path) -> pathlib.Path:
    """A program that writes its arguments beside itself."""
    path.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > "$0.arguments"\n')
    path.chmod(0o755)
    return path


def arguments_of(window: subprocess.Popen[bytes]) -> list[str]:
    assert window.wait() == 0
    assert isinstance(window.args, list)
    return pathlib.Path(f"{window.args[0]}.arguments").read_text().splitlines()


def test_the_window_opens_with_a_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path, mlp_path: pathlib.Path
) -> None:
    monkeypatch.setenv("TEMPER_STUDIO", str(script(tmp_path / "window")))
    assert arguments_of(temper.studio(mlp_path)) == [str(mlp_path)]
    monkeypatch.chdir(mlp_path.parent)
    assert arguments_of(temper.studio(mlp_path.name)) == [str(mlp_path)]
    assert arguments_of(temper.studio()) == [""]
    assert arguments_of(temper.studio(model=temper.open(mlp_path))) == [str(mlp_path)]
    with pytest.raises(TypeError, match="^The model is in memory only"):
        temper.studio(temper.open(mlp_path.read_bytes()))
    with pytest.raises(FileNotFoundError, match="^The file for the window 'none' does not exist."):
        temper.studio("none")


def test_the_window_is_beside_the_command_line_or_on_the_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    for folder in ("bin", "path", "package"):
        (tmp_path / folder).mkdir()
    command_line = tmp_path / "package" / "temper"
    command_line.symlink_to(script(tmp_path / "bin" / "temper"))
    monkeypatch.setattr(_programs, "COMMAND_LINE", str(command_line))
    monkeypatch.setenv("TEMPER_STUDIO", "")
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    with pytest.raises(FileNotFoundError) as caught:
        temper.studio()
    assert "temper-studio, is not installed" in str(caught.value)
    assert "TEMPER_STUDIO" in str(caught.value)
    on_the_path = script(tmp_path / "path" / "temper-studio")
    monkeypatch.setenv("PATH", f"{tmp_path / 'path'}:{os.defpath}")
    window = temper.studio()
    window.wait()
    assert window.args == [str(on_the_path)]
    beside = script(tmp_path / "bin" / "temper-studio")
    window = temper.studio()
    window.wait()
    assert window.args == [str(beside)]


def test_a_window_that_is_no_program_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    monkeypatch.setenv("TEMPER_STUDIO", str(tmp_path / "none"))
    with pytest.raises(FileNotFoundError, match="TEMPER_STUDIO"):
        temper.studio()
    (tmp_path / "text").write_text("")
    monkeypatch.setenv("TEMPER_STUDIO", str(tmp_path / "text"))
    with pytest.raises(OSError, match="can't be started: Permission denied"):
        temper.studio()
