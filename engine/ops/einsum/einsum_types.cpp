// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <map>

#include "engine/ops/einsum/einsum.h"
#include "engine/ops/einsum/equation.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

/// Dimensions of one letter: equal, or 1 and broadcast.
Dim broadcastDims(const InferenceContext& context, const Dim& a, const Dim& b, char letter) {
    const bool isOne = (a.isNumber() && a.value == 1) || (b.isNumber() && b.value == 1);
    if (a.isNumber() && b.isNumber() && !isOne) {
        return mergeDims(context, a, b, std::string("the dimension '") + letter + "'");
    }
    return broadcastShapes(SymbolicShape{a}, SymbolicShape{b})->front();
}

std::map<char, Dim> dimsOfLetters(const InferenceContext& context, const EinsumEquation& equation) {
    std::map<char, Dim> dims;
    for (size_t i = 0; i < equation.operands.size(); ++i) {
        const std::string& letters = equation.operands[i];
        for (size_t axis = 0; axis < letters.size(); ++axis) {
            const Dim& dim = (*context.shape(i))[axis];
            const auto [found, isNew] = dims.emplace(letters[axis], dim);
            if (!isNew) found->second = broadcastDims(context, found->second, dim, letters[axis]);
        }
    }
    return dims;
}

void inferEinsum(InferenceContext& context) {
    std::vector<size_t> ranks;
    for (size_t i = 0; i < context.inputCount(); ++i) {
        requireDType(context, i, isNumeric, "a number");
        requireSameDType(context, 0, i);
        if (!context.shape(i)) return context.setOutput(0, context.dtype(0), std::nullopt);
        ranks.push_back(context.shape(i)->size());
    }
    const EinsumEquation equation = EinsumEquation::parse(context.node(), ranks);
    const std::map<char, Dim> dims = dimsOfLetters(context, equation);
    SymbolicShape shape;
    for (const char letter : equation.output) shape.push_back(dims.at(letter));
    context.setOutput(0, context.dtype(0), std::move(shape));
}

}  // namespace

void addEinsumTypes(OpCatalog& catalog) {
    catalog.add({"", "Einsum", inferEinsum, 1, std::numeric_limits<size_t>::max(), {}},
                {.weightInputs = {1}});
}

}  // namespace temper
