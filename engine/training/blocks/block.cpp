// SPDX-License-Identifier: Apache-2.0
#include "engine/training/blocks/block.h"

namespace temper::blocks {

Values Block::operator()(BlockModel& model, const Values& inputs) {
    Values outputs = build(model, inputs);
    if (outputs.empty()) {
        throw Error(ErrorCode::InvalidInput, "A block returned no value; expected at least one.",
                    "Return the values that the block created, a loss first.");
    }
    for (const Value* output : outputs) {
        if (output != nullptr && model.graph().find(output->name()) == output) continue;
        throw Error(ErrorCode::InvalidInput,
                    "A block returned " +
                        (output == nullptr ? std::string("null")
                                           : "'" + output->name() + "' of another model") +
                        "; expected values of the model that it extends.");
    }
    return outputs;
}

Values Block::operator()(BlockModel& model, std::initializer_list<std::string_view> names) {
    Values inputs;
    for (const std::string_view name : names) inputs.push_back(model.value(name));
    return (*this)(model, inputs);
}

void requireSingleNumber(const Value& loss) {
    if (isSingleNumber(loss.type())) return;
    throw Error(ErrorCode::InvalidInput,
                "The loss '" + loss.name() + "' is " + formatType(loss.type()) +
                    "; expected a single float32 number.",
                "Reduce it with reduceMean() or reduceSum().");
}

}  // namespace temper::blocks
