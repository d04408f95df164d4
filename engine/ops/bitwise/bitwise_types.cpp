// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/bitwise/bitwise.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

TypeInference pairOf(DTypeTest accepts, const char* expected) {
    return [=](InferenceContext& context) {
        requireDType(context, 0, accepts, expected);
        requireSameDType(context, 0, 1);
        context.setOutput(0, context.dtype(0), broadcastInputs(context));
    };
}

void inferShift(InferenceContext& context) {
    const auto direction = context.node().attribute<std::string>("direction", "");
    if (direction != "LEFT" && direction != "RIGHT") {
        context.fail("Attribute 'direction' is '" + direction + "'; expected LEFT or RIGHT.");
    }
    pairOf(isInteger, "an integer")(context);
}

void inferNot(InferenceContext& context) {
    requireDType(context, 0, isInteger, "an integer");
    sameAsInput(context);
}

}  // namespace

void addBitwiseTypes(OpCatalog& catalog) {
    catalog.add({"", "BitShift", inferShift, 2, 2, {0, 1}});
    for (const char* op : {"BitwiseAnd", "BitwiseOr", "BitwiseXor"}) {
        catalog.add({"", op, pairOf(isInteger, "an integer"), 2, 2, {0, 1}});
    }
    catalog.add({"", "BitwiseNot", inferNot, 1, 1, {0}});
}

}  // namespace temper
