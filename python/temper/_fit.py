# SPDX-License-Identifier: Apache-2.0
"""Training in one call."""

from __future__ import annotations

import inspect
import logging
import os
import platform
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Union

from temper import _data, _run_settings, _temper
from temper._artifacts import Selection, artifacts, load_artifacts
from temper._checkpoint import Checkpoint
from temper._choices import Choice
from temper._errors import (
    ArgumentTypeError,
    Error,
    InvalidInputError,
    MissingFileError,
    NotFoundError,
)
from temper._files import PathLike, path_of
from temper._setting_text import json_text
from temper._models import ModelSource
from temper._progress import Progress
from temper._run import Epoch, Evaluation, Run, SavedCheckpoint, Step, event_of
from temper._session import Session

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from temper._setting_types import RunSettings

_LOG = logging.getLogger("temper")
_LOG.addHandler(logging.NullHandler())  # nothing is printed unless the program asks for it

#: Everything that can be trained.
Trainable = Union[Session, _temper.Artifacts, ModelSource]

#: Samples by index that are stacked together, if nothing else decides it.
_READ_AT_ONCE = 256

_ARGUMENTS = (
    "eval_data",
    "loss",
    "optimizer",
    "train",
    "freeze",
    "resume",
    "on_step",
    "on_epoch",
    "on_evaluation",
    "on_checkpoint",
    "progress",
    "log",
    "report",
    "profile",
)


class _Usual:
    """Marks an argument that is not given, if None means something."""

    def __repr__(self) -> str:
        return "'cross-entropy'"


_USUAL = _Usual()


def fit(
    model: Trainable,
    data: Any,
    *,
    eval_data: Any = None,
    loss: Selection | Choice | None | _Usual = _USUAL,
    optimizer: Selection | Choice | None = None,
    train: Iterable[str] | None = None,
    freeze: Iterable[str] | None = None,
    resume: Checkpoint | PathLike | None = None,
    on_step: Callable[[Step], object] | None = None,
    on_epoch: Callable[[Epoch], object] | None = None,
    on_evaluation: Callable[[Evaluation], object] | None = None,
    on_checkpoint: Callable[[SavedCheckpoint], object] | None = None,
    progress: bool = False,
    log: PathLike | None = None,
    report: PathLike | None = None,
    profile: PathLike | None = None,
    **settings: Unpack[RunSettings],
) -> Run:
    """Trains a model on data, as ``temper train`` does: with the same numbers, bit for bit.

    Args:
        model: a model as temper.open() takes it, which then gets ``loss``, ``optimizer``,
            ``train`` and ``freeze`` as in temper.artifacts(); or artifacts, or a folder of them;
            or a Session, which continues from the step that its checkpoint has reached. The
            learning rate is that of ``optimizer`` or of the session, unless ``lr`` is given.
        data: arrays in a dictionary by column, or in a tuple in the order of the model's inputs;
            an iterable of batches (a list, a torch.utils.data.DataLoader, a function that returns
            a generator), in its own order, of which one pass is an epoch; samples by index, as
            data sets of PyTorch and Hugging Face have them; or the text of a data specification,
            as ``--data`` takes it.
        eval_data: the same for evaluation. Batches are read into memory.
        resume: a checkpoint to continue from, as ``--resume``.
        on_step, on_epoch, on_evaluation, on_checkpoint: called with a Step, Epoch, Evaluation or
            SavedCheckpoint before the next step begins. An exception in one ends training and is
            raised.
        progress: shows a bar, by tqdm if it is installed.
        log, report, profile: files to write, as ``--log``, ``--report`` and ``--profile``.
        settings: see below; names are those of the flags and of the JSON of specifications.

    Returns a Run. Ctrl+C ends training after the current step, and raises KeyboardInterrupt; the
    session can continue from there. The attribute ``run`` of exceptions is the Run so far. Batches
    of an iterable are read ahead in another thread.

    Arrays of other number types are fed as on the command line: whole numbers and float64 become
    float32 if the model takes that, but fractions do not become whole numbers.

    Raises:
        ArgumentTypeError: for an unknown argument, and for anything that is not data.
        InvalidInputError: for data that does not fit the model, and settings out of range.
        NumericError: if the loss or a gradient becomes NaN or infinite, or the loss diverges.

    >>> import numpy, temper
    >>> x = numpy.random.default_rng(0).normal(size=(64, 4)).astype("float32")
    >>> labels = (x[:, 0] > 0).astype("int64")
    >>> run = temper.fit(
    ...     mlp_path, {"x": x, "labels": labels}, eval_data=(x, labels), epochs=20, lr=0.05,
    ...     schedule="cosine", batch_size=16, seed=1)
    >>> run.outcome, float(run.best.metrics["accuracy"]) > 0.9
    ('finished', True)

    Settings, with their defaults:

    """
    given = _run_settings.chosen(settings, _ARGUMENTS)
    choices = _choices(loss, optimizer, train, freeze)
    session, given = _session(model, given, resume, choices)
    if report is not None:
        _temper.require_writable_file(path_of(report, "report"))
    names = session.input_names
    fixed = session._session.fixed_batch_size()
    batch_size = _run_settings.number(given, "batch_size")
    taken = _data.taken(data, names, batch_size, given["seed"], fixed)
    evaluation = _evaluation(eval_data, isinstance(taken, str), session)
    if isinstance(taken, str):
        given["data"] = taken
        given["eval_data"] = evaluation or ""
    elif isinstance(taken, _data.Batches):
        _require_passes(taken, given)
    follows = "learning_rate" in given or "schedule" in given
    if session._initial_rate is not None:
        given.setdefault("learning_rate", session._initial_rate)
    native = _temper.Fit(session._session, json_text({"run": given}), follows)
    _take(native, taken, evaluation)
    run = Run(session, native)
    observer = _Observer(on_step, on_epoch, on_evaluation, on_checkpoint, progress)
    try:
        native.run(
            observer.receive,
            observer.kinds,
            progress,
            f"Training {_title(model)}",
            [("temper", _temper.version), ("Python", platform.python_version())],
            "" if log is None else path_of(log, "log"),
            "" if profile is None else path_of(profile, "profile"),
        )
    except BaseException as error:
        _attach(error, run)
        raise
    finally:
        observer.close()
        if report is not None and run.events:
            run.report(report)
    return run


def _session(
    model: Trainable,
    given: dict[str, Any],
    resume: Checkpoint | PathLike | None,
    choices: dict[str, Any],
) -> tuple[Session, dict[str, Any]]:
    """The session, and the settings with those that it has already."""
    if isinstance(model, Session):
        _require_unmade(choices)
        return model, _with_settings_of(model, given, resume)
    of_session = {key: given[key] for key in _temper.session_settings() if key in given}
    session = Session(_artifacts(model, choices), resume, **of_session)
    return session, {**given, "seed": int(given.get("seed", 0))}


def _artifacts(
    model: _temper.Artifacts | ModelSource, choices: dict[str, Any]
) -> _temper.Artifacts:
    if isinstance(model, _temper.Artifacts):
        _require_unmade(choices)
        return model
    if isinstance(model, (str, os.PathLike)) and os.path.isdir(model):
        _require_unmade(choices)
        if os.path.exists(os.path.join(model, "project.json")):
            raise InvalidInputError(
                f"'{model}' is a project; fit() trains models and artifacts.",
                "Train it with 'python -m temper train'.",
            )
        return load_artifacts(model)
    return artifacts(model, **choices)


def _require_unmade(choices: dict[str, Any]) -> None:
    for name in choices:
        raise InvalidInputError(
            f"'{name}' is given, but the artifacts have been made.",
            "Pass it to temper.artifacts(), or pass the model to temper.fit().",
        )


def _choices(
    loss: Selection | Choice | None | _Usual,
    optimizer: Selection | Choice | None,
    train: Iterable[str] | None,
    freeze: Iterable[str] | None,
) -> dict[str, Any]:
    """The arguments of artifacts() that are given."""
    others = {"optimizer": optimizer, "train": train, "freeze": freeze}
    choices: dict[str, Any] = {name: each for name, each in others.items() if each is not None}
    if not isinstance(loss, _Usual):
        choices["loss"] = loss
    return choices


def _with_settings_of(
    session: Session, given: dict[str, Any], resume: Checkpoint | PathLike | None
) -> dict[str, Any]:
    if resume is not None:
        raise InvalidInputError(
            "'resume' is given, but the session has a checkpoint.",
            "Pass the checkpoint to temper.Session().",
        )
    surplus = [key for key in session._settings if key in given and key != "seed"]
    if surplus:
        raise InvalidInputError(
            f"'{surplus[0]}' is given, but the session has been made.",
            "Pass it to temper.Session().",
        )
    return {**session._settings, **given}


def _evaluation(data: Any, of_specification: bool, session: Session) -> Any:
    """A specification, arrays by column, or None."""
    if data is None:
        return None
    taken = _data.taken(data, session.input_names, _READ_AT_ONCE)
    if isinstance(taken, str) != of_specification:
        raise InvalidInputError(
            "One of data and eval_data is a data specification, the other is not.",
            "Use specifications for both: the evaluation samples are read and normalized as the "
            "training samples are.",
        )
    return taken.all() if isinstance(taken, _data.Batches) else taken


def _require_passes(batches: _data.Batches, given: dict[str, Any]) -> None:
    epochs = _run_settings.number(given, "epochs")
    if batches.repeats or epochs == 1 or _run_settings.number(given, "steps") > 0:
        return
    raise InvalidInputError(
        f"The data can be iterated only once; the run has {epochs} epochs.",
        "Specify epochs=1 or steps=, or pass a function that returns a new iterator.",
    )


def _take(native: _temper.Fit, taken: _data.Taken, evaluation: Any) -> None:
    if isinstance(taken, str):
        try:
            remarks = native.take_specified()
        except NotFoundError as error:
            raise _missing(error, [taken, evaluation or ""]) from None
    elif isinstance(taken, _data.Batches):
        remarks = native.take_stream(taken, evaluation)
    else:
        remarks = native.take_arrays(taken, evaluation)
    for line in remarks.summary.splitlines():
        _LOG.info("%s", line)
    for finding in remarks.findings:
        level = logging.INFO if finding.severity == "info" else logging.WARNING
        _LOG.log(level, "%s", finding)


def _missing(error: NotFoundError, specifications: list[str]) -> Error:
    """The error as one of a missing file, if one is missing."""
    for specification in specifications:
        path = specification.partition("?")[0]
        for candidate in (path, path.partition(":")[2]):
            if candidate and candidate in error.message and not os.path.exists(candidate):
                return MissingFileError(error.message, error.hint, candidate)
    return error


def _title(model: Trainable) -> str:
    if isinstance(model, (str, os.PathLike)):
        return os.path.basename(os.path.normpath(os.fspath(model)))
    return type(model).__name__.lower()


def _attach(error: BaseException, run: Run) -> None:
    try:
        error.run = run  # type: ignore[attr-defined]
    except AttributeError:
        pass  # its class has slots


class _Observer:
    """Tells callbacks, the log and the bar what happens."""

    def __init__(
        self,
        on_step: Callable[[Step], object] | None,
        on_epoch: Callable[[Epoch], object] | None,
        on_evaluation: Callable[[Evaluation], object] | None,
        on_checkpoint: Callable[[SavedCheckpoint], object] | None,
        progress: bool,
    ) -> None:
        self._callbacks: dict[str, Callable[[Any], object]] = {}
        for kind, callback in (
            ("step", on_step),
            ("epoch", on_epoch),
            ("eval", on_evaluation),
            ("checkpoint", on_checkpoint),
        ):
            if callback is None:
                continue
            if not callable(callback):
                raise ArgumentTypeError(f"Expected a function for on_{kind}; found {callback!r}.")
            self._callbacks[kind] = callback
        self.kinds = {"start", "epoch", "eval", "checkpoint", "warning", "end"}
        self.kinds |= self._callbacks.keys()
        self._progress = progress
        self._bar: Progress | None = None

    def receive(self, kind: str, fields: dict[str, Any]) -> None:
        """An event, or the latest step as "tick"."""
        if kind == "tick":
            self._show(fields, "loss")
            return
        self._log(kind, fields)
        if kind == "start" and self._progress:
            self._bar = Progress(fields["total_steps"], fields["first_step"])
        if kind == "epoch":
            self._show(fields, "mean loss")
        if kind in self._callbacks:
            self._callbacks[kind](event_of(kind, fields))

    def close(self) -> None:
        """The run is over."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def _show(self, fields: dict[str, Any], what: str) -> None:
        if self._bar is not None:
            self._bar.show(fields["step"], f"{what} {fields['loss']:.4g}")

    def _log(self, kind: str, fields: dict[str, Any]) -> None:
        if kind == "start":
            _LOG.info(
                "training %d of %d parameters, from step %d",
                fields["trainable_parameters"],
                fields["parameters"],
                fields["first_step"],
            )
        elif kind == "epoch":
            _LOG.info("epoch %d: training loss %.6g", fields["epoch"], fields["loss"])
        elif kind == "eval":
            metrics = "".join(f", {name} {value:.6g}" for name, value in fields["metrics"].items())
            _LOG.info("step %d: evaluation loss %.6g%s", fields["step"], fields["loss"], metrics)
        elif kind == "checkpoint":
            level = logging.DEBUG if fields["kind"] == "last" else logging.INFO
            _LOG.log(level, "checkpoint (%s): %s", fields["kind"], fields["path"])
        elif kind == "warning":
            _LOG.warning("%s %s", fields["message"], fields["hint"])
        elif kind == "end":
            _LOG.info("%s after %d steps", fields["outcome"], fields["step"])


fit.__doc__ = inspect.cleandoc(fit.__doc__ or "") + "\n\n" + _run_settings.described() + "\n"
