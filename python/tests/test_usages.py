# SPDX-License-Identifier: Apache-2.0
"""How people use ONNX Runtime's training, one test for each way, numbered as in its survey."""

from __future__ import annotations

import concurrent.futures
import copy
import io
import json
import pathlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import temper
from temper.onnxruntime.training import api, artifacts

onnx = pytest.importorskip("onnx")
import usage_models  # noqa: E402
from onnx import helper, numpy_helper  # noqa: E402
from usage_models import log_softmax, logits_of  # noqa: E402
from usage_training import Training, generate  # noqa: E402
from temper.onnxruntime.training import onnxblock  # noqa: E402
from temper.onnxruntime.training.onnxblock import blocks  # noqa: E402

RANDOM = numpy.random.default_rng(11)
X = RANDOM.normal(size=(32, 4)).astype(numpy.float32)
Y = (X @ RANDOM.normal(size=(4, 3))).argmax(axis=1)


def changed(before: dict[str, numpy.ndarray], after: dict[str, numpy.ndarray]) -> set[str]:
    return {name for name in before if not numpy.array_equal(before[name], after[name])}


def test_1_the_notebook_for_digits(tmp_path: pathlib.Path) -> None:
    file = io.BytesIO()
    onnx.save(usage_models.classifier(), file)
    model = onnx.load_model_from_string(file.getvalue())
    trained = [initializer.name for initializer in model.graph.initializer]
    generate(model, tmp_path, requires_grad=trained, additional_output_names=["output"])
    training = Training(tmp_path, rate=0.1)
    loss = logits = numpy.zeros([])
    for _ in range(60):
        loss, logits = training.module(*[X, Y.astype(numpy.int64)])
        training.optimizer.step()
        training.module.lazy_reset_grad()
    assert f"{loss:.4f}" == f"{float(loss):.4f}"
    assert (logits.argmax(axis=1) == Y).mean() > 0.9
    training.module.eval()
    outputs = training.module.output_names()[1:]
    training.module.export_model_for_inferencing(tmp_path / "inference.onnx", outputs)
    session = temper.InferenceSession(tmp_path / "inference.onnx")
    assert [value.name for value in session.get_outputs()] == ["output"]
    result = session.run(None, {session.get_inputs()[0].name: X})[0]
    numpy.testing.assert_allclose(result, logits_of(training.values(), X), rtol=1e-4, atol=1e-5)


def test_2_the_last_layer_trains(tmp_path: pathlib.Path) -> None:
    model = usage_models.classifier()
    trained = ["fc2.weight", "fc2.bias"]
    frozen = [value.name for value in model.graph.initializer if value.name not in trained]
    generate(model, tmp_path, requires_grad=trained, frozen_params=frozen)
    training = Training(tmp_path)
    before = training.values()
    losses = training.steps(10, X, Y)
    assert losses[-1] < losses[0]
    assert changed(before, training.values()) == set(trained)


def test_3_everything_trains_but_running_statistics(tmp_path: pathlib.Path) -> None:
    model = usage_models.with_norm()
    names = [value.name for value in model.graph.initializer]
    statistics = [name for name in names if "running_mean" in name or "running_var" in name]
    # buffers' names of PyTorch, of which the exporter drops some
    frozen = [*statistics, "bn.num_batches_tracked"]
    trained = [name for name in names if name not in statistics]
    generate(model, tmp_path, requires_grad=trained, frozen_params=frozen)
    training = Training(tmp_path)
    before = training.values()
    losses = training.steps(10, X, Y)
    assert losses[-1] < losses[0]
    gradients = {name for name, parameter in training.state.parameters if parameter.requires_grad}
    assert gradients == set(trained)
    # the bias before a normalization has no effect, and so nearly no gradient
    assert changed(before, training.values()) >= {*trained, *statistics} - {"fc1.bias"}
    training.module.eval()
    assert numpy.isfinite(training.module(X, Y))


def test_4_adapters_by_substring_of_a_model_by_path(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "language_model.onnx"
    onnx.save_model(
        usage_models.with_adapters(),
        str(path),
        save_as_external_data=True,
        location="weights.bin",
        size_threshold=0,
    )
    (tmp_path / "training.json").write_text(json.dumps({"trained": ["lora_"]}))
    parts = json.loads((tmp_path / "training.json").read_text())["trained"]
    names = [value.name for value in onnx.load(path, load_external_data=False).graph.initializer]
    trained = [name for name in names if any(part in name for part in parts)]
    frozen = [name for name in names if name not in trained]
    folder = tmp_path / "artifacts"
    folder.mkdir()
    generate(str(path), folder, requires_grad=trained, frozen_params=frozen, loss=None)
    training = Training(folder, rate=0.05)
    before = training.values()
    losses = training.steps(20, X, Y)
    logits = X @ (
        before["layers.0.weight"]
        + before["layers.0.lora_A.weight"] @ before["layers.0.lora_B.weight"]
    )
    expected = -log_softmax(logits)[numpy.arange(32), Y].mean()
    assert losses[0] == pytest.approx(expected, rel=1e-5)
    assert losses[-1] < losses[0]
    assert changed(before, training.values()) == set(trained) == {
        "layers.0.lora_A.weight",
        "layers.0.lora_B.weight",
    }


def test_5_a_pass_through_that_skips_the_check(tmp_path: pathlib.Path) -> None:
    class Unchecked(blocks.PassThrough):
        def __call__(self, *names: str) -> Any:
            return self.build(*names)

    trained = {"layers.0.weight", "layers.0.lora_A.weight", "layers.0.lora_B.weight"}
    generate(usage_models.with_adapters(), tmp_path, requires_grad=trained, loss=Unchecked())
    training = Training(tmp_path, rate=0.05)
    losses = training.steps(20, X, Y)
    assert losses[-1] < losses[0]
    assert training.module.output_names() == ["loss", "logits"]


def test_6_blocks_by_hand_and_four_files(tmp_path: pathlib.Path) -> None:
    class Classification(onnxblock.TrainingBlock):
        def __init__(self) -> None:
            super().__init__()
            self.loss = onnxblock.loss.CrossEntropyLoss()

        def build(self, output: str) -> tuple[str, str]:
            return self.loss(output), output

    model = usage_models.classifier()
    for initializer, name in zip(model.graph.initializer, ["const_fold_1", "const_fold_2"]):
        for node in model.graph.node:
            node.input[:] = [name if each == initializer.name else each for each in node.input]
        initializer.name = name
    block = Classification()
    for initializer in model.graph.initializer:
        block.requires_grad(initializer.name, "const" not in initializer.name)
    with onnxblock.base(model):
        block(*[output.name for output in model.graph.output])
        training_model, eval_model = block.to_model_proto()
        parameters = block.parameters()
    optimizer = onnxblock.optim.SGD()
    with onnxblock.empty_base():
        optimizer(parameters)
        optimizer_model = optimizer.to_model_proto()
    onnx.save(training_model, tmp_path / "training_model.onnx")
    onnx.save(eval_model, tmp_path / "eval_model.onnx")
    onnx.save(optimizer_model, tmp_path / "optimizer_model.onnx")
    onnxblock.save_checkpoint(parameters, tmp_path / "checkpoint")
    training = Training(tmp_path, rate=0.2)
    before = training.values()
    losses = training.steps(20, X, Y)
    assert losses[-1] < losses[0]
    assert changed(before, training.values()) == {"fc2.weight", "fc2.bias"}


def test_7_a_loss_with_a_mask(tmp_path: pathlib.Path) -> None:
    class Masked(onnxblock.Block):
        def __init__(self) -> None:
            self.each = onnxblock.loss.CrossEntropyLoss(reduction="none")

        def build(self, output: str) -> str:
            each = self.each(output)
            mask = blocks.InputLike("output")("mask")
            rows = blocks.ReduceSum(keepdims=False)
            self.base.graph.input[-1].type.tensor_type.shape.dim.pop()
            total = rows(blocks.Mul()(each, mask))
            return blocks.Div()(total, blocks.ReduceSum(keepdims=False)(mask))

    generate(usage_models.classifier(), tmp_path, loss=Masked())
    training = Training(tmp_path)
    assert training.module.input_names() == ["input", "labels", "mask"]
    mask = (numpy.arange(32) % 3 == 0).astype(numpy.float32)
    log = log_softmax(logits_of(training.values(), X))[numpy.arange(32), Y]
    assert training.step(X, Y, mask) == pytest.approx(-(log * mask).sum() / mask.sum(), rel=1e-5)


def test_8_distillation_with_nodes_of_one_s_own(tmp_path: pathlib.Path) -> None:
    class Distillation(onnxblock.Block):
        """Cross entropy with the labels plus that with a teacher's softened answers."""

        def __init__(self) -> None:
            self.hard = onnxblock.loss.CrossEntropyLoss()

        def build(self, output: str) -> str:
            graph = self.base.graph
            teacher = copy.deepcopy(graph.output[0])
            teacher.name = "teacher"
            graph.input.append(teacher)
            graph.initializer.append(
                numpy_helper.from_array(numpy.array(2, numpy.float32), "temperature")
            )
            for source in ("teacher", output):
                graph.node.append(helper.make_node("Div", [source, "temperature"], [f"{source}_t"]))
            graph.node.append(helper.make_node("Softmax", ["teacher_t"], ["soft"], axis=-1))
            graph.node.append(helper.make_node("LogSoftmax", [f"{output}_t"], ["log"], axis=-1))
            graph.node.append(helper.make_node("Mul", ["soft", "log"], ["products"]))
            graph.node.append(helper.make_node("ReduceMean", ["products"], ["mean"], keepdims=0))
            return blocks.Add()(self.hard(output), blocks.Neg()("mean"))

    trained = ["fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"]
    generate(usage_models.classifier(), tmp_path, requires_grad=trained, loss=Distillation())
    training = Training(tmp_path)
    assert training.module.input_names() == ["input", "teacher", "labels"]
    teacher = RANDOM.normal(size=(32, 3)).astype(numpy.float32)
    logits = logits_of(training.values(), X)
    soft = numpy.exp(log_softmax(teacher / 2))
    hard = -log_softmax(logits)[numpy.arange(32), Y].mean()
    expected = hard - (soft * log_softmax(logits / 2)).mean()
    assert training.step(X, teacher, Y) == pytest.approx(expected, rel=1e-5)


def test_9_an_adapter_by_graph_surgery_for_a_phone(tmp_path: pathlib.Path) -> None:
    model, frozen = usage_models.with_output_layer()
    generate(
        model,
        tmp_path,
        requires_grad=["adapter.weight", "adapter.bias"],
        frozen_params=frozen,
        loss_input_names=["adapted"],
        nominal_checkpoint=True,
    )
    whole = Training(tmp_path)
    # on the phone, where the values come over the network
    state = api.CheckpointState.load_checkpoint(tmp_path / "nominal_checkpoint")
    module = api.Module(tmp_path / "training_model.onnx", state)
    optimizer = api.Optimizer(tmp_path / "optimizer_model.onnx", module)
    optimizer.set_learning_rate(0.01)
    received = whole.module.get_contiguous_parameters(trainable_only=False)
    module.copy_buffer_to_parameters(received, trainable_only=False)
    losses = whole.steps(5, X, Y)
    on_the_phone = []
    for _ in range(5):
        on_the_phone.append(float(module(X, Y)))
        optimizer.step()
        module.lazy_reset_grad()
    assert on_the_phone == losses and losses[-1] < losses[0]


def test_10_forces_are_the_gradient_of_an_input(tmp_path: pathlib.Path) -> None:
    model = usage_models.energy()
    artifacts.generate_artifacts(
        model,
        requires_grad=["positions"],
        frozen_params=["pair.weight"],
        artifact_directory=tmp_path,
    )
    training = onnx.load(tmp_path / "training_model.onnx")
    training.graph.output.append(
        helper.make_tensor_value_info("positions_grad", usage_models.FLOAT, [2, 3])
    )
    session = temper.InferenceSession(training)
    weight = numpy_helper.to_array(model.graph.initializer[0])
    positions = RANDOM.normal(size=(2, 3)).astype(numpy.float32)
    feeds: dict[str, Any] = {"positions": positions}
    for value in session.get_inputs():
        if value.name.endswith("_grad.accumulation.buffer"):
            feeds[value.name] = numpy.zeros([2, 3], numpy.float32)
    feeds["lazy_reset_grad"] = numpy.array([True])
    if "pair.weight" in {value.name for value in session.get_inputs()}:
        feeds["pair.weight"] = weight
    energy, force = session.run(["energy", "positions_grad"], feeds)
    numpy.testing.assert_allclose(energy, ((positions @ weight) ** 2).sum(), rtol=1e-5)
    numpy.testing.assert_allclose(force, 2 * positions @ weight @ weight.T, rtol=1e-4, atol=1e-6)


def test_11_federated_averaging(tmp_path: pathlib.Path) -> None:
    generate(usage_models.classifier(), tmp_path)
    clients = [Training(tmp_path, rate=0.05) for _ in range(2)]
    shares = [(X[:16], Y[:16]), (X[16:], Y[16:])]
    first = [client.module(*share) for client, share in zip(clients, shares)]
    for turn in range(8):
        for client, share in zip(clients, shares):
            client.module.lazy_reset_grad()
            client.steps(2, *share)
        buffers = [client.module.get_contiguous_parameters(True).numpy() for client in clients]
        mean = numpy.mean(buffers, axis=0)
        clients[0].module.copy_buffer_to_parameters(mean)
        # the other one by name
        averaged = clients[0].state.parameters
        for name, parameter in clients[1].state.parameters:
            parameter.data = averaged[name].data
        api.CheckpointState.save_checkpoint(clients[0].state, tmp_path / f"turn-{turn}")
    assert changed(clients[0].values(), clients[1].values()) == set()
    saved = api.CheckpointState.load_checkpoint(tmp_path / "turn-7")
    assert changed({n: p.data for n, p in saved.parameters}, clients[0].values()) == set()
    last = [client.module(*share) for client, share in zip(clients, shares)]
    assert sum(map(float, last)) < sum(map(float, first))


def test_12_weights_go_into_another_model_by_name(tmp_path: pathlib.Path) -> None:
    generate(usage_models.classifier(), tmp_path)
    training = Training(tmp_path)
    training.steps(5, X, Y)
    merged = usage_models.classifier()
    merged.graph.node.append(helper.make_node("Softmax", ["output"], ["shares"], axis=-1))
    merged.graph.output.append(usage_models.value("shares", usage_models.FLOAT, "batch_size", 3))
    for initializer in merged.graph.initializer:
        trained = training.state.parameters[initializer.name].data
        initializer.CopyFrom(numpy_helper.from_array(trained, initializer.name))
    shares = temper.run(merged, X)["shares"]
    expected = numpy.exp(log_softmax(logits_of(training.values(), X)))
    numpy.testing.assert_allclose(shares, expected, rtol=1e-4, atol=1e-6)


def test_13_one_process_trains_for_several_data_sets(tmp_path: pathlib.Path) -> None:
    generate(usage_models.classifier(), tmp_path, optimizer=artifacts.OptimType.SGD)
    training = Training(tmp_path, rate=0.1)
    snapshot = training.module.get_contiguous_parameters()
    table = RANDOM.normal(size=(3, 16)).astype(numpy.float32)

    def run(x: numpy.ndarray, labels: numpy.ndarray) -> list[float]:
        training.module.copy_buffer_to_parameters(snapshot, trainable_only=False)
        training.state.parameters["fc2.weight"].data = table[:, ::2]
        training.module.lazy_reset_grad()
        return training.steps(4, x, labels)

    first = run(X, Y)
    other = run(X[::-1] * 2, Y)
    assert run(X, Y) == first != other


def test_14_training_in_a_thread_and_in_request_handlers(tmp_path: pathlib.Path) -> None:
    generate(usage_models.classifier(), tmp_path)
    training = Training(tmp_path, rate=0.05)
    lock = threading.Lock()

    def handle(number: int) -> tuple[float, pathlib.Path]:
        exported = tmp_path / f"request-{number}.onnx"
        with lock:
            loss = training.steps(5, X, Y)[-1]
            training.module.eval()
            training.module.export_model_for_inferencing(exported, ["output"])
            training.module.train()
        return loss, exported

    with concurrent.futures.ThreadPoolExecutor(4) as service:
        answers = list(service.map(handle, range(8)))
    losses = []
    for loss, exported in answers:
        log = log_softmax(temper.run(exported, X)["output"])
        losses.append(-log[numpy.arange(32), Y].mean())
        assert losses[-1] < loss  # which is of before the last step
    assert min(losses) < 0.7 * max(losses)


def test_14_the_window_of_a_program_that_trains_in_a_thread_stays_alive(
    tmp_path: pathlib.Path,
) -> None:
    generate(usage_models.classifier(), tmp_path)
    training = Training(tmp_path, rate=0.001)
    x, labels = numpy.tile(X, (4096, 1)), numpy.tile(Y, 4096)  # steps of many milliseconds
    begun, done = threading.Event(), threading.Event()
    times: list[float] = []

    def work() -> None:
        for _ in range(20):
            begin = time.perf_counter()
            training.step(x, labels)
            times.append(time.perf_counter() - begin)
            begun.set()
        done.set()

    worker = threading.Thread(target=work)
    worker.start()
    begun.wait()
    # what a loop of events does: short work, again and again
    turns, first = 0, len(times)
    while not done.wait(0.0005):
        turns += 1
    worker.join()
    # a thread that had to wait for the end of steps would have one turn for each
    assert len(times) == 20 and turns > 2 * (20 - first)


def test_15_choices_by_name_from_a_configuration(tmp_path: pathlib.Path) -> None:
    chosen = {"loss": "CrossEntropyLoss", "optimizer": "AdamW", "loss_number": 2}
    assert artifacts.LossType(chosen["loss_number"]) is artifacts.LossType.CrossEntropyLoss
    generate(
        usage_models.classifier(),
        tmp_path,
        loss=getattr(artifacts.LossType, str(chosen["loss"])),
        optimizer=getattr(artifacts.OptimType, str(chosen["optimizer"])),
    )
    training = Training(tmp_path)
    losses, expected = [], []
    for batch in range(100):
        rows = numpy.arange(batch, batch + 8) % 32
        log = log_softmax(logits_of(training.values(), X[rows]))
        expected.append(-log[numpy.arange(8), Y[rows]].mean())
        losses.append(training.step(X[rows], Y[rows]))
    assert sum(losses) / len(losses) == pytest.approx(sum(expected) / 100, rel=1e-5)
    assert numpy.mean(losses[-20:]) < numpy.mean(losses[:20])
    training.module.eval()
    training.module.export_model_for_inferencing(str(tmp_path / "model.onnx"), ("output",))
    output = temper.InferenceSession(tmp_path / "model.onnx").run(["output"], {"input": X})[0]
    numpy.testing.assert_allclose(output, logits_of(training.values(), X), rtol=1e-4, atol=1e-5)


def test_16_training_graphs_for_a_simulator(tmp_path: pathlib.Path) -> None:
    generate(usage_models.classifier(), tmp_path)
    model = onnx.shape_inference.infer_shapes(onnx.load(tmp_path / "training_model.onnx"))
    onnx.checker.check_model(model)
    for index, node in enumerate(model.graph.node):
        node.name = f"op{index}"
    onnx.save(model, tmp_path / "training_model.onnx")
    typed = {value.name for value in (*model.graph.value_info, *model.graph.output)}
    assert {"hidden", "active"} <= typed
    produced = [name for node in model.graph.node for name in node.output if name]
    assert len(produced) == len(set(produced))
    losses = Training(tmp_path, rate=0.05).steps(10, X, Y)
    assert losses[-1] < losses[0]


PROGRAM = """
import sys
sys.modules["onnxruntime"] = None  # as if it were not installed
{first}
try:
    import onnxruntime.training
    from onnxruntime.training import artifacts
except ImportError:
    print("Install onnxruntime-training.")
else:
    print(artifacts.generate_artifacts.__name__)
"""


@pytest.mark.parametrize(
    "first, expected",
    [
        ("", "Install onnxruntime-training."),
        ("import temper; temper.as_onnxruntime_training()", "generate_artifacts"),
    ],
)
def test_17_an_import_that_may_fail(first: str, expected: str) -> None:
    command = [sys.executable, "-c", PROGRAM.format(first=first)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == (expected, "")


def test_18_old_spellings_tell_today_s(tmp_path: pathlib.Path) -> None:
    generate(usage_models.classifier(), tmp_path)
    training = Training(tmp_path)
    todays: dict[str, Callable[[], object]] = {
        "onnxblock.TrainingBlock": lambda: onnxblock.TrainingModel,
        "onnxblock.blocks": lambda: onnxblock.building_blocks,
        "CheckpointState.load_checkpoint": lambda: api.CheckpointState(
            tmp_path / "checkpoint"  # type: ignore[arg-type]
        ),
        "module(*inputs)": lambda: training.module([X, Y]),
        "CheckpointState that the module was made with": lambda: training.module.get_state(),
    }
    for spelling, old in todays.items():
        with pytest.raises((AttributeError, TypeError, RuntimeError)) as caught:
            old()
        assert spelling in str(caught.value)
    with pytest.raises(AttributeError, match="onnxblock.base"):
        onnxblock.onnx_model
