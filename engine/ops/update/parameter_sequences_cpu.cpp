// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/update/parameter_sequences_cpu.h"

#include <algorithm>
#include <cmath>

#include "engine/core/counted.h"
#include "engine/ops/map_cpu.h"

namespace temper {

std::vector<Chunk> chunksOf(const std::vector<TensorType>& types) {
    std::vector<Chunk> chunks;
    for (size_t k = 0; k < types.size(); ++k) {
        const int64_t total = types[k].numElements();
        for (int64_t begin = 0; begin < total; begin += kMapGrain) {
            chunks.push_back({k, begin, std::min(kMapGrain, total - begin)});
        }
    }
    return chunks;
}

void requireFloats(const PrepareContext& context, size_t sequence) {
    for (const TensorType& type : context.sequence(sequence)) {
        if (type.dtype != DType::Float32) failDType(context, type.dtype, "float32");
    }
}

void requireAlike(const PrepareContext& context, size_t first, size_t other) {
    const auto& a = context.sequence(first);
    const auto& b = context.sequence(other);
    if (a.size() != b.size()) {
        context.fail(ErrorCode::InvalidInput, "Sequence " + std::to_string(other) + " has " +
                                                  counted(b.size(), "tensor") + "; expected " +
                                                  std::to_string(a.size()) + ", as in sequence " +
                                                  std::to_string(first) + ".");
    }
    for (size_t k = 0; k < a.size(); ++k) {
        if (a[k].shape == b[k].shape) continue;
        context.fail(ErrorCode::InvalidInput, "Tensor " + std::to_string(k) + " of sequence " +
                                                  std::to_string(other) + " has the shape " +
                                                  formatShape(b[k].shape) + "; expected " +
                                                  formatShape(a[k].shape) + ".");
    }
}

void requireScalar(const PrepareContext& context, size_t input, DType dtype) {
    context.requireDType(input, dtype);
    if (context.input(input).numElements() == 1) return;
    context.fail(ErrorCode::InvalidInput, "Input " + std::to_string(input) + " has the shape " +
                                              formatShape(context.input(input).shape) +
                                              "; expected one element.");
}

float correctionOf(float beta, int64_t step) {
    const double power = std::pow(static_cast<double>(beta), static_cast<double>(step));
    return 1.0F - static_cast<float>(power);
}

}  // namespace temper
