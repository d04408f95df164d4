# SPDX-License-Identifier: Apache-2.0
"""onnxruntime.training.artifacts: what training needs, made of a model."""

from __future__ import annotations

import enum
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import temper
from temper._errors import ArgumentTypeError, Error, InvalidInputError, MissingFileError
from temper._files import existing, path_of
from temper.onnxruntime.training import _remarks

if TYPE_CHECKING:
    from temper.onnxruntime.training.onnxblock import Block


class LossType(enum.Enum):
    """The losses that have a name.

    >>> from temper.onnxruntime.training.artifacts import LossType
    >>> LossType(2).name, getattr(LossType, "L1Loss").value
    ('CrossEntropyLoss', 4)
    """

    MSELoss = 1
    CrossEntropyLoss = 2
    BCEWithLogitsLoss = 3
    L1Loss = 4


class OptimType(enum.Enum):
    """The optimizers that have a name.

    >>> from temper.onnxruntime.training.artifacts import OptimType
    >>> [kind.name for kind in OptimType]
    ['AdamW', 'SGD']
    """

    AdamW = 1
    SGD = 2


_LOSSES = {
    LossType.MSELoss: "mse",
    LossType.CrossEntropyLoss: "cross-entropy",
    LossType.BCEWithLogitsLoss: "bce-with-logits",
    LossType.L1Loss: "l1",
}
_OPTIMIZERS = {OptimType.AdamW: "adamw", OptimType.SGD: "sgd"}

_LARGEST_MESSAGE = 1 << 31

_OPTIONS = (
    "requires_grad, frozen_params, loss, optimizer, artifact_directory, prefix, ort_format, "
    "custom_op_library, additional_output_names, nominal_checkpoint, loss_input_names"
)


def generate_artifacts(
    model: Any,
    requires_grad: Iterable[str] | None = None,
    frozen_params: Iterable[str] | None = None,
    loss: LossType | Block | None = None,
    optimizer: OptimType | Block | None = None,
    artifact_directory: str | os.PathLike[str] | None = None,
    prefix: str = "",
    ort_format: bool = False,
    custom_op_library: str | os.PathLike[str] | None = None,
    additional_output_names: Iterable[str] | None = None,
    nominal_checkpoint: bool = False,
    loss_input_names: Iterable[str] | None = None,
    **unknown: Any,
) -> None:
    """Writes training_model.onnx, eval_model.onnx, optimizer_model.onnx and checkpoint.

    Everything is checked before anything is written. Any iterable of names works; names in
    ``frozen_params`` that the model does not have are ignored. Running statistics of batch
    normalizations are found automatically. ``requires_grad`` may name inputs of the model, too.
    Of ``loss_input_names``, the second is the target: a value of the model, or a new input. Without
    a loss, the first output is one, or the first of these names. The folder has to exist; None is
    the current one.

    The logger "temper" reports choices, findings, and automatic changes such as that of the opset.

    Raises:
        RuntimeError: a temper.Error that says what was found and what was expected; a
            temper.ArtifactsError with all findings if the model can't be trained like this.
        TypeError: for an optimizer of another kind, or an unknown option.
        LookupError: for an unknown name of an output.
        FileNotFoundError: for a missing model or folder.

    >>> from temper.onnxruntime.training import artifacts
    >>> artifacts.generate_artifacts(
    ...     mlp_path,
    ...     requires_grad=["fc2.weight", "fc2.bias"],
    ...     loss=artifacts.LossType.CrossEntropyLoss,
    ...     optimizer=artifacts.OptimType.AdamW,
    ...     artifact_directory=folder,
    ... )
    >>> sorted(file.name for file in folder.iterdir())
    ['checkpoint', 'eval_model.onnx', 'optimizer_model.onnx', 'training_model.onnx']
    """
    _require_known(unknown)
    trained = _names(requires_grad, "requires_grad")
    frozen = _names(frozen_params, "frozen_params")
    _require_disjoint(trained, frozen)
    forward = temper.open(_model(model))
    folder = _folder(artifact_directory, prefix)
    present = set(forward.parameter_names)
    extra = _names(additional_output_names, "additional_output_names")
    read = _names(loss_input_names, "loss_input_names")
    _require_values(forward, extra + (read if loss is None else read[:1]))
    _refuse_library(custom_op_library)
    chosen_loss, chosen_optimizer = _loss(loss), _optimizer(optimizer)
    frozen = [name for name in frozen if name in present]
    files: dict[str, Any] = {
        "prefix": prefix,
        "ort_format": ort_format,
        "nominal_checkpoint": nominal_checkpoint,
    }
    if loss is None:
        read, extra = _without_a_loss(forward, read, extra)
    inputs = {value.name for value in forward.inputs}
    has_target = any(forward.has_value(name) for name in read[1:])
    if (
        _is_block(loss)
        or _is_block(optimizer)
        or (isinstance(loss, LossType) and has_target)
        or not inputs.isdisjoint(trained)
    ):
        from temper.onnxruntime.training._block_artifacts import block_artifacts

        made = block_artifacts(
            model, forward, trained, frozen, chosen_loss, chosen_optimizer, extra, read, **files
        )
    else:
        made = temper.artifacts(
            forward,
            loss=chosen_loss,
            optimizer=chosen_optimizer,
            train=trained or None,
            freeze=frozen,
            loss_inputs=read,
            extra_outputs=extra,
            **files,
        )
    _remarks.tell_choices(loss, optimizer)
    _remarks.tell_findings(forward, made, frozen, extra)
    _remarks.tell_replaced(folder, prefix)
    made.save(folder)
    _remarks.tell_saved(folder, prefix)


def _require_known(unknown: dict[str, Any]) -> None:
    if unknown:
        raise ArgumentTypeError(
            f"generate_artifacts() has no option '{next(iter(unknown))}'.", f"It has {_OPTIONS}."
        )


def _model(model: Any) -> Any:
    if isinstance(model, (str, os.PathLike)):
        return model
    if hasattr(model, "SerializeToString"):
        if model.ByteSize() > _LARGEST_MESSAGE:
            raise Error("The model is larger than 2 GiB.", "Pass its path.")
        return model
    raise Error(
        f"The model is of type {type(model).__name__}.", "Pass a path or an onnx.ModelProto."
    )


def _names(names: Iterable[str] | None, argument: str) -> list[str]:
    if names is None:
        return []
    if isinstance(names, (str, bytes)):
        raise Error(f"{argument} is the text {names!r}; expected a list of names.")
    return list(names)


def _require_disjoint(trained: list[str], frozen: list[str]) -> None:
    both = sorted(set(trained) & set(frozen))
    if both:
        raise InvalidInputError(
            "A parameter cannot be frozen and require gradient computation at the same time: "
            f"{', '.join(both)}.",
            "Remove it from requires_grad or from frozen_params.",
        )


def _require_values(model: temper.Model, names: list[str]) -> None:
    unknown = [name for name in names if not model.has_value(name)]
    if unknown:
        raise temper.NotFoundError(
            f"The provided name {unknown[0]} is not a graph value info or a graph output."
        )


def _without_a_loss(
    model: temper.Model, read: list[str], extra: list[str]
) -> tuple[list[str], list[str]]:
    """What the loss reads, and what else comes out: the first value is the loss."""
    first, *others = read or [value.name for value in model.outputs]
    further = [name for name in dict.fromkeys([*others, *extra]) if name != first]
    return [first], further


def _folder(directory: str | os.PathLike[str] | None, prefix: str) -> str:
    folder = os.getcwd() if directory is None else path_of(directory, "artifact_directory")
    place = os.path.dirname(os.path.join(folder, prefix + "x"))
    if not os.path.isdir(place):
        raise MissingFileError(f"The folder '{place}' does not exist.", "Create it.", place)
    return folder


def _refuse_library(library: str | os.PathLike[str] | None) -> None:
    if library is None:
        return
    existing(library, "custom operator library")
    raise temper.UnsupportedError(
        "Custom operator libraries of ONNX Runtime can't be loaded.",
        "Write the operator as a plugin of Temper; it has the gradient, too.",
    )


def _is_block(thing: Any) -> bool:
    """Without importing onnxblock, which needs onnx: a caller with a block has imported it."""
    module = sys.modules.get("temper.onnxruntime.training.onnxblock.blocks")
    return module is not None and isinstance(thing, module.Block)


def _loss(loss: Any) -> Any:
    if loss is None or _is_block(loss):
        return loss
    if isinstance(loss, LossType):
        return _LOSSES[loss]
    raise Error(f"Unknown loss provided {loss!r}.", "Pass a LossType, a Block instance, or None.")


def _optimizer(optimizer: Any) -> Any:
    if optimizer is None or _is_block(optimizer):
        return optimizer
    if isinstance(optimizer, OptimType):
        return _OPTIMIZERS[optimizer]
    raise ArgumentTypeError(
        f"Unknown optimizer provided {optimizer!r}.", "Pass an OptimType, a Block instance, or None."
    )
