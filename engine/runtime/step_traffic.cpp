// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/step_traffic.h"

#include <algorithm>
#include <set>

namespace temper {
namespace {

using Buffers = std::set<uint32_t>;

Buffers writtenBy(const ExecutionPlan::Step& step) {
    const KernelTraits& traits = step.kernel->traits();
    Buffers written;
    for (size_t i = 0; i < step.outputBuffers.size(); ++i) {
        const bool isView =
            std::ranges::any_of(traits.views, [i](const auto& view) { return view.second == i; });
        if (!isView) written.insert(step.outputBuffers[i]);
    }
    for (const size_t input : traits.mutatedInputs) {
        for (uint32_t i = step.inputBegins[input]; i < step.inputBegins[input + 1]; ++i) {
            written.insert(step.inputBuffers[i]);
        }
    }
    return written;
}

int64_t bytesOf(const ExecutionPlan& plan, const Buffers& buffers) {
    size_t bytes = 0;
    for (const uint32_t buffer : buffers) {
        const ExecutionPlan::Buffer& place = plan.buffers()[buffer];
        if (place.kind != ExecutionPlan::BufferKind::Null) bytes += place.type.byteSize();
    }
    return static_cast<int64_t>(bytes);
}

}  // namespace

int64_t trafficOf(const ExecutionPlan& plan, const ExecutionPlan::Step& step) {
    const Buffers read(step.inputBuffers.begin(), step.inputBuffers.end());
    return bytesOf(plan, read) + bytesOf(plan, writtenBy(step));
}

}  // namespace temper
