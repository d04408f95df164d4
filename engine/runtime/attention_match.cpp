// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/attention_match.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "engine/core/shape.h"

namespace temper {
namespace {

bool isOnnx(const Node* node, std::string_view op) {
    return node != nullptr && node->opType() == op && node->domain() == kOnnxDomain;
}

Node* producerOf(const Value* value, std::string_view op) {
    Node* producer = value->producer();
    return isOnnx(producer, op) ? producer : nullptr;
}

bool isNumber(const Value* value, double number) {
    const std::optional<double> found = value == nullptr ? std::nullopt : numberIn(value);
    return found && *found == number;
}

/// A product of ORT's form with these operands transposed.
bool isProduct(const Node* node, bool transA, bool transB) {
    return node->opType() == "FusedMatMul" && node->domain() == kMicrosoftDomain &&
           (node->attribute<int64_t>("transA", 0) != 0) == transA &&
           (node->attribute<int64_t>("transB", 0) != 0) == transB &&
           node->attribute<int64_t>("transBatchA", 0) == 0 &&
           node->attribute<int64_t>("transBatchB", 0) == 0 &&
           node->attribute<float>("alpha", 1.0F) == 1.0F;
}

/// Four dimensions of float32 that are known, none of them 0.
bool isFourfold(const Value* value) {
    const ValueType& type = value->type();
    return type.isStatic() && type.dtype == DType::Float32 && type.rank() == 4 &&
           std::ranges::none_of(*type.shape, [](const Dim& dim) { return dim.value == 0; });
}

int64_t dim(const Value* value, size_t axis) { return (*value->type().shape)[axis].value; }

/// Positions: one for each query, or one for each key that is the same in all heads.
bool isThin(const Value* value) {
    const ValueType& type = value->type();
    if (!type.isStatic() || type.dtype != DType::Int64 || type.rank() > 4) return false;
    const SymbolicShape& shape = *type.shape;
    const size_t rank = shape.size();
    if (rank < 2 || shape[rank - 1].value == 1) return true;
    return shape[rank - 2].value == 1 && (rank < 3 || shape[rank - 3].value == 1);
}

/// Not(Equal(bias, minus infinity))
bool hidesInfinite(const Value* seen, const Value* bias) {
    const Node* negation = producerOf(seen, "Not");
    const Node* comparison =
        negation == nullptr ? nullptr : producerOf(negation->input(0), "Equal");
    return comparison != nullptr && bias != nullptr && comparison->input(0) == bias &&
           isNumber(comparison->input(1), -std::numeric_limits<double>::infinity());
}

void takeApart(Value* seen, const Value* bias, AttentionSight& sight) {
    if (const Node* both = producerOf(seen, "And")) {
        takeApart(both->input(0), bias, sight);
        takeApart(both->input(1), bias, sight);
        return;
    }
    for (const char* op : {"Less", "LessOrEqual"}) {
        const Node* comparison = producerOf(seen, op);
        if (comparison == nullptr) continue;
        if (!isThin(comparison->input(0)) || !isThin(comparison->input(1))) break;
        sight.pairs.push_back(
            {comparison->input(0), comparison->input(1), comparison->opType() == "Less"});
        return;
    }
    if (hidesInfinite(seen, bias)) {
        sight.infiniteHides = true;
    } else {
        sight.masks.push_back(seen);
    }
}

/// Goes through the nodes of an attention from its softmax up and down.
class AttentionWalk {
public:
    AttentionWalk(Node& softmax, const std::unordered_set<const Value*>& captured)
        : softmax_(softmax), captured_(captured) {}

    std::optional<AttentionMatch> walk() {
        if (!isFourfold(softmax_.output(0)) || !walkUp() || !walkDown()) return std::nullopt;
        if (!isClosed()) return std::nullopt;
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

    /// From the softmax to the product of queries and keys.
    bool walkUp() {
        known(&softmax_);
        Value* scores = inside(softmax_.input(0));
        if (Node* hiding = producerOf(scores, "Where")) {
            if (!isNumber(hiding->input(2), std::numeric_limits<float>::lowest())) return false;
            known(hiding);
            match_.sight.all = hiding->input(0);
            scores = inside(hiding->input(1));
        }
        if (Node* addition = known(producerOf(scores, "Add"))) {
            match_.bias = addition->input(1);
            scores = inside(addition->input(0));
        }
        scores = walkCap(scores);
        if (scores == nullptr || !isFourfold(scores)) return false;
        match_.heads = dim(scores, 1);
        if (Node* spread = known(producerOf(scores, "Reshape"))) scores = inside(spread->input(0));
        product_ = known(producerOf(scores, "MatMul"));
        return product_ != nullptr && isFourfold(scores) && takeOperands(scores);
    }

    /// cap tanh(scores / cap); null where the numbers differ.
    Value* walkCap(Value* scores) {
        Node* product = producerOf(scores, "Mul");
        if (product == nullptr) return scores;
        tanh_ = producerOf(product->input(0), "Tanh");
        Node* division = tanh_ == nullptr ? nullptr : producerOf(tanh_->input(0), "Div");
        const auto cap = numberIn(product->input(1));
        if (division == nullptr || !cap || *cap <= 0 || !isNumber(division->input(1), *cap))
            return nullptr;
        for (Node* node : {product, tanh_, division}) known(node);
        inside(tanh_->output(0));
        inside(tanh_->input(0));
        match_.softcap = static_cast<float>(*cap);
        return inside(division->input(0));
    }

    bool takeOperands(const Value* scores) {
        match_.q = product_->input(0);
        const Node* turned = producerOf(product_->input(1), "Transpose");
        const std::vector<int64_t> lastTwo = {0, 1, 3, 2};
        if (turned == nullptr ||
            turned->attribute<std::vector<int64_t>>("perm", std::vector<int64_t>{}) != lastTwo) {
            return false;
        }
        match_.k = turned->input(0);
        if (!isFourfold(match_.q) || !isFourfold(match_.k)) return false;
        const int64_t groups = dim(scores, 1), rows = dim(scores, 2);
        const Value* spread = softmax_.output(0);
        for (size_t axis : {0, 1}) {
            if (dim(match_.q, axis) != dim(match_.k, axis)) return false;
        }
        return match_.heads % groups == 0 && dim(spread, 1) == match_.heads &&
               groups * rows == match_.heads * dim(spread, 2) && dim(spread, 3) == dim(scores, 3) &&
               dim(spread, 0) == dim(scores, 0);
    }

    /// From the softmax to the product with the values, and through the gradient.
    bool walkDown() {
        Value* grouped = inside(softmax_.output(0));
        Node* backward = nullptr;
        for (const Value::Use& use : softmax_.output(0)->uses()) {
            if (isOnnx(use.node, "Reshape") && use.input == 0) {
                if (grouped != softmax_.output(0)) return false;
                grouped = inside(known(use.node)->output(0));
            } else if (use.node->opType() == "SoftmaxGrad_13" && use.input == 1) {
                if (backward != nullptr) return false;
                backward = known(use.node);
            }
        }
        Node* dv = nullptr;
        for (const Value::Use& use : grouped->uses()) {
            if (isOnnx(use.node, "MatMul") && use.input == 0) {
                if (match_.chosen != nullptr) return false;
                match_.chosen = known(use.node);
            } else if (isProduct(use.node, true, false) && use.input == 0) {
                if (dv != nullptr) return false;
                dv = known(use.node);
            }
        }
        if (match_.chosen != nullptr) match_.v = match_.chosen->input(1);
        if (backward != nullptr && !walkBackward(*backward, dv)) return false;
        return match_.v != nullptr && isFourfold(match_.v) && (backward != nullptr || !dv) &&
               (match_.chosen != nullptr || backward != nullptr) &&
               (dim(match_.v, 0) == dim(match_.k, 0) && dim(match_.v, 1) == dim(match_.k, 1) &&
                dim(match_.v, 2) == dim(match_.k, 2));
    }

    bool walkBackward(Node& backward, Node* dv) {
        Value* gradient = inside(backward.input(0));
        if (Node* spread = known(producerOf(gradient, "Reshape")))
            gradient = inside(spread->input(0));
        Node* product = known(gradient->producer());
        if (product == nullptr || !isProduct(product, false, true)) return false;
        match_.dy = product->input(0);
        if (match_.v == nullptr) match_.v = product->input(1);
        if (product->input(1) != match_.v || !isFourfold(match_.dy)) return false;
        if (dv != nullptr && dv->input(1) != match_.dy) return false;
        match_.dv = dv;
        return walkToOperands(inside(backward.output(0)));
    }

    /// The only reader of a value that is no Shape and of this operator.
    Node* next(const Value* value, std::string_view op, size_t input) {
        for (const Value::Use& use : value->uses()) {
            if (use.node->opType() == op && use.input == input) return known(use.node);
        }
        return nullptr;
    }

    bool walkToOperands(Value* gradient) {
        if (match_.sight.all != nullptr) {
            Node* hiding = next(gradient, "Where", 1);
            if (hiding == nullptr || hiding->input(0) != match_.sight.all ||
                !isNumber(hiding->input(2), 0)) {
                return false;
            }
            gradient = inside(hiding->output(0));
        }
        if (match_.softcap > 0) gradient = walkCapGradient(gradient);
        if (gradient == nullptr) return false;
        if (Node* grouping = next(gradient, "Reshape", 0)) gradient = inside(grouping->output(0));
        for (const Value::Use& use : gradient->uses()) {
            if (isProduct(use.node, false, true) && use.input == 0 &&
                use.node->input(1) == product_->input(1)) {
                match_.dq = known(use.node);
            } else if (isProduct(use.node, true, false) && use.input == 1 &&
                       use.node->input(0) == match_.q) {
                match_.dkTransposed = known(use.node);
            }
        }
        return true;
    }

    Value* walkCapGradient(Value* gradient) {
        Node* product = next(gradient, "Mul", 0);
        if (product == nullptr || !isNumber(product->input(1), match_.softcap)) return nullptr;
        Node* slope = next(inside(product->output(0)), "TanhGrad", 0);
        if (slope == nullptr || slope->input(1) != tanh_->output(0)) return nullptr;
        Node* division = next(inside(slope->output(0)), "Div", 0);
        if (division == nullptr || !isNumber(division->input(1), match_.softcap)) return nullptr;
        return inside(division->output(0));
    }

    /// Whether nothing else needs what lies inside, except for its shape.
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
        return isSightKnown();
    }

    bool isSightKnown() {
        if (match_.bias != nullptr && !match_.bias->type().isStatic()) return false;
        if (match_.sight.all == nullptr) return true;
        takeApart(match_.sight.all, match_.bias, match_.sight);
        return std::ranges::all_of(match_.sight.masks,
                                   [](const Value* mask) { return mask->type().isStatic(); });
    }

    Node& softmax_;
    const std::unordered_set<const Value*>& captured_;
    AttentionMatch match_;
    Node* product_ = nullptr;
    Node* tanh_ = nullptr;
    std::vector<Value*> inside_;
    std::unordered_set<const Node*> known_;
};

}  // namespace

std::optional<double> numberIn(const Value* value) {
    if (!value->isInitializer() || value->constant().numElements() != 1) return std::nullopt;
    return value->constant().cast(DType::Float64).values<double>()[0];
}

std::optional<AttentionMatch> AttentionMatch::at(Node& softmax, int64_t opset,
                                                 const std::unordered_set<const Value*>& captured) {
    const int64_t axis = softmax.attribute<int64_t>("axis", opset >= 13 ? -1 : 1);
    if (axis != 3 && (axis != -1 || opset < 13)) return std::nullopt;
    return AttentionWalk(softmax, captured).walk();
}

}  // namespace temper
