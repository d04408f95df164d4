# SPDX-License-Identifier: Apache-2.0
"""The learning rate of sessions, and the one that runs begin with."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import temper


def test_a_run_begins_with_the_rate_of_the_optimizer_or_the_session(
    mlp: temper.Model, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    optimizer = temper.optimizers.AdamW(lr=0.5)
    data = (x, labels)
    assert temper.fit(mlp, data, optimizer=optimizer, steps=1).learning_rates == [0.5]
    session = temper.Session(temper.artifacts(mlp, optimizer=optimizer))
    assert temper.fit(session, data, steps=1).learning_rates == [0.5]
    session.learning_rate = 0.25
    assert temper.fit(session, data, steps=2).learning_rates == [0.25]
    assert temper.fit(session, data, steps=3, lr=0.125).learning_rates == [0.125]


@pytest.mark.parametrize("rate", [float("nan"), -1, float("inf"), 1e300, None, "0.1"])
def test_what_is_no_rate_is_refused(mlp: temper.Model, rate: Any) -> None:
    session = temper.Session(temper.artifacts(mlp))
    with pytest.raises((temper.InvalidInputError, temper.ArgumentTypeError)):
        session.learning_rate = rate
    assert session.learning_rate == pytest.approx(0.001)
