// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/conv/conv_passes_cpu.h"

#include "engine/ops/conv/depthwise/passes_cpu.h"
#include "engine/ops/conv/few_channels_cpu.h"
#include "engine/ops/conv/onednn_passes_cpu.h"
#include "engine/ops/conv/pointwise/passes_cpu.h"
#include "engine/ops/conv/winograd/passes_cpu.h"
#include "engine/runtime/cpu/instruction_set.h"

namespace temper {

std::shared_ptr<const ConvDataPass> makeDataPass(const ConvGeometry& geometry,
                                                 ConvDataPass::Direction direction, bool hasBias,
                                                 ConvForm form) {
    if (form.algorithm == ConvAlgorithm::Winograd)
        return makeWinogradDataPass(geometry, direction, form);
    if (!form.isNarrow && suitsDepthwise(geometry))
        return makeDepthwiseDataPass(geometry, direction, form);
    if (!form.isNarrow && suitsPointwise(geometry))
        return makePointwiseDataPass(geometry, direction, form);
    return std::make_shared<const OneDnnDataPass>(geometry, direction, hasBias, form);
}

std::shared_ptr<const ConvWeightsPass> makeWeightsPass(const ConvGeometry& geometry,
                                                       ConvForm form) {
    if (form.algorithm == ConvAlgorithm::Winograd) return makeWinogradWeightsPass(geometry, form);
    if (!form.isNarrow && suitsDepthwise(geometry)) return makeDepthwiseWeightsPass(geometry, form);
    if (!form.isNarrow && suitsPointwise(geometry)) return makePointwiseWeightsPass(geometry, form);
    if (!form.isNarrow && !mayUseAvx512() && suitsFewChannels(geometry))
        return makeFewChannelsWeightsPass(geometry, form);
    return std::make_shared<const OneDnnWeightsPass>(geometry, form);
}

}  // namespace temper
