// SPDX-License-Identifier: Apache-2.0
#include "engine/training/edits/fresh_weights.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/core/error.h"

namespace temper {

bool isFloatingInitializer(const Value* value) {
    return value != nullptr && value->isInitializer() && isFloating(value->constant().dtype());
}

Tensor freshWeights(DType dtype, const Shape& shape, int64_t inputs, Random& random) {
    const double bound = 1 / std::sqrt(static_cast<double>(std::max<int64_t>(1, inputs)));
    Tensor fresh(DType::Float32, shape);
    for (float& number : fresh.mutableValues<float>())
        number = static_cast<float>(bound * (2.0 * random.uniform() - 1.0));
    return fresh.cast(dtype);
}

void requireOwn(const Value* parameter, const std::string& layer) {
    if (parameter == nullptr || (parameter->uses().size() == 1 && parameter->isInitializer()))
        return;
    throw Error(ErrorCode::InvalidInput,
                "'" + parameter->name() + "' of " + layer +
                    " is computed or also read by other nodes; it can't be resized.",
                "Change the layer in the original model, and export it again.");
}

void forgetTypesAfter(const Graph& model, const Node& node) {
    std::set<const Value*> after(node.outputs().begin(), node.outputs().end());
    for (Node* next : model.topologicalOrder()) {
        const bool reads = std::ranges::any_of(
            next->inputs(), [&](const Value* input) { return after.contains(input); });
        if (reads) after.insert(next->outputs().begin(), next->outputs().end());
        for (Value* output : next->outputs()) {
            if (output != nullptr && after.contains(output))
                output->setType(output->type().withoutShape());
        }
    }
}

}  // namespace temper
