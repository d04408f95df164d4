# SPDX-License-Identifier: Apache-2.0
"""A run of temper.fit(): what happened in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from temper import _temper
from temper._errors import StateError
from temper._files import PathLike, path_of
from temper import _html

if TYPE_CHECKING:
    from temper._session import Session

Array = numpy.ndarray[Any, Any]


class Step(NamedTuple):
    """An optimizer step: its loss is the mean over its samples, the norm is that before clipping,
    and epoch 1.25 means that a quarter of the second epoch is done.

    >>> import numpy, temper
    >>> x = numpy.random.default_rng(0).normal(size=(64, 4)).astype("float32")
    >>> labels = (x[:, 0] > 0).astype("int64")
    >>> steps = []
    >>> run = temper.fit(mlp_path, (x, labels), epochs=1, batch_size=16, on_step=steps.append)
    >>> [(step.step, step.epoch, step.samples) for step in steps][:2]
    [(1, 0.25, 16), (2, 0.5, 16)]
    """

    step: int
    epoch: float
    loss: float
    learning_rate: float
    grad_norm: float
    samples: int
    step_seconds: float
    data_wait_seconds: float


class Epoch(NamedTuple):
    """The end of an epoch, counted from 1, with the mean training loss over its samples.

    >>> import numpy, temper
    >>> x = numpy.random.default_rng(0).normal(size=(64, 4)).astype("float32")
    >>> labels = (x[:, 0] > 0).astype("int64")
    >>> run = temper.fit(mlp_path, (x, labels), epochs=2, batch_size=16)
    >>> [(epoch.epoch, epoch.step) for epoch in run.epochs]
    [(1, 4), (2, 8)]
    """

    step: int
    epoch: int
    loss: float
    seconds: float


class Evaluation(NamedTuple):
    """An evaluation: means over all evaluation samples, and whether it is the best so far.

    ``confusion_matrix`` counts (true class, predicted class); None if there are no classes.

    >>> import numpy, temper
    >>> x = numpy.random.default_rng(0).normal(size=(64, 4)).astype("float32")
    >>> labels = (x[:, 0] > 0).astype("int64")
    >>> run = temper.fit(mlp_path, (x, labels), eval_data=(x, labels), epochs=1)
    >>> run.evaluations[0].samples, int(run.evaluations[0].confusion_matrix.sum())
    (64, 64)
    """

    step: int
    epoch: float
    loss: float
    metrics: Mapping[str, float]
    samples: int
    best: bool
    without_improvement: int
    confusion_matrix: Array | None
    classes: tuple[str, ...]


class SavedCheckpoint(NamedTuple):
    """A checkpoint file: "last", "best", "kept" (among the best) or "every".

    >>> import numpy, temper
    >>> x = numpy.random.default_rng(0).normal(size=(64, 4)).astype("float32")
    >>> labels = (x[:, 0] > 0).astype("int64")
    >>> run = temper.fit(mlp_path, (x, labels), epochs=1, save=folder / "checkpoints")
    >>> sorted({(saved.kind, saved.step) for saved in run.checkpoints})
    [('last', 2)]
    """

    step: int
    kind: str
    path: str


class RunWarning(NamedTuple):
    """Something to know about a run, and what to do.

    >>> import numpy, temper
    >>> x = numpy.random.default_rng(0).normal(size=(64, 4)).astype("float32")
    >>> labels = (x[:, 0] > 0).astype("int64")
    >>> run = temper.fit(mlp_path, (x, labels), epochs=1)
    >>> again = temper.fit(run.session, (x, labels), epochs=1)
    >>> [warning.step for warning in again.warnings]
    [2]
    """

    step: int
    message: str
    hint: str


class OperatorCost(NamedTuple):
    """What an operator costs in a training step, with all of its nodes together.

    Its calls, their time and their share of all time, floating-point operations, bytes read
    and written. ``roofline_share`` compares the least time in which this machine could do that with
    the time it took; work on data in a cache may exceed 1.

    >>> import numpy, temper
    >>> x = numpy.random.default_rng(0).normal(size=(64, 4)).astype("float32")
    >>> labels = (x[:, 0] > 0).astype("int64")
    >>> run = temper.fit(mlp_path, (x, labels), epochs=1, profile=folder / "trace.json")
    >>> abs(sum(cost.share for cost in run.profile) - 1) < 1e-9
    True
    """

    op: str
    calls: int
    seconds: float
    share: float
    flops: int
    bytes: int
    roofline_share: float


_CLASSES: dict[str, Any] = {
    "step": Step,
    "epoch": Epoch,
    "eval": Evaluation,
    "checkpoint": SavedCheckpoint,
    "warning": RunWarning,
}


class ReadOnly(Mapping[str, Any]):
    """A mapping that can't be changed; unlike mappingproxy, it can be pickled."""

    def __init__(self, items: Mapping[str, Any]) -> None:
        self._items = dict(items)

    def __getitem__(self, name: str) -> Any:
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return repr(self._items)


class _Record:
    """What a pickled run knows, in place of the engine's."""

    def __init__(self, native: _temper.Fit | _Record) -> None:
        self._events = native.events(True)
        self._steps = native.steps()
        self._costs = native.costs()
        self._page = native.report()

    def events(self, with_steps: bool) -> list[dict[str, Any]]:
        return [dict(each) for each in self._events if with_steps or each["event"] != "step"]

    def steps(self) -> dict[str, Array]:
        return {name: column.copy() for name, column in self._steps.items()}

    def costs(self) -> list[dict[str, Any]]:
        return [dict(cost) for cost in self._costs]

    def report(self) -> str:
        return self._page

    def write_report(self, path: str) -> None:
        _temper.write_text(path, self._page)


def event_of(kind: str, fields: Mapping[str, Any]) -> Any:
    """The event as a tuple with names, whose values can't be changed."""
    values = {name: fields[name] for name in _CLASSES[kind]._fields}
    if kind == "eval":
        values["metrics"] = ReadOnly(values["metrics"])
        values["classes"] = tuple(values["classes"])
        if values["confusion_matrix"] is not None:
            values["confusion_matrix"].flags.writeable = False
    return _CLASSES[kind](**values)


class Run:
    """What temper.fit() did: a trained session, and the history of the run.

    Arrays have a number for each optimizer step, or for each evaluation, and are read-only. In a
    notebook it shows curves.

    >>> import numpy, temper
    >>> x = numpy.random.default_rng(0).normal(size=(64, 4)).astype("float32")
    >>> run = temper.fit(mlp_path, (x, (x[:, 0] > 0).astype(int)), epochs=2, lr=0.05)
    >>> run
    <Run, finished after 4 steps, loss ...>
    >>> run.losses.shape, [epoch.epoch for epoch in run.epochs]
    ((4,), [1, 2])
    >>> bool(run.epochs[1].loss < run.epochs[0].loss)
    True
    >>> run.export(folder / "trained.onnx")
    """

    def __init__(self, session: Session | None, native: _temper.Fit | _Record) -> None:
        self._session = session
        self._native = native

    @property
    def session(self) -> Session:
        """The session, whose parameters are the trained ones.

        Raises StateError if the run was pickled: its session stayed where it trained.
        """
        if self._session is None:
            raise StateError(
                "A run that was pickled has no session.", "Pickle run.session.checkpoint, too."
            )
        return self._session

    @cached_property
    def _others(self) -> list[dict[str, Any]]:
        return self._native.events(False)

    def _all(self, kind: str) -> tuple[Any, ...]:
        return tuple(event_of(kind, each) for each in self._others if each["event"] == kind)

    @cached_property
    def _end(self) -> Mapping[str, Any]:
        ends = [each for each in self._others if each["event"] == "end"]
        return ends[-1] if ends else {}

    @cached_property
    def _start(self) -> Mapping[str, Any]:
        starts = [each for each in self._others if each["event"] == "start"]
        return starts[-1] if starts else {}

    @property
    def outcome(self) -> str:
        """ "finished" (also if it ended early by a rule), "stopped" or "failed"."""
        return str(self._end.get("outcome", "failed"))

    @property
    def step(self) -> int:
        """The number of optimizer steps that the checkpoint had done at the end, which includes
        those before the run."""
        return int(self._end.get("step", 0))

    @property
    def seconds(self) -> float:
        """How long it took."""
        return float(self._end.get("seconds", 0.0))

    @cached_property
    def history(self) -> Mapping[str, Array]:
        """The steps as arrays: "step", "epoch", "loss", "learning_rate", "grad_norm", "samples",
        "step_seconds", "data_wait_seconds". Shapes: [steps]."""
        columns = self._native.steps()
        for column in columns.values():
            column.flags.writeable = False
        return ReadOnly(columns)

    @property
    def losses(self) -> Array:
        """The training loss of each step, float64 [steps]."""
        return self.history["loss"]

    @property
    def learning_rates(self) -> Array:
        """The learning rate of each step, float64 [steps]."""
        return self.history["learning_rate"]

    @property
    def gradient_norms(self) -> Array:
        """The norm of the gradients of each step before clipping, float64 [steps]."""
        return self.history["grad_norm"]

    @cached_property
    def epochs(self) -> tuple[Epoch, ...]:
        """The completed epochs."""
        return self._all("epoch")

    @cached_property
    def evaluations(self) -> tuple[Evaluation, ...]:
        """The evaluations; none without evaluation data."""
        return self._all("eval")

    @property
    def best(self) -> Evaluation | None:
        """The best evaluation, by the loss or by ``best_metric``; None without evaluations."""
        found = [each for each in self.evaluations if each.best]
        return found[-1] if found else None

    @cached_property
    def metrics(self) -> Mapping[str, Array]:
        """The metrics of the evaluations by name, float64 [evaluations]."""
        names = {name: None for each in self.evaluations for name in each.metrics}
        arrays = {}
        for name in names:
            values = [each.metrics.get(name, numpy.nan) for each in self.evaluations]
            arrays[name] = numpy.array(values, numpy.float64)
            arrays[name].flags.writeable = False
        return ReadOnly(arrays)

    @cached_property
    def checkpoints(self) -> tuple[SavedCheckpoint, ...]:
        """The checkpoints that were written; later ones may have replaced them."""
        return self._all("checkpoint")

    @cached_property
    def warnings(self) -> tuple[RunWarning, ...]:
        """Remarks on the run."""
        return self._all("warning")

    @cached_property
    def profile(self) -> tuple[OperatorCost, ...]:
        """The operators of a training step, the slowest first; none without ``profile=``."""
        costs = self._native.costs()
        total = sum(cost["seconds"] for cost in costs)
        rows = []
        for cost in costs:
            least = cost.pop("least_seconds")
            seconds = cost["seconds"]
            share, roofline = (
                (seconds / total, least / seconds) if seconds > 0 else (0.0, 0.0)
            )
            rows.append(OperatorCost(**cost, share=share, roofline_share=roofline))
        return tuple(rows)

    @property
    def events(self) -> list[dict[str, Any]]:
        """All events in order, with the fields of the log (``temper train --log``)."""
        return self._native.events(True)

    def export(
        self, path: PathLike, outputs: Iterable[str] | None = None, **options: Any
    ) -> None:
        """Writes the trained model for inference. See temper.export()."""
        self.session.export(path, outputs, **options)

    def report(self, path: PathLike) -> None:
        """Writes a page about the run (.html), as ``temper train --report`` does.

        Raises FileError, an OSError, if it can't be written.
        """
        self._native.write_report(path_of(path, "report"))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (None, _Record(self._native))

    def _repr_html_(self) -> str:
        return _html.run(self)

    def __repr__(self) -> str:
        loss = f", loss {self.losses[-1]:.6g}" if len(self.losses) else ""
        if not len(self.losses) and self.outcome == "finished":
            return f"<Run, nothing left to do: the checkpoint has done {self.step} steps>"
        return f"<Run, {self.outcome} after {self.step} steps{loss}>"
