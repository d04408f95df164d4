// SPDX-License-Identifier: Apache-2.0
#include "app/cli/export_check.h"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "app/cli/model_runner.h"
#include "app/cli/session_feeds.h"
#include "engine/core/random.h"
#include "engine/data/batch_loader.h"
#include "engine/onnx/model_file.h"
#include "engine/training/binding/default_inputs.h"
#include "engine/training/export/inference_export.h"

namespace temper::cli {
namespace {

constexpr int64_t kFreeDimension = 2;
/// bfloat16 numbers have 8 bits; the errors of several layers add up.
constexpr double kRoundedTolerance = 0.1;

/// Small numbers that are valid indices into anything with at least two entries; those for a
/// rounded model are multiples of 1/16, which half precision can represent.
Tensor randomTensor(const ValueType& type, bool isRounded, Random& random) {
    Shape shape;
    for (const Dim& dim : type.shape.value_or(SymbolicShape{})) {
        shape.push_back(dim.isNumber() ? dim.value : kFreeDimension);
    }
    const bool isFloat = isFloating(type.dtype);
    Tensor tensor(DType::Float32, shape);
    for (float& value : tensor.mutableValues<float>()) {
        value = isFloat ? random.normal() : static_cast<float>(random.below(2));
        if (isRounded) value = std::round(value * 16) / 16;
    }
    return tensor.cast(type.dtype);
}

int64_t batchSizeOf(const ValueType& type) {
    const Dim& batch = type.shape->front();
    return batch.isNumber() ? batch.value : kFreeDimension;
}

const std::string& nameInFile(const WrittenModel& model, const std::string& name) {
    const auto found = model.renames.find(name);
    return found == model.renames.end() ? name : found->second;
}

/// Converts arrays to the types of the file's inputs.
void roundLikeFile(const WrittenModel& model, std::map<std::string, Tensor>& arrays) {
    const std::unique_ptr<Graph> written = loadModel(model.path);
    for (const Value* input : written->inputs()) {
        const auto array = arrays.find(input->name());
        if (array != arrays.end()) array->second = array->second.cast(input->type().dtype);
    }
}

Feeds randomFeeds(const TrainingSession& session, const WrittenModel& model, uint64_t seed) {
    Random random(seed);
    std::map<std::string, Tensor> arrays;
    for (const FeedInput& input : feedInputsOf(session, false)) {
        const auto usual = defaultInput(input.name, input.type, kFreeDimension);
        arrays.emplace(nameInFile(model, input.name),
                       usual ? repeatSample(usual->field.sample, batchSizeOf(input.type))
                             : randomTensor(input.type, model.isRounded, random));
    }
    if (model.isRounded) roundLikeFile(model, arrays);
    return {std::move(arrays), "random inputs"};
}

/// The eval model's inputs; those that the exported model lacks stay empty.
std::vector<Tensor> evalInputs(const TrainingSession& session, const WrittenModel& model,
                               const ModelRunner& runner, const std::vector<Tensor>& fed) {
    std::vector<Tensor> inputs;
    for (const std::string& own : session.inputNames(false)) {
        const std::string& name = nameInFile(model, own);
        const auto found = std::ranges::find(runner.inputs(), name, &FeedInput::name);
        const auto position = static_cast<size_t>(found - runner.inputs().begin());
        Tensor input = found == runner.inputs().end() ? Tensor() : fed[position];
        const bool isHalf = input.dtype() == DType::Float16 || input.dtype() == DType::BFloat16;
        if (isHalf) input = input.cast(DType::Float32);
        const auto within = model.normalized.find(own);
        if (within != model.normalized.end() && !input.empty())
            input = normalized(input, within->second);
        inputs.push_back(std::move(input));
    }
    return inputs;
}

}  // namespace

ExportCheck checkExport(TrainingSession& session, const WrittenModel& model, const Feeds& feeds) {
    ExportCheck check;
    if (model.isRounded) check.tolerance = kRoundedTolerance;
    std::unique_ptr<Graph> written = loadModel(model.path);
    const std::vector<std::string> outputs = keepTensorOutputs(*written, model.outputs);
    if (outputs.empty()) return {.notDone = "None of its outputs is a tensor."};
    ModelRunner runner(std::move(written));
    const std::vector<Tensor> inputs = feeds.batch(runner.inputs());
    const std::span<const Tensor> exported = runner.run(inputs);
    const std::span<const Tensor> expected =
        session.evaluate(evalInputs(session, model, runner, inputs), outputs);
    check.deviation = deviationOf(exported, expected);
    return check;
}

ExportCheck checkExport(TrainingSession& session, const WrittenModel& model, uint64_t seed) {
    try {
        return checkExport(session, model, randomFeeds(session, model, seed));
    } catch (const Error& error) {
        // Random inputs do not suit every model; the file itself is complete.
        return {.notDone = error.what(), .hint = "Provide inputs with --feeds."};
    }
}

void report(const ExportCheck& check, CliContext& context) {
    if (!check.notDone.empty()) {
        printProblem(context.err, "warning",
                     "The exported model was not compared with the eval model: " + check.notDone,
                     check.hint);
        return;
    }
    if (!check.deviation.isWithin(check.tolerance)) {
        throw Error(ErrorCode::Internal,
                    "The exported model differs from the eval model by " +
                        formatNumber(check.deviation.largest) + ".",
                    "This is a bug in Temper; please report it with the artifacts.");
    }
    context.out << "checked against the eval model: largest difference "
                << formatNumber(check.deviation.largest) << '\n';
}

}  // namespace temper::cli
