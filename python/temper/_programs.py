# SPDX-License-Identifier: Apache-2.0
"""The programs that belong to the package: the command line and the window."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from temper import _temper
from temper._errors import ArgumentTypeError, FileError, MissingFileError
from temper._files import PathLike, existing

if TYPE_CHECKING:
    import subprocess

#: The command line. In a Debian package it is a link to the one of the system.
COMMAND_LINE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "temper")
#: The environment variable that names the window's program.
STUDIO_VARIABLE = "TEMPER_STUDIO"


def become_command_line(arguments: Sequence[str]) -> NoReturn:
    """Replaces this process with the command line, which then has its input, output and signals.

    Raises FileNotFoundError if this installation lacks the program.
    """
    import signal

    sys.stdout.flush()
    sys.stderr.flush()
    # Python ignores these two, and programs inherit that.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    try:
        os.execv(COMMAND_LINE, ["temper", *arguments])
    except FileNotFoundError:
        raise MissingFileError(
            f"The command line '{COMMAND_LINE}' does not exist.",
            "Build the target temper, or install Temper's wheel or Debian packages.",
            COMMAND_LINE,
        ) from None


def _studio_program() -> str:
    import shutil

    chosen = os.environ.get(STUDIO_VARIABLE)
    if chosen:
        return existing(chosen, f"program in the environment variable {STUDIO_VARIABLE}")
    beside = os.path.join(os.path.dirname(os.path.realpath(COMMAND_LINE)), "temper-studio")
    found = beside if os.path.exists(beside) else shutil.which("temper-studio")
    if found is None:
        raise MissingFileError(
            "The window, temper-studio, is not installed.",
            "Install Temper's package temper-studio, or name the program in the environment "
            f"variable {STUDIO_VARIABLE}.",
            "temper-studio",
        )
    return found


def _file_of(model: _temper.Model | PathLike) -> str:
    if not isinstance(model, _temper.Model):
        return os.path.abspath(existing(model, "file for the window"))
    if not os.path.exists(model.origin):
        raise ArgumentTypeError(
            "The model is in memory only; the window opens files.",
            "Save it, and pass the path: model.save('model.onnx').",
        )
    return os.path.abspath(model.origin)


def studio(model: _temper.Model | PathLike | None = None) -> subprocess.Popen[bytes]:
    """Opens the window, and ``model`` in it: a model or its path, or the path of a folder of
    artifacts, of a checkpoint or of a project.

    Returns the process of the window at once. Control-C in the terminal does not reach the window,
    and it stays open when Python ends. The program is the one that the environment variable
    TEMPER_STUDIO names, the one beside the command line, or the first on the PATH.

    Raises FileNotFoundError if the window is not installed or there is no such file.

    >>> import temper
    >>> window = temper.studio(mlp_path)
    >>> window.wait()  # until it is closed
    0
    """
    import subprocess

    arguments = [_studio_program()]
    if model is not None:
        arguments.append(_file_of(model))
    try:
        return subprocess.Popen(arguments, stdin=subprocess.DEVNULL, start_new_session=True)
    except OSError as error:
        raise FileError(f"'{arguments[0]}' can't be started: {error.strerror}.") from None
