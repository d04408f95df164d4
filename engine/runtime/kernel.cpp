// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/kernel.h"

#include "engine/runtime/unknown_data.h"

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
        const std::string name = node_.input(i) == nullptr ? "" : node_.input(i)->name();
        UnknownData error({name}, "Input " + std::to_string(i) + " (" + name +
                                      ") depends on the data that is fed; expected one that "
                                      "follows from shapes.");
        error.addContext(node_.describe());
        throw error;
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

void KernelRegistry::addEvaluator(std::string_view domain, std::string_view opType,
                                  NodeEvaluator evaluator) {
    const bool inserted =
        evaluators_.try_emplace({std::string(domain), std::string(opType)}, std::move(evaluator))
            .second;
    TEMPER_ASSERT(inserted, "an operator has one evaluator per device");
}

KernelRegistry::Key KernelRegistry::keyOf(const Node& node) {
    return {node.domain() == "ai.onnx" ? "" : node.domain(), node.opType()};
}

const KernelFactory* KernelRegistry::find(const Node& node) const {
    const auto found = factories_.find(keyOf(node));
    return found == factories_.end() ? nullptr : &found->second;
}

const NodeEvaluator* KernelRegistry::findEvaluator(const Node& node) const {
    const auto found = evaluators_.find(keyOf(node));
    return found == evaluators_.end() ? nullptr : &found->second;
}

}  // namespace temper
