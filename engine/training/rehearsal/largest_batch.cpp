// SPDX-License-Identifier: Apache-2.0
#include "engine/training/rehearsal/largest_batch.h"

#include <algorithm>
#include <fstream>
#include <string>

#include "engine/data/batch_loader.h"
#include "engine/runtime/execution_plan.h"
#include "engine/runtime/unknown_data.h"
#include "engine/training/binding/binding.h"
#include "engine/training/session/plan_options.h"

namespace temper {
namespace {

/// For one sample. Shapes: without the sample axis.
TensorType sampleType(const Dataset& data, const BatchField& field) {
    if (!field.sample.empty()) return {field.sample.dtype(), field.sample.shape()};
    for (const Column& column : data.columns()) {
        if (column.name != field.column) continue;
        return {field.dtype == DType::Undefined ? column.dtype : field.dtype,
                field.shape.value_or(column.shape)};
    }
    throw Error(ErrorCode::NotFound, "Unknown column '" + field.column + "'.");
}

/// Parameters and the buffers of their gradients; flags have types without symbols.
TensorType typeOfState(const Value& input, const CheckpointState& state) {
    if (state.hasParameter(input.name())) {
        const auto& parameters = state.parameters();
        const auto found = std::ranges::find(parameters, input.name(), &Parameter::name);
        return {found->data.dtype(), found->data.shape()};
    }
    const auto shape = input.type().shape ? concreteShape(*input.type().shape) : std::nullopt;
    if (shape) return {input.type().dtype, *shape};
    throw Error(ErrorCode::Unsupported,
                "Input '" + input.name() + "' of the training model has no fixed shape.");
}

}  // namespace

struct BatchMemory::Implementation {
    Implementation(const Artifacts& artifacts, std::shared_ptr<const OpSet> theOps,
                   const RunSpec& run)
        : ops(std::move(theOps)),
          options(run.session),
          session(artifacts, std::make_shared<CheckpointState>(artifacts.checkpoint), ops, options),
          model(session.artifacts().trainingModel) {}

    std::shared_ptr<const OpSet> ops;
    SessionOptions options;
    TrainingSession session;
    std::shared_ptr<const Graph> model;
    std::map<std::string, TensorType> samples;  ///< by fed input
    InputTypes fixed;
};

BatchMemory::BatchMemory(const Artifacts& artifacts, std::shared_ptr<const OpSet> ops,
                         const TrainerData& data, const RunSpec& run)
    : implementation_(std::make_unique<Implementation>(artifacts, std::move(ops), run)) {
    Implementation& our = *implementation_;
    if (const auto fixed = fixedBatchSize(our.session, true)) {
        throw Error(ErrorCode::Unsupported,
                    "The model takes batches of " + std::to_string(*fixed) + " only.",
                    "Export it with a free first axis in its inputs.");
    }
    const auto fields = batchFields(our.session, *data.training, data.binding, true);
    const auto& names = our.session.inputNames(true);
    for (size_t i = 0; i < names.size(); ++i) {
        our.samples[names[i]] = sampleType(*data.training, fields[i]);
    }
    for (const Value* input : our.model->inputs()) {
        if (our.samples.contains(input->name())) continue;
        our.fixed[input->name()] = {typeOfState(*input, our.session.state())};
    }
}

BatchMemory::~BatchMemory() = default;

MemoryUse BatchMemory::of(int64_t batchSize) const {
    const Implementation& our = *implementation_;
    InputTypes types = our.fixed;
    for (const auto& [name, sample] : our.samples) {
        Shape shape = sample.shape;
        shape.insert(shape.begin(), batchSize);
        types[name] = {{sample.dtype, std::move(shape)}};
    }
    MemoryUse use = our.session.memoryUse();
    try {
        const auto plan =
            ExecutionPlan::compile(*our.model, types, our.ops->catalog, our.ops->cpuKernels,
                                   trainingPlanOptions(our.options, our.session.context()));
        use.arenaBytes = plan->arenaBytes();
        use.activationBytes = plan->activationBytes();
    } catch (const UnknownData&) {
        throw Error(ErrorCode::Unsupported, "The memory of this model depends on input data.",
                    "Try a batch size and check the estimate of time and memory.");
    }
    return use;
}

size_t BatchMemory::batchBytes(int64_t batchSize) const {
    size_t bytes = 0;
    for (const auto& [name, sample] : implementation_->samples) {
        bytes += static_cast<size_t>(numElements(sample.shape)) * dtypeSize(sample.dtype);
    }
    const int64_t held = 1 + LoaderOptions().prefetch;
    return bytes * static_cast<size_t>(held * batchSize);
}

size_t BatchMemory::totalOf(int64_t batchSize) const {
    const MemoryUse use = of(batchSize);
    return use.arenaBytes + use.parameterBytes + batchBytes(batchSize);
}

LargestBatch findLargestBatch(const BatchMemory& memory, int64_t samples, size_t limit,
                              const std::function<bool(int64_t)>& shouldContinue) {
    LargestBatch found;
    int64_t tooLarge = samples + 1;
    for (int64_t size = 1; found.batchSize + 1 < tooLarge;) {
        if (shouldContinue && !shouldContinue(size)) {
            found.isCancelled = true;
            return found;
        }
        const size_t bytes = memory.totalOf(size);
        if (bytes <= limit || size == 1) found.bytes = bytes;
        (bytes <= limit ? found.batchSize : tooLarge) = size;
        size = tooLarge > samples ? std::min(2 * size, samples)
                                  : found.batchSize + (tooLarge - found.batchSize) / 2;
    }
    found.isAllSamples = found.batchSize == samples;
    return found;
}

size_t availableMemory() {
    std::ifstream file("/proc/meminfo");
    std::string key, unit;
    size_t kilobytes = 0;
    while (file >> key >> kilobytes) {
        if (key == "MemAvailable:") return kilobytes * 1024;
        std::getline(file, unit);
    }
    throw Error(ErrorCode::Io, "The system does not report the free memory.", "Set a limit.");
}

}  // namespace temper
