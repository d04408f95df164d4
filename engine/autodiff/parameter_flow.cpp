// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/parameter_flow.h"

#include <bit>

#include "engine/autodiff/reachability.h"

namespace temper {
namespace {

constexpr size_t kBitsPerWord = 64;

}  // namespace

ParameterFlow::ParameterFlow(const Graph& graph, const OpCatalog& catalog,
                             const std::vector<Value*>& parameters)
    : graph_(graph),
      catalog_(catalog),
      words_((parameters.size() + kBitsPerWord - 1) / kBitsPerWord) {
    for (size_t i = 0; i < parameters.size(); ++i) {
        Bits& bits = bits_.try_emplace(parameters[i], words_).first->second;
        bits[i / kBitsPerWord] |= uint64_t{1} << (i % kBitsPerWord);
    }
    for (const Node* node : graph.topologicalOrder()) {
        const Bits bits = collect(*node);
        if (bits.empty()) continue;
        for (const Value* output : node->outputs()) {
            if (output != nullptr && carriesGradient(*output)) bits_[output] = bits;
        }
    }
}

std::vector<size_t> ParameterFlow::into(const Value* value) const {
    const auto found = bits_.find(value);
    return found == bits_.end() ? std::vector<size_t>{} : positions(found->second);
}

std::vector<size_t> ParameterFlow::into(const Node& node) const { return positions(collect(node)); }

/// Empty where nothing flows into the node.
ParameterFlow::Bits ParameterFlow::collect(const Node& node) const {
    Bits all;
    for (const Value* value : differentiableReads(graph_, catalog_, node)) {
        const auto found = bits_.find(value);
        if (found == bits_.end()) continue;
        all.resize(words_);
        for (size_t word = 0; word < words_; ++word) all[word] |= found->second[word];
    }
    return all;
}

std::vector<size_t> ParameterFlow::positions(const Bits& bits) const {
    std::vector<size_t> result;
    for (size_t word = 0; word < bits.size(); ++word) {
        for (uint64_t left = bits[word]; left != 0; left &= left - 1) {
            result.push_back(word * kBitsPerWord + static_cast<size_t>(std::countr_zero(left)));
        }
    }
    return result;
}

}  // namespace temper
