# SPDX-License-Identifier: Apache-2.0
"""Gradients against differences of the loss."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from temper import _temper
from temper._arguments import number
from temper._artifacts import Selection, artifacts
from temper._choices import Loss
from temper._errors import InvalidInputError, NotFoundError
from temper._models import ModelSource
from temper._session import Session


class GradientChecks(Mapping[str, _temper.GradientCheck]):
    """The checks of a model's parameters by name, the largest error first.

    >>> import numpy, temper
    >>> feeds = {"x": numpy.ones([2, 4], numpy.float32), "labels": numpy.array([0, 1])}
    >>> checks = temper.gradcheck(mlp_path, feeds, train=["fc2.bias"])
    >>> checks.failed, list(checks)
    ([], ['fc2.bias'])
    """

    def __init__(self, checks: list[_temper.GradientCheck], tolerance: float) -> None:
        self._checks = {check.name: check for check in checks}
        self._tolerance = tolerance

    @property
    def tolerance(self) -> float:
        """The largest relative error that passes."""
        return self._tolerance

    @property
    def passed(self) -> bool:
        """Whether all gradients are right."""
        return not self.failed

    @property
    def failed(self) -> list[str]:
        """Names of the parameters whose gradients are wrong, the largest error first."""
        return [name for name, check in self.items() if not check.passes(self._tolerance)]

    def __getitem__(self, name: str) -> _temper.GradientCheck:
        if name not in self._checks:
            raise NotFoundError(f"The gradient of {name} was not checked.")
        return self._checks[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._checks)

    def __len__(self) -> int:
        return len(self._checks)

    def __repr__(self) -> str:
        worst = max((check.max_relative_error for check in self.values()), default=0.0)
        return (
            f"<GradientChecks: {len(self) - len(self.failed)} of {len(self)} parameters passed, "
            f"largest relative error {worst:.2g}>"
        )


def gradcheck(
    model: ModelSource,
    feeds: Mapping[str, Any],
    *,
    loss: Selection | Loss | None = "cross-entropy",
    train: Iterable[str] | None = None,
    freeze: Iterable[str] | None = None,
    loss_inputs: Iterable[str] | None = None,
    straight_through: Iterable[str] | None = None,
    stop_gradient: Iterable[str] | None = None,
    freeze_statistics: Iterable[str] | None = None,
    fixed_inputs: Mapping[str, float] | None = None,
    replace: Iterable[str] | None = None,
    tolerance: float = 1e-3,
    seed: int = 0,
    threads: int = 0,
) -> GradientChecks:
    """Compares the gradients of a model with differences of its loss, as ``temper gradcheck`` does.

    Both are computed in float64, so that rounding does not decide. Correct gradients are within
    about 1e-5 of the differences. ``feeds`` has one batch: arrays by the names of the model's
    inputs and of the loss's target. For the other arguments, see temper.artifacts().

    Raises:
        ArtifactsError: if the model does not train with these choices.
        UnsupportedError: for an operator that does not compute in float64.

    >>> import numpy, temper
    >>> x = numpy.random.default_rng(0).normal(size=(8, 4)).astype(numpy.float32)
    >>> checks = temper.gradcheck(mlp_path, {"x": x, "labels": numpy.arange(8) % 3})
    >>> checks.passed, sorted(checks)
    (True, ['fc1.bias', 'fc1.weight', 'fc2.bias', 'fc2.weight'])
    >>> checks["fc1.weight"].max_relative_error < 1e-5
    True
    """
    tolerance = number(tolerance, "tolerance")
    if not tolerance > 0:
        raise InvalidInputError(f"The tolerance is {tolerance}; expected more than 0.")
    made = artifacts(
        model,
        loss=loss,
        optimizer=None,
        train=train,
        freeze=freeze,
        loss_inputs=loss_inputs,
        straight_through=straight_through,
        stop_gradient=stop_gradient,
        freeze_statistics=freeze_statistics,
        fixed_inputs=fixed_inputs,
        replace=replace,
    )
    with Session(made, threads=threads, seed=seed) as session:
        inputs = _temper.arranged(session.input_names, (feeds,), {})
        return GradientChecks(
            _temper.check_gradients(session._session, made, inputs, seed), tolerance
        )
