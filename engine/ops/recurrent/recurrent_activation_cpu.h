// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "engine/ops/recurrent/recurrent.h"

namespace temper {

/// An activation of a recurrent node for arrays of float or double.
template <typename T>
class ActivationLoop {
public:
    /// `clip`: bound of the input, on both sides.
    ActivationLoop(const RecurrentActivation& activation, std::optional<float> clip);

    /// x[i] = f(x[i]), in place.
    void operator()(T* x, int64_t count) const;

private:
    ActivationKind kind_;
    T alpha_;
    T beta_;
    std::optional<T> clip_;
};

}  // namespace temper
