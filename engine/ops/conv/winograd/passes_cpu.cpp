// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/conv/winograd/passes_cpu.h"

#include <algorithm>
#include <utility>

#include "engine/ops/conv/plain_passes_cpu.h"
#include "engine/ops/conv/winograd/tile_groups_cpu.h"
#include "engine/ops/conv/winograd/weight_blocks_cpu.h"
#include "engine/runtime/kernels/blockable_kernel.h"

namespace temper {
namespace {

constexpr int64_t kWorthFlops = 1 << 25;
constexpr int64_t kMinResults =
    128;  ///< per pair of channels: enough to pay for its weights' points
// Points of weights for which groups of tiles are faster than blocks of weights: those of the data
// are read for each group; sums of gradients are also written, and there is one per lane.
constexpr int64_t kMaxReadBytes = 3 << 20;
constexpr int64_t kMaxSumBytes = 768 << 10;

bool isWinogradAxis(const WindowAxis& axis) {
    return (axis.kernel == 3 || axis.kernel == 5) && axis.stride == 1 && axis.dilation == 1;
}

}  // namespace

bool suitsWinograd(const ConvGeometry& g) {
    if (g.axes.size() != 2 || g.group != 1 || g.channels % kChannelBlock != 0 ||
        g.features % kChannelBlock != 0) {
        return false;
    }
    const int64_t results = g.batch * g.axes[0].output * g.axes[1].output;
    return g.axes[0].kernel == g.axes[1].kernel && std::ranges::all_of(g.axes, isWinogradAxis) &&
           results >= kMinResults && g.flops() >= kWorthFlops;
}

std::shared_ptr<const ConvDataPass> makeWinogradDataPass(const ConvGeometry& g,
                                                         ConvDataPass::Direction direction,
                                                         ConvForm form) {
    std::unique_ptr<const ConvDataPass> pass;
    if (WinogradGeometry(g, direction).weightPointBytes() <= kMaxReadBytes) {
        pass = std::make_unique<const TileGroupDataPass>(g, direction, form.weightsAreConstant);
    } else {
        pass = std::make_unique<const WeightBlockDataPass>(g, direction);
    }
    return withPlainImages(std::move(pass), g, direction, form);
}

std::shared_ptr<const ConvWeightsPass> makeWinogradWeightsPass(const ConvGeometry& g,
                                                               ConvForm form) {
    std::unique_ptr<const ConvWeightsPass> pass;
    const auto forward = ConvDataPass::Direction::Forward;
    if (WinogradGeometry(g, forward).weightPointBytes() <= kMaxSumBytes) {
        pass = std::make_unique<const TileGroupWeightsPass>(g);
    } else {
        pass = std::make_unique<const WeightBlockWeightsPass>(g);
    }
    return withPlainImages(std::move(pass), g, form);
}

}  // namespace temper
