# SPDX-License-Identifier: Apache-2.0
"""Type stubs and annotations say what is there at run time."""

from __future__ import annotations

import ast
import inspect
import pathlib
from types import ModuleType
from typing import Any

import pytest

import temper
from temper import _temper, losses, optimizers, schedules
from temper._files import PathLike

FOLDER = pathlib.Path(_temper.__file__).parent
Definition = (ast.FunctionDef, ast.ClassDef)


def stub(module: ModuleType) -> ast.Module:
    return ast.parse((FOLDER / f"{module.__name__.split('.')[-1]}.pyi").read_text())


def names_in(body: list[ast.stmt]) -> set[str]:
    """Public names that statements define."""
    names = {node.name for node in body if isinstance(node, Definition)}
    for node in body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
        if isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return {name for name in names if not name.startswith("_")}


def test_the_extension_s_stub_has_its_names_and_no_others() -> None:
    body = stub(_temper).body
    assert names_in(body) == {name for name in dir(_temper) if not name.startswith("_")}
    classes = [node for node in body if isinstance(node, ast.ClassDef)]
    assert len(classes) > 10
    for node in classes:
        members = {name for name in dir(getattr(_temper, node.name)) if not name.startswith("_")}
        assert names_in(node.body) == members, node.name
    assert (FOLDER / "py.typed").exists()


def test_every_setting_of_the_engine_is_a_typed_argument() -> None:
    source = FOLDER / "_setting_types.pyi"
    made: dict[str, Any] = {"__name__": "_setting_types"}
    exec(compile(source.read_text(), source, "exec", dont_inherit=True), made)
    declared = made["RunSettings"].__annotations__
    rows = _temper.run_settings()
    assert declared.keys() == {name for row in rows for name in (row.key, row.flag) if name}
    assert not declared.keys() & {"data", "eval_data"}
    assert declared["epochs"] is int and declared["device"] is str
    assert declared["save"] == declared["save_folder"] == PathLike


@pytest.mark.parametrize("module", [losses, optimizers, schedules])
def test_stubs_of_choices_have_the_classes_and_their_signatures(module: ModuleType) -> None:
    body = stub(module).body
    (listed,) = [
        ast.literal_eval(node.value)
        for node in body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    ]
    assert listed == module.__all__
    classes = [node for node in body if isinstance(node, ast.ClassDef)]
    assert {node.name for node in classes} <= set(listed)
    for node in classes:
        made = getattr(module, node.name)
        (constructor,) = [
            member
            for member in node.body
            if isinstance(member, ast.FunctionDef) and member.name == "__init__"
        ]
        declared = {
            argument.arg: ast.literal_eval(default)
            for argument, default in zip(constructor.args.kwonlyargs, constructor.args.kw_defaults)
            if default is not None
        }
        parameters = inspect.signature(made).parameters
        assert declared == {name: parameter.default for name, parameter in parameters.items()}
        properties = {name for name, value in vars(made).items() if isinstance(value, property)}
        assert names_in(node.body) == properties
        assert ast.get_docstring(node) == inspect.getdoc(made)


def functions_of(name: str) -> list[Any]:
    """A public function, or the methods of a public class."""
    thing = getattr(temper, name)
    if not inspect.isclass(thing):
        return [thing] if inspect.isfunction(thing) else []
    members = [
        value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        for value in vars(thing).values()
    ]
    # not those that Python adds to named tuples
    return [
        member
        for member in members
        if inspect.isfunction(member) and member.__module__.startswith("temper")
    ]


@pytest.mark.parametrize("name", temper.__all__)
def test_public_functions_are_annotated(name: str) -> None:
    for function in functions_of(name):
        signature = inspect.signature(function)
        assert signature.return_annotation is not inspect.Signature.empty, function
        for parameter in list(signature.parameters.values()):
            if parameter.name not in ("self", "cls"):
                assert parameter.annotation is not inspect.Parameter.empty, function
