# SPDX-License-Identifier: Apache-2.0
"""Ways of use as programs that ONNX Runtime's modules and Temper's run alike.

Each returns numbers to compare. The names have the numbers of test_usages.py.
"""

from __future__ import annotations

import copy
import io
import pathlib
from types import ModuleType
from typing import Any, NamedTuple

import numpy
import onnx
import usage_models
from onnx import helper, numpy_helper
from training_program import Program

Results = dict[str, Any]

RANDOM = numpy.random.default_rng(11)
X = RANDOM.normal(size=(32, 4)).astype(numpy.float32)
Y = (X @ RANDOM.normal(size=(4, 3))).argmax(axis=1)


class Modules(NamedTuple):
    """What a program imports; ``session`` is a class InferenceSession."""

    api: ModuleType
    artifacts: ModuleType
    onnxblock: ModuleType
    session: Any
    ort_value: Any


def all_names(model: onnx.ModelProto) -> list[str]:
    return [initializer.name for initializer in model.graph.initializer]


def generate(use: Modules, model: Any, folder: pathlib.Path, **arguments: Any) -> None:
    chosen = {
        "loss": use.artifacts.LossType.CrossEntropyLoss,
        "optimizer": use.artifacts.OptimType.AdamW,
        "artifact_directory": str(folder),
        **arguments,
    }
    use.artifacts.generate_artifacts(model, **chosen)


def trained(use: Modules, folder: pathlib.Path, *inputs: Any, rate: float = 0.01) -> Results:
    return dict(Program(use.api, folder).train(list(inputs), 10, rate))


def usage_1_the_notebook(use: Modules, folder: pathlib.Path) -> Results:
    file = io.BytesIO()
    onnx.save(usage_models.classifier(), file)
    model = onnx.load_model_from_string(file.getvalue())
    generate(
        use, model, folder, requires_grad=all_names(model), additional_output_names=["output"]
    )
    program = Program(use.api, folder)
    program.optimizer.set_learning_rate(0.05)
    results: Results = {"losses": []}
    for _ in range(20):
        loss, logits = program.module(*[X, Y.astype(numpy.int64)])
        program.optimizer.step()
        program.module.lazy_reset_grad()
        results["losses"].append(float(loss))
        results["right"] = int((logits.argmax(axis=1) == Y).sum())
    program.module.eval()
    outputs = program.module.output_names()[1:]
    program.module.export_model_for_inferencing(str(folder / "inference.onnx"), outputs)
    session = use.session(str(folder / "inference.onnx"))
    results["names"] = [value.name for value in session.get_outputs()]
    results["inferred"] = session.run(None, {session.get_inputs()[0].name: X})[0]
    return results


def usage_2_the_last_layer(use: Modules, folder: pathlib.Path) -> Results:
    model = usage_models.classifier()
    chosen = ["fc2.weight", "fc2.bias"]
    frozen = [name for name in all_names(model) if name not in chosen]
    generate(use, model, folder, requires_grad=chosen, frozen_params=frozen)
    return trained(use, folder, X, Y)


def usage_3_all_but_statistics(use: Modules, folder: pathlib.Path) -> Results:
    model = usage_models.with_norm(training=True)
    names = all_names(model)
    statistics = [name for name in names if "running_mean" in name or "running_var" in name]
    frozen = [*statistics, "bn.num_batches_tracked"]
    chosen = [name for name in names if name not in statistics]
    generate(
        use,
        model,
        folder,
        requires_grad=chosen,
        frozen_params=frozen,
        optimizer=use.artifacts.OptimType.SGD,  # the bias before the norm has no true gradient
        loss_input_names=["output"],
    )
    # what users of ONNX Runtime do to its eval model, which its Module refuses (fault 10)
    path = str(folder / "eval_model.onnx")
    evaluation = onnx.load(path)
    for node in evaluation.graph.node:
        if node.op_type == "BatchNormalization":
            del node.output[1:]
    onnx.save(evaluation, path)
    return trained(use, folder, X, Y)


def usage_4_adapters_by_path(use: Modules, folder: pathlib.Path) -> Results:
    path = str(folder / "language_model.onnx")
    onnx.save_model(
        usage_models.with_adapters(log_prob=True),
        path,
        save_as_external_data=True,
        location="weights.bin",
        size_threshold=0,
    )
    names = all_names(onnx.load(path, load_external_data=False))
    chosen = [name for name in names if "lora_" in name]
    frozen = [name for name in names if name not in chosen]
    generate(use, path, folder, requires_grad=chosen, frozen_params=frozen, loss=None)
    return trained(use, folder, X, Y, rate=0.05)


def usage_5_a_pass_through(use: Modules, folder: pathlib.Path) -> Results:
    class Unchecked(use.onnxblock.blocks.PassThrough):  # type: ignore[name-defined,misc]
        def __call__(self, *names: str) -> Any:
            return self.build(*names)

    model = usage_models.with_adapters(log_prob=True)
    generate(use, model, folder, requires_grad=set(all_names(model)), loss=Unchecked())
    return trained(use, folder, X, Y, rate=0.05)


def usage_6_blocks_by_hand(use: Modules, folder: pathlib.Path) -> Results:
    class Classification(use.onnxblock.TrainingBlock):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            super().__init__()
            self.loss = use.onnxblock.loss.CrossEntropyLoss()

        def build(self, output: str) -> tuple[str, str]:
            return self.loss(output), output

    model = usage_models.classifier()
    block = Classification()
    for name in all_names(model):
        block.requires_grad(name, "fc1" not in name)
    with use.onnxblock.base(model):
        block(*[output.name for output in model.graph.output])
        training_model, eval_model = block.to_model_proto()
        parameters = block.parameters()
    optimizer = use.onnxblock.optim.SGD()
    with use.onnxblock.empty_base():
        optimizer(parameters)
        optimizer_model = optimizer.to_model_proto()
    onnx.save(training_model, str(folder / "training_model.onnx"))
    onnx.save(eval_model, str(folder / "eval_model.onnx"))
    onnx.save(optimizer_model, str(folder / "optimizer_model.onnx"))
    use.onnxblock.save_checkpoint(parameters, folder / "checkpoint")
    return trained(use, folder, X, Y, rate=0.2)


def usage_7_a_mask(use: Modules, folder: pathlib.Path) -> Results:
    blocks = use.onnxblock.blocks

    class Masked(use.onnxblock.Block):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            super().__init__()
            self.each = use.onnxblock.loss.CrossEntropyLoss(reduction="none")

        def build(self, output: str) -> Any:
            each = self.each(output)
            mask = blocks.InputLike("labels")("mask")
            self.base.graph.input[-1].type.tensor_type.elem_type = usage_models.FLOAT
            total = blocks.ReduceSum(keepdims=False)(blocks.Mul()(each, mask))
            return blocks.Div()(total, blocks.ReduceSum(keepdims=False)(mask))

    model = usage_models.classifier()
    generate(use, model, folder, requires_grad=all_names(model), loss=Masked())
    mask = (numpy.arange(32) % 3 == 0).astype(numpy.float32)
    return trained(use, folder, X, Y, mask)


def usage_8_distillation(use: Modules, folder: pathlib.Path) -> Results:
    class Distillation(use.onnxblock.Block):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            super().__init__()
            self.hard = use.onnxblock.loss.CrossEntropyLoss()

        def build(self, output: str) -> Any:
            graph = self.base.graph
            teacher = copy.deepcopy(graph.output[0])
            teacher.name = "teacher"
            graph.input.append(teacher)
            two = numpy_helper.from_array(numpy.array(2, numpy.float32), "temperature")
            graph.initializer.append(two)
            for source in ("teacher", output):
                graph.node.append(helper.make_node("Div", [source, "temperature"], [f"{source}_t"]))
            graph.node.append(helper.make_node("Softmax", ["teacher_t"], ["soft"], axis=-1))
            graph.node.append(helper.make_node("LogSoftmax", [f"{output}_t"], ["log"], axis=-1))
            graph.node.append(helper.make_node("Mul", ["soft", "log"], ["products"]))
            graph.node.append(helper.make_node("ReduceMean", ["products"], ["mean"], keepdims=0))
            blocks = use.onnxblock.blocks
            return blocks.Add()(self.hard(output), blocks.Neg()("mean"))

    model = usage_models.classifier()
    generate(use, model, folder, requires_grad=all_names(model), loss=Distillation())
    teacher = numpy.random.default_rng(5).normal(size=(32, 3)).astype(numpy.float32)
    return trained(use, folder, X, teacher, Y)


def usage_9_a_phone(use: Modules, folder: pathlib.Path) -> Results:
    model, frozen = usage_models.with_output_layer()
    generate(
        use,
        model,
        folder,
        requires_grad=["adapter.weight", "adapter.bias"],
        frozen_params=frozen,
        loss_input_names=["adapted"],
        nominal_checkpoint=True,
    )
    buffer = Program(use.api, folder).module.get_contiguous_parameters(trainable_only=False)
    phone = Program(use.api, folder, "nominal_checkpoint")
    phone.module.copy_buffer_to_parameters(buffer, trainable_only=False)
    phone.optimizer = use.api.Optimizer(folder / "optimizer_model.onnx", phone.module)
    return dict(phone.train([X, Y], 10, 0.01))


def usage_10_forces(use: Modules, folder: pathlib.Path) -> Results:
    model = usage_models.energy()
    use.artifacts.generate_artifacts(
        model,
        requires_grad=["positions"],
        frozen_params=["pair.weight"],
        artifact_directory=str(folder),
    )
    training = onnx.load(str(folder / "training_model.onnx"))
    training.graph.output.append(
        helper.make_tensor_value_info("positions_grad", usage_models.FLOAT, [2, 3])
    )
    session = use.session(training.SerializeToString())
    positions = numpy.random.default_rng(6).normal(size=(2, 3)).astype(numpy.float32)
    feeds: dict[str, Any] = {
        "positions": positions,
        "positions_grad.accumulation.buffer": numpy.zeros([2, 3], numpy.float32),
        "lazy_reset_grad": numpy.array([True]),
        "pair.weight": numpy_helper.to_array(model.graph.initializer[0]),
    }
    names = {value.name for value in session.get_inputs()}
    feeds = {name: value for name, value in feeds.items() if name in names}
    energy, force = session.run(["energy", "positions_grad"], feeds)
    return {"inputs": sorted(names), "energy": energy, "force": force}


def usage_11_federated(use: Modules, folder: pathlib.Path) -> Results:
    model = usage_models.classifier()
    generate(use, model, folder, requires_grad=all_names(model))
    clients = [Program(use.api, folder) for _ in range(2)]
    shares = [[X[:16], Y[:16]], [X[16:], Y[16:]]]
    for turn in range(4):
        for client, share in zip(clients, shares):
            client.train(share, 2, 0.05)
        buffers = [client.module.get_contiguous_parameters(True).numpy() for client in clients]
        mean = use.ort_value(numpy.mean(buffers, axis=0))
        clients[0].module.copy_buffer_to_parameters(mean)
        averaged = clients[0].state.parameters
        for name, parameter in clients[1].state.parameters:
            parameter.data = averaged[name].data
        clients[0].save(folder / f"turn-{turn}")
    return {**clients[1].values(), "saved": Program(use.api, folder, "turn-3").values()["fc2.bias"]}


def usage_12_weights_by_name(use: Modules, folder: pathlib.Path) -> Results:
    model = usage_models.classifier()
    generate(use, model, folder, requires_grad=all_names(model))
    program = Program(use.api, folder)
    program.train([X, Y], 5, 0.01)
    merged = usage_models.classifier()
    for initializer in merged.graph.initializer:
        values = program.state.parameters[initializer.name].data
        initializer.CopyFrom(numpy_helper.from_array(values, initializer.name))
    session = use.session(merged.SerializeToString())
    return {"output": session.run(None, {"input": X})[0]}


def usage_13_several_data_sets(use: Modules, folder: pathlib.Path) -> Results:
    model = usage_models.classifier()
    sgd = use.artifacts.OptimType.SGD
    generate(use, model, folder, requires_grad=all_names(model), optimizer=sgd)
    program = Program(use.api, folder)
    snapshot = program.module.get_contiguous_parameters()
    table = numpy.random.default_rng(7).normal(size=(3, 16)).astype(numpy.float32)
    results = {}
    for number, x in enumerate((X, X[::-1] * 2, X)):
        program.module.copy_buffer_to_parameters(snapshot, trainable_only=False)
        program.state.parameters["fc2.weight"].data = table[:, ::2]
        losses = program.train([x, Y], 4, 0.1)["losses"]
        results[f"losses {number}"] = losses
    return results


def usage_15_choices_by_name(use: Modules, folder: pathlib.Path) -> Results:
    chosen = {"loss": "CrossEntropyLoss", "optimizer": "AdamW", "number": 2}
    by_number = use.artifacts.LossType(chosen["number"])
    model = usage_models.classifier()
    generate(
        use,
        model,
        folder,
        requires_grad=all_names(model),
        loss=getattr(use.artifacts.LossType, str(chosen["loss"])),
        optimizer=getattr(use.artifacts.OptimType, str(chosen["optimizer"])),
    )
    program = Program(use.api, folder)
    losses = []
    for batch in range(20):
        rows = numpy.arange(batch, batch + 8) % 32
        losses.append(program.train([X[rows], Y[rows]], 1, 0.001)["losses"][0])
    program.module.eval()
    program.module.export_model_for_inferencing(str(folder / "model.onnx"), ["output"])
    output = use.session(str(folder / "model.onnx")).run(["output"], {"input": X})[0]
    return {"losses": losses, "output": output, "by number": by_number.name}


PROGRAMS = {
    program.__name__: program
    for program in (
        usage_1_the_notebook,
        usage_2_the_last_layer,
        usage_3_all_but_statistics,
        usage_4_adapters_by_path,
        usage_5_a_pass_through,
        usage_6_blocks_by_hand,
        usage_7_a_mask,
        usage_8_distillation,
        usage_9_a_phone,
        usage_10_forces,
        usage_11_federated,
        usage_12_weights_by_name,
        usage_13_several_data_sets,
        usage_15_choices_by_name,
    )
}
