# SPDX-License-Identifier: Apache-2.0
"""Wrong arguments of the native API give its own errors, which say what was expected."""

from __future__ import annotations

import collections
import re
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import temper

X = numpy.random.default_rng(5).normal(size=(12, 4)).astype(numpy.float32)
LABELS = numpy.arange(12) % 3
WRONG: Any = object()
THREE: Any = 3
FALSE: Any = "False"


class Case:
    """What a call may be made on."""

    def __init__(self, mlp: temper.Model) -> None:
        self.model = mlp
        self.artifacts = temper.artifacts(mlp)
        self.session = temper.Session(self.artifacts)
        self.checkpoint = self.session.checkpoint


@pytest.fixture(scope="module")
def case(mlp: temper.Model) -> Case:
    return Case(mlp)


_TYPES: list[tuple[str, Callable[[Case], object], str]] = [
    ("hidden_units", lambda c: temper.artifacts(c.model, hidden_units=THREE), "a list of numbers"),
    ("a unit", lambda c: temper.artifacts(c.model, hidden_units=["4"]), "a whole number for hidd"),  # type: ignore[list-item]
    ("head_classes", lambda c: temper.artifacts(c.model, head_classes=WRONG), "a whole number"),
    ("rename", lambda c: temper.artifacts(c.model, rename=THREE), "a mapping for rename; found 3"),
    ("fixed_inputs", lambda c: temper.artifacts(c.model, fixed_inputs=THREE), "a mapping"),
    ("groups", lambda c: temper.artifacts(c.model, parameter_groups=THREE), "a list of mappings"),
    ("a group", lambda c: temper.artifacts(c.model, parameter_groups=[THREE]), "a mapping for a"),
    ("freeze", lambda c: temper.artifacts(c.model, freeze=[THREE]), "names for freeze; found 3"),
    ("threads", lambda c: temper.Session(c.artifacts, threads=WRONG), "a whole number for threads"),
    ("recompute", lambda c: temper.Session(c.artifacts, recompute=THREE), "names for recompute"),
    ("seed", lambda c: c.session.set_seed(1.5), "a whole number for seed; found 1.5"),  # type: ignore[arg-type]
    ("max_norm", lambda c: c.session.clip_gradients(WRONG), "a number for max_norm"),
    ("rate", lambda c: setattr(c.session, "learning_rate", "0.1"), "a number for the learning"),
    ("opset", lambda c: c.session.export("m.onnx", opset=WRONG), "a whole number for opset"),
    ("outputs", lambda c: c.session.export("m.onnx", outputs=THREE), "names for outputs; found 3"),
    ("run threads", lambda c: temper.run(c.model, X, threads=WRONG), "a whole number for threads"),
    ("run seed", lambda c: temper.run(c.model, X, seed=WRONG), "a whole number for seed"),
    ("run outputs", lambda c: temper.run(c.model, X, outputs=[THREE]), "names for outputs"),
    ("inference", lambda c: temper.InferenceSession(c.model, threads=WRONG), "a whole number"),
    (
        "output_names",
        lambda c: temper.InferenceSession(c.model).run(THREE, {"x": X}),
        "names for output_names; found 3",
    ),
    ("property", lambda c: c.checkpoint.properties.__setitem__(THREE, 1), "a name for a property"),
    ("bytes", lambda c: temper.Checkpoint.from_bytes(WRONG), "the bytes of a checkpoint"),
    ("state", lambda c: temper.Checkpoint(WRONG), "the state of a checkpoint"),
    (
        "tolerance",
        lambda c: temper.gradcheck(c.model, {"x": X, "labels": LABELS}, tolerance=WRONG),
        "a number for tolerance",
    ),
    ("a switch", lambda c: temper.schedules.OneCycle(straight=FALSE), "is 'False'; expected True"),
]


@pytest.mark.parametrize(
    "call, words", [each[1:] for each in _TYPES], ids=[each[0] for each in _TYPES]
)
def test_arguments_of_another_type_are_refused(
    call: Callable[[Case], object], words: str, case: Case
) -> None:
    with pytest.raises(temper.ArgumentTypeError) as caught:
        call(case)
    assert re.match("Expected |'", caught.value.message), caught.value.message
    assert words in caught.value.message


_RANGES: list[tuple[str, Callable[[Case], object], str]] = [
    ("threads", lambda c: temper.Session(c.artifacts, threads=-5), "'threads' is -5; expected 0 to"),
    ("head", lambda c: temper.artifacts(c.model, head_classes=-1), "'head_classes' is -1; expected"),
    ("head_seed", lambda c: temper.artifacts(c.model, head_seed=-1), "'head_seed' is -1"),
    ("seed", lambda c: temper.run(c.model, X, seed=1 << 64), "expected 0 to 18446744073709551615"),
    ("gradcheck", lambda c: temper.gradcheck(c.model, {}, seed=-1), "'seed' is -1"),
    ("share", lambda c: temper.Session(c.artifacts, memory_share=2.0), "memory share is 2"),
    ("nothing to train", lambda c: temper.artifacts(c.model, train=[]), "names no parameter"),
]


@pytest.mark.parametrize(
    "call, words", [each[1:] for each in _RANGES], ids=[each[0] for each in _RANGES]
)
def test_numbers_out_of_range_are_refused(
    call: Callable[[Case], object], words: str, case: Case
) -> None:
    with pytest.raises(temper.InvalidInputError) as caught:
        call(case)
    assert words in caught.value.message


@pytest.mark.parametrize("name", [THREE, None, ("fc1.bias",)])
def test_what_is_no_name_is_not_found(name: Any, case: Case) -> None:
    for mapping in (case.checkpoint, case.checkpoint.properties):
        assert name not in mapping
        with pytest.raises(KeyError):
            mapping[name]


def test_a_queue_of_batches_is_taken_as_a_list_is(case: Case) -> None:
    batches = [(X[:6], LABELS[:6]), (X[6:], LABELS[6:])]
    runs = [
        temper.fit(case.artifacts, data, epochs=2) for data in (batches, collections.deque(batches))
    ]
    assert runs[0].losses.tolist() == runs[1].losses.tolist()
    assert len(runs[0].losses) == 4


@pytest.mark.parametrize("value", [True, 1, numpy.bool_(True)])
def test_switches_are_true_or_false(value: Any) -> None:
    assert temper.schedules.OneCycle(straight=value).options == {"straight": True}


def test_names_may_come_from_a_generator(mlp: temper.Model) -> None:
    made = temper.artifacts(mlp, train=(name for name in ["fc2.*"]))
    assert made.trainable == ["fc2.weight", "fc2.bias"]
