// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/loss/label_reader_cpu.h"
#include "engine/core/counted.h"

namespace temper {

LossLayout lossLayout(const PrepareContext& context, size_t scores, size_t labels) {
    const Shape& x = context.input(scores).shape;
    const Shape& t = context.input(labels).shape;
    LossLayout layout;
    if (x.size() >= 2) {
        layout = {x[0], x[1], 1};
        for (size_t i = 2; i < x.size(); ++i) layout.inner *= x[i];
    }
    if (x.size() < 2 || numElements(t) != layout.labels()) {
        context.fail(ErrorCode::InvalidInput,
                     "The scores have the shape " + formatShape(x) + " and the labels " +
                         formatShape(t) + "; expected [batch, classes, ...] and [batch, ...].");
    }
    return layout;
}

LabelReader::LabelReader(const PrepareContext& context, const LossLayout& layout, size_t labels,
                         std::optional<size_t> ignore)
    : input_(labels),
      isWide_(context.input(labels).dtype == DType::Int64),
      ignored_(ignoredLabel(context.node())),
      layout_(layout),
      node_(context.node().describe()) {
    if (!isWide_) context.requireDType(labels, DType::Int32);
    if (ignore && context.hasInput(*ignore)) {
        ignoreInput_ = ignore;
        ignoreIsWide_ = context.input(*ignore).dtype == DType::Int64;
        if (!ignoreIsWide_) context.requireDType(*ignore, DType::Int32);
    }
}

LabelReader::Labels LabelReader::read(const RunContext& run) const {
    Labels labels;
    labels.wide_ = isWide_ ? run.in<int64_t>(input_) : nullptr;
    labels.narrow_ = isWide_ ? nullptr : run.in<int32_t>(input_);
    labels.ignored_ = ignored_;
    if (ignoreInput_) {
        labels.ignored_ =
            ignoreIsWide_ ? *run.in<int64_t>(*ignoreInput_) : *run.in<int32_t>(*ignoreInput_);
    }
    for (int64_t i = 0; i < layout_.labels(); ++i) {
        const int64_t label = isWide_ ? labels.wide_[i] : labels.narrow_[i];
        const bool isClass = label >= 0 && label < layout_.classes;
        if (!isClass && label != labels.ignored_) failOutside(label, i);
    }
    return labels;
}

void LabelReader::failOutside(int64_t label, int64_t position) const {
    Error error(ErrorCode::InvalidInput,
                "Label " + std::to_string(label) + " at position " + std::to_string(position) +
                    " is not a class; expected 0 to " + std::to_string(layout_.classes - 1) +
                    " for " + counted(layout_.classes, "class", "classes") + ".",
                "Check the labels of the data, or give the model as many outputs as classes.");
    error.addContext(node_);
    throw error;
}

}  // namespace temper
