// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "engine/ops/normalization/channel_gradient.h"

namespace temper {

std::vector<int64_t> axesFrom(int64_t first, int64_t rank) {
    std::vector<int64_t> axes(static_cast<size_t>(rank - first));
    std::iota(axes.begin(), axes.end(), first);
    return axes;
}

int64_t rankOf(const GradientContext& context) {
    const int64_t rank = context.input(0).type().rank();
    if (rank >= 0) return rank;
    throw Error(ErrorCode::Unsupported,
                "The gradient of " + context.node().describe() +
                    " needs the rank of its input, which is unknown.",
                "Export the model with shapes.");
}

Var perChannel(Var channels, int64_t rank) {
    return rank <= 2 ? channels : unsqueeze(channels, axesFrom(1, rank - 1));
}

Var channelSum(Var x) {
    if (x.rank() == 1) return sum(x, {0}, true);  // one channel
    std::vector<int64_t> axes = axesFrom(1, x.rank());
    axes.front() = 0;
    return sum(x, axes, false);
}

}  // namespace temper
