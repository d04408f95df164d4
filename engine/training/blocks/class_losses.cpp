// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <numeric>

#include "engine/training/blocks/blocks.h"
#include "engine/training/blocks/loss_reduction.h"

namespace temper::blocks {
namespace {

/// SoftmaxCrossEntropyLoss and NegativeLogLikelihoodLoss came with opset 12.
constexpr int64_t kLossOpset = 12;

const char* reductionName(Reduction reduction) {
    if (reduction == Reduction::None) return "none";
    return reduction == Reduction::Sum ? "sum" : "mean";
}

/// A loss node over classes, which takes names in ORT's order: weights, outputs, node.
class ClassLossNode {
public:
    ClassLossNode(BlockModel& model, std::string opType, const ClassOptions& options)
        : model_(model), options_(options) {
        spec_.opType = std::move(opType);
        spec_.name = spec_.opType;
        if (!options.weight.empty()) {
            weight_ = vectorOf(model, "celoss.weight", options.weight);
        } else {
            model.names().skip(1);
        }
    }

    Node* build(Value* x, Value* labels, Reduction reduction, std::vector<std::string> outputs) {
        spec_.inputs = {x, labels};
        spec_.attributes = {{"reduction", std::string(reductionName(reduction))}};
        for (const std::string& token : outputs) {
            spec_.outputs.push_back(model_.names().next(token));
        }
        if (weight_ != nullptr) spec_.inputs.push_back(weight_);
        if (model_.opset() < kLossOpset) {
            useInternalForm();
        } else if (options_.ignoreIndex) {
            spec_.attributes.emplace("ignore_index", *options_.ignoreIndex);
        }
        spec_.name = model_.names().next(spec_.name);
        return model_.add(std::move(spec_));
    }

    Value* weight() const { return weight_; }

private:
    /// ORT's own form, in which the ignored label is an input.
    void useInternalForm() {
        spec_.opType += "Internal";
        spec_.domain = std::string(kMicrosoftDomain);
        if (!options_.ignoreIndex) return;
        spec_.inputs.resize(3);
        spec_.inputs.push_back(
            model_.initializer("ignore_index", Tensor::scalar(*options_.ignoreIndex)));
    }

    BlockModel& model_;
    const ClassOptions& options_;
    NodeSpec spec_;
    Value* weight_ = nullptr;
};

/// Which labels count, and their weights.
class LabelWeights {
public:
    LabelWeights(BlockModel& model, Value* labels, const ClassOptions& options)
        : model_(model), labels_(labels) {
        if (!options.ignoreIndex) return;
        Value* ignored = model.op("Equal", {labels, number(*options.ignoreIndex)});
        counts_ = model.op("Not", {ignored});
        counted_ = cast(model, counts_, DType::Float32);
    }

    /// 1 where a label counts, else 0. Null: all count.
    Value* counted() const { return counted_; }

    /// The class weight of each label, 0 if it does not count. Without weights: counted().
    Value* of(Value* weight) {
        if (weight == nullptr) return counted_;
        if (counted_ == nullptr) return gather(weight, labels_);
        Value* isCounted = cast(model_, counts_, labels_->type().dtype);
        Value* safe = mul(model_, labels_, isCounted);
        return mul(model_, gather(weight, safe), counted_);
    }

private:
    Value* number(int64_t value) {
        return model_.initializer("ignore_index",
                                  Tensor::scalar(value).cast(labels_->type().dtype));
    }
    Value* gather(Value* weight, Value* labels) {
        return model_.op("Gather", {weight, labels}, {{"axis", int64_t{0}}});
    }

    BlockModel& model_;
    Value* labels_;
    Value* counts_ = nullptr;
    Value* counted_ = nullptr;
};

/// -sum over classes of w log p
Value* uniformLosses(BlockModel& model, Value* logProbabilities, const ClassOptions& options) {
    Value* terms = logProbabilities;
    if (!options.weight.empty()) {
        Shape shape(static_cast<size_t>(terms->type().rank()), 1);
        shape[1] = static_cast<int64_t>(options.weight.size());
        const Tensor weight = Tensor::of<float>(shape, std::span<const float>(options.weight));
        terms = mul(model, terms, model.initializer("celoss.weight", weight));
    }
    return neg(model, sumOver(model, terms, {1}));
}

/// The part of label smoothing that is equal for all classes: the mean over classes. Source:
/// Szegedy et al., Rethinking the Inception Architecture (2016), section 7; weights and ignored
/// labels as in PyTorch's cross_entropy.
Value* uniformPart(BlockModel& model, Value* logProbabilities, Value* labels, Value* weight,
                   const ClassOptions& options) {
    Value* losses = uniformLosses(model, logProbabilities, options);
    LabelWeights labelWeights(model, labels, options);
    if (Value* counted = labelWeights.counted()) losses = mul(model, losses, counted);
    Value* divisor = options.reduction == Reduction::Mean ? labelWeights.of(weight) : nullptr;
    return reducedBy(model, losses, divisor, options.reduction);
}

int64_t classCount(const Value* logits) {
    const Dim& classes = logits->type().shape->at(1);
    if (classes.isNumber()) return classes.value;
    throw Error(ErrorCode::InvalidInput,
                "Label smoothing needs the number of classes; '" + logits->name() + "' is " +
                    formatType(logits->type()) + ".",
                "Export the model with a fixed number of classes.");
}

void requireClasses(const Value* x) {
    if (x->type().rank() >= 2) return;
    throw Error(ErrorCode::InvalidInput,
                "'" + x->name() + "' is " + formatType(x->type()) +
                    "; a loss over classes reads [N, classes, ...].",
                "Choose another output or another loss.");
}

/// The logits with their classes along axis 1, where ONNX's operators expect them.
Value* classesSecond(BlockModel& model, Value* logits, int64_t axis) {
    requireClasses(logits);
    const int64_t rank = logits->type().rank();
    const int64_t from = axis < 0 ? axis + rank : axis;
    if (from < 1 || from >= rank) {
        throw Error(ErrorCode::InvalidInput,
                    "The class axis is set to " + std::to_string(axis) + " of '" + logits->name() +
                        "', which is " + formatType(logits->type()) +
                        "; expected an axis from 1 to " + std::to_string(rank - 1) + ", or -1.",
                    "Axis 0 is the batch; choose the axis whose size is the number of classes.");
    }
    if (from == 1) return logits;
    std::vector<int64_t> order(static_cast<size_t>(rank));
    std::iota(order.begin(), order.end(), int64_t{0});
    order.erase(order.begin() + from);
    order.insert(order.begin() + 1, from);
    return model.op("Transpose", {logits}, {{"perm", order}});
}

}  // namespace

ValueType labelType(const ValueType& logits) {
    SymbolicShape shape = logits.shape.value_or(SymbolicShape{});
    if (shape.size() > 1) shape.erase(shape.begin() + 1);
    return {DType::Int64, std::move(shape), false};
}

Value* crossEntropy(BlockModel& model, Value* logits, const Target& labels,
                    const ClassOptions& options) {
    logits = classesSecond(model, logits, options.axis);
    Value* t = resolve(model, labels, labelType(logits->type()));
    ClassLossNode builder(model, "SoftmaxCrossEntropyLoss", options);
    const Node* node = builder.build(logits, t, options.reduction, {"loss", "log_prob"});
    if (options.labelSmoothing == 0) return node->output(0);
    const double share = options.labelSmoothing;
    const auto perClass = static_cast<float>(share / static_cast<double>(classCount(logits)));
    Value* kept = mul(model, node->output(0), scalar(model, static_cast<float>(1 - share)));
    Value* spread = uniformPart(model, node->output(1), t, builder.weight(), options);
    return add(model, kept, mul(model, spread, scalar(model, perClass)));
}

Value* negativeLogLikelihood(BlockModel& model, Value* x, const Target& labels,
                             const ClassOptions& options) {
    x = classesSecond(model, x, options.axis);
    Value* t = resolve(model, labels, labelType(x->type()));
    ClassLossNode builder(model, "NegativeLogLikelihoodLoss", options);
    return builder.build(x, t, options.reduction, {"loss"})->output(0);
}

Value* focal(BlockModel& model, Value* logits, const Target& labels, const ClassOptions& options) {
    logits = classesSecond(model, logits, options.axis);
    Value* t = resolve(model, labels, labelType(logits->type()));
    ClassOptions plain;
    plain.ignoreIndex = options.ignoreIndex;
    Value* losses = ClassLossNode(model, "SoftmaxCrossEntropyLoss", plain)
                        .build(logits, t, Reduction::None, {"loss", "log_prob"})
                        ->output(0);
    if (options.gamma > 0) {
        Value* probability = exp(model, neg(model, losses));
        Value* missing = sub(model, scalar(model, 1), probability);
        missing = clip(model, missing, std::numeric_limits<float>::epsilon(), std::nullopt);
        losses = mul(model, pow(model, missing, options.gamma), losses);
    }
    LabelWeights labelWeights(model, t, options);
    if (!options.weight.empty()) {
        Value* weight = vectorOf(model, "focal.weight", options.weight);
        losses = mul(model, losses, labelWeights.of(weight));
    }
    return reducedBy(model, losses, labelWeights.counted(), options.reduction);
}

}  // namespace temper::blocks
