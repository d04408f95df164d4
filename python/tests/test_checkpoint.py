# SPDX-License-Identifier: Apache-2.0
"""temper.Checkpoint: what it refuses, and the artifacts that it is of."""

from __future__ import annotations

import pathlib

import numpy
import pytest

import temper


def test_properties_do_not_become_infinite(mlp: temper.Model) -> None:
    properties = temper.Checkpoint.of(temper.artifacts(mlp)).properties
    for number in (2**200, 2**2000, 1e39, -1e39):
        with pytest.raises(temper.InvalidInputError, match="too large for a property"):
            properties["number"] = number
    properties["number"] = 2**63
    assert properties["number"] == float(2**63)


def test_arrays_of_another_shape_leave_the_parameters_as_before(mlp: temper.Model) -> None:
    checkpoint = temper.Checkpoint.of(temper.artifacts(mlp))
    before = checkpoint.state_dict()
    arrays = {name: array + 1 for name, array in before.items()}
    arrays["fc2.bias"] = numpy.zeros(7, "f4")
    with pytest.raises(temper.InvalidInputError, match="'fc2.bias' is float32\\[3\\]"):
        checkpoint.load_state_dict(arrays)
    for name, array in before.items():
        numpy.testing.assert_array_equal(checkpoint[name].data, array)


def test_artifacts_from_files_know_what_trains(art: pathlib.Path, mlp: temper.Model) -> None:
    loaded = temper.load_artifacts(art)
    assert sorted(loaded.trainable) == sorted(mlp.parameter_names) and loaded.frozen == []
