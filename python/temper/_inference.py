# SPDX-License-Identifier: Apache-2.0
"""Running models, also those with training operators."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any

import numpy

from temper import _temper
from temper._arguments import names_of, seed_of, threads_of
from temper._errors import StateError
from temper._models import ModelSource, open as open_model
from temper._outputs import Outputs


def run(
    model: ModelSource,
    *arrays: Any,
    outputs: Iterable[str] | None = None,
    threads: int = 0,
    seed: int = 0,
    **named: Any,
) -> Outputs:
    """Runs a model once: inputs in order, by name, or as one mapping; arrays by name come out.

    ``outputs`` names any values in the model; by default they are its outputs. To run a model many
    times, make an InferenceSession.

    Raises InvalidInputError for missing or surplus inputs, a wrong element type or shape, and
    NotFoundError for an unknown output.

    >>> import numpy, temper
    >>> double = temper.from_text("(float[N] x) => (y) { y = Add(x, x) }")
    >>> temper.run(double, numpy.array([1, 2], numpy.float32))
    {'y': array([2., 4.], dtype=float32)}
    """
    chosen = names_of(outputs, "outputs")
    runner = _temper.Runner(open_model(model), chosen, threads_of(threads))
    results = runner.run(_temper.arranged(runner.inputs(), arrays, named), seed_of(seed))
    return Outputs(zip(runner.outputs(), results))


class InferenceSession:
    """Runs a model many times, with the calls of ``onnxruntime.InferenceSession``.

    Of ONNX Runtime's other arguments, ``sess_options`` and ``providers`` change nothing: models run
    on the processor.

    It also runs training and optimizer models, which plain onnxruntime lacks the operators for.

    >>> import numpy, temper
    >>> session = temper.InferenceSession(temper.from_text("(float[N] x) => (y) { y = Neg(x) }"))
    >>> session.run(None, {"x": numpy.ones([2], numpy.float32)})
    [array([-1., -1.], dtype=float32)]
    """

    def __init__(
        self,
        model: ModelSource,
        sess_options: Any = None,
        providers: Sequence[Any] | None = None,
        *,
        threads: int = 0,
    ) -> None:
        self._model: _temper.Model | None = open_model(model)
        self._threads = threads_of(threads)
        self._runners: dict[tuple[str, ...], _temper.Runner] = {}

    def get_inputs(self) -> list[_temper.Value]:
        """The inputs, with ``name``, ``type`` ("tensor(float)") and ``shape``."""
        return self._opened().inputs

    def get_outputs(self) -> list[_temper.Value]:
        """The outputs, with ``name``, ``type`` and ``shape``."""
        return self._opened().outputs

    def run(
        self,
        output_names: Iterable[str] | None,
        input_feed: Mapping[str, Any],
        run_options: Any = None,
    ) -> list[numpy.ndarray[Any, Any]]:
        """The named outputs, or all with None, for arrays by the names of inputs.

        Raises:
            InvalidInputError: for missing or surplus inputs, a wrong element type or shape.
            NotFoundError: for an unknown output.
        """
        names = tuple(names_of(output_names, "output_names"))
        model = self._opened()
        runner = self._runners.get(names)
        if runner is None:
            runner = _temper.Runner(model, list(names), self._threads)
            self._runners[names] = runner
        return runner.run(_temper.arranged(runner.inputs(), (input_feed,), {}), 0)

    def _opened(self) -> _temper.Model:
        model = self._model  # another thread may close it meanwhile
        if model is None:
            raise StateError("The inference session is closed.", "Make another one.")
        return model

    def close(self) -> None:
        """Frees threads and memory now."""
        self._model = None
        self._runners.clear()

    def __enter__(self) -> InferenceSession:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return functools.partial(type(self), threads=self._threads), (self._opened(),)

    def __repr__(self) -> str:
        return f"<InferenceSession, {'closed' if self._model is None else self._model}>"
