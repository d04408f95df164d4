// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "engine/training/blocks/blocks.h"
#include "engine/training/blocks/loss_blocks.h"

namespace temper::blocks {
namespace {

/// Pad takes whole numbers since this opset.
constexpr int64_t kPadsWholeNumbers = 11;
constexpr int64_t kIgnored = -100;
constexpr int64_t kSequenceAxis = 1;

void requireSequences(BlockModel& model, const Value* logits) {
    if (model.opset() < kPadsWholeNumbers) {
        throw Error(
            ErrorCode::Unsupported,
            "Next-token labels need opset 11; the model has " + std::to_string(model.opset()) + ".",
            "Export the model for opset 11 or newer.");
    }
    if (logits->type().rank() == 3) return;
    throw Error(ErrorCode::InvalidInput,
                "'" + logits->name() + "' is " + formatType(logits->type()) +
                    "; the next-token loss reads logits [N, T, classes].",
                "Choose another output or another loss.");
}

void requireTokens(const Value* tokens) {
    const ValueType& type = tokens->type();
    const std::string found = "'" + tokens->name() + "' is " + formatType(type);
    if (!isInteger(type.dtype) || type.rank() != 2) {
        throw Error(ErrorCode::InvalidInput,
                    found + "; the next-token loss reads token ids, integers [N, T].",
                    "Specify the input that holds the tokens after the output.");
    }
    const Dim& length = (*type.shape)[kSequenceAxis];
    if (!length.isNumber() || length.value > 1) return;
    throw Error(ErrorCode::InvalidInput,
                found + ": a sequence of one token has no next token to learn.",
                "Export the model for longer sequences, or provide labels and choose cross-entropy "
                "with --axis -1.");
}

/// Builds the label of each position from the tokens.
class NextLabels {
public:
    NextLabels(BlockModel& model, Value* tokens) : model_(model), tokens_(tokens) {}

    /// Shapes: [N * T].
    Value* build(const TokenOptions& options) {
        Value* labels =
            tokens_->type().dtype == DType::Int64 ? tokens_ : cast(model_, tokens_, DType::Int64);
        if (options.padId) {
            Value* isPad = model_.op("Equal", {labels, number("pad_id", *options.padId)});
            labels = model_.op("Where", {isPad, ignored(), labels});
        }
        if (options.mask != nullptr) {
            labels = model_.op("Where", {counts(options.mask), labels, ignored()});
        }
        return flat(shifted(labels));
    }

private:
    Value* number(const char* token, int64_t value) {
        return model_.initializer(token, Tensor::scalar(value));
    }
    Value* list(const char* token, std::initializer_list<int64_t> values) {
        return model_.initializer(
            token, Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values));
    }
    Value* ignored() {
        if (ignored_ == nullptr) ignored_ = number("ignore_index", kIgnored);
        return ignored_;
    }

    /// True where a token counts. A mask that also covers a cache ends with the tokens' own part.
    Value* counts(Value* mask) {
        const Dim& length = (*mask->type().shape)[kSequenceAxis];
        if (!length.sameAs((*tokens_->type().shape)[kSequenceAxis])) {
            Value* shape = model_.op("Shape", {tokens_});
            Value* count =
                model_.op("Gather", {shape, list("axis", {kSequenceAxis})}, {{"axis", int64_t{0}}});
            Value* begin = neg(model_, count);
            mask =
                model_.op("Slice", {mask, begin, list("end", {std::numeric_limits<int64_t>::max()}),
                                    list("axis", {kSequenceAxis})});
        }
        return mask->type().dtype == DType::Bool ? mask : cast(model_, mask, DType::Bool);
    }

    /// The label of a position is the token after it; the last position has none.
    Value* shifted(Value* labels) {
        Value* next = model_.op("Slice", {labels, list("begin", {1}),
                                          list("end", {std::numeric_limits<int64_t>::max()}),
                                          list("axis", {kSequenceAxis})});
        Value* pads = list("pads", {0, 0, 0, 1});
        return model_.op("Pad", {next, pads, ignored()});
    }

    Value* flat(Value* labels) { return model_.op("Reshape", {labels, list("shape", {-1})}); }

    BlockModel& model_;
    Value* tokens_;
    Value* ignored_ = nullptr;
};

}  // namespace

/// The logits are not filtered: rows without a label cost less than a copy of the others.
Value* nextToken(BlockModel& model, Value* logits, const Target& tokens,
                 const TokenOptions& options) {
    requireSequences(model, logits);
    const SymbolicShape& shape = *logits->type().shape;
    Value* numbers =
        resolve(model, tokens, {DType::Int64, SymbolicShape{shape[0], shape[1]}, false});
    requireTokens(numbers);
    Value* labels = NextLabels(model, numbers).build(options);
    Value* rows = model.op("Flatten", {logits}, {{"axis", int64_t{2}}});
    ClassOptions classes;
    classes.ignoreIndex = kIgnored;
    classes.labelSmoothing = options.labelSmoothing;
    classes.reduction = options.reduction;
    return crossEntropy(model, rows, labels, classes);
}

}  // namespace temper::blocks
