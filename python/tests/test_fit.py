# SPDX-License-Identifier: Apache-2.0
"""temper.fit(): the numbers of the program temper, callbacks, interruptions, wrong arguments."""

from __future__ import annotations

import json
import logging
import os
import pathlib
import signal
import sys
import threading
import types
from typing import Any

import numpy
import pytest
from conftest import mlp_text
from program import needs_program, train

import temper

COUNT = 50


def samples(seed: int, count: int = COUNT) -> dict[str, Any]:
    """Two of the three classes depend on x."""
    random = numpy.random.default_rng(seed)
    x = random.normal(size=(count, 4)).astype(numpy.float32)
    labels = numpy.where(x[:, 2] > 0.8, 2, (x[:, 0] > 0).astype(int)).astype(numpy.int64)
    labels[:3] = [0, 1, 2]
    return {"x": x, "labels": labels}


TRAINING = samples(1)
EVALUATION = samples(2, 23)

DROPOUT = mlp_text().replace(
    "logits = Gemm<transB = 1>(positive",
    """ratio = Constant<value_float = 0.4>()
       on = Constant<value = bool {1}>()
       dropped = Dropout(positive, ratio, on)
       logits = Gemm<transB = 1>(dropped""",
)


@pytest.fixture(scope="module")
def made(mlp: temper.Model, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("made")
    temper.artifacts(mlp, folder)
    return folder


@pytest.fixture(scope="module")
def dropout(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("dropout")
    temper.artifacts(temper.from_text(DROPOUT), folder, optimizer="momentum")
    return folder


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pathlib.Path]:
    """The samples as files, for the program."""
    folder = tmp_path_factory.mktemp("data")
    numpy.savez(folder / "training.npz", **TRAINING)
    numpy.savez(folder / "evaluation.npz", **EVALUATION)
    numpy.savez(folder / "double.npz", x=TRAINING["x"].astype(float), labels=TRAINING["labels"])
    return {name: folder / f"{name}.npz" for name in ("training", "evaluation", "double")}


def parameters(session: temper.Session) -> dict[str, bytes]:
    return {name: each.data.tobytes() for name, each in session.checkpoint.items()}


def saved(folder: pathlib.Path, name: str = "last.ckpt") -> dict[str, bytes]:
    checkpoint = temper.Checkpoint.load(folder / name)
    return {name: each.data.tobytes() for name, each in checkpoint.items()}


SETTINGS: dict[str, dict[str, Any]] = {
    "defaults": {"epochs": 2},
    "batch and seed": {"epochs": 2, "batch_size": 7, "seed": 5, "lr": 0.01},
    "steps": {"steps": 11, "batch_size": 16, "lr": 0.003},
    "cosine": {
        "epochs": 3,
        "batch_size": 8,
        "lr": 0.02,
        "schedule": {"key": "cosine", "warmup_steps": 4, "min_rate": 0.001},
    },
    "multi-step": {"epochs": 2, "schedule": {"key": "multi-step", "milestones": [1, 3]}},
    "accumulation and clipping": {
        "epochs": 2,
        "batch_size": 6,
        "accumulate": 4,
        "clip_norm": 0.1,
        "clip_value": 0.02,
    },
    "average": {"epochs": 2, "average_decay": 0.9, "evaluate_average": True, "batch_size": 8},
    "guard": {"epochs": 2, "divergence_guard": False, "threads": 2},
}


@needs_program
@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("model", ["made", "dropout"])
def test_fit_trains_as_the_program_does(
    name: str,
    model: str,
    files: dict[str, pathlib.Path],
    tmp_path: pathlib.Path,
    request: pytest.FixtureRequest,
) -> None:
    folder = request.getfixturevalue(model)
    settings = SETTINGS[name]
    log = train(folder, tmp_path, data=files["training"], eval_data=files["evaluation"], **settings)
    run = temper.fit(folder, TRAINING, eval_data=EVALUATION, save=tmp_path / "ours", **settings)
    steps = [event for event in log if event["event"] == "step"]
    assert run.losses.tolist() == [event["loss"] for event in steps]
    assert run.learning_rates.tolist() == [event["learning_rate"] for event in steps]
    assert run.gradient_norms.tolist() == [event["grad_norm"] for event in steps]
    evaluations = [event for event in log if event["event"] == "eval"]
    assert [each.loss for each in run.evaluations] == [event["loss"] for event in evaluations]
    assert [dict(each.metrics) for each in run.evaluations] == [
        event["metrics"] for event in evaluations
    ]
    assert parameters(run.session) == saved(tmp_path / "saved")
    for name in ("last.ckpt", "best.ckpt"):
        assert (tmp_path / "ours" / name).read_bytes() == (tmp_path / "saved" / name).read_bytes()


@needs_program
def test_a_specification_is_read_as_the_program_reads_it(
    made: pathlib.Path, files: dict[str, pathlib.Path], tmp_path: pathlib.Path
) -> None:
    table = tmp_path / "table.csv"
    columns = [f"x{i}" for i in range(4)]
    rows = [",".join(columns + ["class"])]
    rows += [
        ",".join([*map(repr, map(float, x)), f"kind{label}"])
        for x, label in zip(TRAINING["x"], TRAINING["labels"])
    ]
    table.write_text("\n".join(rows) + "\n")
    spec = f"csv:{table}?target=class&split=0.7&normalize=standard"
    train(made, tmp_path, data=spec, epochs=2)
    run = temper.fit(made, spec, epochs=2)
    assert parameters(run.session) == saved(tmp_path / "saved")
    assert len(run.evaluations) == 2


@needs_program
def test_doubles_are_fed_as_the_program_feeds_them(
    made: pathlib.Path, files: dict[str, pathlib.Path], tmp_path: pathlib.Path
) -> None:
    train(made, tmp_path, data=files["double"], epochs=1)
    double = {"x": TRAINING["x"].astype(float), "labels": TRAINING["labels"]}
    for data in (double, TRAINING):
        assert parameters(temper.fit(made, data, epochs=1).session) == saved(tmp_path / "saved")


def test_a_run_is_resumed_as_if_it_had_not_stopped(
    made: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    settings: dict[str, Any] = {"epochs": 4, "batch_size": 8, "schedule": "linear"}
    whole = temper.fit(made, TRAINING, **settings)
    with pytest.raises(Stop) as caught:
        temper.fit(made, TRAINING, on_step=stop_at(9), save=tmp_path / "half", **settings)
    half = tmp_path / "half" / "last.ckpt"
    assert temper.Checkpoint.load(half).step == 9
    resumed = temper.fit(made, TRAINING, resume=half, **settings)
    assert resumed.history["step"].tolist() == list(range(10, whole.step + 1))
    assert parameters(resumed.session) == parameters(whole.session)
    session = caught.value.run.session
    again = temper.fit(session, TRAINING, **settings)
    assert parameters(again.session) == parameters(whole.session)
    assert again.session is session


class Stop(Exception):
    """Ends a run."""

    run: temper.Run


def stop_at(step: int) -> Any:
    def on_step(done: temper.Step) -> None:
        if done.step == step:
            raise Stop("enough")

    return on_step


def test_artifacts_sessions_and_models_train_alike(
    mlp: temper.Model, mlp_path: pathlib.Path, made: pathlib.Path
) -> None:
    settings: dict[str, Any] = {"epochs": 1, "lr": 0.01, "seed": 3}
    expected = parameters(temper.fit(made, TRAINING, **settings).session)
    assert parameters(temper.fit(mlp, TRAINING, **settings).session) == expected
    assert parameters(temper.fit(mlp_path, TRAINING, **settings).session) == expected
    artifacts = temper.load_artifacts(made)
    assert parameters(temper.fit(artifacts, TRAINING, **settings).session) == expected
    session = temper.Session(artifacts, seed=3)
    run = temper.fit(session, TRAINING, epochs=1, lr=0.01)
    assert run.session is session and parameters(session) == expected


def test_the_choices_of_artifacts_are_arguments(mlp: temper.Model) -> None:
    run = temper.fit(mlp, TRAINING, epochs=1, optimizer="sgd", train=["fc2.*"])
    before = temper.Checkpoint.of(temper.artifacts(mlp))
    changed = [
        name
        for name, each in run.session.checkpoint.items()
        if each.data.tobytes() != before[name].data.tobytes()
    ]
    assert changed == ["fc2.weight", "fc2.bias"]
    smooth = {"key": "cross-entropy", "label_smoothing": 0.3}
    other = temper.fit(mlp, TRAINING, epochs=1, loss=smooth)
    assert other.losses[0] != run.losses[0]


def test_the_loss_of_the_first_step_is_that_of_numpy(mlp: temper.Model) -> None:
    run = temper.fit(mlp, TRAINING, steps=1, batch_size=COUNT)
    logits = temper.run(mlp, TRAINING["x"])["logits"].astype(float)
    log = logits - numpy.log(numpy.exp(logits).sum(axis=1, keepdims=True))
    assert run.losses[0] == pytest.approx(-log[numpy.arange(COUNT), TRAINING["labels"]].mean())


def test_callbacks_see_what_happens_and_the_state_of_their_step(
    made: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    session = temper.Session(made)
    seen: dict[str, list[Any]] = {"step": [], "epoch": [], "evaluation": [], "checkpoint": []}
    biases = []

    def on_step(step: temper.Step) -> None:
        seen["step"].append(step)
        biases.append(session.checkpoint["fc2.bias"].data.copy())
        assert session.checkpoint.step == step.step
        session.eval_step(TRAINING)

    run = temper.fit(
        session,
        TRAINING,
        eval_data=EVALUATION,
        epochs=2,
        save=tmp_path,
        on_step=on_step,
        on_epoch=seen["epoch"].append,
        on_evaluation=seen["evaluation"].append,
        on_checkpoint=seen["checkpoint"].append,
    )
    assert [step.loss for step in seen["step"]] == run.losses.tolist()
    assert tuple(seen["epoch"]) == run.epochs
    assert tuple(seen["checkpoint"]) == run.checkpoints
    kinds = [each.kind for each in run.checkpoints]
    assert kinds[:2] == ["best", "last"] and kinds[-1] == "last"
    assert len({bias.tobytes() for bias in biases}) == len(biases) == run.step
    numpy.testing.assert_array_equal(biases[-1], session.checkpoint["fc2.bias"].data)
    (first, _) = seen["evaluation"]
    assert first.confusion_matrix.sum() == first.samples == 23
    assert parameters(session) == parameters(temper.fit(made, TRAINING, epochs=2).session)
    for change in (
        lambda: setattr(seen["step"][0], "loss", 0),
        lambda: first.metrics.update(accuracy=1),
        lambda: first.confusion_matrix.fill(0),
        lambda: run.losses.fill(0),
    ):
        with pytest.raises((AttributeError, ValueError)):
            change()


@pytest.mark.parametrize("name", ["on_step", "on_epoch", "on_evaluation", "on_checkpoint"])
def test_an_exception_in_a_callback_ends_training_and_is_raised(
    name: str, made: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    raised = Stop("enough")

    def fail(event: object) -> None:
        raise raised

    callback: dict[str, Any] = {name: fail}
    with pytest.raises(Stop) as caught:
        temper.fit(made, TRAINING, eval_data=EVALUATION, save=tmp_path, epochs=50, **callback)
    assert caught.value is raised
    assert raised.run.outcome == "stopped"
    assert raised.run.step == (1 if name == "on_step" else 2)
    assert saved(tmp_path) == parameters(raised.run.session)


def test_control_c_ends_the_run_and_leaves_a_usable_session(
    made: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    session = temper.Session(made)
    started = threading.Event()

    def interrupt() -> None:
        started.wait()
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        temper.fit(
            session,
            TRAINING,
            epochs=10**6,
            save=tmp_path,
            save_every=10**9,
            on_epoch=lambda epoch: started.set(),
        )
    thread.join()
    run = caught.value.run  # type: ignore[attr-defined]
    assert (run.outcome, run.step) == ("stopped", session.checkpoint.step)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["last.ckpt"]
    assert saved(tmp_path) == parameters(session)
    before = session.checkpoint.step
    session.train_step(TRAINING)
    session.optimizer_step()
    assert session.checkpoint.step == before + 1


def test_other_threads_run_during_a_run(made: pathlib.Path) -> None:
    turns = 0
    done = threading.Event()

    def count() -> None:
        nonlocal turns
        while not done.wait(0.0005):
            turns += 1

    counter = threading.Thread(target=count)
    counter.start()
    try:
        for _ in range(1000):
            temper.fit(made, TRAINING, steps=200)
            if turns >= 20:
                break
    finally:
        done.set()
        counter.join()
    assert turns >= 20


def test_evaluations_stop_a_run_early_and_name_the_best(made: pathlib.Path) -> None:
    run = temper.fit(
        made,
        TRAINING,
        eval_data=EVALUATION,
        lr=0.0,
        epochs=30,
        early_stop=3,
        metrics=["accuracy", "loss"],
        best_metric="accuracy",
    )
    assert (run.outcome, len(run.evaluations)) == ("finished", 4)
    assert "has not improved 3 times" in run.warnings[0].message
    assert list(run.metrics) == ["accuracy", "loss"]
    assert run.best == run.evaluations[0]
    logits = run.session.eval_step(EVALUATION, values=["logits"])["logits"]
    right = (logits.argmax(axis=1) == EVALUATION["labels"]).mean()
    assert run.metrics["accuracy"].tolist() == pytest.approx([right] * 4)


def test_a_finished_session_has_nothing_left_to_do(made: pathlib.Path) -> None:
    session = temper.Session(made)
    temper.fit(session, TRAINING, epochs=2)
    before = parameters(session)
    run = temper.fit(session, TRAINING, epochs=2)
    assert parameters(session) == before
    assert "nothing to train" in run.warnings[0].message
    assert "nothing left to do" in repr(run)
    assert len(temper.fit(session, TRAINING, epochs=3).losses) == 2


def test_a_loss_that_becomes_infinite_is_a_numeric_error(made: pathlib.Path) -> None:
    data = {"x": TRAINING["x"] * 1e30, "labels": TRAINING["labels"]}
    with pytest.raises(temper.NumericError, match="^The training failed at step") as caught:
        temper.fit(made, data, lr=1e20, epochs=20)
    assert caught.value.run.outcome == "failed"  # type: ignore[attr-defined]


def test_a_log_and_a_report_are_written(made: pathlib.Path, tmp_path: pathlib.Path) -> None:
    run = temper.fit(
        made, TRAINING, epochs=2, log=tmp_path / "run.jsonl", report=tmp_path / "run.html"
    )
    lines = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert lines[0]["event"] == "settings"
    assert [line["event"] for line in lines[1:]] == [each["event"] for each in run.events]
    assert [line["loss"] for line in lines if line["event"] == "step"] == run.losses.tolist()
    page = (tmp_path / "run.html").read_text()
    assert page.startswith("<!DOCTYPE html>") and "<svg" in page


def test_nothing_is_printed(made: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    temper.fit(made, TRAINING, eval_data=EVALUATION, epochs=2, keep_best=2)
    temper.fit(made, TRAINING, epochs=2, early_stop=2)
    assert capfd.readouterr() == ("", "")


def test_a_run_tells_its_logger(
    made: pathlib.Path, caplog: pytest.LogCaptureFixture, tmp_path: pathlib.Path
) -> None:
    with caplog.at_level(logging.DEBUG, "temper"):
        temper.fit(made, TRAINING, epochs=2, early_stop=2, save=tmp_path)
    assert {record.name for record in caplog.records} == {"temper"}
    for line in ("epoch 2: training loss", f"checkpoint (last): {tmp_path}"):
        assert line in caplog.text
    (warning,) = [each for each in caplog.records if each.levelno == logging.WARNING]
    assert "No evaluation samples" in warning.getMessage()
    with caplog.at_level(logging.INFO, "temper"):
        temper.fit(made, TRAINING, eval_data=EVALUATION, epochs=1)
    assert ": evaluation loss" in caplog.text


def test_a_bar_is_shown_if_it_is_wanted(
    made: pathlib.Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    temper.fit(made, TRAINING, epochs=3, progress=True)
    output = capfd.readouterr()
    assert output.out == ""
    assert "100 % [########################]  step 6 of 6  mean loss" in output.err
    assert output.err.endswith("\n")


def test_the_bar_is_that_of_tqdm_if_it_is_installed(
    made: pathlib.Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Bar:
        """What is used of tqdm."""

        def __init__(self, total: int | None, initial: int, unit: str) -> None:
            self.total, self.n, self.closed = total, initial, False
            bars.append(self)

        def __bool__(self) -> bool:
            raise TypeError("as tqdm's without a total")

        def set_postfix_str(self, text: str, refresh: bool) -> None:
            assert "loss " in text

        def update(self, count: int) -> None:
            self.n += count

        def close(self) -> None:
            self.closed = True

    bars: list[Bar] = []
    module = types.ModuleType("tqdm.auto")
    module.tqdm = Bar  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    temper.fit(made, TRAINING, epochs=3, progress=True)
    temper.fit(made, lambda: iter([TRAINING] * 5), epochs=2, progress=True)
    assert [(bar.total, bar.n, bar.closed) for bar in bars] == [(6, 6, True), (None, 10, True)]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "arguments, kind, message",
    [
        ({"epoch": 3}, TypeError, "has no argument 'epoch'.\nDid you mean 'epochs'?"),
        ({"on_stepp": print}, TypeError, "has no argument 'on_stepp'.\nDid you mean 'on_step'?"),
        ({"epochs": 2.5}, TypeError, "Expected a whole number for epochs; found 2.5."),
        ({"lr": "fast"}, TypeError, "Expected a number for lr; found 'fast'."),
        ({"lr": float("nan")}, ValueError, "'lr' is nan; expected a finite number."),
        ({"evaluate_average": 2.0}, TypeError, "Expected True or False for evaluate_average"),
        ({"best_metric": 3}, TypeError, "Expected a text for best_metric; found 3."),
        ({"save": 3}, TypeError, "Expected a path for save; found int."),
        ({"binding": "x"}, TypeError, "Expected a mapping for binding; found 'x'."),
        ({"on_step": 3}, TypeError, "Expected a function for on_step; found 3."),
        ({"lr": 1, "learning_rate": 1}, ValueError, "'learning_rate' is given twice"),
        ({"batch_size": 0}, ValueError, "'Batch size' is 0; expected 1 or more."),
        ({"schedule": "cosin"}, ValueError, "cosin"),
        ({"metrics": "acuracy"}, ValueError, "acuracy"),
        ({"loss": "mse"}, ValueError, "'loss' is given, but the artifacts have been made."),
        ({"bind": {"x": "nothing"}}, ValueError, "The data has no column 'nothing'"),
    ],
)
def test_wrong_arguments_are_named(
    arguments: dict[str, Any], kind: type[Exception], message: str, made: pathlib.Path
) -> None:
    with pytest.raises(kind) as caught:
        temper.fit(made, TRAINING, **arguments)
    assert isinstance(caught.value, temper.Error)
    assert message in str(caught.value)


def test_a_session_has_its_own_settings(made: pathlib.Path) -> None:
    session = temper.Session(made)
    with pytest.raises(ValueError, match="^'threads' is given, but the session has been made."):
        temper.fit(session, TRAINING, threads=2)
    with pytest.raises(ValueError, match="^'resume' is given, but the session has a checkpoint."):
        temper.fit(session, TRAINING, resume=session.checkpoint)


def test_every_setting_of_the_engine_is_documented() -> None:
    from temper import _temper

    described = " ".join((temper.fit.__doc__ or "").split())
    assert all(f"{row.key}: {row.help}" in described for row in _temper.run_settings())
