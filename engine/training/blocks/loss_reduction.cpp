// SPDX-License-Identifier: Apache-2.0
#include "engine/training/blocks/loss_reduction.h"

#include "engine/training/blocks/blocks.h"

namespace temper::blocks {

Value* resolve(BlockModel& model, const Target& target, const ValueType& type) {
    return target.value != nullptr ? target.value : model.target(target.name, type);
}

Value* reduced(BlockModel& model, Value* losses, Reduction reduction) {
    switch (reduction) {
        case Reduction::Mean: return reduceMean(model, losses, false);
        case Reduction::Sum: return reduceSum(model, losses, false);
        case Reduction::BatchMean: return reduceSum(model, meanOver(model, losses, {0}), false);
        case Reduction::None: break;
    }
    return losses;
}

Value* reducedBy(BlockModel& model, Value* losses, Value* weights, Reduction reduction) {
    if (reduction != Reduction::Mean || weights == nullptr) {
        return reduced(model, losses, reduction);
    }
    Value* sum = reduceSum(model, losses, false);
    return div(model, sum, reduceSum(model, weights, false));
}

Value* vectorOf(BlockModel& model, const std::string& token, const std::vector<float>& values) {
    const Shape shape = {static_cast<int64_t>(values.size())};
    return model.initializer(token, Tensor::of<float>(shape, std::span<const float>(values)));
}

}  // namespace temper::blocks
