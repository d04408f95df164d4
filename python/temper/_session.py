# SPDX-License-Identifier: Apache-2.0
"""Training, step by step."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, Union

import numpy

from temper import _temper
from temper._arguments import (
    mapping_of,
    names_of,
    number,
    seed_of,
    threads_of,
    whole_number,
)
from temper._artifacts import load_artifacts
from temper._checkpoint import Checkpoint
from temper._errors import ArgumentTypeError, InvalidInputError, NotFoundError
from temper._files import PathLike, path_of
from temper._setting_text import json_text
from temper._outputs import Array, Outputs


#: The property of a checkpoint that holds the rate its sessions begin with.
_RATE = "temper.learning_rate"
_LARGEST_RATE = float(numpy.finfo(numpy.float32).max)


class Gradients(Mapping[str, Array]):
    """The gradients by parameter name: writable views, which the next step changes.

    >>> import numpy, temper
    >>> session = temper.Session(temper.artifacts(mlp_path, train=["fc2.*"]))
    >>> outputs = session.train_step(numpy.zeros([8, 4], "float32"), numpy.zeros([8], "int64"))
    >>> {name: gradient.shape for name, gradient in session.gradients.items()}
    {'fc2.weight': (3, 5), 'fc2.bias': (3,)}
    """

    def __init__(self, checkpoint: Checkpoint, names: list[str]) -> None:
        self._checkpoint = checkpoint
        self._names = names

    def __getitem__(self, name: str) -> Array:
        gradient = self._checkpoint[name].grad
        if gradient is None:
            raise NotFoundError(f"Parameter {name} has no gradient.", "It is frozen.")
        return gradient

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __reduce__(self) -> Any:
        raise ArgumentTypeError(
            "Gradients can't be pickled or copied alone: they are views of their session.",
            "Take {name: array.copy() for name, array in gradients.items()}.",
        )

    def __repr__(self) -> str:
        return f"<Gradients of {', '.join(self._names)}>"


class Session(_temper.TrainingLoop):
    """Trains a model: computes losses and gradients, updates parameters.

    Args:
        artifacts: what temper.artifacts() made, or a folder of artifacts.
        checkpoint: the state to begin with; a Checkpoint, which the session changes in place, or the path
            of one. By default the artifacts' own. A UserWarning (C001) tells that it was saved by a
            run of another model whose parameters have the same names.
        threads: 0 for one per core. Results do not depend on it.
        seed: of Dropout and other random operators.
        device: "cpu", or another device that this build has.
        precision: "fp32", or "bf16" for products in bfloat16.
        memory_share: less than 1 recomputes activations until they take this share of the memory;
            results stay the same.
        recompute: kinds of blocks ("GELU", "Attention", ...) whose activations are recomputed.
        without_passes: passes of the plan compiler to skip, for finding faults.

    Arrays can have any layout, but need exactly the model's element types. Calls from several
    threads take turns; while one computes, other Python code runs.

    >>> import numpy, temper
    >>> session = temper.Session(temper.artifacts(mlp_path), seed=1)
    >>> session.input_names
    ['x', 'labels']
    >>> x = numpy.zeros([8, 4], numpy.float32)
    >>> y = numpy.zeros([8], numpy.int64)
    >>> for step in range(3):
    ...     loss = session.train_step(x=x, labels=y).loss
    ...     session.optimizer_step()
    ...     session.reset_gradients()
    >>> session.eval_step(x, y).loss < loss
    True
    """

    def __init__(
        self,
        artifacts: _temper.Artifacts | PathLike,
        checkpoint: Checkpoint | PathLike | None = None,
        *,
        threads: int = 0,
        seed: int = 0,
        device: str = "cpu",
        precision: str = "fp32",
        memory_share: float = 1.0,
        recompute: Iterable[str] = (),
        without_passes: Iterable[str] = (),
    ) -> None:
        if not isinstance(artifacts, _temper.Artifacts):
            artifacts = load_artifacts(artifacts)
        if checkpoint is None:
            checkpoint = Checkpoint.of(artifacts)
        elif not isinstance(checkpoint, Checkpoint):
            checkpoint = Checkpoint.load(checkpoint)
        self._settings = {
            "threads": threads_of(threads),
            "seed": seed_of(seed),
            "device": device,
            "precision": precision,
            "memory_share": memory_share,
            "recompute": names_of(recompute, "recompute"),
            "without_passes": names_of(without_passes, "without_passes"),
        }
        self._checkpoint = checkpoint
        native = _temper.Session(
            artifacts, checkpoint._state, json_text({"run": self._settings})
        )
        for finding in native.checkpoint_findings():
            warnings.warn(str(finding), UserWarning, stacklevel=2)
        self._inputs = {mode: native.input_names(mode) for mode in (True, False)}
        self._outputs = {mode: native.output_names(mode) for mode in (True, False)}
        # What a run begins with, if it is not told another rate.
        self._initial_rate = checkpoint.properties.get(_RATE) if checkpoint.step == 0 else None
        super().__init__(native, Outputs)

    @property
    def checkpoint(self) -> Checkpoint:
        """The parameters and properties, which the session changes in place."""
        return self._checkpoint

    @property
    def gradients(self) -> Gradients:
        """The gradients of the trainable parameters, by name."""
        return Gradients(self._checkpoint, self._session.trainable())

    @property
    def input_names(self) -> list[str]:
        """What train_step() takes: the model's inputs, then the loss's targets."""
        return list(self._inputs[True])

    @property
    def output_names(self) -> list[str]:
        """What train_step() returns: the loss first."""
        return list(self._outputs[True])

    def eval_step(
        self, *arrays: Any, values: Iterable[str] | None = None, **named: Any
    ) -> Outputs:
        """Computes the outputs of the eval model, or the named values in it. Changes nothing.

        Raises:
            InvalidInputError: for a wrong element type or shape.
            NotFoundError: for an unknown value.
            StateError: without an eval model.
        """
        inputs = _temper.arranged(self._inputs[False], arrays, named)
        if values is None:
            return Outputs(zip(self._outputs[False], self._session.eval_step(inputs)))
        names = [values] if isinstance(values, str) else list(values)
        return Outputs(zip(names, self._session.evaluate(inputs, names)))

    @property
    def learning_rate(self) -> float:
        """Of the next optimizer step. Assign a number to set it.

        temper.fit() begins with it, too, unless it is given another one.

        Raises StateError without an optimizer model, and InvalidInputError for a number below 0.
        """
        return self._session.learning_rate()

    @learning_rate.setter
    def learning_rate(self, rate: float) -> None:
        value = number(rate, "the learning rate")
        if not 0 <= value <= _LARGEST_RATE:
            raise InvalidInputError(
                f"The learning rate is {value}; expected 0 or more, and what float32 can hold."
            )
        self._session.set_learning_rate(value)
        self._initial_rate = value

    def set_seed(self, seed: int) -> None:
        """Of random operators, from the next train_step(); a whole number of 64 bits.

        Raises ArgumentTypeError for anything else, and InvalidInputError for one out of range.
        """
        self._session.set_seed(seed_of(seed))

    def gradient_norm(self) -> float:
        """The Euclidean norm of all gradients together; 0 before the first step."""
        return self._session.gradient_norm()

    def clip_gradients(self, max_norm: float) -> float:
        """Scales the gradients so that their norm is at most ``max_norm``.

        Returns the norm before that. Raises InvalidInputError if ``max_norm`` is not above 0.
        """
        max_norm = number(max_norm, "max_norm")
        if not max_norm > 0:
            raise InvalidInputError(f"The largest norm is {max_norm}; expected more than 0.")
        norm = self._session.gradient_norm()
        if norm > max_norm:
            self._session.scale_gradients(max_norm / norm)
        return norm

    def parameters_to_array(self, trainable_only: bool = False) -> Array:
        """A copy of the parameters one after the other: float32, [number of elements]."""
        return self._session.to_buffer(trainable_only)

    def parameters_from_array(self, array: Any, trainable_only: bool = False) -> None:
        """The inverse. Also gives the parameters of a nominal checkpoint their values.

        Raises InvalidInputError for another element type or number of elements.
        """
        self._session.from_buffer(array, trainable_only)

    def save(self, path: PathLike, include_optimizer_state: bool = True) -> None:
        """Writes the checkpoint as checkpoint.save() does, and marks it as one of this model.

        A session of another model whose parameters have the same names warns when it is given the
        file. Raises FileError, an OSError, if it can't be written.
        """
        self._session.save(path_of(path, "checkpoint"), include_optimizer_state)

    def export(
        self,
        path: PathLike,
        outputs: Iterable[str] | None = None,
        *,
        fold_batch_norms: bool = False,
        external_data: bool = False,
        opset: int = 0,
        rename: Mapping[str, str] | None = None,
        as_it_came: bool = False,
    ) -> None:
        """Writes the trained model for inference. See temper.export(), also for what it raises."""
        names = self._exported(outputs)
        self._session.export(
            path_of(path, "exported model"),
            names,
            fold_batch_norms,
            external_data,
            whole_number(opset, "opset"),
            mapping_of(rename, "rename"),
            as_it_came,
        )

    def _exported(self, outputs: Iterable[str] | None) -> list[str]:
        if outputs is not None:
            return names_of(outputs, "outputs")
        names = self._session.predictions()
        if names:
            return names
        raise InvalidInputError(
            "It is unclear which outputs of the eval model to export.",
            "Name values of the eval model in outputs=.",
        )

    def close(self) -> None:
        """Frees threads and memory now. The checkpoint stays."""
        self._release()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise ArgumentTypeError(
            "A session can't be pickled: it has threads.",
            "Pickle its checkpoint, and make a session from it.",
        )

    def __repr__(self) -> str:
        state = "closed" if self._is_closed else f"step {self._checkpoint.step}"
        return f"<Session, {state}>"


def export(
    session: Union[Session, PathLike],
    path: PathLike,
    outputs: Iterable[str] | None = None,
    **options: Any,
) -> None:
    """Writes the trained model of a session, or of a folder of artifacts, for inference.

    Args:
        path: of the ONNX model; in ORT format if it ends with ".ort".
        outputs: values of the eval model; by default what the loss reads.
        options: ``fold_batch_norms`` puts batch norms into the preceding weights,
            ``external_data`` puts the weights into a file beside the model, ``opset`` converts to
            another version of ONNX's operators, ``rename`` maps names of inputs and outputs to new
            ones, ``as_it_came`` restores half precision.

    Raises NotFoundError naming an unknown output.

    >>> import temper
    >>> temper.export(temper.Session(temper.artifacts(mlp_path)), folder / "trained.onnx")
    >>> temper.open(folder / "trained.onnx").outputs
    [<Value 'logits' float32[batch, 3]>]
    """
    if isinstance(session, Session):
        session.export(path, outputs, **options)
        return
    with Session(session) as opened:
        opened.export(path, outputs, **options)
