// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/ops/einsum/einsum.h"
#include "engine/ops/einsum/equation.h"

namespace temper {
namespace {

EinsumEquation equationOf(const GradientContext& node) {
    std::vector<size_t> ranks;
    for (size_t i = 0; i < node.inputCount(); ++i) {
        const auto& shape = node.input(i).type().shape;
        if (!shape) {
            throw Error(ErrorCode::Unsupported,
                        "The rank of operand " + std::to_string(i) +
                            " is unknown; the gradient of Einsum needs it.",
                        "Export the model with shapes.");
        }
        ranks.push_back(shape->size());
    }
    return EinsumEquation::parse(node.node(), ranks);
}

/// The backward pass of one operand.
///
/// y = sum over the letters that y lacks of the product of all operands. So the gradient of an
/// operand is Einsum of dy and the other operands onto the operand's letters. Letters that only
/// this operand has were summed: their gradient is repeated along them. If a letter appears twice
/// in the operand, its gradient is on the diagonal.
class OperandGradient {
public:
    OperandGradient(const GradientContext& node, const EinsumEquation& equation, size_t operand)
        : node_(node),
          equation_(equation),
          operand_(operand),
          letters_(equation.operands[operand]) {}

    Var compute() const {
        std::string distinct;
        for (const char letter : letters_) {
            if (!contains(distinct, letter)) distinct += letter;
        }
        std::string present;
        for (const char letter : distinct) {
            if (isElsewhere(letter)) present += letter;
        }
        const Var gradient = spread(contract(present), present, distinct);
        return onDiagonals(gradient, distinct);
    }

private:
    bool isElsewhere(char letter) const {
        if (contains(equation_.output, letter)) return true;
        for (size_t i = 0; i < equation_.operands.size(); ++i) {
            if (i != operand_ && contains(equation_.operands[i], letter)) return true;
        }
        return false;
    }

    const Dim& dimOf(size_t operand, char letter) const {
        const size_t axis = equation_.operands[operand].find(letter);
        return node_.input(operand).shape()[axis];
    }

    /// Whether the other operands with this letter may have 1 where this operand has more.
    bool mayBeBroadcast(char letter) const {
        if (contains(equation_.output, letter)) return false;
        for (size_t i = 0; i < equation_.operands.size(); ++i) {
            if (i == operand_ || !contains(equation_.operands[i], letter)) continue;
            const Dim& dim = dimOf(i, letter);
            const bool isNamed = dim.isNumber() || !dim.symbol.empty();
            if (!isNamed || !(dim == dimOf(operand_, letter))) return true;
        }
        return false;
    }

    Var contract(const std::string& onto) const {
        const Var dy = node_.outputGradient(0);
        const bool isScalar = equation_.output.empty();
        EinsumEquation backward;
        std::vector<Var> factors;
        if (!isScalar) {
            backward.operands.push_back(equation_.output);
            factors.push_back(dy);
        }
        for (size_t i = 0; i < equation_.operands.size(); ++i) {
            if (i == operand_) continue;
            backward.operands.push_back(equation_.operands[i]);
            factors.push_back(node_.input(i));
        }
        if (factors.empty()) return dy;
        backward.output = onto;
        const bool isCopy = factors.size() == 1 && backward.operands.front() == onto;
        const Var product =
            isCopy ? factors.front()
                   : node_.emitter().op("Einsum", factors, {{"equation", backward.text()}});
        return isScalar ? product * dy : product;
    }

    /// From the letters `present` to `all`, of which they are a part, in the same order.
    Var spread(Var gradient, const std::string& present, const std::string& all) const {
        std::vector<int64_t> added;
        std::vector<Var> sizes;
        bool isSpread = false;
        for (size_t i = 0; i < all.size(); ++i) {
            const bool isNew = !contains(present, all[i]);
            if (isNew) added.push_back(static_cast<int64_t>(i));
            const bool isRepeated = isNew || mayBeBroadcast(all[i]);
            isSpread = isSpread || isRepeated;
            sizes.push_back(isRepeated ? sizeOfLetter(all[i]) : node_.emitter().integers({1}));
        }
        if (!isSpread) return gradient;
        const Var spaced = present.empty() ? gradient : unsqueeze(gradient, added);
        return expand(spaced, concat(sizes, 0));
    }

    /// The operand's dimension of a letter, as int64 [1].
    Var sizeOfLetter(char letter) const {
        const auto axis = static_cast<int64_t>(letters_.find(letter));
        const Dim& dim = dimOf(operand_, letter);
        if (dim.isNumber()) return node_.emitter().integers({dim.value});
        return node_.emitter().op(
            "Gather", {shapeOf(node_.input(operand_)), node_.emitter().integers({axis})},
            {{"axis", int64_t{0}}});
    }

    /// g[i, k] -> G[i, j, k] = g[i, k] if j = i, else 0, for each letter that repeats.
    Var onDiagonals(Var gradient, const std::string& distinct) const {
        if (distinct.size() == letters_.size()) return gradient;
        EinsumEquation backward{{distinct}, letters_};
        std::vector<Var> factors = {gradient};
        std::string fresh;
        for (size_t i = 0; i < letters_.size(); ++i) {
            if (letters_.find(letters_[i]) == i) continue;
            const char other = freshLetter(fresh);
            fresh += other;
            backward.output[i] = other;
            backward.operands.push_back(std::string{letters_[i], other});
            factors.push_back(unitMatrix(letters_[i], gradient.dtype()));
        }
        return node_.emitter().op("Einsum", factors, {{"equation", backward.text()}});
    }

    char freshLetter(const std::string& taken) const {
        for (char letter = 'a'; letter <= 'z'; ++letter) {
            if (!contains(letters_, letter) && !contains(taken, letter)) return letter;
        }
        throw Error(ErrorCode::Unsupported, "Operand " + std::to_string(operand_) +
                                                " has more dimensions than letters exist.");
    }

    /// [n, n] of the letter's size, ones on the diagonal.
    Var unitMatrix(char letter, DType dtype) const {
        GradientEmitter& emitter = node_.emitter();
        const Var size = sizeOfLetter(letter);
        const Var square = emitter.op("ConstantOfShape", {concat({size, size}, 0)});
        return emitter.op("EyeLike", {square}, {{"dtype", static_cast<int64_t>(dtype)}});
    }

    const GradientContext& node_;
    const EinsumEquation& equation_;
    size_t operand_;
    const std::string& letters_;
};

Gradients einsumGradient(const GradientContext& node) {
    const EinsumEquation equation = equationOf(node);
    Gradients result(node.inputCount());
    for (size_t i = 0; i < result.size(); ++i) {
        if (node.needs(i)) result[i] = OperandGradient(node, equation, i).compute();
    }
    return result;
}

}  // namespace

void addEinsumGradients(GradientRules& gradients) { gradients.add("", "Einsum", einsumGradient); }

}  // namespace temper
