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
    if (outputs_[i].isSequence) {
        fail(ErrorCode::Unsupported,
             "Output " + std::to_string(i) + " is a sequence; expected a tensor.",
             "Replace the operator, or export the model without sequences there.");
    }
    return outputs_[i].elements.front();
}

std::vector<int64_t> PrepareContext::integers(size_t i) const {
    const Tensor* tensor = constant(i);
    if (tensor == nullptr) {
        const std::string name = node_.input(i) == nullptr ? "" : node_.input(i)->name();
        UnknownData error(
            {name}, "Input " + std::to_string(i) + " (" + name +
                        ") depends on input data; expected a value that follows from shapes.");
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

const Tensor& EvaluationContext::tensor(size_t i) const {
    static const Tensor kOmitted;
    return i < inputs.size() && inputs[i].isTensor() ? inputs[i].tensor() : kOmitted;
}

void KernelRegistry::add(std::string_view domain, std::string_view opType, KernelFactory factory) {
    TEMPER_ASSERT(factories_.add(domain, opType, std::move(factory)),
                  "an operator has one kernel per device");
}

void KernelRegistry::replace(std::string_view domain, std::string_view opType,
                             KernelFactory factory) {
    factories_.set(domain, opType, std::move(factory));
}

void KernelRegistry::addEvaluator(std::string_view domain, std::string_view opType,
                                  NodeEvaluator evaluator) {
    TEMPER_ASSERT(evaluators_.add(domain, opType, std::move(evaluator)),
                  "an operator has one evaluator per device");
}

const KernelFactory* KernelRegistry::find(const Node& node) const { return factories_.find(node); }

const NodeEvaluator* KernelRegistry::findEvaluator(const Node& node) const {
    return evaluators_.find(node);
}

}  // namespace temper
