# SPDX-License-Identifier: Apache-2.0
"""Plugins: operators, losses, schedules, metrics and data formats from shared libraries."""

from __future__ import annotations

import os
import warnings
from types import ModuleType
from typing import NamedTuple

from temper import _temper, losses, schedules
from temper._choices import Choice, Loss, Schedule, classes
from temper._errors import InvalidInputError, MissingFileError
from temper._files import PathLike, path_of


class Plugin(NamedTuple):
    """A plugin that is loaded: ``provides`` lists what it adds, ["loss huber-log", ...].

    >>> import temper
    >>> plugin = temper.Plugin("swish", "1.0", "An activation.", ("operator a.Swish",), "swish.so")
    >>> plugin.name, plugin.provides
    ('swish', ('operator a.Swish',))
    """

    name: str
    version: str
    summary: str
    provides: tuple[str, ...]
    path: str


def load_plugins(folder: PathLike | None = None) -> tuple[Plugin, ...]:
    """Loads the plugins of a folder, or of those where the command line looks for them.

    These are the folders of TEMPER_PLUGIN_PATH, ``~/.local/share/temper/plugins`` and
    ``lib/temper/plugins`` beside the folder of Python. With TEMPER_NO_PLUGINS=1 nothing is loaded.
    A plugin is code with your privileges: each is first tried in a process of its own, and a
    RuntimeWarning names what is not loaded, and why.

    What a plugin adds then has its name everywhere: ``loss="..."``, ``schedule="..."``,
    ``metrics=["..."]``, ``"format:file"`` as data. Losses and schedules are also classes of
    temper.losses and temper.schedules. Models that are opened, and sessions that are made from now
    on, have its operators.

    Call it before other threads use temper. Calling it again returns the same plugins.

    Raises:
        MissingFileError: if there is no such folder.
        InvalidInputError: for a relative path, which depends on the current folder.

    >>> import temper
    >>> temper.load_plugins(folder)
    ()
    """
    if os.environ.get("TEMPER_NO_PLUGINS"):
        return ()
    folders = _temper.plugin_folders() if folder is None else [_required(folder)]
    reports = _temper.load_plugins(folders)
    for module, base in ((losses, Loss), (schedules, Schedule)):
        _add_classes(module, base)
    for report in reports:
        if not report.problem:
            continue
        if report.is_folder and folder is not None:
            raise InvalidInputError(
                f"The plugin folder '{report.file}' can't be used. {report.problem}", report.hint
            )
        what = "plugin folder" if report.is_folder else "plugin"
        text = f"The {what} '{report.file}' is not loaded: {report.problem} {report.hint}"
        warnings.warn(text.rstrip(), RuntimeWarning, stacklevel=2)
    return tuple(
        Plugin(each.name, each.version, each.summary, tuple(each.provides), each.file)
        for each in reports
        if not each.problem
    )


def _required(folder: PathLike) -> str:
    path = path_of(folder, "plugin folder")
    if not os.path.isdir(path):
        raise MissingFileError(f"The plugin folder '{path}' does not exist.", "", path)
    return path


def _add_classes(module: ModuleType, base: type[Choice]) -> None:
    for name, kind in classes(base, module.__name__).items():
        if not hasattr(module, name):
            setattr(module, name, kind)
            module.__all__.append(name)
