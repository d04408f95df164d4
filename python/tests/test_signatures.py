# SPDX-License-Identifier: Apache-2.0
"""Names, order and defaults of arguments are those of ONNX Runtime 1.19.2."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from temper.onnxruntime.training import api, artifacts

pytest.importorskip("onnx")
from temper.onnxruntime.training import onnxblock  # noqa: E402
from temper.onnxruntime.training.onnxblock import blocks, loss, optim  # noqa: E402

CheckpointState, Module, Optimizer = api.CheckpointState, api.Module, api.Optimizer


def positional(function: Any) -> list[str]:
    """'name=default' of what may be given by position; '*name' of the rest."""
    signature = inspect.signature(function)
    texts = []
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            texts.append(f"*{parameter.name}")
        elif parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            has_default = parameter.default is not parameter.empty
            texts.append(parameter.name + (f"={parameter.default!r}" if has_default else ""))
    return [text for text in texts if text != "self"]


@pytest.mark.parametrize(
    "function, expected",
    [
        (
            artifacts.generate_artifacts,
            "model, requires_grad=None, frozen_params=None, loss=None, optimizer=None, "
            "artifact_directory=None, prefix='', ort_format=False, custom_op_library=None, "
            "additional_output_names=None, nominal_checkpoint=False, loss_input_names=None",
        ),
        (CheckpointState.load_checkpoint, "checkpoint_uri"),
        (
            CheckpointState.save_checkpoint,
            "state, checkpoint_uri, include_optimizer_state=False",
        ),
        (
            Module,
            "train_model_uri, state, eval_model_uri=None, device='cpu', session_options=None",
        ),
        (Module.__call__, "*user_inputs"),
        (Module.train, "mode=True"),
        (Module.eval, ""),
        (Module.lazy_reset_grad, ""),
        (Module.get_contiguous_parameters, "trainable_only=False"),
        (Module.get_parameters_size, "trainable_only=True"),
        (Module.copy_buffer_to_parameters, "buffer, trainable_only=True"),
        (Module.export_model_for_inferencing, "inference_model_uri, graph_output_names"),
        (Module.input_names, ""),
        (Module.output_names, ""),
        (Optimizer, "optimizer_uri, module"),
        (Optimizer.step, ""),
        (Optimizer.set_learning_rate, "learning_rate"),
        (Optimizer.get_learning_rate, ""),
        (
            api.LinearLRScheduler,
            "optimizer, warmup_step_count, total_step_count, initial_lr",
        ),
        (api.LinearLRScheduler.step, ""),
        (onnxblock.base, "model, model_path=None"),
        (onnxblock.empty_base, "opset_version=None"),
        (
            onnxblock.save_checkpoint,
            "parameters, path_to_checkpoint, nominal_checkpoint=False",
        ),
        (onnxblock.load_checkpoint_to_model, "path_to_checkpoint, model"),
        (onnxblock.Block, "temp_file_name='temp.onnx'"),
        (onnxblock.TrainingBlock.requires_grad, "name, value=True"),
        (onnxblock.custom_op_library, "custom_op_library_path"),
        (blocks.Add.build, "input_name1, input_name2"),
        (blocks.Sub.build, "input_name1, input_name2"),
        (blocks.Mul.build, "input_name1, input_name2"),
        (blocks.Div.build, "input_name1, input_name2"),
        (blocks.Pow.build, "pow_input_name"),
        (blocks.ReduceMean.build, "input_name"),
        (blocks.ReduceSum.build, "input_name"),
        (blocks.Sigmoid.build, "input_name"),
        (blocks.Log.build, "input_name"),
        (blocks.Neg.build, "input_name"),
        (blocks.Abs.build, "input_name"),
        (blocks.Constant.build, ""),
        (blocks.SequenceConstruct.build, "*sequence_input_names"),
        (blocks.ReduceAllL2.build, "*reduce_node_input_names"),
        (blocks.Clip.build, "clip_input_name"),
        (blocks.PassThrough.build, "*input_names"),
        (blocks.LabelEncoder.build, "label_encoder_input_name"),
        (blocks.Cast.build, "cast_input_name"),
        (blocks.Linear.build, "linear_input_name"),
        (optim.ClipGradNorm.build, "gradients_name"),
        (optim.AdamW.build, "parameters"),
        (optim.SGD.build, "parameters"),
        (blocks.Pow, "exponent"),
        (blocks.ReduceMean, "keepdims=True"),
        (blocks.ReduceSum, "keepdims=True"),
        (blocks.Constant, "value_float"),
        (blocks.Clip, "clip_min=None, clip_max=None"),
        (blocks.InputLike, "like"),
        (blocks.InputLike.build, "input_name=None"),
        (
            blocks.LabelEncoder,
            "default_float=0.0, default_int64=-1, default_string='_Unused', keys_floats=None, "
            "keys_int64s=None, keys_strings=None, values_floats=None, values_int64s=None, "
            "values_strings=None",
        ),
        (blocks.Cast, "to"),
        (blocks.Linear, "in_features, out_features, bias=True, alpha=1.0, beta=1.0"),
        (loss.MSELoss, "reduction='mean'"),
        (loss.L1Loss, "reduction='mean'"),
        (loss.CrossEntropyLoss, "weight=None, reduction='mean', ignore_index=None"),
        (loss.BCEWithLogitsLoss, "weight=None, reduction='mean', pos_weight=None"),
        (loss.MSELoss.build, "loss_input_name, target_name='target'"),
        (loss.L1Loss.build, "loss_input_name, target_name='target'"),
        (loss.CrossEntropyLoss.build, "scores_input_name, labels_name='labels'"),
        (loss.BCEWithLogitsLoss.build, "loss_input_name, target_name='target'"),
        (optim.ClipGradNorm, "max_norm"),
        (
            optim.AdamW,
            "bias_correction=True, betas=(0.9, 0.999), eps=1e-06, weight_decay=0.0, "
            "clip_grad=None",
        ),
        (optim.SGD, "clip_grad=None"),
    ],
)
def test_arguments_are_those_of_onnxruntime(function: Any, expected: str) -> None:
    assert ", ".join(positional(function)) == expected
