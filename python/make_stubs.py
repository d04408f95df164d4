# SPDX-License-Identifier: Apache-2.0
"""Writes type stubs of what the engine's tables determine: losses.pyi, optimizers.pyi and
schedules.pyi, whose classes are made at run time, and _setting_types.pyi for arguments of fit().

usage: make_stubs.py FOLDER, which has the module _temper and _choice_descriptions.py
"""

import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(folder))
sys.dont_write_bytecode = True

import _choice_descriptions as descriptions  # noqa: E402
import _temper  # noqa: E402

#: Module, family, base class, further classes of _choices.py.
MODULES = [
    ("losses", "loss", "Loss", ["Formula"]),
    ("optimizers", "optimizer", "Optimizer", []),
    ("schedules", "schedule", "Schedule", []),
]

#: The types of settings, by kind.
SETTING_TYPES = {
    "bool": "bool",
    "int": "int",
    "float": "float",
    "text": "str",
    "path": "PathLike",
    "names": "Union[str, Iterable[str]]",
    "pairs": "Mapping[str, str]",
    "choice": "Union[Selection, Choice]",
}

SETTINGS_HEAD = '''# Made by make_stubs.py.
from collections.abc import Iterable, Mapping
from typing import TypedDict, Union

from temper._artifacts import Selection
from temper._choices import Choice
from temper._files import PathLike

class RunSettings(TypedDict, total=False):
    """The settings by their names in JSON, and by those of the flags that differ from them."""

'''


def indented(text: str, depth: int) -> str:
    return "\n".join(" " * depth + line if line else "" for line in text.split("\n"))


def stub_of(choice: _temper.Choice, family: str, base: str) -> str:
    arguments = [
        f"{each.key}: {descriptions.type_of(each)} = {descriptions.default_of(each)!r}"
        for each in choice.hyperparameters
    ]
    if family == "optimizer":
        arguments.insert(0, "lr: float | None = None")
    lines = [f"class {descriptions.class_name(choice)}({base}):"]
    lines.append(indented(f'"""{descriptions.documentation(choice)}"""', 4))
    joined = "".join(f", {argument}" for argument in (["*", *arguments] if arguments else []))
    lines.append(f"    def __init__(self{joined}) -> None: ...")
    for parameter in choice.hyperparameters:
        lines.append("    @property")
        lines.append(f"    def {parameter.key}(self) -> {descriptions.type_of(parameter)}: ...")
    return "\n".join(lines) + "\n"


def stub_of_settings() -> str:
    lines = []
    for row in _temper.run_settings():
        names = [row.key] if row.flag in ("", row.key) else [row.key, row.flag]
        lines += [f"    {name}: {SETTING_TYPES[row.kind]}\n" for name in names]
    return SETTINGS_HEAD + "".join(lines)


for module, family, base, more in MODULES:
    choices = [choice for choice in _temper.choices(family) if choice.key != "none"]
    names = [*more, base, *map(descriptions.class_name, choices)]
    text = "# Made by make_stubs.py.\nfrom collections.abc import Sequence\n\n"
    text += "".join(f"from temper._choices import {name} as {name}\n" for name in [*more, base])
    text += "\n__all__ = [" + ", ".join(f'"{name}"' for name in names) + "]\n\n"
    text += "\n".join(stub_of(choice, family, base) for choice in choices)
    (folder / f"{module}.pyi").write_text(text)
(folder / "_setting_types.pyi").write_text(stub_of_settings())
