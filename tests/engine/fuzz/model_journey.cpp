// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/fuzz/model_journey.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "app/cli/inspection.h"
#include "engine/core/error.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/model_file.h"
#include "engine/ops/op_set.h"
#include "engine/ort/checkpoint_file.h"
#include "engine/training/artifacts/artifact_files.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/session/training_session.h"
#include "tests/engine/fuzz/short_loops.h"

namespace temper::test {
namespace {

using Bytes = std::span<const std::byte>;

constexpr int64_t kOpenDimension = 2;
constexpr int64_t kMaxElements = 1 << 20;

const std::shared_ptr<const OpSet>& operators() {
    static const auto ops = std::make_shared<const OpSet>(standardOps());
    return ops;
}

Bytes bytesOf(const std::string& text) { return std::as_bytes(std::span(text)); }

/// A file in memory, for functions that read a path.
class MemoryFile {
public:
    explicit MemoryFile(Bytes bytes) : file_(memfd_create("model", MFD_CLOEXEC)) {
        if (file_ < 0 ||
            ::write(file_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
            throw std::runtime_error("no memory for a file");
        }
    }
    ~MemoryFile() { ::close(file_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(file_); }

private:
    int file_;
};

void inspect(Bytes bytes) {
    const MemoryFile file(bytes);
    const cli::Inspection inspection = cli::inspectPath(file.path(), {}, *operators());
    std::ostringstream text;
    cli::print(text, inspection);
    cli::toJson(inspection).dump();
}

/// The first output that a loss can read.
std::string predictionOf(const Graph& model) {
    for (const Value* output : model.outputs()) {
        if (isFloating(output->type().dtype)) return output->name();
    }
    throw Error(ErrorCode::InvalidInput, "No output holds floating-point numbers.");
}

/// The four files, as bytes.
struct Files {
    std::string prediction;
    std::string trainingModel;
    std::string evalModel;
    std::string optimizerModel;
    std::string checkpoint;
};

Files makeArtifacts(Bytes bytes) {
    const auto model = parseModel(bytes, "model");
    inferTypes(*model, operators()->catalog);
    Files files;
    files.prediction = predictionOf(*model);
    ArtifactSpec spec;
    spec.loss.key = "mse";
    spec.lossInputs = {files.prediction};
    const ArtifactPlan plan = planArtifacts(*model, *operators(), spec);
    for (const Finding& finding : plan.findings) {
        if (finding.severity == Severity::Error)
            throw Error(ErrorCode::InvalidInput, finding.message, finding.hint);
    }
    const Artifacts artifacts = generateArtifacts(*model, *operators(), spec);
    files.trainingModel = serializeModel(*artifacts.trainingModel);
    files.evalModel = serializeModel(*artifacts.evalModel);
    files.optimizerModel = serializeModel(*artifacts.optimizerModel);
    files.checkpoint = serializeCheckpoint(artifacts.checkpoint);
    return files;
}

/// Numbers between 0.2 and 0.9, or ones for counts and booleans.
Tensor feedFor(const ValueType& type) {
    Shape shape;
    int64_t elements = 1;
    for (const Dim& dim : type.shape.value_or(SymbolicShape{})) {
        shape.push_back(dim.isNumber() ? dim.value : kOpenDimension);
        elements *= std::min(shape.back(), kMaxElements);
        if (elements > kMaxElements) {
            throw Error(ErrorCode::InvalidInput, "Its inputs are too large for a trial.");
        }
    }
    if (!type.isTensor() || type.dtype == DType::String || type.dtype == DType::Undefined) {
        throw Error(ErrorCode::InvalidInput, "Its inputs are no numbers.");
    }
    Tensor numbers(DType::Float32, shape);
    float next = 0.2F;
    for (float& number : numbers.mutableValues<float>()) {
        number = isFloating(type.dtype) ? next : 1.0F;
        next = next > 0.85F ? 0.2F : next + 0.07F;
    }
    return numbers.cast(type.dtype);
}

std::unique_ptr<TrainingSession> trainOnce(const Files& files) {
    Artifacts artifacts = parseArtifacts({bytesOf(files.trainingModel), bytesOf(files.evalModel),
                                          bytesOf(files.optimizerModel), bytesOf(files.checkpoint)},
                                         *operators());
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    auto session = std::make_unique<TrainingSession>(std::move(artifacts), std::move(state),
                                                     operators(), SessionOptions{.threads = 1});
    std::vector<Tensor> inputs;
    for (const std::string& name : session->inputNames()) {
        inputs.push_back(feedFor(session->inputType(name)));
    }
    session->trainStep(inputs);
    session->optimizerStep();
    session->lazyResetGrad();
    return session;
}

void exportAgain(const TrainingSession& session, const std::string& prediction) {
    const std::string written = serializeModel(*session.inferenceModel({prediction}));
    try {
        const auto again = parseModel(bytesOf(written), "exported model");
        inferTypes(*again, operators()->catalog);
    } catch (const Error& error) {
        throw std::logic_error(std::string("export: can't be read again: ") + error.what());
    }
}

/// Runs one command. Returns: whether it succeeded.
template <typename F>
bool travel(Journey& journey, const char* command, F&& run) {
    try {
        run();
    } catch (const Error& error) {
        if (error.code() == ErrorCode::Internal)
            throw std::logic_error(std::string(command) + ": " + error.what());
        journey[command] = error.what();
        return false;
    } catch (const std::exception& error) {
        throw std::logic_error(std::string(command) + ": " + error.what());
    }
    journey[command].clear();
    return true;
}

}  // namespace

Journey journeyOf(Bytes model) {
    Journey journey;
    travel(journey, "inspect", [&] { inspect(model); });
    Files files;
    const std::string shortened =
        withShortLoops({reinterpret_cast<const char*>(model.data()), model.size()});
    if (!travel(journey, "artifacts", [&] { files = makeArtifacts(bytesOf(shortened)); })) {
        return journey;
    }
    std::unique_ptr<TrainingSession> session;
    if (!travel(journey, "step", [&] { session = trainOnce(files); })) return journey;
    travel(journey, "export", [&] { exportAgain(*session, files.prediction); });
    return journey;
}

}  // namespace temper::test
