// SPDX-License-Identifier: Apache-2.0
#include "engine/data/half.h"

#include <cstring>

#include "engine/core/half.h"

namespace temper {
Tensor widenToFloat32(const Tensor& tensor) {
    if (tensor.dtype() != DType::Float16 && tensor.dtype() != DType::BFloat16) return tensor;
    const auto convert = tensor.dtype() == DType::Float16 ? floatFromHalf : floatFromBFloat16;
    Tensor wide(DType::Float32, tensor.shape());
    const std::span<float> values = wide.mutableValues<float>();
    for (size_t i = 0; i < values.size(); ++i) {
        uint16_t bits = 0;
        std::memcpy(&bits, tensor.data() + 2 * i, 2);
        values[i] = convert(bits);
    }
    return wide;
}

}  // namespace temper
