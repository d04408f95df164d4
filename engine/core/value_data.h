// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "engine/core/tensor.h"

namespace temper {

/// The data of a value: a tensor, the tensors of a sequence, or nothing: that of an optional
/// without content.
struct ValueData {
    std::vector<Tensor> tensors;  ///< one, or those of a sequence
    bool isSequence = false;

    ValueData() = default;
    /// Nothing if the tensor is empty().
    ValueData(Tensor tensor) {  // NOLINT: a tensor is the data of most values
        if (!tensor.empty()) tensors.push_back(std::move(tensor));
    }
    static ValueData sequence(std::vector<Tensor> tensors) {
        ValueData data;
        data.tensors = std::move(tensors);
        data.isSequence = true;
        return data;
    }

    bool isNothing() const { return !isSequence && tensors.empty(); }
    bool isTensor() const { return !isSequence && !tensors.empty(); }
    const Tensor& tensor() const {
        TEMPER_ASSERT(isTensor(), "the data of the value is a tensor");
        return tensors.front();
    }

    /// With copies of the tensors.
    ValueData clone() const {
        ValueData copy = *this;
        for (Tensor& tensor : copy.tensors) tensor = tensor.clone();
        return copy;
    }
};

}  // namespace temper
