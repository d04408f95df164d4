// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "engine/ir/graph.h"
#include "engine/onnx/proto.h"

namespace temper {

/// Stores an initializer's bytes: inside the message or elsewhere.
using TensorStore = std::function<void(const Tensor&, onnx::TensorProto&)>;

/// Stores them inside.
void storeInline(const Tensor& tensor, onnx::TensorProto& proto);

/// The ONNX model of a graph; the order of everything depends only on the graph. `store` serves the
/// graph's own initializers and literals; tensors of bodies and attributes stay inside.
void writeModel(const Graph& graph, const TensorStore& store, onnx::ModelProto& proto);

/// Bytes of all tensors of a graph: initializers, attributes, bodies.
int64_t tensorBytes(const Graph& graph);

}  // namespace temper
