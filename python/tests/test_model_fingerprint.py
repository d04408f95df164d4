# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of another model whose parameters have the same names and shapes."""

from __future__ import annotations

import pathlib
import warnings
from typing import Any

import numpy
import pytest
from conftest import mlp_text

import temper

DATA: dict[str, Any] = {
    "x": numpy.ones([8, 4], numpy.float32),
    "labels": numpy.zeros([8], numpy.int64),
}
PROPERTY = "temper.model_fingerprint"


@pytest.fixture(scope="module")
def other() -> temper.Artifacts:
    """The shared model with another activation."""
    text = mlp_text()
    assert "Relu(" in text
    return temper.artifacts(temper.from_text(text.replace("Relu(", "Tanh(")))


@pytest.fixture(scope="module")
def saved(mlp: temper.Model, tmp_path_factory: pytest.TempPathFactory) -> dict[str, pathlib.Path]:
    """Checkpoints by what wrote them."""
    folder = tmp_path_factory.mktemp("saved")
    run = temper.fit(mlp, DATA, epochs=1, save=folder)
    run.session.save(folder / "session.ckpt")
    session = temper.Session(temper.artifacts(mlp))
    assert PROPERTY not in session.checkpoint.properties
    session.checkpoint.save(folder / "plain.ckpt")
    session.save(folder / "new.ckpt", include_optimizer_state=False)
    names = {"fit": "last", "session": "session", "new session": "new", "checkpoint": "plain"}
    return {what: folder / f"{name}.ckpt" for what, name in names.items()}


@pytest.mark.parametrize("what", ["fit", "session", "new session"])
def test_another_model_warns(
    what: str, saved: dict[str, pathlib.Path], mlp: temper.Model, other: temper.Artifacts
) -> None:
    with pytest.warns(UserWarning, match="C001: The checkpoint belongs to another model"):
        temper.Session(other, saved[what])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        session = temper.Session(temper.artifacts(mlp, loss="focal"), saved[what])
    assert str(session.checkpoint.properties[PROPERTY]).startswith("1-")


def test_a_run_warns_and_its_checkpoints_belong_to_it(
    saved: dict[str, pathlib.Path], other: temper.Artifacts, tmp_path: pathlib.Path
) -> None:
    with pytest.warns(UserWarning, match="C001"):
        run = temper.fit(other, DATA, resume=saved["fit"], epochs=2, save=tmp_path)
    assert run.outcome == "finished"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        temper.Session(other, tmp_path / "last.ckpt")


def test_a_checkpoint_alone_belongs_to_any_model(
    saved: dict[str, pathlib.Path], other: temper.Artifacts
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        temper.Session(other, saved["checkpoint"])
