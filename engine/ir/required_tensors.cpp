// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/required_tensors.h"

#include <string>

#include "engine/core/error.h"

namespace temper {
namespace {

void requireTensor(const Value& value, const char* what, const std::string& remedy) {
    if (value.type().isTensor()) return;
    throw Error(ErrorCode::Unsupported,
                std::string(what) + " '" + value.name() + "' is " + formatType(value.type()) +
                    "; expected a tensor.",
                remedy + "'temper run' takes and writes sequences and optionals.");
}

}  // namespace

void requireTensorInputs(const Graph& graph) {
    for (const Value* input : graph.inputs()) requireTensor(*input, "Input", "");
}

void requireTensorOutput(const Value& output) {
    requireTensor(output, "Output", "Request other outputs by name: any tensor of the model. ");
}

void requireTensorOutputs(const Graph& graph) {
    for (const Value* output : graph.outputs()) requireTensorOutput(*output);
}

}  // namespace temper
