// SPDX-License-Identifier: Apache-2.0
#include "engine/training/opset/opset_conversion.h"

#include <array>
#include <string>

#include "engine/core/error.h"
#include "engine/ir/body_types.h"
#include "engine/ir/type_inference.h"
#include "engine/training/opset/opset_upgrade.h"
#include "engine/training/opset/opset_walk.h"

namespace temper {
namespace {

void requireOpset(const Graph& model, int64_t opset) {
    const int64_t own = model.info().onnxOpset();
    const std::string range = std::to_string(kOldestOpset) + " to " + std::to_string(kNewestOpset);
    if (opset < kOldestOpset || opset > kNewestOpset) {
        throw Error(ErrorCode::InvalidInput,
                    "A model can't be written in opset " + std::to_string(opset) +
                        "; expected a version from " + range + ".",
                    "Choose one of them, or keep the model's opset.");
    }
    if (own >= kOldestOpset && own <= kNewestOpset) return;
    throw Error(ErrorCode::Unsupported,
                "The model is written in opset " + std::to_string(own) + "; only versions " +
                    range + " can be converted.",
                "Keep the model's opset.");
}

void inferSoundTypes(Graph& model, const OpCatalog& catalog, const char* when) {
    for (const Finding& finding : inferTypes(model, catalog)) {
        if (finding.severity != Severity::Error) continue;
        Error error(ErrorCode::Unsupported, finding.message, finding.hint);
        error.addContext(when);
        throw error;
    }
}

}  // namespace

/// Source: ONNX, docs/Versioning.md, "Released Versions".
int64_t irVersionOf(int64_t opset) {
    struct Release {
        int64_t opset;
        int64_t irVersion;
    };
    constexpr std::array<Release, 12> kReleases = {{{28, 14},
                                                    {25, 13},
                                                    {24, 12},
                                                    {23, 11},
                                                    {21, 10},
                                                    {19, 9},
                                                    {15, 8},
                                                    {12, 7},
                                                    {11, 6},
                                                    {10, 5},
                                                    {9, 4},
                                                    {0, 3}}};
    for (const Release& release : kReleases) {
        if (opset >= release.opset) return release.irVersion;
    }
    return kReleases.back().irVersion;
}

void convertOpset(Graph& model, const OpCatalog& catalog, int64_t opset) {
    if (model.info().onnxOpset() == opset) return;
    raiseOpset(model);
    requireOpset(model, opset);
    inferSoundTypes(model, catalog, "before its opset is changed");
    typeBodies(model, catalog);
    walkOpset(model, catalog, opset);
    model.removeUnused();
    model.info().irVersion = irVersionOf(opset);
    inferSoundTypes(model, catalog, "in the requested opset");
}

}  // namespace temper
