// SPDX-License-Identifier: Apache-2.0
#include "capi/src/inference.h"

#include <utility>

#include "capi/src/arguments.h"
#include "capi/src/failure.h"
#include "capi/src/operators.h"
#include "engine/ir/required_tensors.h"
#include "engine/ir/selected_outputs.h"
#include "engine/runtime/cpu/compute_pool.h"

namespace temper::capi {
namespace {

/// Throws: Error(InvalidInput) for a number of threads that sessions do not take either.
int threadsFrom(int32_t threads) {
    constexpr int kMaxThreads = 4096;
    if (threads >= 0 && threads <= kMaxThreads) return threads;
    throw Error(ErrorCode::InvalidInput, "The number of threads is " + std::to_string(threads) +
                                             "; expected 0 to " + std::to_string(kMaxThreads) +
                                             ".");
}

}  // namespace

}  // namespace temper::capi

using namespace temper;
using namespace temper::capi;

TemperInference::TemperInference(const TemperModel& model, const std::vector<std::string>& wanted,
                                 int threads)
    : ops(sharedOps()),
      pool(makeComputePool(threads)),
      runner(withOutputs(model.graph, wanted), ops->catalog, ops->cpuKernels,
             std::make_shared<Arena>(), *pool),
      inputs(runner.fedInputs()),
      outputs(namesOf(runner.graph().outputs())) {}

TemperStatus temper_inference_create(const TemperModel* model, const char* const* outputs,
                                     int64_t output_count, int32_t threads,
                                     TemperInference** inference, TemperFailure** failure) {
    return guarded(failure, [&] {
        set(inference, nullptr, "inference");
        auto made = std::make_unique<TemperInference>(required(model, "model"),
                                                      namesOf(outputs, output_count, "outputs"),
                                                      threadsFrom(threads));
        requireTensorInputs(made->runner.graph());
        requireTensorOutputs(made->runner.graph());
        *inference = made.release();
    });
}

void temper_inference_release(TemperInference* inference) { delete inference; }

TemperStatus temper_inference_inputs(const TemperInference* inference, TemperNames* names,
                                     TemperFailure** failure) {
    return guarded(failure,
                   [&] { set(names, required(inference, "inference").inputs.view(), "names"); });
}

TemperStatus temper_inference_outputs(const TemperInference* inference, TemperNames* names,
                                      TemperFailure** failure) {
    return guarded(failure,
                   [&] { set(names, required(inference, "inference").outputs.view(), "names"); });
}

TemperStatus temper_inference_run(TemperInference* inference, const TemperArray* inputs,
                                  int64_t input_count, TemperArray* outputs, int64_t output_count,
                                  uint64_t seed, TemperFailure** failure) {
    return guarded(failure, [&] {
        TemperInference& open = required(inference, "inference");
        requireOutputs(outputs, output_count, open.outputs.names().size());
        const auto tensors = tensorsFrom(inputs, input_count, open.inputs.names());
        const std::lock_guard lock(open.mutex);
        open.results.hold(open.runner.run(tensors, seed), outputs, output_count);
    });
}
