# SPDX-License-Identifier: Apache-2.0
"""Losses, optimizers and schedules as objects."""

from __future__ import annotations

import copy
import inspect
import math
import pathlib
import pickle
import re
import subprocess
from types import ModuleType
from typing import Any

import numpy
import pytest

import temper
from temper import _programs, losses, optimizers, schedules

MODULES = [losses, optimizers, schedules]
MADE = [
    getattr(module, name)
    for module in MODULES
    for name in module.__all__
    if name not in ("Formula", "Loss", "Optimizer", "Schedule")
]


def help_text(*command: str) -> str:
    if not pathlib.Path(_programs.COMMAND_LINE).exists():
        pytest.skip("the command line is not built")
    called = [_programs.COMMAND_LINE, *command, "--help"]
    return subprocess.run(called, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    "module, command, flag",
    [
        (losses, "artifacts", "--loss"),
        (optimizers, "artifacts", "--optimizer"),
        (schedules, "train", "--schedule"),
    ],
)
def test_each_choice_of_the_command_line_is_a_class(
    module: ModuleType, command: str, flag: str
) -> None:
    listed = re.search(rf"^ *{flag} .*: ([a-z0-9|-]+)$", help_text(command), re.MULTILINE)
    assert listed is not None
    keys = set(listed[1].split("|")) - {"none"}
    assert {made.key for made in MADE if made.__module__ == module.__name__} == keys


@pytest.mark.parametrize(
    "made", MADE, ids=lambda made: f"{made.__module__.split('.')[1]}.{made.__name__}"
)
def test_defaults_are_in_the_signature_and_their_own_choice(made: type[Any]) -> None:
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(made).parameters.items()
        if parameter.default != ()
    }
    assert made(**defaults).options.keys() == defaults.keys() - {"lr"}
    chosen = made()
    assert chosen.options == {}
    assert {name: getattr(chosen, name) for name in defaults} == defaults
    assert inspect.getdoc(made)


def test_names_are_those_of_the_field() -> None:
    assert losses.BCEWithLogits.key == "bce-with-logits"
    assert losses.MSE.key == "mse"
    assert losses.KLDiv.key == "kl-div"
    assert optimizers.AdamW.key == "adamw"
    assert optimizers.AdamWTorch.key == "adamw-torch"
    assert optimizers.RMSProp.key == "rmsprop"
    assert schedules.OneCycle.key == "one-cycle"
    assert dir(schedules) == sorted(schedules.__all__)


def test_artifacts_are_those_of_the_command_line(
    mlp_path: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    temper.artifacts(
        mlp_path,
        tmp_path / "python",
        loss=losses.Focal(gamma=1.5, weight=[1, 2, 3]),
        optimizer=optimizers.AdamW(weight_decay=0.25, beta1=0.5),
    )
    if not pathlib.Path(_programs.COMMAND_LINE).exists():
        pytest.skip("the command line is not built")
    subprocess.run(
        [_programs.COMMAND_LINE, "artifacts", str(mlp_path), "--out", str(tmp_path / "program")]
        + ["--loss", "focal", "--gamma", "1.5", "--weight", "1,2,3"]
        + ["--optimizer", "adamw", "--weight-decay", "0.25", "--beta1", "0.5"],
        check=True,
        capture_output=True,
    )
    for name in ("training_model", "eval_model", "optimizer_model"):
        expected = (tmp_path / "program" / f"{name}.onnx").read_bytes()
        assert (tmp_path / "python" / f"{name}.onnx").read_bytes() == expected


def test_a_formula_is_a_loss(
    mlp: temper.Model, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    formula = losses.Formula("0.5*cross_entropy(logits, labels)")
    half = temper.Session(temper.artifacts(mlp, loss=formula)).train_step(x, labels).loss
    whole = temper.Session(temper.artifacts(mlp, loss=losses.CrossEntropy()))
    assert half == pytest.approx(whole.train_step(x, labels).loss / 2)
    assert repr(formula) == "Formula('0.5*cross_entropy(logits, labels)')"
    with pytest.raises(temper.InvalidInputError):
        temper.artifacts(mlp, loss=losses.Formula("0.5*"))
    assert list(inspect.signature(losses.Formula).parameters) == ["formula"]
    with pytest.raises(TypeError, match="text"):
        losses.Formula(3)  # type: ignore[arg-type]


def test_sessions_begin_with_the_optimizer_s_rate(
    mlp: temper.Model, tmp_path: pathlib.Path
) -> None:
    temper.artifacts(mlp, tmp_path, optimizer=optimizers.SGD(lr=0.125))
    assert temper.Session(tmp_path).learning_rate == 0.125
    assert temper.Session(temper.artifacts(mlp)).learning_rate == pytest.approx(0.001)
    assert temper.Session(
        temper.artifacts(mlp, optimizer=optimizers.SGD(lr=0.001))
    ).learning_rate == pytest.approx(0.001)
    assert optimizers.SGD(lr=0).lr == 0 and optimizers.SGD().lr is None
    for wrong in (-1, math.nan, math.inf):
        with pytest.raises(temper.InvalidInputError, match="^The learning rate is"):
            optimizers.SGD(lr=wrong)


def test_rates_are_those_of_the_formulas() -> None:
    cosine = schedules.Cosine(min_rate=0.1)
    for step in range(0, 101, 10):
        expected = 0.1 + (1 - 0.1) * (1 + math.cos(math.pi * step / 100)) / 2
        assert cosine.rate(step, lr=1, total_steps=100) == pytest.approx(expected)
    drops = schedules.MultiStep(milestones=[3, 5], gamma=0.5)
    assert [drops.rate(step, 1.0, 10) for step in range(7)] == [1, 1, 1, 0.5, 0.5, 0.25, 0.25]


@pytest.mark.parametrize(
    "chosen",
    [
        losses.CrossEntropy(label_smoothing=0.1, weight=[1, 2.5]),
        losses.Formula("mse(y, t)"),
        optimizers.AdamW(lr=0.01, weight_decay=0.25),
        schedules.OneCycle(straight=True),
    ],
)
def test_they_are_values(chosen: Any) -> None:
    names = {name: getattr(module, name) for module in MODULES for name in module.__all__}
    for same in (
        pickle.loads(pickle.dumps(chosen)),
        copy.deepcopy(chosen),
        copy.copy(chosen),
        eval(repr(chosen), names),
    ):
        assert (same, hash(same), repr(same)) == (chosen, hash(chosen), repr(chosen))
    assert chosen != chosen.key
    with pytest.raises(AttributeError, match="can't be changed"):
        chosen.key = "another"


def test_other_hyperparameters_are_another_choice() -> None:
    assert optimizers.AdamW() != optimizers.AdamW(lr=0.1)
    assert optimizers.AdamW() != optimizers.AdamW(weight_decay=0.1)
    assert optimizers.SGD(weight_decay=0.1) != optimizers.Momentum(weight_decay=0.1)
    assert losses.Formula("mse(y, t)") != losses.Formula("l1(y, t)")
    assert len({optimizers.AdamW(), optimizers.AdamW(), optimizers.SGD()}) == 2


def test_wrong_numbers_and_names_are_told() -> None:
    with pytest.raises(ValueError, match="'weight_decay' of 'adamw' is 2; expected 0 to 1."):
        optimizers.AdamW(weight_decay=2)
    with pytest.raises(TypeError, match="^AdamW has no argument 'decay'.\nIt has: beta1, "):
        optimizers.AdamW(decay=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="^'gamma' of Focal is 'two'; expected a number."):
        losses.Focal(gamma="two")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="^'weight' of Focal is 2; expected numbers."):
        losses.Focal(weight=2)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="^'lr' is 'high'; expected a number."):
        optimizers.SGD(lr="high")  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [optimizers.AdamW(), losses.CrossEntropy])
def test_what_is_no_loss_is_refused_with_an_example(wrong: Any, mlp: temper.Model) -> None:
    with pytest.raises(TypeError, match=r"temper.losses.CrossEntropy\(\)"):
        temper.artifacts(mlp, loss=wrong)
