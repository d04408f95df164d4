// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/kernel.h"

namespace temper {

const TensorType& PrepareContext::input(size_t i) const {
    if (!hasInput(i)) {
        fail(ErrorCode::InvalidInput, "Input " + std::to_string(i) + " is missing.",
             "The operator requires this input.");
    }
    return inputs_[i].elements.front();
}

const TensorType& PrepareContext::output(size_t i) const {
    TEMPER_ASSERT(hasOutput(i), "the output exists");
    return outputs_[i].elements.front();
}

std::vector<int64_t> PrepareContext::integers(size_t i) const {
    const Tensor* tensor = constant(i);
    if (tensor == nullptr) {
        fail(ErrorCode::Unsupported,
             "Input " + std::to_string(i) + " (" +
                 (node_.input(i) == nullptr ? "" : node_.input(i)->name()) +
                 ") depends on the data that is fed; expected one that follows from shapes.",
             "Export the model with a constant here.");
    }
    const Tensor wide = tensor->cast(DType::Int64);
    const auto values = wide.values<int64_t>();
    return {values.begin(), values.end()};
}

void PrepareContext::requireDType(size_t i, DType dtype) const {
    if (input(i).dtype == dtype) return;
    fail(ErrorCode::Unsupported, "Input " + std::to_string(i) + " has the element type " +
                                     std::string(dtypeName(input(i).dtype)) + "; expected " +
                                     std::string(dtypeName(dtype)) + ".");
}

void PrepareContext::fail(ErrorCode code, const std::string& message,
                          const std::string& hint) const {
    Error error(code, message, hint);
    error.addContext(node_.describe());
    throw error;
}

void KernelRegistry::add(std::string_view domain, std::string_view opType, KernelFactory factory) {
    const bool inserted =
        factories_.try_emplace({std::string(domain), std::string(opType)}, std::move(factory))
            .second;
    TEMPER_ASSERT(inserted, "an operator has one kernel per device");
}

const KernelFactory* KernelRegistry::find(const Node& node) const {
    const std::string domain = node.domain() == "ai.onnx" ? "" : node.domain();
    const auto found = factories_.find({domain, node.opType()});
    return found == factories_.end() ? nullptr : &found->second;
}

}  // namespace temper
