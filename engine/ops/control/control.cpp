// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/control/control.h"

#include <algorithm>

#include "engine/core/counted.h"
#include "engine/ir/inlining.h"

namespace temper {
namespace {

std::vector<ScanAxis> axesOf(const Node& node, size_t count, const char* axesName,
                             const char* directionsName) {
    const auto axes = node.attribute<std::vector<int64_t>>(axesName, {});
    const auto directions = node.attribute<std::vector<int64_t>>(directionsName, {});
    std::vector<ScanAxis> result(count);
    for (size_t i = 0; i < count; ++i) {
        if (i < axes.size()) result[i].axis = axes[i];
        if (i < directions.size()) result[i].isReversed = directions[i] != 0;
    }
    return result;
}

}  // namespace

ScanForm scanForm(const Node& node, int64_t opset) {
    ScanForm form;
    form.isBatched = opset < 9;
    form.firstInput = form.isBatched ? 1 : 0;
    const auto given = node.attribute<int64_t>("num_scan_inputs", 0);
    const auto scanned = static_cast<size_t>(std::max<int64_t>(given, 0));
    const size_t outputs = bodyOf(node, "body").outputs().size();
    const size_t inputs = node.inputs().size();
    if (scanned == 0 || inputs < form.firstInput || inputs - form.firstInput < scanned ||
        outputs < inputs - form.firstInput - scanned) {
        Error error(ErrorCode::InvalidInput,
                    "A Scan has " + counted(inputs, "input") + ", num_scan_inputs is " +
                        std::to_string(given) + ", and its body has " + counted(outputs, "output") +
                        "; expected states and scanned inputs, and an output per state.");
        error.addContext(node.describe());
        throw error;
    }
    form.states = inputs - form.firstInput - scanned;
    form.inputs = axesOf(node, scanned, "scan_input_axes",
                         form.isBatched ? "directions" : "scan_input_directions");
    form.outputs =
        axesOf(node, outputs - form.states, "scan_output_axes", "scan_output_directions");
    return form;
}

void registerControl(OpSet& ops) {
    registerControlTypes(ops.catalog);
    registerLoopEvaluator(ops.cpuKernels);
    registerScanKernel(ops.cpuKernels);
    registerControlGradients(ops.gradients);
}

}  // namespace temper
