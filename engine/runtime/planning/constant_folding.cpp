// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/planning/constant_folding.h"

#include <algorithm>
#include <vector>

#include "engine/ir/inlining.h"

namespace temper {
namespace {

/// A larger result is folded only if it does not exceed the inputs.
constexpr size_t kAlwaysFoldedBytes = size_t{1} << 20;

bool canFold(const Node& node, const Kernel& kernel, const PlanValues& values) {
    const KernelTraits& traits = kernel.traits();
    if (traits.isRandom || !traits.mutatedInputs.empty() || hasBody(node)) return false;
    size_t inputBytes = 0;
    for (const Value* input : node.inputs()) {
        if (input == nullptr) continue;
        const PlanValue& known = values.at(input);
        if (known.constant.empty()) return false;
        inputBytes += known.constant.byteSize();
    }
    size_t outputBytes = 0;
    for (const Value* output : node.outputs()) {
        if (output == nullptr) continue;
        const PlanValue& known = values.at(output);
        if (!known.isTensor()) return false;
        outputBytes += known.elements.front().byteSize();
    }
    return outputBytes <= std::max(inputBytes, kAlwaysFoldedBytes);
}

/// Addresses of one kernel call: null, the inputs, the outputs.
class FoldedCall {
public:
    FoldedCall(const Node& node, const Kernel& kernel, PlanValues& values) : kernel_(kernel) {
        for (const Value* input : node.inputs()) {
            begins_.push_back(static_cast<uint32_t>(inputs_.size()));
            inputs_.push_back(input == nullptr ? 0 : add(values.at(input).constant));
        }
        for (const Value* output : node.outputs()) outputs_.push_back(makeOutput(output, values));
        useViews(node, values);
        begins_.resize(std::max(begins_.size() + 1, kMinPositions + 1),
                       static_cast<uint32_t>(inputs_.size()));
        inputs_.push_back(0);
        outputs_.resize(std::max(outputs_.size(), kMinPositions), 0);
    }

    void run() {
        if (viewed_ > 0 && viewed_ == made_) return;
        ThreadPool pool(1);
        Tensor scratch(DType::UInt8, {static_cast<int64_t>(kernel_.traits().scratchBytes)});
        kernel_.run(RunContext(addresses_.data(), inputs_.data(), begins_.data(), outputs_.data(),
                               scratch.mutableData(), pool, 0));
    }

private:
    uint32_t add(Tensor& tensor) {
        addresses_.push_back(tensor.mutableData());
        return static_cast<uint32_t>(addresses_.size() - 1);
    }

    uint32_t makeOutput(const Value* output, PlanValues& values) {
        if (output == nullptr) return 0;
        PlanValue& known = values.at(output);
        ++made_;
        known.constant = Tensor(known.elements.front().dtype, known.elements.front().shape);
        return add(known.constant);
    }

    void useViews(const Node& node, PlanValues& values) {
        for (const auto& [from, to] : kernel_.traits().views) {
            if (node.input(from) == nullptr || node.output(to) == nullptr) continue;
            const Tensor& source = values.at(node.input(from)).constant;
            PlanValue& output = values.at(node.output(to));
            output.constant = source.reshaped(output.elements.front().shape);
            addresses_[outputs_[to]] = output.constant.mutableData();
            ++viewed_;
        }
    }

    const Kernel& kernel_;
    size_t made_ = 0;
    size_t viewed_ = 0;
    std::vector<void*> addresses_{nullptr};
    std::vector<uint32_t> inputs_;
    std::vector<uint32_t> begins_;
    std::vector<uint32_t> outputs_;
};

}  // namespace

bool foldConstants(const Node& node, const Kernel& kernel, PlanValues& values) {
    if (!canFold(node, kernel, values)) return false;
    FoldedCall(node, kernel, values).run();
    return true;
}

}  // namespace temper
