// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "engine/training/blocks/blocks.h"
#include "engine/training/blocks/loss_reduction.h"

namespace temper::blocks {
namespace {

/// Pad takes whole numbers, and GatherElements came, with this opset.
constexpr int64_t kNeededOpset = 11;
constexpr int64_t kSplitSizesAreInputs = 13;
constexpr int64_t kReduceAxesAreInputs = 18;
/// The logarithm of no probability. Sums of two still are float32 numbers, and unlike those of
/// infinity their differences are numbers, too: so gradients are.
constexpr float kNever = -1e30F;

void requireSteps(const BlockModel& model, const Value* logits, int64_t timeAxis) {
    if (model.opset() < kNeededOpset) {
        throw Error(ErrorCode::Unsupported,
                    "CTC needs opset " + std::to_string(kNeededOpset) + "; the model has " +
                        std::to_string(model.opset()) + ".",
                    "Export the model for a newer opset.");
    }
    const std::string found = "'" + logits->name() + "' is " + formatType(logits->type());
    if (logits->type().rank() != 3) {
        throw Error(ErrorCode::InvalidInput, found + "; CTC reads logits [N, T, classes].",
                    "Choose another output or another loss.");
    }
    if ((*logits->type().shape)[static_cast<size_t>(timeAxis)].isNumber()) return;
    throw Error(ErrorCode::Unsupported,
                found + "; CTC needs a known number of steps along axis " +
                    std::to_string(timeAxis) + ", because its graph has a part for each of them.",
                "Export the model with a fixed length. If the steps lie along axis " +
                    std::to_string(1 - timeAxis) + ", set time_axis to it.");
}

void requireClass(const Value* logits, int64_t blank) {
    const Dim& classes = (*logits->type().shape)[2];
    if (!classes.isNumber() || blank < classes.value) return;
    throw Error(ErrorCode::InvalidInput,
                "The blank is class " + std::to_string(blank) + ", but '" + logits->name() +
                    "' is " + formatType(logits->type()) + "; expected a class below " +
                    std::to_string(classes.value) + ".",
                "Set blank to the class that stands for no label.");
}

/// Builds the sum over all alignments of labels with steps, in logarithms. S = 2 L + 1: the labels
/// of each sample with a blank before, between and after them.
class Alignments {
public:
    Alignments(BlockModel& model, Value* logits, Value* labels, const CtcOptions& options)
        : model_(model), logits_(logits), labels_(labels), options_(options) {}

    /// -log p(labels | logits). Shapes: [N].
    Value* losses() {
        readLabels();
        Value* forward = begin();
        for (Value* step : steps()) forward = after(forward, step);
        return neg(model_, ended(forward));
    }

    /// Labels of each sample that count. Shapes: int64 [N].
    Value* lengths() const { return lengths_; }

private:
    void readLabels() {
        blank_ = number("blank", options_.blank);
        zero_ = number("zero", 0);
        never_ = model_.initializer("never", Tensor::scalar(kNever));
        noPenalty_ = model_.initializer("certain", Tensor::scalar(0.0F));
        ways_ = list("axes", {0});
        oneOn_ = list("pads", {0, 0, 1, 0, 0, -1});
        twoOn_ = list("pads", {0, 0, 2, 0, 0, -2});
        Value* isNegative = model_.op("Less", {labels_, zero_});
        Value* isBlank = model_.op("Equal", {labels_, blank_});
        Value* isPad = model_.op("Or", {isNegative, isBlank});
        Value* real = model_.op("Where", {isPad, blank_, labels_});
        Value* counts = cast(model_, model_.op("Not", {isPad}), DType::Int64);
        lengths_ = sumOver(model_, counts, {1});
        states_ = withBlanks(real);
        // A label may follow the one before it directly, unless both are the same.
        Value* before = padded(states_, list("pads", {0, 2, 0, -2}), blank_);
        Value* stays = model_.op("Equal", {states_, before});
        Value* pauses = model_.op("Equal", {states_, blank_});
        Value* cannotSkip = model_.op("Or", {stays, pauses});
        skip_ = model_.op("Where", {cannotSkip, never_, noPenalty_});
    }

    /// Shapes: [N, L] to [N, S].
    Value* withBlanks(Value* labels) {
        Value* column = model_.op("Reshape", {labels, list("column", {0, -1, 1})});
        Value* nothing = mul(model_, column, zero_);
        Value* blanks = add(model_, nothing, blank_);
        Value* pairs = model_.op("Concat", {blanks, column}, {{"axis", int64_t{2}}});
        Value* states = model_.op("Reshape", {pairs, list("rows", {0, -1})});
        return padded(states, list("pads", {0, 0, 0, 1}), blank_);
    }

    /// Log-probabilities of the states, a value for each step. Shapes: [1, N, S].
    std::vector<Value*> steps() {
        Value* shares = logSoftmax(model_, logits_, 2);
        if (options_.timeAxis == 1) {
            shares = model_.op("Transpose", {shares}, {{"perm", std::vector<int64_t>{1, 0, 2}}});
        }
        const Dim& count = (*shares->type().shape)[0];
        Value* classes = model_.op("Expand", {states_, list("steps", {count.value, 1, 1})});
        Value* all = model_.op("GatherElements", {shares, classes}, {{"axis", int64_t{2}}});
        return count.value == 1 ? std::vector<Value*>{all} : split(all, count.value);
    }

    /// Along the first axis, into parts of one.
    std::vector<Value*> split(Value* all, int64_t count) {
        const std::vector<int64_t> sizes(static_cast<size_t>(count), 1);
        NodeSpec spec;
        spec.opType = "Split";
        spec.inputs = {all};
        spec.attributes = {{"axis", int64_t{0}}};
        if (model_.opset() < kSplitSizesAreInputs) {
            spec.attributes.emplace("split", sizes);
        } else {
            spec.inputs.push_back(model_.initializer(
                "sizes", Tensor::of<int64_t>({count}, std::span<const int64_t>(sizes))));
        }
        for (int64_t i = 0; i < count; ++i) {
            spec.outputs.push_back(model_.names().next("split_output"));
        }
        spec.name = model_.names().next("Split");
        return model_.add(std::move(spec))->outputs();
    }

    /// Before the first step: certainly in the first blank. Shapes: [1, N, S].
    Value* begin() {
        Value* nowhere = cast(model_, mul(model_, states_, zero_), DType::Float32);
        Value* first = padded(nowhere, list("pads", {0, 1, 0, -1}), never_);
        Value* start = sub(model_, never_, first);
        return model_.op("Expand", {start, list("one", {1, 1, 1})});
    }

    /// Each state is reached from itself, from the one before and, if it may be skipped, from the
    /// one before that.
    Value* after(Value* forward, Value* step) {
        Value* next = padded(forward, oneOn_, never_);
        Value* second = padded(forward, twoOn_, never_);
        Value* skipped = add(model_, second, skip_);
        Value* ways = model_.op("Concat", {forward, next, skipped}, {{"axis", int64_t{0}}});
        return add(model_, logSum(ways, ways_, 0, true), step);
    }

    /// The end is the last label or the blank after it. Shapes: [N].
    Value* ended(Value* forward) {
        Value* one = number("one", 1);
        Value* hasLabels = model_.op("Less", {zero_, lengths_});
        Value* blank = add(model_, lengths_, lengths_);
        Value* previous = sub(model_, blank, one);
        Value* label = model_.op("Where", {hasLabels, previous, blank});
        Value* penalty = model_.op("Where", {hasLabels, noPenalty_, never_});
        Value* atBlank = at(forward, blank);
        Value* atLabel = at(forward, label);
        Value* counted =
            add(model_, atLabel, model_.op("Reshape", {penalty, list("places", {1, -1, 1})}));
        Value* ways = model_.op("Concat", {atBlank, counted}, {{"axis", int64_t{2}}});
        return model_.op("Reshape",
                         {logSum(ways, list("axes", {2}), 2, false), list("flat", {-1})});
    }

    /// Shapes: [1, N, S] at int64 [N] to [1, N, 1].
    Value* at(Value* forward, Value* state) {
        Value* index = model_.op("Reshape", {state, list("places", {1, -1, 1})});
        return model_.op("GatherElements", {forward, index}, {{"axis", int64_t{2}}});
    }

    /// log sum exp along an axis, which `axes` holds, too.
    Value* logSum(Value* x, Value* axes, int64_t axis, bool keepsAxis) {
        Attributes attributes = {{"keepdims", int64_t{keepsAxis ? 1 : 0}}};
        if (model_.opset() >= kReduceAxesAreInputs) {
            return model_.op("ReduceLogSumExp", {x, axes}, attributes);
        }
        attributes.emplace("axes", std::vector<int64_t>{axis});
        return model_.op("ReduceLogSumExp", {x}, attributes);
    }

    /// Negative amounts cut off.
    Value* padded(Value* x, Value* amounts, Value* value) {
        return model_.op("Pad", {x, amounts, value});
    }
    Value* number(const char* token, int64_t value) {
        return model_.initializer(token, Tensor::scalar(value));
    }
    Value* list(const char* token, std::initializer_list<int64_t> values) {
        return model_.initializer(
            token, Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values));
    }

    BlockModel& model_;
    Value* logits_;
    Value* labels_;
    const CtcOptions& options_;
    Value* blank_ = nullptr;
    Value* zero_ = nullptr;
    Value* never_ = nullptr;
    Value* noPenalty_ = nullptr;
    Value* ways_ = nullptr;   ///< the axis of what after() sums
    Value* oneOn_ = nullptr;  ///< pads that move by one state
    Value* twoOn_ = nullptr;
    Value* lengths_ = nullptr;
    Value* states_ = nullptr;  ///< int64 [N, S]
    Value* skip_ = nullptr;    ///< [N, S]: what the way past a blank costs
};

/// Labels that no alignment reaches get this loss.
Value* reachable(BlockModel& model, Value* losses, bool zeroInfinity) {
    Value* limit = model.initializer("limit", Tensor::scalar(-0.1F * kNever));
    Value* isNever = model.op("Greater", {losses, limit});
    const float instead = zeroInfinity ? 0.0F : std::numeric_limits<float>::infinity();
    Value* other = model.initializer("unreachable", Tensor::scalar(instead));
    return model.op("Where", {isNever, other, losses});
}

}  // namespace

Value* ctc(BlockModel& model, Value* logits, const Target& target, const CtcOptions& options) {
    requireSteps(model, logits, options.timeAxis);
    requireClass(logits, options.blank);
    const Dim& batch = (*logits->type().shape)[static_cast<size_t>(1 - options.timeAxis)];
    Value* labels =
        resolve(model, target, {DType::Int64, SymbolicShape{batch, labelsAxis()}, false});
    Alignments alignments(model, logits, labels, options);
    Value* losses = reachable(model, alignments.losses(), options.zeroInfinity);
    if (options.reduction != Reduction::Mean) return reduced(model, losses, options.reduction);
    Value* lengths = cast(model, alignments.lengths(), DType::Float32);
    Value* divisor = clip(model, lengths, 1.0F, std::nullopt);
    return reduceMean(model, div(model, losses, divisor), false);
}

Dim labelsAxis() { return Dim::named("label_length"); }

}  // namespace temper::blocks
