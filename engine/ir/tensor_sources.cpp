// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/tensor_sources.h"

#include <algorithm>

namespace temper {
namespace {

bool isComputedTensor(const Value& value) {
    return value.type().isTensor() && isFloating(value.type().dtype) && value.producer() != nullptr;
}

bool isThere(const std::vector<Value*>& values, const Value* value) {
    return std::ranges::find(values, value) != values.end();
}

/// Follows sequences and optionals back to tensors; each node is visited once.
void collectSources(const Value& value, std::vector<const Node*>& seen,
                    std::vector<Value*>& sources) {
    const Node* node = value.producer();
    if (node == nullptr || std::ranges::find(seen, node) != seen.end()) return;
    seen.push_back(node);
    for (Value* input : node->inputs()) {
        if (input == nullptr) continue;
        if (!input->type().isTensor()) {
            collectSources(*input, seen, sources);
        } else if (isComputedTensor(*input) && !isThere(sources, input)) {
            sources.push_back(input);
        }
    }
}

}  // namespace

std::vector<Value*> tensorSources(const Value& value) {
    std::vector<const Node*> seen;
    std::vector<Value*> sources;
    collectSources(value, seen, sources);
    return sources;
}

std::vector<Value*> outputsOfNumbers(const Graph& model) {
    std::vector<Value*> outputs;
    const auto add = [&outputs](Value* value) {
        if (!isThere(outputs, value)) outputs.push_back(value);
    };
    for (Value* output : model.outputs()) {
        if (!isFloating(output->type().dtype)) continue;
        if (output->type().isTensor()) {
            add(output);
        } else {
            std::ranges::for_each(tensorSources(*output), add);
        }
    }
    return outputs;
}

}  // namespace temper
