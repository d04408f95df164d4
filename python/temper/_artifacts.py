# SPDX-License-Identifier: Apache-2.0
"""Training artifacts of a model."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Union

from temper import _temper
from temper._arguments import mapping_of, names_of, seed_of, whole_number
from temper._choices import Choice, Loss, Optimizer
from temper._errors import ArgumentTypeError, InvalidInputError
from temper._files import PathLike, existing, path_of
from temper._setting_text import json_text
from temper._models import ModelSource, open as open_model

#: A name ("adamw"), or a mapping with the name as "key" and hyperparameters:
#: {"key": "adamw", "weight_decay": 0.01}.
Selection = Union[str, Mapping[str, Any]]

_EXAMPLES = {
    "loss": "temper.losses.CrossEntropy()",
    "optimizer": "temper.optimizers.AdamW()",
    "schedule": "temper.schedules.Cosine()",
}


def _selection(chosen: Selection | Choice | None, what: str) -> dict[str, Any]:
    """The choice of a ``what``, "loss", "optimizer" or "schedule", for the engine's JSON."""
    if chosen is None:
        return {"key": "none"}
    if isinstance(chosen, Choice) and chosen.family == what:
        return chosen.selection()
    if isinstance(chosen, str):
        return {"key": chosen}
    if not isinstance(chosen, Mapping) or "key" not in chosen:
        raise ArgumentTypeError(
            f"Expected a name or a mapping for the {what}; found {chosen!r}.",
            f"Write {what}='name' or {what}={{'key': 'name', ...}}, or pass an object such as "
            f"{_EXAMPLES[what]}.",
        )
    selection: dict[str, Any] = {"key": chosen["key"]}
    for key, value in chosen.items():
        if key == "key":
            continue
        if isinstance(value, (list, tuple)):
            selection.setdefault("lists", {})[key] = [float(number) for number in value]
        else:
            selection.setdefault("values", {})[key] = float(value)
    return selection


def _units(units: Sequence[int]) -> list[int]:
    if isinstance(units, str) or not isinstance(units, Iterable):
        raise ArgumentTypeError(
            f"Expected a list of numbers of units for hidden_units; found {units!r}."
        )
    return [whole_number(each, "hidden_units") for each in units]


def _groups(groups: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    if isinstance(groups, (str, Mapping)) or not isinstance(groups, Iterable):
        raise ArgumentTypeError(
            f"Expected a list of mappings for parameter_groups; found {groups!r}."
        )
    return [mapping_of(group, "a group of parameter_groups") for group in groups]


def artifacts(
    model: ModelSource,
    out: PathLike | None = None,
    *,
    loss: Selection | Loss | None = "cross-entropy",
    optimizer: Selection | Optimizer | None = "adamw",
    train: Iterable[str] | None = None,
    freeze: Iterable[str] | None = None,
    loss_inputs: Iterable[str] | None = None,
    extra_outputs: Iterable[str] | None = None,
    parameter_groups: Sequence[Mapping[str, Any]] = (),
    decay_biases_and_norms: bool = True,
    straight_through: Iterable[str] | None = None,
    stop_gradient: Iterable[str] | None = None,
    freeze_statistics: Iterable[str] | None = None,
    fixed_inputs: Mapping[str, float] | None = None,
    free_batch: bool = False,
    head_classes: int = 0,
    hidden_units: Sequence[int] | None = None,
    head_seed: int = 0,
    replace: Iterable[str] | None = None,
    tie: Iterable[str] | None = None,
    untie: Iterable[str] | None = None,
    part: Iterable[str] | None = None,
    keep_merged: Iterable[str] | None = None,
    rename: Mapping[str, str] | None = None,
    prefix: str = "",
    nominal_checkpoint: bool = False,
    ort_format: bool = False,
) -> _temper.Artifacts:
    """Makes training artifacts of a model, and writes them into the folder ``out`` if it is given.

    ``loss`` is a loss's name, a formula such as ``"0.4*mse(a, x) + 0.6*l1(b, y)"``, or None if the
    model's first output is the loss. ``optimizer`` is a name, or None for none. With
    hyperparameters, either is an object of temper.losses or temper.optimizers, or a mapping:
    ``temper.optimizers.AdamW(weight_decay=0.01)`` or ``{"key": "adamw", "weight_decay": 0.01}``.

    ``train`` and ``freeze`` are names or patterns of parameters ("fc*"). Without both, everything
    trains that can. With ``train`` only, all others are frozen. ``loss_inputs`` names the output
    that the loss reads, and optionally its target. ``tie``, ``untie``, ``part`` and ``keep_merged``
    say which tensors are one parameter. The other arguments are those of ``temper artifacts``.

    Nothing is written unless all artifacts could be made.

    Raises:
        ArtifactsError: with all problems in its ``findings``.
        InvalidInputError: for an unknown loss, optimizer or hyperparameter.

    >>> import temper
    >>> made = temper.artifacts(mlp_path, train=["fc2.*"], optimizer="sgd")
    >>> made.trainable, made.frozen
    (['fc2.weight', 'fc2.bias'], ['fc1.weight', 'fc1.bias'])
    >>> [value.name for value in made.training_model.inputs][:2]
    ['x', 'labels']
    """
    trained = names_of(train, "train")
    if train is not None and not trained:
        raise InvalidInputError(
            "'train' names no parameter.",
            "Name parameters or patterns of them; without 'train', everything trains that can.",
        )
    specification: dict[str, Any] = {
        "fixed_inputs": mapping_of(fixed_inputs, "fixed_inputs"),
        "free_batch": free_batch,
        "head_classes": whole_number(head_classes, "head_classes"),
        "hidden_units": None if hidden_units is None else _units(hidden_units),
        "replace": names_of(replace, "replace"),
        "sharing": {
            "tie": names_of(tie, "tie"),
            "untie": names_of(untie, "untie"),
            "part": names_of(part, "part"),
            "keep_merged": names_of(keep_merged, "keep_merged"),
        },
        "rename": mapping_of(rename, "rename"),
        "artifacts": {
            "trainable": trained,
            "frozen": names_of(freeze, "freeze"),
            "loss": _selection(loss, "loss"),
            "loss_inputs": names_of(loss_inputs, "loss_inputs"),
            "optimizer": _selection(optimizer, "optimizer"),
            "parameter_groups": _groups(parameter_groups),
            "decay_biases_and_norms": decay_biases_and_norms,
            "straight_through": names_of(straight_through, "straight_through"),
            "stop_gradient": names_of(stop_gradient, "stop_gradient"),
            "frozen_statistics": names_of(freeze_statistics, "freeze_statistics"),
            "extra_outputs": names_of(extra_outputs, "extra_outputs"),
            "prefix": prefix,
            "nominal_checkpoint": nominal_checkpoint,
            "ort_format": ort_format,
        },
    }
    if isinstance(optimizer, Optimizer) and optimizer.lr is not None:
        specification["run"] = {"learning_rate": optimizer.lr}
    seed = seed_of(head_seed, "head_seed")
    made = _temper.make_artifacts(open_model(model), json_text(specification), seed)
    if out is not None:
        made.save(path_of(out, "out"))
    return made


def load_artifacts(
    folder: PathLike | None = None,
    prefix: str = "",
    *,
    train_model: PathLike | None = None,
    eval_model: PathLike | None = None,
    optimizer_model: PathLike | None = None,
    checkpoint: PathLike | None = None,
) -> _temper.Artifacts:
    """Loads artifacts from a folder, Temper's or ONNX Runtime's, or from single files.

    A file that is given by itself replaces the folder's. The eval and the optimizer model may be
    missing; ``.ort`` files are used if the ``.onnx`` files are missing.

    Raises:
        InvalidInputError: without a folder, if ``train_model`` or ``checkpoint`` is missing.
        MissingFileError: a FileNotFoundError that names a file that is needed and missing.

    >>> import temper
    >>> made = temper.artifacts(mlp_path, folder, optimizer=None)
    >>> temper.load_artifacts(folder).optimizer_model is None
    True
    >>> alone = temper.load_artifacts(
    ...     train_model=folder / "training_model.onnx", checkpoint=folder / "checkpoint")
    >>> alone.eval_model is None
    True
    """
    path = None if folder is None else existing(folder, "folder of artifacts")

    def find(name: str, given: PathLike | None) -> str | None:
        if given is not None:
            return existing(given, name.replace("_", " "))
        for ending in (".onnx", ".ort"):
            file = "" if path is None else os.path.join(path, prefix + name + ending)
            if os.path.exists(file):
                return file
        return None

    def need(name: str, what: str, argument: str) -> str:
        if path is not None:
            return existing(os.path.join(path, prefix + name), what)
        raise InvalidInputError(
            f"No {what} is given.",
            f"Specify a folder of artifacts, or the file with {argument}=.",
        )

    training = find("training_model", train_model)
    if training is None:
        training = need("training_model.onnx", "training model", "train_model")
    if checkpoint is None:
        checkpoint = need("checkpoint", "checkpoint", "checkpoint")
    return _temper.load_artifacts(
        training,
        find("eval_model", eval_model),
        find("optimizer_model", optimizer_model),
        existing(checkpoint, "checkpoint"),
    )
