// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace temper {

/// Whether a name is that of a parameter: a path in a PyTorch module
/// ("layers.0.linear1.weight"), a variable of TensorFlow or Keras ("dense/kernel:0",
/// "dense/MatMul/ReadVariableOp:0"), one of PaddlePaddle ("linear_0.w_0").
bool isNamedAsParameter(const std::string& name);

/// Whether it is that of a buffer that no framework trains: "rotary_emb.inv_freq", "attn_mask".
bool isNamedAsBuffer(const std::string& name);

/// Whether an exporter generated it for what it computed: "val_12", "497", "onnx::MatMul_12",
/// "unsqueeze_3", "const_fold_opt__7", "model/act/mul/y:0".
bool isMadeUp(const std::string& name);

/// Whether an exporter named it after an operation of PyTorch whose result has other numbers than
/// its operands, or a tool after such an operation that it merged into a layer: "exp_1", "div",
/// "mul_117_weight", "view_1_bias_fused".
bool isNamedAsComputed(const std::string& name);

/// The operation that PyTorch's exporter named a value after: "exp" for "exp_1", and for "exp_1_2",
/// which was separated from it.
std::string operationIn(const std::string& name);

/// Whether an exporter named it after an operation of PyTorch that gives a tensor another shape:
/// "view_11".
bool isNamedAsReshaped(const std::string& name);

/// Whether an exporter named it after PyTorch's operation that takes a part of a tensor: "slice_2".
bool isNamedAsSlice(const std::string& name);

/// Whether PyTorch's exporter named it as something computed, without an operation: "val_12".
bool isNamedAsResult(const std::string& name);

/// Whether it is a value within a function that PyTorch's exporter wrote into the graph: "tmp_4".
bool isNamedAsTemporary(const std::string& name);

/// Whether an exporter named it after an operation of PyTorch that fills a tensor: "zeros_1",
/// "ones_like", "full_2".
bool isNamedAsGenerator(const std::string& name);

}  // namespace temper
