# SPDX-License-Identifier: Apache-2.0
"""generate_artifacts() of onnxruntime.training.artifacts, argument by argument."""

from __future__ import annotations

import os
import pathlib
from typing import Any

import numpy
import pytest

import temper
from temper.onnxruntime.training.artifacts import LossType, OptimType, generate_artifacts

FILES = ["checkpoint", "eval_model.onnx", "optimizer_model.onnx", "training_model.onnx"]


class Proto:
    """Stands for an onnx.ModelProto."""

    def __init__(self, model: temper.Model) -> None:
        self.data = model.to_bytes()

    def ByteSize(self) -> int:  # noqa: N802, names of protobuf
        return len(self.data)

    def SerializeToString(self) -> bytes:  # noqa: N802
        return self.data


def generate(model: object, folder: pathlib.Path, **arguments: Any) -> list[str]:
    """The names of the files that were written."""
    generate_artifacts(
        model, **{"loss": LossType.CrossEntropyLoss, "artifact_directory": folder, **arguments}
    )
    return sorted(path.name for path in folder.iterdir())


def trained(folder: pathlib.Path) -> list[str]:
    checkpoint = temper.Checkpoint.load(folder / "checkpoint")
    return [name for name in checkpoint if checkpoint[name].requires_grad]


def test_enums_have_onnxruntimes_numbers() -> None:
    assert [(loss.name, loss.value) for loss in LossType] == [
        ("MSELoss", 1),
        ("CrossEntropyLoss", 2),
        ("BCEWithLogitsLoss", 3),
        ("L1Loss", 4),
    ]
    assert [(optimizer.name, optimizer.value) for optimizer in OptimType] == [
        ("AdamW", 1),
        ("SGD", 2),
    ]
    assert LossType(2) is LossType.CrossEntropyLoss


def test_model_may_be_a_path_text_or_a_proto(
    mlp: temper.Model, mlp_path: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    for index, model in enumerate((str(mlp_path), mlp_path, Proto(mlp))):
        folder = tmp_path / str(index)
        folder.mkdir()
        assert generate(model, folder, optimizer=OptimType.AdamW) == FILES
    training = [(tmp_path / name / "training_model.onnx").read_bytes() for name in "012"]
    assert training[0] == training[1] == training[2]


def test_model_of_another_kind_is_a_runtime_error(tmp_path: pathlib.Path) -> None:
    with pytest.raises(RuntimeError, match="^The model is of type bytes."):
        generate(b"", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_missing_model_is_a_file_not_found_error(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "none.onnx"
    with pytest.raises(FileNotFoundError) as caught:
        generate(path, tmp_path)
    assert str(caught.value) == f"The model '{path}' does not exist."
    assert caught.value.filename == str(path)


@pytest.mark.parametrize("kind", [list, tuple, set, iter])
def test_names_may_be_any_iterable(
    kind: type, mlp_path: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    frozen = kind(["fc1.weight", "fc1.bias"])
    generate(mlp_path, tmp_path, requires_grad=kind(["fc2.weight"]), frozen_params=frozen)
    assert trained(tmp_path) == ["fc2.weight"]


def test_a_text_is_no_list_of_names(mlp_path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with pytest.raises(RuntimeError, match="^requires_grad is the text 'fc2'; expected a list"):
        generate(mlp_path, tmp_path, requires_grad="fc2")
    with pytest.raises(RuntimeError, match="^frozen_params is the text 'fc2'; expected a list"):
        generate(mlp_path, tmp_path, frozen_params="fc2")


def test_unknown_frozen_names_are_ignored(mlp_path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    generate(mlp_path, tmp_path, frozen_params=["bn1.num_batches_tracked", "fc1.weight"])
    assert trained(tmp_path) == ["fc1.bias", "fc2.weight", "fc2.bias"]


def test_unknown_trained_names_are_refused(mlp_path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with pytest.raises(temper.ArtifactsError, match="fc9.weight") as caught:
        generate(mlp_path, tmp_path, requires_grad=["fc9.weight", "fc8.weight"])
    errors = [finding for finding in caught.value.findings if finding.severity == "error"]
    assert [finding.code for finding in errors] == ["A001", "A001"]
    assert list(tmp_path.iterdir()) == []


def test_a_name_in_both_lists_is_refused(mlp_path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with pytest.raises(temper.Error) as caught:
        generate(mlp_path, tmp_path, requires_grad=["fc1.bias"], frozen_params=["fc1.bias"])
    assert caught.value.message == (
        "A parameter cannot be frozen and require gradient computation at the same time: fc1.bias."
    )


@pytest.mark.parametrize("loss", ["mse", 1, LossType, print])
def test_a_loss_of_another_kind_is_refused(
    loss: Any, mlp_path: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    with pytest.raises(RuntimeError, match="^Unknown loss provided"):
        generate_artifacts(str(mlp_path), loss=loss, artifact_directory=tmp_path)


def test_without_a_loss_the_first_output_is_one(tmp_path: pathlib.Path) -> None:
    model = temper.from_text(
        """(float[4] x) => (float[] loss) <float[4] w = {1.0, 2.0, 3.0, 4.0}> {
            y = Mul(x, w)
            loss = ReduceSum<keepdims = 0>(y)
        }"""
    )
    generate_artifacts(Proto(model), requires_grad=["w"], artifact_directory=tmp_path)
    made = temper.load_artifacts(tmp_path)
    assert made.training_model.outputs[0].name == "loss"
    assert made.optimizer_model is None


def test_an_optimizer_of_another_kind_is_a_type_error_before_anything_is_written(
    mlp_path: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    with pytest.raises(TypeError, match="^Unknown optimizer provided 'adamw'."):
        generate(mlp_path, tmp_path, optimizer="adamw")
    assert list(tmp_path.iterdir()) == []


def test_the_folder_may_be_text_a_path_or_the_current_one(
    mlp_path: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert generate(mlp_path, tmp_path) == [name for name in FILES if "optimizer" not in name]
    sub = tmp_path / "sub"
    sub.mkdir()
    assert len(generate(mlp_path, sub, artifact_directory=os.fsencode(sub))) == 3
    text = tmp_path / "text"
    text.mkdir()
    assert len(generate(mlp_path, text, artifact_directory=str(text))) == 3
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    generate_artifacts(str(mlp_path), loss=LossType.MSELoss)
    assert (other / "training_model.onnx").exists()


def test_a_missing_folder_is_not_created(mlp_path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        generate_artifacts(
            mlp_path, loss=LossType.MSELoss, artifact_directory=tmp_path / "none"
        )
    assert str(caught.value) == f"The folder '{tmp_path}/none' does not exist.\nCreate it."
    assert not (tmp_path / "none").exists()


def test_prefix_begins_the_names_and_may_name_a_folder(
    mlp_path: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "sub").mkdir()
    generate(mlp_path, tmp_path, prefix="sub/a_", optimizer=OptimType.SGD)
    assert sorted(path.name for path in (tmp_path / "sub").iterdir()) == [
        "a_" + name for name in FILES
    ]
    with pytest.raises(FileNotFoundError) as caught:
        generate(mlp_path, tmp_path, prefix="none/a_")
    assert str(caught.value) == f"The folder '{tmp_path}/none' does not exist.\nCreate it."
    assert [path.name for path in tmp_path.iterdir()] == ["sub"]


def test_ort_format_and_nominal_checkpoint_add_files(
    mlp_path: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    names = generate(mlp_path, tmp_path, ort_format=True, nominal_checkpoint=True)
    endings = ("onnx", "ort", "required_operators.config")
    models = [f"{name}.{end}" for name in ("eval_model", "training_model") for end in endings]
    assert names == sorted(["checkpoint", "nominal_checkpoint", *models])


def test_additional_outputs_follow_the_loss(mlp_path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    generate(mlp_path, tmp_path, additional_output_names=["logits"])
    eval_model = temper.load_artifacts(tmp_path).eval_model
    assert eval_model is not None
    names = [value.name for value in eval_model.outputs]
    assert names[1:] == ["logits"]


def test_additional_outputs_may_be_values_inside_of_the_model(
    mlp_path: pathlib.Path, tmp_path: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    generate(mlp_path, tmp_path, additional_output_names=("positive", "logits", "hidden"))
    made = temper.load_artifacts(tmp_path)
    expected = temper.run(mlp_path, x, outputs=["positive", "logits", "hidden"])
    session = temper.Session(made)
    for outputs in (session.train_step(x, labels), session.eval_step(x, labels)):
        assert list(outputs)[1:] == list(expected)
        for name, value in expected.items():
            numpy.testing.assert_array_equal(outputs[name], value)


def test_unknown_additional_outputs_are_a_lookup_error(
    mlp_path: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    with pytest.raises(LookupError) as caught:
        generate(mlp_path, tmp_path, additional_output_names=["nothing"])
    assert str(caught.value) == (
        "The provided name nothing is not a graph value info or a graph output."
    )


def test_loss_inputs_choose_the_output_that_the_loss_reads(tmp_path: pathlib.Path) -> None:
    model = temper.from_text(
        """(float[N, 2] x) => (float[N, 2] a, float[N, 2] b) <float[2, 2] w = {1, 2, 3, 4}> {
            a = MatMul(x, w)
            b = Neg(a)
        }"""
    )
    generate_artifacts(
        Proto(model), loss=LossType.MSELoss, artifact_directory=tmp_path, loss_input_names=["b"]
    )
    inputs = [value.name for value in temper.load_artifacts(tmp_path).training_model.inputs]
    assert inputs[:2] == ["x", "target"]
    with pytest.raises(LookupError, match="^The provided name c is not"):
        generate_artifacts(
            Proto(model), loss=LossType.MSELoss, artifact_directory=tmp_path, loss_input_names=["c"]
        )
    with pytest.raises(LookupError, match="^The provided name d is not"):
        generate_artifacts(Proto(model), artifact_directory=tmp_path, loss_input_names=["b", "d"])


PAIR = """(float[N, 2] x) => (float[N, 2] a, float[N, 2] b) <float[2, 2] w = {1, 2, 3, 4}> {
    a = MatMul(x, w)
    b = Neg(a)
}"""


def test_of_several_loss_inputs_the_second_is_the_target(tmp_path: pathlib.Path) -> None:
    onnx = pytest.importorskip("onnx")
    model = onnx.load_model_from_string(temper.from_text(PAIR).to_bytes())
    x = numpy.array([[1, 0.5], [-1, 2]], numpy.float32)
    a = x @ [[1, 2], [3, 4]]
    for names, expected in ((["a", "b"], (2 * a) ** 2), (["b", "x"], (-a - x) ** 2)):
        generate(model, tmp_path, loss=LossType.MSELoss, loss_input_names=names)
        session = temper.Session(tmp_path)
        assert session.input_names == ["x"]
        assert session.train_step(x).loss == pytest.approx(expected.mean(), rel=1e-6)
    for loss in (LossType.MSELoss, onnxblock_loss()):
        generate(model, tmp_path, loss=loss, loss_input_names=["b", "goal"])
        session = temper.Session(tmp_path)
        assert session.input_names == ["x", "goal"]
        outputs = session.train_step(x, numpy.ones([2, 2], numpy.float32))
        assert outputs.loss == pytest.approx(((-a - 1) ** 2).mean(), rel=1e-6)


def onnxblock_loss() -> Any:
    from temper.onnxruntime.training import onnxblock

    return onnxblock.loss.MSELoss()


def test_without_loss_inputs_a_second_output_is_no_label(tmp_path: pathlib.Path) -> None:
    with pytest.raises(temper.ArtifactsError) as caught:
        generate(Proto(temper.from_text(PAIR)), tmp_path)
    assert caught.value.findings[0].code == "A004"
    assert list(tmp_path.iterdir()) == []


def test_a_message_stays_as_it_is_and_nothing_is_returned(tmp_path: pathlib.Path) -> None:
    onnx = pytest.importorskip("onnx")
    from conftest import mlp_text, proto

    model = proto(mlp_text())
    assert isinstance(model, onnx.ModelProto)
    before = model.SerializeToString()
    chosen: dict[str, Any] = {"loss": LossType.CrossEntropyLoss, "optimizer": OptimType.SGD}
    generate_any: Any = generate_artifacts
    assert generate_any(model, artifact_directory=tmp_path, **chosen) is None
    assert model.SerializeToString() == before


def test_an_unknown_option_is_a_type_error_that_lists_the_options(mlp_path: pathlib.Path) -> None:
    with pytest.raises(TypeError) as caught:
        generate_artifacts(str(mlp_path), optimizer_config={})
    assert str(caught.value) == (
        "generate_artifacts() has no option 'optimizer_config'.\n"
        "It has requires_grad, frozen_params, loss, optimizer, artifact_directory, prefix, "
        "ort_format, custom_op_library, additional_output_names, nominal_checkpoint, "
        "loss_input_names."
    )


def test_a_second_call_writes_the_same_bytes(
    mlp_path: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    generate(mlp_path, tmp_path, optimizer=OptimType.AdamW)
    first = {name: (tmp_path / name).read_bytes() for name in FILES}
    generate(mlp_path, tmp_path, optimizer=OptimType.AdamW)
    assert {name: (tmp_path / name).read_bytes() for name in FILES} == first


def test_nothing_is_printed(
    mlp_path: pathlib.Path, tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]
) -> None:
    generate(mlp_path, tmp_path, ort_format=True)
    assert capfd.readouterr() == ("", "")
