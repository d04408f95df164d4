// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/ops/op_set.h"

namespace temper::test {

/// All operators, and the two that ONNX Runtime's tests add as a library: CustomOpOne adds two
/// float tensors, CustomOpTwo converts float to int32.
inline std::shared_ptr<const OpSet> opsWithCustomOnes() {
    const auto ops = std::make_shared<OpSet>(standardOps());
    const char* domain = "test.customop";
    ops->catalog.add({domain, "CustomOpOne",
                      [](InferenceContext& context) { context.setOutput(0, context.inputType(0)); },
                      2, 2});
    ops->catalog.add(
        {domain, "CustomOpTwo",
         [](InferenceContext& context) { context.setOutput(0, DType::Int32, context.shape(0)); }, 1,
         1});
    ops->cpuKernels.add(domain, "CustomOpOne", [](const PrepareContext& context) {
        const int64_t count = context.output(0).numElements();
        return makeKernel([count](const RunContext& run) {
            for (int64_t i = 0; i < count; ++i) {
                run.out<float>(0)[i] = run.in<float>(0)[i] + run.in<float>(1)[i];
            }
        });
    });
    ops->cpuKernels.add(domain, "CustomOpTwo", [](const PrepareContext& context) {
        const int64_t count = context.output(0).numElements();
        return makeKernel([count](const RunContext& run) {
            for (int64_t i = 0; i < count; ++i) {
                run.out<int32_t>(0)[i] = static_cast<int32_t>(run.in<float>(0)[i]);
            }
        });
    });
    return ops;
}

}  // namespace temper::test
