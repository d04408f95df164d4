// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/verified_export.h"

#include <algorithm>

#include "engine/ir/type_inference.h"
#include "engine/onnx/checkpoint_folder.h"
#include "engine/onnx/model_file.h"
#include "engine/runtime/graph_runner.h"
#include "engine/training/export/inference_export.h"
#include "ui/run/trained_weights.h"

namespace temper::ui {
namespace {

/// Relative to the largest value: float32 sums in another order differ by about 1e-7.
constexpr double kTolerance = 1e-5;
/// bfloat16 has 8 bits of precision; the errors of several layers add up.
constexpr double kRoundedTolerance = 0.1;

using Samples = std::map<std::string, Tensor>;

Tensor sampleFor(const Samples& samples, const std::string& input) {
    const auto found = samples.find(input);
    return found == samples.end() ? Tensor() : found->second;
}

std::vector<Tensor> copies(std::span<const Tensor> tensors) {
    std::vector<Tensor> result;
    for (const Tensor& tensor : tensors) result.push_back(tensor.clone());
    return result;
}

std::vector<Tensor> runEvalModel(TrainingSession& session, const std::vector<std::string>& outputs,
                                 const Samples& samples) {
    std::vector<Tensor> inputs;
    for (const std::string& name : session.inputNames(false))
        inputs.push_back(sampleFor(samples, name));
    return copies(session.evaluate(inputs, outputs));
}

/// The file may normalize its inputs itself; the samples are normalized already.
std::vector<Tensor> runExported(std::shared_ptr<const Graph> graph, const OpSet& ops,
                                const Samples& samples, const InputNormalizations& normalized) {
    ThreadPool pool(1);
    GraphRunner runner(graph, ops.catalog, ops.cpuKernels, std::make_shared<Arena>(), pool);
    std::vector<Tensor> inputs;
    for (const std::string& name : runner.fedInputs()) {
        Tensor sample = sampleFor(samples, name);
        const auto within = normalized.find(name);
        if (within != normalized.end() && !sample.empty())
            sample = denormalized(sample, within->second);
        const DType type = graph->at(name)->type().dtype;
        inputs.push_back(sample.empty() || sample.dtype() == type ? sample : sample.cast(type));
    }
    return copies(runner.run(inputs));
}

bool hasSamplesFor(const Graph& graph, const Samples& samples) {
    return std::all_of(graph.inputs().begin(), graph.inputs().end(),
                       [&](const Value* input) { return samples.contains(input->name()); });
}

}  // namespace

ExportVerdict ExportResult::verdict() const {
    if (samples == 0) return ExportVerdict::NotVerified;
    return deviation.isWithin(tolerance) ? ExportVerdict::Verified : ExportVerdict::Differs;
}

ExportResult exportVerified(TrainingSession& session, const ExportRequest& request) {
    const auto averaged = request.average ? useAverage(session.state()) : nullptr;
    const ExportedModel exported = exportInferenceModel(session,
                                                        {request.path,
                                                         request.outputs,
                                                         request.foldBatchNorms,
                                                         request.externalData,
                                                         request.opset,
                                                         {},
                                                         request.asItCame,
                                                         request.includeNormalization},
                                                        *request.ops);
    std::unique_ptr<Graph> written = loadModel(request.path);
    inferTypes(*written, request.ops->catalog);
    ExportResult result;
    result.path = request.path;
    result.tolerance = request.asItCame ? kRoundedTolerance : kTolerance;
    result.fileBytes = exported.bytes;
    result.foldedBatchNorms = exported.foldedBatchNorms;
    result.normalizedInputs = exported.normalized.size();
    result.nodes = written->nodeCount();
    result.opset = written->info().onnxOpset();
    result.checkpoint = request.checkpoint;
    result.average = request.average;
    result.step = session.state().optimizerState().step;
    try {
        const Samples samples = request.samples();
        if (!hasSamplesFor(*written, samples)) return result;
        const int64_t count = samples.at(written->inputs().front()->name()).shape().front();
        const std::vector<std::string> outputs = keepTensorOutputs(*written, request.outputs);
        if (outputs.empty()) return result;
        const std::vector<Tensor> expected = runEvalModel(session, outputs, samples);
        const std::vector<Tensor> found =
            runExported(std::move(written), *request.ops, samples, exported.normalized);
        result.deviation = deviationOf(found, expected);
        result.samples = count;
    } catch (const Error& error) {
        result.problem = error.what();
        if (!error.hint().empty()) result.problem += " " + error.hint();
    }
    return result;
}

ExportResult exportCheckpoint(const Artifacts& artifacts, const ExportRequest& request) {
    const auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    state->assign(loadCheckpoint(request.checkpoint));
    TrainingSession session(artifacts, state, request.ops);
    return exportVerified(session, request);
}

}  // namespace temper::ui
