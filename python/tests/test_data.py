# SPDX-License-Identifier: Apache-2.0
"""What temper.fit() takes as data."""

from __future__ import annotations

import gc
import itertools
import os
import pathlib
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy
import pytest

import temper
from temper import _temper

COUNT = 50
RANDOM = numpy.random.default_rng(4)
X = RANDOM.normal(size=(COUNT, 4)).astype(numpy.float32)
LABELS = RANDOM.integers(0, 3, COUNT)
ARRAYS: dict[str, Any] = {"x": X, "labels": LABELS}
EPOCHS = 2
SIZE = 8


@pytest.fixture(scope="module")
def made(mlp: temper.Model) -> temper.Artifacts:
    return temper.artifacts(mlp)


def parameters(session: temper.Session) -> dict[str, bytes]:
    return {name: each.data.tobytes() for name, each in session.checkpoint.items()}


def fit(made: temper.Artifacts, data: Any, **settings: Any) -> dict[str, bytes]:
    usual: dict[str, Any] = {"epochs": EPOCHS, "batch_size": SIZE, "lr": 0.01}
    return parameters(temper.fit(made, data, **{**usual, **settings}).session)


@pytest.fixture(scope="module")
def expected(made: temper.Artifacts) -> dict[str, bytes]:
    return fit(made, ARRAYS)


def batches_in(order: numpy.ndarray) -> list[tuple[numpy.ndarray, numpy.ndarray]]:
    chunks = [order[begin : begin + SIZE] for begin in range(0, len(order), SIZE)]
    return [(X[chunk], LABELS[chunk]) for chunk in chunks]


def loop(made: temper.Artifacts, batches: list[Any]) -> dict[str, bytes]:
    """The plain loop over these batches."""
    session = temper.Session(made)
    session.learning_rate = 0.01
    for x, labels in batches:
        session.train_step(x, labels)
        session.optimizer_step()
        session.reset_gradients()
    return parameters(session)


class Foreign:
    """An array of another library: only a shape and __dlpack__."""

    def __init__(self, array: numpy.ndarray) -> None:
        self.array = array
        self.shape = array.shape

    def __dlpack__(self, **arguments: object) -> object:
        return self.array.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


@pytest.mark.parametrize(
    "data",
    [
        (X, LABELS),
        {"labels": LABELS, "x": X},
        {"x": Foreign(X), "labels": Foreign(LABELS)},
        {"x": X.tolist(), "labels": LABELS.tolist()},
        {"x": X.astype(float), "labels": LABELS.astype(numpy.uint8)},
        {"x": numpy.asfortranarray(X), "labels": LABELS, "names": ["a"] * COUNT},
        {"features": X, "y": LABELS},
    ],
    ids=["tuple", "dictionary", "dlpack", "lists", "other types", "texts beside", "by fit"],
)
def test_arrays_of_any_kind_train_alike(
    data: Any, made: temper.Artifacts, expected: dict[str, bytes]
) -> None:
    assert fit(made, data) == expected


def test_arrays_are_read_where_they_are(made: temper.Artifacts, tmp_path: pathlib.Path) -> None:
    stored = numpy.memmap(tmp_path / "x", numpy.float32, "w+", shape=X.shape)
    stored[:] = X
    changed: list[temper.Epoch] = []

    def change(epoch: temper.Epoch) -> None:
        if not changed:
            stored[:] = 0
            changed.append(epoch)

    # more epochs than batches are read ahead
    settings: dict[str, Any] = {"epochs": 9, "batch_size": COUNT, "lr": 0.0}
    losses = temper.fit(made, (stored, LABELS), on_epoch=change, **settings).losses
    zero = temper.fit(made, (X * 0, LABELS), **settings).losses[-1]
    assert losses[0] != zero and losses[-1] == zero


def test_batches_train_in_their_order_as_the_plain_loop_does(made: temper.Artifacts) -> None:
    batches = batches_in(numpy.arange(COUNT))
    batches.append((X[:3], LABELS[:3]))  # of another size
    assert fit(made, batches) == loop(made, batches * EPOCHS)


FORMS = ["tuples", "lists", "dictionaries", "generators", "iterable", "streamed samples"]


@pytest.mark.parametrize("form", FORMS)
def test_batches_come_in_many_forms(form: str, made: temper.Artifacts) -> None:
    batches = batches_in(numpy.arange(COUNT))
    named = [{"labels": labels, "x": x} for x, labels in batches]

    def generate() -> Iterator[Any]:
        yield from named

    class Loader:
        def __iter__(self) -> Iterator[Any]:
            return iter(batches)

        def __len__(self) -> int:
            return len(batches)

    class Streamed:
        """Samples one after the other, as Hugging Face streams them."""

        def with_format(self, form: str) -> Streamed:
            return self

        def __iter__(self) -> Iterator[Any]:
            raise AssertionError("one sample at a time")

        def iter(self, batch_size: int, drop_last_batch: bool) -> Iterator[Any]:
            assert batch_size == SIZE and not drop_last_batch
            return iter(named)

    forms = {
        "streamed samples": Streamed(),
        "tuples": batches,
        "lists": [list(batch) for batch in batches],
        "dictionaries": named,
        "generators": generate,
        "iterable": Loader(),
    }
    assert fit(made, forms[form]) == loop(made, batches * EPOCHS)


def test_batches_in_the_order_of_the_engine_train_as_arrays_do(
    made: temper.Artifacts, expected: dict[str, bytes]
) -> None:
    passes = iter(range(EPOCHS))

    def generate() -> Iterator[Any]:
        yield from batches_in(_temper.epoch_order(COUNT, 0, next(passes)))

    assert fit(made, generate) == expected


class ByIndex:
    """Samples as data sets of PyTorch have them."""

    def __init__(self, named: bool = False) -> None:
        self.named = named

    def __len__(self) -> int:
        return COUNT

    def __getitem__(self, index: int) -> Any:
        x, label = X[index], int(LABELS[index])
        return {"x": x, "labels": label, "name": "text"} if self.named else (x, label)


class Table:
    """Several samples at once, as data sets of Hugging Face have them."""

    column_names = ["x", "labels"]

    def __init__(self, form: str | None = None) -> None:
        self.form = form

    def with_format(self, form: str) -> Table:
        return Table(form)

    def __len__(self) -> int:
        return COUNT

    def __getitem__(self, key: list[int]) -> dict[str, Any]:
        assert self.form == "numpy"
        return {"x": X[key], "labels": LABELS[key]}


@pytest.mark.parametrize("data", [ByIndex(), ByIndex(named=True), Table()])
def test_samples_by_index_are_shuffled_as_arrays_are(
    data: Any, made: temper.Artifacts, expected: dict[str, bytes]
) -> None:
    assert fit(made, data) == expected
    evaluations = [
        temper.fit(made, ARRAYS, eval_data=each, epochs=1).evaluations[0].loss
        for each in (data, ARRAYS)
    ]
    assert evaluations[0] == evaluations[1]


class Recorded:
    """Batches that record which threads take them."""

    def __init__(self) -> None:
        self.threads: list[int] = []
        self.changed = threading.Condition()

    def taken(self, _: object = None) -> None:
        with self.changed:
            self.threads.append(threading.get_ident())
            self.changed.notify_all()

    def wait_for(self, count: int) -> bool:
        with self.changed:
            return self.changed.wait_for(lambda: len(self.threads) >= count, timeout=60)

    def generate(self) -> Iterator[Any]:
        for batch in batches_in(numpy.arange(COUNT)):
            self.taken()
            yield batch


class RecordedSamples(Recorded, Table):
    """Its batches are taken by indices."""

    def __init__(self) -> None:
        Recorded.__init__(self)
        Table.__init__(self)

    def with_format(self, form: str) -> RecordedSamples:
        self.form = form
        return self

    def __getitem__(self, key: list[int]) -> dict[str, Any]:
        self.taken()
        return super().__getitem__(key)


@pytest.mark.parametrize("kind", ["batches", "samples by index"])
def test_batches_are_read_ahead_in_a_thread_while_a_callback_takes_its_time(
    kind: str, made: temper.Artifacts
) -> None:
    recorded = Recorded() if kind == "batches" else RecordedSamples()
    ahead = 4  # two are ready, one waits for its turn, one tells whether the epoch ends with that
    callers: set[int] = set()
    more: list[int] = []

    def on_step(step: temper.Step) -> None:
        callers.add(threading.get_ident())
        if step.step == 1:
            assert recorded.wait_for(step.step + ahead)
        more.append(len(recorded.threads) - step.step)

    data: Any = recorded.generate if kind == "batches" else recorded
    temper.fit(made, data, epochs=1, batch_size=SIZE, on_step=on_step)
    first, *others = recorded.threads
    assert len(others) == -(-COUNT // SIZE) - 1
    assert callers == {threading.get_ident()}
    # the first one tells the types of the columns, before anything starts
    assert first == threading.get_ident()
    assert len(set(others)) == 1 and first not in others
    assert max(more) == more[0] == ahead


def test_a_model_of_a_fixed_batch_size_gets_whole_batches() -> None:
    model = temper.from_text(
        """<ir_version: 8, opset_import: ["" : 17]>
        net (float[8, 4] x) => (float[8, 3] logits) <float[4, 3] w = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6,
            0.7, 0.8, 0.9, 1.0, 1.1, 1.2}> { logits = MatMul(x, w) }"""
    )
    runs = [temper.fit(model, data, epochs=2) for data in (ARRAYS, ByIndex())]
    assert [run.history["samples"].tolist() for run in runs] == [[8] * 12] * 2
    assert runs[0].losses.tolist() == runs[1].losses.tolist()
    with pytest.raises(temper.InvalidInputError, match="x"):
        temper.fit(model, [(X[:5], LABELS[:5])], epochs=1)


def test_batches_are_accumulated_up_to_the_end_of_their_epoch(made: temper.Artifacts) -> None:
    run = temper.fit(made, batches_in(numpy.arange(COUNT)), epochs=2, accumulate=3)
    assert run.history["samples"].tolist() == [24, 24, 2] * 2
    assert run.history["epoch"].tolist() == pytest.approx([1 / 3, 2 / 3, 1, 4 / 3, 5 / 3, 2])
    assert [epoch.step for epoch in run.epochs] == [3, 6]


def test_a_run_over_batches_is_resumed_where_it_was(made: temper.Artifacts) -> None:
    batches = batches_in(numpy.arange(COUNT))

    class Enough(Exception):
        run: temper.Run

    def stop(step: temper.Step) -> None:
        if step.step == 10:
            raise Enough

    with pytest.raises(Enough) as caught:
        temper.fit(made, batches, epochs=EPOCHS, lr=0.01, on_step=stop)
    run = temper.fit(caught.value.run.session, batches, epochs=EPOCHS, lr=0.01)
    assert run.history["step"].tolist() == [11, 12, 13, 14]
    assert parameters(run.session) == loop(made, batches * EPOCHS)


def generator() -> Iterator[Any]:
    yield from batches_in(numpy.arange(COUNT))


def test_a_generator_is_iterated_once(made: temper.Artifacts) -> None:
    with pytest.raises(ValueError, match="^The data can be iterated only once; the run has 10 ep"):
        temper.fit(made, generator())
    batches = batches_in(numpy.arange(COUNT))
    assert fit(made, generator(), epochs=1) == loop(made, batches)
    run = temper.fit(made, generator(), steps=4, lr=0.01)
    assert parameters(run.session) == loop(made, batches[:4])
    with pytest.raises(ValueError, match="^The data has ended before the run") as caught:
        temper.fit(made, generator(), steps=8, lr=0.01)
    run = caught.value.run  # type: ignore[attr-defined]
    assert run.step == 7 and parameters(run.session) == loop(made, batches)


def test_schedules_that_need_the_number_of_steps_say_so(made: temper.Artifacts) -> None:
    with pytest.raises(ValueError, match="'cosine' depends on the number of steps"):
        temper.fit(made, generator, schedule="cosine")
    run = temper.fit(made, generator, schedule="cosine", steps=10, lr=1.0)
    assert run.learning_rates[-1] == pytest.approx((1 + numpy.cos(numpy.pi * 0.9)) / 2)
    run = temper.fit(made, generator, schedule={"key": "step", "step_size": 7}, epochs=2, lr=1.0)
    assert run.learning_rates.tolist() == pytest.approx([1.0] * 7 + [0.1] * 7)


def test_an_error_of_the_data_is_the_one_raised(made: temper.Artifacts) -> None:
    class Broken(Exception):
        run: temper.Run

    raised = Broken("disk")

    def generate() -> Iterator[Any]:
        yield from batches_in(numpy.arange(COUNT))[:3]
        raise raised

    with pytest.raises(Broken) as caught:
        temper.fit(made, generate, lr=0.01)
    assert caught.value is raised
    assert (raised.run.outcome, raised.run.step) == ("failed", 3)
    assert raised.run.events[-1]["message"] == "Broken: disk"
    assert parameters(raised.run.session) == loop(made, batches_in(numpy.arange(COUNT))[:3])


def test_a_batch_that_does_not_fit_is_named_with_its_step(made: temper.Artifacts) -> None:
    batches = batches_in(numpy.arange(COUNT))
    batches[2] = (X[:8, :3], LABELS[:8])
    with pytest.raises(ValueError, match="at step 2: batch 3 of epoch 1: Column 'x'"):
        temper.fit(made, batches)
    batches[2] = (X[:8], LABELS[:7])
    with pytest.raises(ValueError, match="at step 2: Column 'labels' has 7 samples; 'x' has 8."):
        temper.fit(made, batches)


YES = (numpy.arange(COUNT) % 2).astype(numpy.float32).reshape(COUNT, 1)
ANSWERS = """<ir_version: 8, opset_import: ["" : 17]>
answers (float[N, 4] x) => (float[N, 1] y) <float[4, 1] w = {0.1, 0.2, -0.3, 0.4}> {
    y = MatMul(x, w)
}"""
BINARY = "Binary cross entropy with logits takes values between 0 and 1; column 't' has 3, first in"


@pytest.mark.parametrize("loss", ["bce_with_logits(y, t)", "mse(y, t) + bce_with_logits(2*y, t)"])
def test_targets_that_the_loss_does_not_take_are_named(loss: str) -> None:
    made = temper.artifacts(temper.from_text(ANSWERS), loss=loss)
    assert temper.fit(made, {"x": X, "t": YES}, epochs=1).outcome == "finished"
    wrong = YES.copy()
    wrong[19] = 3
    # all samples are known before the first step
    with pytest.raises(ValueError, match=f"{BINARY} sample 19 ") as caught:
        temper.fit(made, {"x": X, "t": wrong})
    assert not hasattr(caught.value, "run")
    with pytest.raises(ValueError, match=f"eval_data: {BINARY} sample 19 "):
        temper.fit(made, {"x": X, "t": YES}, eval_data={"x": X, "t": wrong})
    # of batches, only the first one is
    batches = [(X[i : i + SIZE], wrong[i : i + SIZE]) for i in range(0, COUNT, SIZE)]
    with pytest.raises(ValueError, match=f"at step 2: batch 3 of epoch 1: {BINARY} sample 3 "):
        temper.fit(made, batches)
    with pytest.raises(ValueError, match=f"data: {BINARY} sample 3 ") as caught:
        temper.fit(made, batches[2:])
    assert not hasattr(caught.value, "run")


def test_control_c_ends_a_run_whose_batches_never_end(made: temper.Artifacts) -> None:
    def generate() -> Iterator[Any]:
        for count in itertools.count():
            if count == 20:
                os.kill(os.getpid(), signal.SIGINT)
            yield X[:SIZE], LABELS[:SIZE]

    with pytest.raises(KeyboardInterrupt) as caught:
        temper.fit(made, generate)
    run = caught.value.run  # type: ignore[attr-defined]
    assert (run.outcome, run.step) == ("stopped", run.session.checkpoint.step)


def test_the_data_is_released_after_a_run(made: temper.Artifacts) -> None:
    x, labels = X.copy(), LABELS.copy()
    before = [sys.getrefcount(x), sys.getrefcount(labels)]
    runs = [
        temper.fit(made, data, eval_data=(x, labels), epochs=1)
        for data in ((x, labels), [(x, labels)], lambda: iter([(x, labels)]))
    ]
    assert len(runs) == 3
    gc.collect()
    assert [sys.getrefcount(x), sys.getrefcount(labels)] == before


def test_a_run_in_another_thread_is_the_same(
    made: temper.Artifacts, expected: dict[str, bytes]
) -> None:
    results = []
    threads = [threading.Thread(target=lambda: results.append(fit(made, ARRAYS))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 3


def test_evaluation_batches_are_those_of_their_arrays(made: temper.Artifacts) -> None:
    batches = batches_in(numpy.arange(COUNT))
    runs = [
        temper.fit(made, ARRAYS, eval_data=data, epochs=2) for data in (ARRAYS, batches, generator)
    ]
    losses = [[each.loss for each in run.evaluations] for run in runs]
    assert losses[0] == losses[1] == losses[2] and len(losses[0]) == 2
    accuracies = [run.metrics["accuracy"].tolist() for run in runs]
    assert accuracies[0] == accuracies[1] == accuracies[2]


@pytest.mark.parametrize(
    "data, kind, message",
    [
        (3, TypeError, "Expected data; found int."),
        ([X, LABELS], TypeError, "A list of arrays could be columns or batches."),
        ((X,), ValueError, "The model takes 2 inputs (x, labels); found 1 arrays."),
        ([(X,)], ValueError, "The model takes 2 inputs (x, labels); found 1 arrays."),
        ([3], TypeError, "Expected a batch of arrays; found int."),
        ({"x": X}, ValueError, "Input 'labels', int64[batch], has no data column."),
        ((X, LABELS[:7]), ValueError, "Column 'labels' has 7 samples; 'x' has 50."),
        ((X[:0], LABELS[:0]), ValueError, "no samples"),
        ([], ValueError, "The data has no batches."),
        ((X[:, :3], LABELS), ValueError, "'x' (float32 [3] each)"),
        ((X, LABELS + 0.5), ValueError, "'labels' (float64"),
        ((X, numpy.arange(COUNT) % 7), ValueError, "'logits' has 3 classes"),
        ((X * numpy.nan, LABELS), ValueError, "NaN"),
        ((X * 1j, LABELS), TypeError, "has an element type that models do not have"),
        ((X, numpy.array(3.0)), ValueError, "'labels' is a single number"),
        ({"x": [[1.0], [1.0, 2.0]], "labels": [0, 1]}, ValueError, "of column 'x' differ in shape"),
    ],
)
def test_wrong_data_is_named(
    data: Any, kind: type[Exception], message: str, made: temper.Artifacts
) -> None:
    with pytest.raises(kind) as caught:
        temper.fit(made, data)
    assert isinstance(caught.value, temper.Error)
    assert message in str(caught.value)


def test_specifications_and_arrays_do_not_mix(
    made: temper.Artifacts, tmp_path: pathlib.Path
) -> None:
    numpy.savez(tmp_path / "a.npz", **ARRAYS)
    with pytest.raises(ValueError, match="^One of data and eval_data is a data specification"):
        temper.fit(made, tmp_path / "a.npz", eval_data=ARRAYS)
    with pytest.raises(OSError, match="none.npz"):
        temper.fit(made, str(tmp_path / "none.npz"))


@pytest.mark.parametrize("workers", [0, 2])
def test_a_loader_of_pytorch(workers: int, made: temper.Artifacts) -> None:
    torch = pytest.importorskip("torch")
    data = torch.utils.data.TensorDataset(torch.tensor(X), torch.tensor(LABELS))
    loader = torch.utils.data.DataLoader(data, batch_size=SIZE, num_workers=workers)
    assert fit(made, loader) == loop(made, batches_in(numpy.arange(COUNT)) * EPOCHS)
    assert fit(made, data) == fit(made, ARRAYS)
