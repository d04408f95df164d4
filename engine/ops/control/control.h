// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ops/op_set.h"

namespace temper {

/// If, Loop and Scan: operators that run graphs.
///
/// An If is replaced by its branch before a plan is compiled, a Loop is evaluated between plans
/// (its shapes may depend on data); a Scan is a kernel, with a plan for its body.
void registerControl(OpSet& ops);

void registerControlTypes(OpCatalog& catalog);
void registerLoopEvaluator(KernelRegistry& kernels);
void registerScanKernel(KernelRegistry& kernels);
void registerControlGradients(GradientRules& rules);
void registerIfGradient(GradientRules& rules);
void registerLoopGradient(GradientRules& rules);

/// How a Scan cuts one of its inputs, or assembles one of its outputs.
struct ScanAxis {
    int64_t axis = 0;
    bool isReversed = false;
};

/// Attributes of a Scan. Source: ONNX, docs/Changelog.md, Scan-8, Scan-9, Scan-11.
struct ScanForm {
    /// Opset 8: all inputs and outputs have a leading batch dimension, the first input holds the
    /// lengths of the sequences.
    bool isBatched = false;
    size_t firstInput = 0;  ///< where the states begin among the node's inputs
    size_t states = 0;
    std::vector<ScanAxis> inputs;   ///< axes within one sample
    std::vector<ScanAxis> outputs;  ///< axes within one sample

    /// Position of a scanned input among the node's inputs.
    size_t scanInput(size_t i) const { return firstInput + states + i; }
};

/// Throws: Error(InvalidInput) naming the node if attributes and inputs do not fit.
ScanForm scanForm(const Node& node, int64_t opset);

}  // namespace temper
