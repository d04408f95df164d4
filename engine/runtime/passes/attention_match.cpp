// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/passes/attention_match.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include "engine/core/shape.h"
#include "engine/runtime/passes/node_match.h"

namespace temper {
namespace {

using block_attention::Blind;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// A number in place of a score, as of masked_fill(mask, -1e9): no product is as low.
constexpr double kHiddenScore = -1e9;

/// A product of ORT's form with these operands transposed.
bool isProduct(const Node* node, bool transA, bool transB) {
    return node->opType() == "FusedMatMul" && node->domain() == kMicrosoftDomain &&
           (node->attribute<int64_t>("transA", 0) != 0) == transA &&
           (node->attribute<int64_t>("transB", 0) != 0) == transB &&
           node->attribute<int64_t>("transBatchA", 0) == 0 &&
           node->attribute<int64_t>("transBatchB", 0) == 0 &&
           node->attribute<float>("alpha", 1.0F) == 1.0F;
}

/// Matrices of float32 whose sizes are known, none of them 0.
bool areMatrices(const Value* value) {
    const ValueType& type = value->type();
    return type.isStatic() && type.dtype == DType::Float32 && type.rank() >= 3 &&
           type.rank() <= 4 &&
           std::ranges::none_of(*type.shape, [](const Dim& dim) { return dim.value == 0; });
}

/// A dimension, counted from the last.
int64_t dimFromEnd(const Value* value, size_t axis) {
    const SymbolicShape& shape = *value->type().shape;
    return axis < shape.size() ? shape[shape.size() - 1 - axis].value : 1;
}

/// The dimensions before the matrices.
Shape leading(const Value* value) {
    Shape shape = *concreteShape(*value->type().shape);
    shape.resize(shape.size() - 2);
    return shape;
}

/// A value times or divided by a number.
struct Scaling {
    Node* node = nullptr;
    Value* source = nullptr;
    double number = 1;

    double factor() const { return node->opType() == "Div" ? 1 / number : number; }

    /// The scaling that makes `value`, if there is one.
    static std::optional<Scaling> of(const Value* value) {
        if (Node* quotient = producerOf(value, "Div")) return ofInputs(quotient, 0, 1);
        Node* product = producerOf(value, "Mul");
        if (product == nullptr) return std::nullopt;
        const auto scaling = ofInputs(product, 0, 1);
        return scaling ? scaling : ofInputs(product, 1, 0);
    }

private:
    static std::optional<Scaling> ofInputs(Node* node, size_t source, size_t number) {
        const auto found = numberIn(node->input(number));
        Value* from = node->input(source);
        if (!found || !(from->type() == node->output(0)->type())) return std::nullopt;
        return Scaling{node, from, *found};
    }
};

/// Where(condition, x, number) or Where(condition, number, x).
struct Choice {
    Node* node = nullptr;
    size_t kept = 1;  ///< the input that is x
    double number = 0;

    Value* source() const { return node->input(kept); }
    Value* condition() const { return node->input(0); }

    static std::optional<Choice> of(Node* node) {
        if (node == nullptr) return std::nullopt;
        for (const size_t kept : {1, 2}) {
            if (const auto number = numberIn(node->input(3 - kept)))
                return Choice{node, kept, *number};
        }
        return std::nullopt;
    }
};

/// Walks through the nodes of an attention from its softmax up and down.
class AttentionWalk {
public:
    AttentionWalk(Node& softmax, const std::unordered_set<const Value*>& captured)
        : softmax_(softmax), captured_(captured) {}

    std::optional<AttentionMatch> walk() {
        if (!areMatrices(softmax_.output(0)) || !walkUp() || !walkDown()) return std::nullopt;
        if (!fits() || !isClosed() || !isSightKnown()) return std::nullopt;
        match_.scale = static_cast<float>(scale_);
        return std::move(match_);
    }

private:
    Value* inside(Value* value) {
        inside_.push_back(value);
        return value;
    }
    Node* known(Node* node) {
        if (node != nullptr) known_.insert(node);
        return node;
    }

    /// Walks from the softmax to the product of queries and keys.
    bool walkUp() {
        known(&softmax_);
        Value* scores = inside(softmax_.input(0));
        if (const auto choice = Choice::of(producerOf(scores, "Where"))) {
            if (!(choice->number <= kHiddenScore)) return false;
            hiding_ = choice;
            known(choice->node);
            scores = inside(choice->source());
        }
        if (Node* addition = known(producerOf(scores, "Add"))) {
            const size_t first = leadsToProduct(addition->input(0)) ? 0 : 1;
            match_.bias = addition->input(1 - first);
            scores = inside(addition->input(first));
        }
        // Scores plus a bias may be lower than a number that is not the lowest.
        if (hiding_ && match_.bias != nullptr && !hidesKeys(hiding_->number)) return false;
        scores = walkCap(scores);
        if (scores == nullptr) return false;
        scores = walkScales(scores, scoreStages_);
        product_ = known(producerOf(scores, "MatMul"));
        return product_ != nullptr && areMatrices(scores) && takeOperands();
    }

    static bool leadsToProduct(const Value* value) {
        for (;;) {
            const Node* spread = producerOf(value, "Reshape");
            const auto scaling = Scaling::of(value);
            if (spread == nullptr && !scaling) break;
            value = spread != nullptr ? spread->input(0) : scaling->source;
        }
        return producerOf(value, "MatMul") != nullptr || producerOf(value, "Tanh") != nullptr;
    }

    /// cap tanh(scores / cap); null if the numbers differ.
    Value* walkCap(Value* scores) {
        Node* product = producerOf(scores, "Mul");
        tanh_ = product == nullptr ? nullptr : producerOf(product->input(0), "Tanh");
        if (tanh_ == nullptr) return scores;
        Node* division = producerOf(tanh_->input(0), "Div");
        const auto cap = numberIn(product->input(1));
        if (division == nullptr || !cap || *cap <= 0 || !isNumber(division->input(1), *cap))
            return nullptr;
        for (Node* node : {product, tanh_, division}) known(node);
        inside(tanh_->output(0));
        inside(tanh_->input(0));
        match_.softcap = static_cast<float>(*cap);
        return inside(division->input(0));
    }

    /// Through Mul and Div by a number, and Reshape that keeps the last `kept` dimensions.
    Value* walkScales(Value* value, std::vector<Node*>& stages, size_t kept = 1) {
        for (;;) {
            Node* spread = producerOf(value, "Reshape");
            if (const auto scaling = Scaling::of(value)) {
                scale_ *= scaling->factor();
                stages.push_back(known(scaling->node));
                value = inside(scaling->source);
            } else if (spread != nullptr && keepsLast(*spread, kept)) {
                stages.push_back(known(spread));
                value = inside(spread->input(0));
            } else {
                return value;
            }
        }
    }

    static bool keepsLast(const Node& reshape, size_t kept) {
        const Value *from = reshape.input(0), *to = reshape.output(0);
        if (!areMatrices(from) || !areMatrices(to)) return false;
        for (size_t axis = 0; axis < kept; ++axis)
            if (dimFromEnd(from, axis) != dimFromEnd(to, axis)) return false;
        return true;
    }

    /// The operands of the product, before scales that are merged into that of the scores.
    bool takeOperands() {
        match_.q = takeQueries();
        match_.k = walkKeys(product_->input(1));
        if (!areMatrices(match_.k)) return false;
        turn_.resize(match_.k->type().shape->size());
        std::iota(turn_.begin(), turn_.end(), 0);
        if (const Node* transpose = producerOf(match_.k, "Transpose")) {
            auto perm = transpose->attribute<std::vector<int64_t>>("perm", std::vector<int64_t>{});
            if (perm.size() == turn_.size() && areMatrices(transpose->input(0))) {
                match_.k = transpose->input(0);
                turn_ = std::move(perm);
            }
        }
        match_.keyOrder = turn_;
        std::swap(match_.keyOrder[turn_.size() - 2], match_.keyOrder.back());
        if (std::ranges::is_sorted(match_.keyOrder)) match_.keyOrder.clear();
        return areMatrices(product_->input(0)) && areMatrices(product_->input(1));
    }

    Value* takeQueries() {
        Value* queries = product_->input(0);
        while (const auto scaling = Scaling::of(queries)) {
            scale_ *= scaling->factor();
            queryStages_.push_back(known(scaling->node));
            queries = scaling->source;
        }
        return queries;
    }

    Value* walkKeys(Value* keys) {
        for (;;) {
            const auto scaling = Scaling::of(keys);
            Node* spread = producerOf(keys, "Reshape");
            if (spread != nullptr && !keepsLast(*spread, 2)) spread = nullptr;
            if (!scaling && spread == nullptr) return keys;
            if (scaling) scale_ *= scaling->factor();
            keyStages_.push_back(known(scaling ? scaling->node : spread));
            keys = keyStages_.back() == spread ? spread->input(0) : scaling->source;
        }
    }

    /// Walks from the softmax to the product with the values, and through the gradient.
    bool walkDown() {
        Value* probabilities = inside(softmax_.output(0));
        while (Node* stage = probabilityStage(probabilities)) {
            probabilityStages_.push_back(known(stage));
            probabilities = inside(stage->output(0));
        }
        Node *backward = nullptr, *dv = nullptr;
        for (const Value::Use& use : softmax_.output(0)->uses()) {
            if (use.node->opType() != "SoftmaxGrad_13" || use.input != 1) continue;
            if (backward != nullptr) return false;
            backward = known(use.node);
        }
        for (const Value::Use& use : probabilities->uses()) {
            if (isOnnx(use.node, "MatMul") && use.input == 0) {
                if (match_.chosen != nullptr) return false;
                match_.chosen = known(use.node);
            } else if (isProduct(use.node, true, false) && use.input == 0) {
                if (dv != nullptr) return false;
                dv = known(use.node);
            }
        }
        probabilities_ = probabilities;
        if (match_.chosen != nullptr) match_.v = match_.chosen->input(1);
        if (backward != nullptr && !walkBackward(*backward, dv)) return false;
        return match_.v != nullptr && areMatrices(match_.v) && (backward != nullptr || !dv) &&
               (match_.chosen != nullptr || backward != nullptr);
    }

    /// The Reshape of probabilities, or Where(IsNaN(p), 0, p), which PyTorch adds for queries that
    /// see no key; null if there is neither.
    Node* probabilityStage(const Value* probabilities) {
        for (const Value::Use& use : probabilities->uses()) {
            if (known_.contains(use.node) || use.input != (isOnnx(use.node, "Where") ? 2U : 0U))
                continue;
            if (isOnnx(use.node, "Reshape") && areMatrices(use.node->output(0))) return use.node;
            if (!isOnnx(use.node, "Where") || !isNumber(use.node->input(1), 0)) continue;
            Node* check = producerOf(use.node->input(0), "IsNaN");
            if (check == nullptr || check->input(0) != probabilities) continue;
            known(check);
            inside(check->output(0));
            isGuarded_ = true;
            return use.node;
        }
        return nullptr;
    }

    bool walkBackward(Node& backward, Node* dv) {
        Value* gradient = inside(backward.input(0));
        for (const Node* stage : probabilityStages_) {
            Node* inverse = known(producerOf(gradient, stage->opType()));
            if (inverse == nullptr) return false;
            const bool isGuard = stage->opType() == "Where";
            if (isGuard &&
                (inverse->input(0) != stage->input(0) || !isNumber(inverse->input(1), 0)))
                return false;
            gradient = inside(inverse->input(isGuard ? 2 : 0));
        }
        Node* product = known(gradient->producer());
        if (product == nullptr || !isProduct(product, false, true)) return false;
        match_.dy = product->input(0);
        if (match_.v == nullptr) match_.v = product->input(1);
        if (product->input(1) != match_.v || !areMatrices(match_.dy)) return false;
        if (dv != nullptr && dv->input(1) != match_.dy) return false;
        match_.dv = dv;
        return walkToOperands(inside(backward.output(0)));
    }

    /// The reader of a value that is this operator.
    static Node* next(const Value* value, std::string_view op, size_t input) {
        for (const Value::Use& use : value->uses())
            if (use.node->opType() == op && use.input == input) return use.node;
        return nullptr;
    }

    bool walkToOperands(Value* gradient) {
        if (hiding_) {
            Node* hiding = known(next(gradient, "Where", hiding_->kept));
            if (hiding == nullptr || hiding->input(0) != hiding_->condition() ||
                !isNumber(hiding->input(3 - hiding_->kept), 0)) {
                return false;
            }
            gradient = inside(hiding->output(0));
        }
        if (match_.softcap > 0) gradient = walkCapGradient(gradient);
        if (gradient == nullptr) return false;
        for (const Node* stage : scoreStages_) {
            const Node* inverse = gradientOf(*stage, gradient);
            if (inverse == nullptr) return false;
            gradient = inside(inverse->output(0));
        }
        for (const Value::Use& use : gradient->uses()) {
            if (isProduct(use.node, false, true) && use.input == 0 &&
                use.node->input(1) == product_->input(1)) {
                match_.dq = known(use.node);
            } else if (isProduct(use.node, true, false) && use.input == 1 &&
                       use.node->input(0) == product_->input(0)) {
                match_.dk = known(use.node);
            }
        }
        if (match_.dq != nullptr && !walkStages(queryStages_, match_.dq)) return false;
        return match_.dk == nullptr || (walkStages(keyStages_, match_.dk) && walkTurn());
    }

    /// The node of the backward pass that belongs to a Mul or Div by a number or a Reshape.
    Node* gradientOf(const Node& stage, const Value* gradient) {
        Node* inverse = next(gradient, stage.opType(), 0);
        if (inverse == nullptr) return nullptr;
        if (stage.opType() != "Reshape") {
            const auto forward = Scaling::of(stage.output(0)),
                       backward = Scaling::of(inverse->output(0));
            if (!backward || backward->source != gradient || backward->number != forward->number)
                return nullptr;
        }
        return known(inverse);
    }

    /// Walks from the product that makes an operand's gradient to that before the scaling.
    bool walkStages(const std::vector<Node*>& stages, Node*& gradient) {
        for (const Node* stage : stages) {
            Node* inverse = gradientOf(*stage, inside(gradient->output(0)));
            if (inverse == nullptr) return false;
            gradient = inverse;
        }
        return true;
    }

    /// Walks to the keys before the Transpose, if there is one.
    bool walkTurn() {
        const Value* turned = match_.dk->output(0);
        std::vector<int64_t> back(turn_.size());
        for (size_t i = 0; i < turn_.size(); ++i)
            back[static_cast<size_t>(turn_[i])] = static_cast<int64_t>(i);
        Node* reader = turned->uses().size() == 1 && !turned->isGraphOutput()
                           ? turned->uses()[0].node
                           : nullptr;
        match_.isDkTurned =
            !isOnnx(reader, "Transpose") ||
            reader->attribute<std::vector<int64_t>>("perm", std::vector<int64_t>{}) != back;
        if (!match_.isDkTurned) {
            inside(match_.dk->output(0));
            match_.dk = known(reader);
        }
        return true;
    }

    Value* walkCapGradient(Value* gradient) {
        Node* product = known(next(gradient, "Mul", 0));
        if (product == nullptr || !isNumber(product->input(1), match_.softcap)) return nullptr;
        Node* slope = known(next(inside(product->output(0)), "TanhGrad", 0));
        if (slope == nullptr || slope->input(1) != tanh_->output(0)) return nullptr;
        Node* division = known(next(inside(slope->output(0)), "Div", 0));
        if (division == nullptr || !isNumber(division->input(1), match_.softcap)) return nullptr;
        return inside(division->output(0));
    }

    /// Whether the sizes are those of heads, some of which may share keys; stores their numbers.
    bool fits() {
        const Value* scores = product_->output(0);
        const Value* spread = softmax_.output(0);
        const Shape matrices = leading(scores);
        if (leading(product_->input(0)) != matrices || leading(product_->input(1)) != matrices)
            return false;
        if (leading(match_.v) != leading(probabilities_)) return false;
        match_.batch = dimFromEnd(spread, 3);
        match_.heads = dimFromEnd(spread, 2);
        const int64_t count = numElements(matrices), rows = dimFromEnd(scores, 1),
                      keys = dimFromEnd(scores, 0);
        const int64_t spreadRows = match_.batch * match_.heads * dimFromEnd(spread, 1);
        return count * rows == spreadRows && count % match_.batch == 0 &&
               match_.heads % (count / match_.batch) == 0 && rows % dimFromEnd(spread, 1) == 0 &&
               dimFromEnd(spread, 0) == keys && dimFromEnd(probabilities_, 0) == keys &&
               dimFromEnd(probabilities_, 1) == rows;
    }

    /// Whether nothing else needs the inner values, except for their shapes.
    bool isClosed() {
        for (const Value* value : inside_) {
            if (value->isGraphOutput() || captured_.contains(value) || !value->type().isStatic())
                return false;
            for (const Value::Use& use : value->uses()) {
                if (known_.contains(use.node)) continue;
                if (!isOnnx(use.node, "Shape") || !use.node->attributes().empty()) return false;
                match_.shapes.push_back(use.node);
            }
        }
        return true;
    }

    bool isSightKnown() {
        if (match_.bias != nullptr && !match_.bias->type().isStatic()) return false;
        if (hiding_) {
            const bool hides = hiding_->kept == 2;
            if (!hides) match_.seen = hiding_->condition();
            match_.hides = true;
            match_.blind = blindOf(hiding_->number, Blind::Mean);
            match_.sight.add(hiding_->condition(), hides, match_.bias);
        }
        if (match_.bias != nullptr) takeBias();
        return std::ranges::all_of(match_.sight.masks, [](const AttentionSight::Mask& mask) {
            return mask.value->type().isStatic();
        });
    }

    /// The result of queries that see no key. A softmax over minus infinity has no value.
    Blind blindOf(double low, Blind otherwise) const {
        if (low != -kInfinity) return otherwise;
        return isGuarded_ ? Blind::Zeros : Blind::NotANumber;
    }

    /// Replaces a bias that only hides keys by the masks and positions that it is made from.
    void takeBias() {
        if (hiding_ && !match_.sight.infiniteHides) return;
        const std::optional<double> low = match_.sight.addBias(match_.bias);
        if (!low) return;
        match_.bias = nullptr;
        match_.sight.infiniteHides = false;
        if (hiding_) return;
        match_.hides = true;
        match_.blind = blindOf(*low, Blind::MeanThatLearns);
    }

    Node& softmax_;
    const std::unordered_set<const Value*>& captured_;
    AttentionMatch match_;
    double scale_ = 1;
    std::optional<Choice> hiding_;
    bool isGuarded_ = false;
    Node* product_ = nullptr;
    Node* tanh_ = nullptr;
    const Value* probabilities_ = nullptr;  ///< as the product with the values reads them
    std::vector<int64_t> turn_;             ///< of the keys by the model; sorted: none
    std::vector<Node*> scoreStages_;        ///< from the softmax to the product
    std::vector<Node*> queryStages_;        ///< from the product up
    std::vector<Node*> keyStages_;
    std::vector<Node*> probabilityStages_;  ///< from the softmax down
    std::vector<Value*> inside_;
    std::unordered_set<const Node*> known_;
};

}  // namespace

std::optional<AttentionMatch> AttentionMatch::at(Node& softmax, int64_t opset,
                                                 const std::unordered_set<const Value*>& captured) {
    const int64_t axis = softmax.attribute<int64_t>("axis", opset >= 13 ? -1 : 1);
    const auto last = static_cast<int64_t>(softmax.output(0)->type().rank()) - 1;
    if (axis != last && (axis != -1 || opset < 13)) return std::nullopt;
    return AttentionWalk(softmax, captured).walk();
}

}  // namespace temper
