// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/reduction/plane_sum_cpu.h"

#include "engine/ops/channel_blocks_cpu.h"
#include "engine/ops/map_cpu.h"

namespace temper {
namespace {

std::unique_ptr<Kernel> plainPlaneSum(int64_t planes, int64_t pixels, double divisor) {
    constexpr size_t bytes = sizeof(float);
    RowForm form{planes, pixels, bytes, 1, true, {{bytes, pixels, 1, planes}}, kMapGrain};
    return makeRowKernel(std::move(form),
                         [divisor](const void* const* inputs, void* output, int64_t count) {
                             const double sum =
                                 simd::sumInLanes(static_cast<const float*>(inputs[0]), count);
                             *static_cast<float*>(output) = static_cast<float>(sum / divisor);
                         },
                         {});
}

std::unique_ptr<Kernel> blockedPlaneSum(int64_t planes, int64_t pixels, double divisor) {
    return makeKernel([=](const RunContext& c) {
        const float* x = c.in<float>(0);
        const int64_t grain = 1 + kMapGrain / (pixels * kChannelBlock);
        c.pool().forRanges(planes / kChannelBlock, grain, [&](int64_t begin, int64_t end) {
            for (int64_t block = begin; block < end; ++block) {
                const auto sums = simd::sumsOfPixels(x + block * kChannelBlock * pixels, pixels);
                float* y = c.out<float>(0) + block * kChannelBlock;
                for (const double sum : sums) *y++ = static_cast<float>(sum / divisor);
            }
        });
    });
}

}  // namespace

std::unique_ptr<Kernel> makePlaneSum(const PrepareContext& context, bool isMean) {
    const auto blockable = blockableOf(context, {0b1, 0});
    if (blockable.isEmpty() || context.input(0).dtype != DType::Float32) return nullptr;
    const Shape& images = context.input(0).shape;
    const int64_t planes = images[0] * images[1], pixels = images[2] * images[3];
    const double divisor = isMean ? static_cast<double>(pixels) : 1.0;
    return makeBlockable(context, blockable, true, [=](BlockedOperands blocked) {
        return blocked.isEmpty() ? plainPlaneSum(planes, pixels, divisor)
                                 : blockedPlaneSum(planes, pixels, divisor);
    });
}

}  // namespace temper
