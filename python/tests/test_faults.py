# SPDX-License-Identifier: Apache-2.0
"""What ONNX Runtime does wrong is right here; the tests have the numbers of its list."""

from __future__ import annotations

import gc
import os
import pathlib
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from conftest import SOURCE_PLACE, Loop, gradient

import temper
from temper.onnxruntime.training import api
from temper.onnxruntime.training.artifacts import LossType, generate_artifacts


def test_2_eval_without_an_eval_model_is_an_error(
    art: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    state = api.CheckpointState.load_checkpoint(art / "checkpoint")
    module = api.Module(art / "training_model.onnx", state)
    module.eval()
    with pytest.raises(temper.Error) as caught:
        module(x, labels)
    assert caught.value.message == "Evaluation session not initialized: the eval model is missing."
    module.train()
    assert module(x, labels)[0] > 0


def test_3_a_parameter_may_be_written_before_a_module_exists(art: pathlib.Path) -> None:
    state = api.CheckpointState.load_checkpoint(art / "checkpoint")
    state.parameters["fc1.bias"].data = numpy.ones(5, numpy.float32)
    numpy.testing.assert_array_equal(state.parameters["fc1.bias"].data, numpy.ones(5))


def test_4_objects_keep_what_they_use(
    art: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    loop = Loop(art)
    loop.module(x, labels)
    scheduler = api.LinearLRScheduler(loop.optimizer, 0, 10, 0.1)
    data = loop.state.parameters["fc1.weight"].data
    before = data.copy()
    optimizer = loop.optimizer
    del loop
    gc.collect()
    assert optimizer.get_learning_rate() == pytest.approx(0.1)
    optimizer.step()
    assert not numpy.array_equal(data, before)
    scheduler.step()
    assert optimizer.get_learning_rate() == pytest.approx(0.09)
    del optimizer
    gc.collect()
    kept = scheduler._optimizer
    before = data.copy()
    kept.step()
    scheduler.step()
    assert kept.learning_rate() == pytest.approx(0.08)
    assert not numpy.array_equal(data, before)


def test_5_a_label_that_is_no_class_is_an_error_with_its_place(
    loop: Loop, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    wrong = labels.copy()
    wrong[7] = 12
    with pytest.raises(RuntimeError) as caught:
        loop.module(x, wrong)
    assert "Label 12 at position 7 is not a class; expected 0 to 2 for 3 classes." in str(
        caught.value
    )
    assert numpy.isfinite(loop.module(x, labels)[0])


def test_6_parameters_and_properties_have_a_repr(loop: Loop) -> None:
    loop.state.properties["epoch"] = 2
    assert repr(loop.state.properties) == "Properties({'epoch': 2})"
    assert repr(loop.state.parameters) == (
        "Parameters(['fc1.bias', 'fc1.weight', 'fc2.bias', 'fc2.weight'])"
    )
    assert repr(loop.state) == "<CheckpointState: 4 parameters, 4 train, step 0>"


def test_7_losses_without_reduction_and_with_weights(
    mlp_path: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    loss = "cross_entropy(logits, labels, weight=[0.2, 1, 3], reduction=sum)"
    session = temper.Session(temper.artifacts(mlp_path, loss=loss))
    logits = temper.run(mlp_path, x)["logits"].astype(float)
    log = logits - numpy.log(numpy.exp(logits).sum(axis=1, keepdims=True))
    weights = numpy.array([0.2, 1, 3])[labels]
    expected = -(weights * log[numpy.arange(16), labels]).sum()
    assert session.train_step(x, labels).loss == pytest.approx(expected, rel=1e-5)


def test_8_a_loss_node_without_its_optional_output_trains(
    tmp_path: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    model = temper.from_text(
        """<ir_version: 8, opset_import: ["" : 17]>
        net (float[N, 4] x, int64[N] labels) => (float[] loss) <
            float[4, 3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}> {
            scores = MatMul(x, w)
            loss = SoftmaxCrossEntropyLoss(scores, labels)
        }"""
    )
    model.save(tmp_path / "model.onnx")
    generate_artifacts(tmp_path / "model.onnx", requires_grad=["w"], artifact_directory=tmp_path)
    state = api.CheckpointState.load_checkpoint(tmp_path / "checkpoint")
    module = api.Module(tmp_path / "training_model.onnx", state)
    module(x, labels)
    scores = x.astype(float) @ numpy.arange(1, 13).reshape(4, 3)
    shares = numpy.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    shares[numpy.arange(16), labels] -= 1
    numpy.testing.assert_allclose(
        gradient(state, "w"), x.T @ shares / 16, rtol=1e-4, atol=1e-6
    )


def test_8_a_normalization_and_a_pooling_without_their_optional_outputs_train(
    tmp_path: pathlib.Path,
) -> None:
    model = temper.from_text(
        """<ir_version: 8, opset_import: ["" : 17]>
        net (float[N, 1, 4] x) => (float[N, 1, 2] y) <
            float[4] scale = {1, 2, 3, 4}, float[4] shift = {0.5, 0, -0.5, 1}> {
            normal = LayerNormalization(x, scale, shift)
            y = MaxPool<kernel_shape = [2], strides = [2]>(normal)
        }"""
    )
    model.save(tmp_path / "model.onnx")
    generate_artifacts(
        tmp_path / "model.onnx", loss=LossType.MSELoss, artifact_directory=tmp_path
    )
    x = numpy.random.default_rng(3).normal(size=(6, 1, 4)).astype(numpy.float32)
    session = temper.Session(tmp_path)
    session.train_step(x, numpy.zeros([6, 1, 2], numpy.float32))
    normal = x - x.mean(axis=2, keepdims=True, dtype=float)
    normal /= numpy.sqrt((normal**2).mean(axis=2, keepdims=True) + 1e-5)
    pairs = (normal * [1, 2, 3, 4] + [0.5, 0, -0.5, 1]).reshape(6, 2, 2)
    larger = pairs == pairs.max(axis=2, keepdims=True)
    slopes = (2 * pairs * larger / 12).reshape(6, 1, 4)
    for name, expected in (("shift", slopes), ("scale", slopes * normal)):
        numpy.testing.assert_allclose(
            session.gradients[name], expected.sum(axis=(0, 1)), rtol=1e-4, atol=1e-6
        )


NORM = """
    <ir_version: 8, opset_import: ["" : 15]>
    net (float[N, 2] x) => (float[N, 2] y) <
        float[2] scale = {1.0, 1.0}, float[2] shift = {0.0, 0.0},
        float[2] running_mean = {0.0, 0.0}, float[2] running_var = {1.0, 1.0}> {
        y = BatchNormalization(x, scale, shift, running_mean, running_var)
    }
"""


def test_10_and_12_batch_normalization_trains_and_its_statistics_are_found(
    tmp_path: pathlib.Path,
) -> None:
    model = tmp_path / "norm.onnx"
    temper.from_text(NORM).save(model)
    generate_artifacts(model, loss=LossType.MSELoss, artifact_directory=tmp_path)
    state = api.CheckpointState.load_checkpoint(tmp_path / "checkpoint")
    assert [name for name, value in state.parameters if value.requires_grad] == ["scale", "shift"]
    module = api.Module(tmp_path / "training_model.onnx", state, tmp_path / "eval_model.onnx")
    x = numpy.array([[1, 10], [3, 30]], numpy.float32)
    module(x, numpy.zeros([2, 2], numpy.float32))
    numpy.testing.assert_allclose(
        state.parameters["running_mean"].data, [0.2, 2.0], rtol=1e-5
    )
    module.eval()
    assert numpy.isfinite(module(x, numpy.zeros([2, 2], numpy.float32)))


def test_11_a_forward_model_is_refused_as_training_model(
    art: pathlib.Path, mlp_path: pathlib.Path
) -> None:
    state = api.CheckpointState.load_checkpoint(art / "checkpoint")
    with pytest.raises(temper.Error) as caught:
        api.Module(mlp_path, state)
    assert caught.value.hint == "Use training model and checkpoint of the same artifacts."


def test_13_no_temporary_file_is_in_the_current_folder(
    mlp_path: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    there = tmp_path / "there"
    here.mkdir()
    there.mkdir()
    monkeypatch.chdir(here)
    generate_artifacts(mlp_path, loss=LossType.MSELoss, artifact_directory=there)
    assert list(here.iterdir()) == []
    onnx = pytest.importorskip("onnx")
    from temper.onnxruntime.training import onnxblock

    seen = []

    class Looking(onnxblock.loss.MSELoss):
        def build(self, loss_input_name: str, target_name: str = "target") -> str:
            built = super().build(loss_input_name, target_name)
            seen.append(list(here.iterdir()))
            return built

    # two models of one folder, with data beside them, as temp.onnx.data would mix them up
    for name in ("first", "second"):
        path = str(there / f"{name}.onnx")
        onnx.save_model(
            onnx.load(str(mlp_path)), path, save_as_external_data=True, location=f"{name}.data"
        )
        generate_artifacts(path, loss=Looking(), artifact_directory=there, prefix=name)
    assert seen == [[], []] and list(here.iterdir()) == []


BLOCKED = """
    net (float[N, 2] x) => (float[N, 2] y) <
        float[2, 2] a = {1.0, 2.0, 3.0, 4.0}, float[2, 2] b = {1.0, 2.0, 3.0, 4.0}> {
        left = MatMul(x, a)
        rounded = Round(left)
        right = MatMul(x, b)
        ceiled = Ceil(right)
        y = Add(rounded, ceiled)
    }
"""


def test_15_all_missing_gradients_are_told_at_once(tmp_path: pathlib.Path) -> None:
    temper.from_text(BLOCKED).save(tmp_path / "blocked.onnx")
    with pytest.raises(temper.ArtifactsError) as caught:
        generate_artifacts(
            tmp_path / "blocked.onnx", loss=LossType.MSELoss, artifact_directory=tmp_path
        )
    errors = [finding for finding in caught.value.findings if finding.severity == "error"]
    assert {name for finding in errors for name in finding.parameters} == {"a", "b"}
    assert {finding.op for finding in errors} == {"Round", "Ceil"}
    assert all(finding.hint for finding in errors)
    assert os.listdir(tmp_path) == ["blocked.onnx"]
    pytest.importorskip("onnx")
    from temper.onnxruntime.training import onnxblock

    with pytest.raises(temper.ArtifactsError) as of_blocks:
        generate_artifacts(
            tmp_path / "blocked.onnx",
            loss=onnxblock.loss.MSELoss(),
            artifact_directory=tmp_path,
        )
    told = [finding for finding in of_blocks.value.findings if finding.severity == "error"]
    assert {finding.op for finding in told} == {"Round", "Ceil"}
    assert all(finding.hint for finding in told)
    assert os.listdir(tmp_path) == ["blocked.onnx"]


def test_20_a_model_of_a_newer_opset_is_converted_to_what_onnxruntime_reads(
    tmp_path: pathlib.Path,
) -> None:
    temper.from_text(
        """<ir_version: 10, opset_import: ["" : 23]>
        net (float[N, 2] x) => (float[N, 2] y) <float[2, 2] w = {1, 2, 3, 4}> {
            y = MatMul(x, w)
        }"""
    ).save(tmp_path / "model.onnx")
    generate_artifacts(
        tmp_path / "model.onnx", loss=LossType.MSELoss, artifact_directory=tmp_path
    )
    assert temper.load_artifacts(tmp_path).training_model.opset == 21


def test_16_a_missing_checkpoint_is_named(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "nothing"
    with pytest.raises(FileNotFoundError) as caught:
        api.CheckpointState.load_checkpoint(path)
    assert str(caught.value) == f"The checkpoint '{path}' does not exist."
    (tmp_path / "text").write_text("no checkpoint")
    with pytest.raises(RuntimeError, match=f"^.*{tmp_path}/text"):
        api.CheckpointState.load_checkpoint(tmp_path / "text")


def test_16_messages_have_no_places_in_sources(
    art: pathlib.Path, mlp: temper.Model, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    """Those of other tests do not either: conftest.py looks at each error of the engine."""
    loop, session = Loop(art), temper.Session(art)
    nominal = temper.Session(art, art / "nominal_checkpoint")
    mixed: Any = "text"
    calls: list[Callable[[], object]] = [
        lambda: api.CheckpointState.load_checkpoint(art / "eval_model.onnx"),
        lambda: api.LinearLRScheduler(loop.optimizer, mixed, 2, 0.1),
        lambda: api.Module(art / "checkpoint", loop.state),
        lambda: api.Optimizer(art / "eval_model.onnx", loop.module),
        lambda: loop.module(x),
        lambda: loop.module(x[:, :3], labels),
        lambda: loop.module(x, labels[:3]),
        lambda: loop.module(x.astype(float), labels),
        lambda: loop.module.copy_buffer_to_parameters(mixed),
        lambda: loop.module.export_model_for_inferencing("x.onnx", [3]),  # type: ignore[list-item]
        lambda: loop.module.get_contiguous_parameters(mixed),
        lambda: loop.optimizer.set_learning_rate(mixed),
        lambda: loop.state.parameters["none"],
        lambda: loop.state.parameters[3],  # type: ignore[index]
        lambda: loop.state.properties.__setitem__("a", [1]),
        lambda: nominal.train_step(x, labels),
        lambda: session.export("x.onnx", ["none"]),
        lambda: temper.InferenceSession(mlp, threads=mixed).run(None, {"x": x}),
        lambda: temper.Session(art, device="none"),
        lambda: temper.Session(art, threads=mixed),
        lambda: temper.artifacts(mlp, loss="0.5*"),
        lambda: temper.artifacts(mlp, train=["none"]),
        lambda: temper.fit(art, (x, numpy.arange(16))),
        lambda: temper.from_text("(float[2] x) =>"),
        lambda: temper.open(b"no model"),
        lambda: temper.run(temper.from_text("(float[2] x) => (y) { y = a.b.No(x) }"), x[0, :2]),
    ]
    for number, call in enumerate(calls):
        with pytest.raises(Exception) as caught:
            call()
        assert not SOURCE_PLACE.search(str(caught.value)), (number, caught.value)


def test_1_warmup_and_total_are_not_swapped(
    loop: Loop, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    scheduler = api.LinearLRScheduler(loop.optimizer, 2, 6, 0.1)
    rates = [loop.optimizer.get_learning_rate()]
    for _ in range(6):
        loop.step(x, labels)
        scheduler.step()
        rates.append(loop.optimizer.get_learning_rate())
    numpy.testing.assert_allclose(rates, [0, 0.05, 0.1, 0.075, 0.05, 0.025, 0], atol=1e-8)


TRAINS = """
import sys
for name in ("torch", "onnx", "onnxruntime", "google.protobuf"):
    sys.modules[name] = None  # as if it were not installed
import numpy, temper
temper.as_onnxruntime_training()
from onnxruntime.training import api, artifacts

folder = sys.argv[1]
artifacts.generate_artifacts(
    folder + "/model.onnx", loss=artifacts.LossType.CrossEntropyLoss,
    optimizer=artifacts.OptimType.AdamW, artifact_directory=folder,
)
state = api.CheckpointState.load_checkpoint(folder + "/checkpoint")
module = api.Module(folder + "/training_model.onnx", state)
optimizer = api.Optimizer(folder + "/optimizer_model.onnx", module)
print(float(module(numpy.ones([2, 4], numpy.float32), numpy.zeros([2], numpy.int64))) > 0)
optimizer.step()
"""


def test_14_training_needs_numpy_only(mlp: temper.Model, tmp_path: pathlib.Path) -> None:
    mlp.save(tmp_path / "model.onnx")
    command = [sys.executable, "-c", TRAINS, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_17_nothing_is_written_before_a_wrong_choice_is_refused(
    mlp_path: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    wrong: list[dict[str, Any]] = [
        {"optimizer": "adamw"},
        {"loss": "mse"},
        {"additional_output_names": ["nothing"]},
        {"loss_input_names": ["nothing"]},
        {"requires_grad": ["nothing"]},
        {"custom_op_library": mlp_path},
        {"optimizer_config": {}},
    ]
    for arguments in wrong:
        chosen = {"loss": LossType.CrossEntropyLoss, **arguments}
        with pytest.raises((TypeError, RuntimeError)):
            generate_artifacts(mlp_path, artifact_directory=tmp_path, **chosen)
        assert list(tmp_path.iterdir()) == [], arguments


def test_17_nothing_is_written_before_a_block_fails(
    mlp_path: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    pytest.importorskip("onnx")
    from temper.onnxruntime.training import onnxblock

    class Late(onnxblock.optim.AdamW):
        def build(self, parameters: Any) -> str:
            super().build(parameters)
            raise RuntimeError("too late")

    for loss in (LossType.MSELoss, onnxblock.loss.MSELoss()):
        with pytest.raises(RuntimeError, match="^too late$"):
            generate_artifacts(mlp_path, loss=loss, optimizer=Late(), artifact_directory=tmp_path)
        assert list(tmp_path.iterdir()) == []


def test_18_a_model_of_any_origin_trains_in_three_lines(
    mlp_path: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    loss = "0.5*cross_entropy(logits, labels) + 0.01*l2('*.weight')"
    session = temper.Session(temper.artifacts(mlp_path, loss=loss))
    first = session.train_step(x, labels).loss
    session.optimizer_step()
    assert session.train_step(x, labels).loss < first
    run = temper.fit(mlp_path, (x, labels), loss=loss, steps=3, batch_size=16, lr=0.01)
    assert len(run.losses) == 3 and run.losses[-1] < run.losses[0]


def test_19_values_that_no_one_asked_for_in_advance_are_there(
    art: pathlib.Path, mlp_path: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    values = temper.Session(art).eval_step(x, labels, values=["hidden", "logits"])
    inside = temper.run(mlp_path, x, outputs=["hidden", "logits"])
    for name, expected in inside.items():
        numpy.testing.assert_array_equal(values[name], expected)


def test_a_model_of_more_than_2_gib_as_a_message_is_refused(tmp_path: pathlib.Path) -> None:
    class Large:
        def ByteSize(self) -> int:  # noqa: N802, names of protobuf
            return (1 << 31) + 1

        def SerializeToString(self) -> bytes:  # noqa: N802
            raise AssertionError("not even tried")

    with pytest.raises(RuntimeError, match="larger than 2 GiB") as caught:
        generate_artifacts(Large(), artifact_directory=tmp_path)
    assert "Pass its path." in str(caught.value)


def test_without_a_loss_the_other_outputs_come_after_the_first(tmp_path: pathlib.Path) -> None:
    model = temper.from_text(
        """<ir_version: 8, opset_import: ["" : 17]>
        net (float[N, 2] x) => (float[] loss, float[N, 2] y) <float[2] w = {1, 2}> {
            y = Mul(x, w)
            loss = ReduceSum<keepdims = 0>(y)
        }"""
    )
    model.save(tmp_path / "model.onnx")
    for arguments, expected in (
        ({}, ["loss", "y"]),
        ({"additional_output_names": ["y"]}, ["loss", "y"]),
        ({"loss_input_names": ["loss"]}, ["loss"]),
    ):
        options: dict[str, Any] = arguments
        generate_artifacts(tmp_path / "model.onnx", artifact_directory=tmp_path, **options)
        made = temper.load_artifacts(tmp_path)
        assert [value.name for value in made.training_model.outputs if "accum" not in value.name][
            : len(expected)
        ] == expected
