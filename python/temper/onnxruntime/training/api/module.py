# SPDX-License-Identifier: Apache-2.0
"""onnxruntime.training.api.module"""

from __future__ import annotations

import os
from typing import Any

import numpy

from temper import _temper
from temper._errors import ArgumentTypeError, UnsupportedError
from temper._files import existing, path_of
from temper._setting_text import json_text
from temper.onnxruntime._seed import next_seed
from temper.onnxruntime.training.api._buffers import (
    ParameterBuffer,
    array_of,
    is_ort_value,
    ort_value_of,
)
from temper.onnxruntime.training.api.checkpoint_state import CheckpointState

__all__ = ["Module"]


class Module:
    """Computes losses, and in training mode gradients. It keeps the state that it is made with.

    ``device`` is "cpu". Of ``session_options``, an onnxruntime.SessionOptions, the number of
    threads within operators counts. Profiling is refused; the rest changes no result.

    >>> import numpy
    >>> from temper.onnxruntime.training.api import CheckpointState, Module
    >>> state = CheckpointState.load_checkpoint(art / "checkpoint")
    >>> module = Module(art / "training_model.onnx", state, art / "eval_model.onnx")
    >>> loss, logits = module(numpy.zeros([8, 4], "float32"), numpy.zeros([8], "int64"))
    >>> float(loss) > 0, logits.shape, state.parameters["fc2.bias"].grad.shape
    (True, (8, 3), (3,))
    >>> module.eval().export_model_for_inferencing(folder / "trained.onnx", ["logits"])
    """

    training: bool

    def __init__(
        self,
        train_model_uri: str | os.PathLike[str],
        state: CheckpointState,
        eval_model_uri: str | os.PathLike[str] | None = None,
        device: str = "cpu",
        session_options: Any = None,
    ) -> None:
        if not isinstance(state, CheckpointState):
            raise ArgumentTypeError(
                f"Expected a CheckpointState; found {type(state).__name__}.",
                "Write CheckpointState.load_checkpoint(path).",
            )
        training = existing(train_model_uri, "training model")
        evaluation = None if eval_model_uri is None else existing(eval_model_uri, "eval model")
        settings = {
            "device": _device(device),
            "threads": _threads(session_options),
            "seed": next_seed(),
        }
        self.training = True
        self._state = state
        self._session = _temper.Session(
            _temper.load_artifacts(training, evaluation, None, None),
            state._state,
            json_text({"run": settings}),
        )

    def __call__(self, *user_inputs: Any, **named: Any) -> Any:
        """The outputs for inputs in the order of input_names(), or by name.

        NumPy arrays and anything with __dlpack__ give ndarrays; OrtValues only give OrtValues. A
        single output is returned as it is, several as a tuple. The first is the loss, a
        0-dimensional array.
        """
        names = self.input_names()
        _refuse_list(user_inputs, names)
        given = tuple(value for value in user_inputs if value is not None)
        inputs = _temper.arranged(names, given, named)
        step = self._session.train_step if self.training else self._session.eval_step
        results = step([array_of(value) for value in inputs])
        if inputs and all(is_ort_value(value) for value in inputs):
            results = [ort_value_of(result) for result in results]
        return results[0] if len(results) == 1 else tuple(results)

    def train(self, mode: bool = True) -> Module:
        """Sets training mode."""
        self.training = mode
        return self

    def eval(self) -> Module:
        """Sets eval mode."""
        self.training = False
        return self

    def lazy_reset_grad(self) -> None:
        """The next training step overwrites the gradients."""
        self._session.lazy_reset_grad()

    def get_contiguous_parameters(self, trainable_only: bool = False) -> ParameterBuffer:
        """A copy of the parameters one after the other: float32, in the training model's order."""
        return ParameterBuffer(self._session.to_buffer(trainable_only))

    def get_parameters_size(self, trainable_only: bool = True) -> int:
        """How many numbers the parameters have."""
        return self._session.parameters_size(trainable_only)

    def copy_buffer_to_parameters(self, buffer: Any, trainable_only: bool = True) -> None:
        """The inverse of get_contiguous_parameters(); takes OrtValues and arrays, too."""
        array = array_of(buffer)
        if isinstance(array, numpy.ndarray):
            array = array.reshape(-1)
        self._session.from_buffer(array, trainable_only)

    def export_model_for_inferencing(
        self,
        inference_model_uri: str | os.PathLike[str],
        graph_output_names: list[str] | tuple[str, ...],
    ) -> None:
        """Writes a model for inference that computes the named values of the eval model."""
        if isinstance(graph_output_names, (str, bytes)):
            raise ArgumentTypeError(
                f"graph_output_names is the text {graph_output_names!r}; expected a list of names."
            )
        path = path_of(inference_model_uri, "inference model")
        self._session.export(path, list(graph_output_names), False, False, 0, {}, False)

    def input_names(self) -> list[str]:
        """What the module takes in the mode that is set."""
        return self._session.input_names(self.training)

    def output_names(self) -> list[str]:
        """What the module returns in the mode that is set."""
        return self._session.output_names(self.training)

    def get_state(self) -> CheckpointState:
        """An older release's way to the state, which the caller has already."""
        raise UnsupportedError(
            "Module.get_state() is gone.", "Use the CheckpointState that the module was made with."
        )


def _device(device: str) -> str:
    if not isinstance(device, str):
        raise ArgumentTypeError(
            f"Expected a device's name; found {type(device).__name__}.", "Pass 'cpu'."
        )
    return "cpu" if device in ("cpu", "cpu:0") else device


def _threads(options: Any) -> int:
    """The number of threads that SessionOptions ask for; 0 is one per core."""
    if options is None:
        return 0
    threads = getattr(options, "intra_op_num_threads", None)
    if threads is None:
        raise ArgumentTypeError(
            f"Expected session options; found {type(options).__name__}.",
            "Pass an onnxruntime.SessionOptions.",
        )
    if getattr(options, "enable_profiling", False):
        raise UnsupportedError(
            "The session options ask for a profile, which Module can't write.",
            "Write temper.fit(folder, data, profile='trace.json').",
        )
    return int(threads)


def _refuse_list(inputs: tuple[Any, ...], names: list[str]) -> None:
    """An older release took all inputs as one list."""
    is_list = len(inputs) == 1 and len(names) > 1 and isinstance(inputs[0], (list, tuple))
    if is_list and len(inputs[0]) == len(names):
        raise ArgumentTypeError(
            "The inputs came as one list; expected one argument for each.", "Write module(*inputs)."
        )
