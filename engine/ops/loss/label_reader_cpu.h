// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/ops/loss/loss.h"
#include "engine/runtime/kernel.h"

namespace temper {

/// The shapes and options that losses and their gradients share: scores [samples, classes, inner].
struct LossLayout {
    int64_t samples = 0;
    int64_t classes = 0;
    int64_t inner = 1;

    int64_t labels() const { return samples * inner; }
};

/// From the scores' shape. Throws: Error(InvalidInput) if it has fewer than two dimensions or the
/// labels do not fit.
LossLayout lossLayout(const PrepareContext& context, size_t scores, size_t labels);

/// Reads the labels of a loss, which are data: checked in every run.
class LabelReader {
public:
    /// `ignore` is the input with the ignored label, if there is one.
    LabelReader(const PrepareContext& context, const LossLayout& layout, size_t labels,
                std::optional<size_t> ignore);

    /// The classes of a run; an ignored label is -1.
    class Labels {
    public:
        int64_t operator[](int64_t i) const {
            const int64_t label = wide_ != nullptr ? wide_[i] : narrow_[i];
            return label == ignored_ ? -1 : label;
        }

    private:
        friend class LabelReader;
        const int64_t* wide_ = nullptr;
        const int32_t* narrow_ = nullptr;
        int64_t ignored_ = -1;
    };

    /// Throws: Error(InvalidInput) naming node, label and number of classes if a label is out of
    /// range.
    Labels read(const RunContext& run) const;

private:
    [[noreturn]] void failOutside(int64_t label, int64_t position) const;

    size_t input_;
    bool isWide_;
    std::optional<size_t> ignoreInput_;
    bool ignoreIsWide_ = true;
    int64_t ignored_;
    LossLayout layout_;
    std::string node_;
};

}  // namespace temper
