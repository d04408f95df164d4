// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/fuzz/fuzz_targets.h"
#include "tests/engine/fuzz/journey_target.h"

#include <stdexcept>

#include "engine/core/error.h"
#include "engine/data/idx_file.h"
#include "engine/data/image/image_decoder.h"
#include "engine/data/npy_file.h"
#include "engine/data/npz_file.h"
#include "engine/data/open_data.h"
#include "engine/data/sound/wav_file.h"
#include "engine/ir/type_inference.h"
#include "engine/jobs/job_request.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/ops/op_set.h"
#include "engine/ort/checkpoint_file.h"
#include "engine/ort/ort_model.h"
#include "engine/runs/log_entries.h"
#include "engine/runs/run_event.h"
#include "engine/training/loss/loss_formula.h"
#include "engine/training/ort_classic/pipeline_cuts.h"
#include "engine/training/parameters/name_expression.h"
#include "engine/training/projects/project_archive.h"
#include "engine/training/projects/project_file.h"
#include "engine/training/spec/training_spec.h"

namespace temper::test {
namespace {

using Bytes = std::span<const std::byte>;

Bytes bytesOf(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string textOf(Bytes bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// What we wrote must be readable again; an Error here is our fault.
template <typename F>
auto readAgain(const char* what, F&& read) {
    try {
        return read();
    } catch (const Error& error) {
        throw std::logic_error(std::string(what) + ", as written by us: " + error.what());
    }
}

/// The Error with which `f` rejected its input, or nothing.
template <typename F>
std::string refusalOf(F&& f) {
    try {
        f();
    } catch (const Error& error) {
        if (error.code() == ErrorCode::Internal) throw std::logic_error(error.what());
        return error.what();
    }
    return {};
}

// Models

/// Viewing shows what is refused otherwise, with errors, and changes nothing else.
void viewModel(Bytes bytes, const OpSet& ops) {
    std::vector<Finding> faults;
    std::string viewed;
    const std::string refusal = refusalOf([&] {
        const auto graph = parseModel(bytes, "model", {}, {.faults = &faults});
        viewed = serializeModel(*graph);
        graph->topologicalOrder();
        inferTypes(*graph, ops.catalog);
    });
    if (viewed.empty()) return;
    std::string read;
    const std::string refused =
        refusalOf([&] { read = serializeModel(*parseModel(bytes, "model")); });
    if (faults.empty() != refused.empty())
        throw std::logic_error("viewed with " + std::to_string(faults.size()) +
                               " faults, but read with: " + refused);
    if (faults.empty() && read != viewed)
        throw std::logic_error("a model without faults is viewed as another one");
}

std::string runModel(Bytes bytes) {
    static const OpSet ops = standardOps();
    viewModel(bytes, ops);
    return refusalOf([&] {
        const auto graph = parseModel(bytes, "model");
        const std::string written = serializeModel(*graph);
        readAgain("a model", [&] { return parseModel(bytesOf(written), "written model"); });
        inferTypes(*graph, ops.catalog);
    });
}

std::string runOrtModel(Bytes bytes) {
    return refusalOf([&] {
        const auto graph = parseOrtModel(bytes);
        const std::string written = serializeOrtModel(*graph);
        readAgain("a model in ORT format", [&] { return parseOrtModel(bytesOf(written)); });
    });
}

std::string runModelText(Bytes bytes) {
    return refusalOf([&] {
        const auto graph = parseText(textOf(bytes));
        const std::string written = toText(*graph);
        readAgain("a model's text", [&] { return parseText(written); });
    });
}

std::string runCheckpoint(Bytes bytes) {
    return refusalOf([&] {
        const CheckpointFile checkpoint = parseCheckpoint(bytes, "checkpoint");
        const std::string written = serializeCheckpoint(checkpoint);
        readAgain("a checkpoint", [&] { return parseCheckpoint(bytesOf(written), "written"); });
    });
}

// Data

std::string runNpy(Bytes bytes) {
    return refusalOf([&] {
        const std::string written = formatNpy(parseNpy(bytes, "array"));
        readAgain("an array", [&] { return parseNpy(bytesOf(written), "written array"); });
    });
}

std::string runNpz(Bytes bytes) {
    return refusalOf([&] { parseNpz(bytes, "arrays"); });
}

std::string runIdx(Bytes bytes) {
    return refusalOf([&] { parseIdx(bytes, "data"); });
}

/// A table as a data set: sniffed, read, described.
std::string openTable(const std::string& file, Bytes bytes) {
    return refusalOf([&] {
        const auto resolver = [&](const std::string& path) {
            return path == file ? std::optional(bytes) : std::nullopt;
        };
        describeData(openData(file, {}, resolver));
    });
}

std::string runCsv(Bytes bytes) { return openTable("table.csv", bytes); }
std::string runTsv(Bytes bytes) { return openTable("table.tsv", bytes); }
std::string runJsonLines(Bytes bytes) { return openTable("table.jsonl", bytes); }
std::string runGzip(Bytes bytes) { return openTable("table.csv.gz", bytes); }

std::string runPicture(Bytes bytes) {
    return refusalOf([&] {
        const std::string name = "picture";
        const ImageBytes file{bytes, name};
        // Large pictures are allowed and take time, but they are not the subject here.
        const ImageInfo info = inspectImage(file);
        if (info.width * info.height <= 1 << 20) decodeImage(file);
    });
}

std::string runWav(Bytes bytes) {
    return refusalOf([&] { decodeWav(bytes, "sound"); });
}

// Texts

std::string runDataSpec(Bytes bytes) {
    return refusalOf([&] {
        const auto nothing = [](const std::string&) { return std::optional<Bytes>(); };
        const std::string written = formatDataSpec(parseDataSpec(textOf(bytes), nothing));
        readAgain("a data specification", [&] { return parseDataSpec(written, nothing); });
    });
}

std::string runLoss(Bytes bytes) {
    return refusalOf([&] { parseLoss(textOf(bytes)); });
}

std::string runExpression(Bytes bytes) {
    return refusalOf([&] { NameExpression(textOf(bytes)).matches("layer1.0.conv1.weight"); });
}

std::string runTrainingSpec(Bytes bytes) {
    return refusalOf([&] {
        const std::string written = toJson(trainingSpecFromJson(textOf(bytes)));
        readAgain("a training specification", [&] { return trainingSpecFromJson(written); });
    });
}

std::string runProject(Bytes bytes) {
    return refusalOf([&] {
        const std::string written = toJson(projectFromJson(textOf(bytes), "/project"), "/project");
        readAgain("a project", [&] { return projectFromJson(written, "/project"); });
    });
}

/// What is accepted is the same after it was written and read.
std::string runJobRequest(Bytes bytes) {
    return refusalOf([&] {
        const JobRequest request = jobRequestFromJson(textOf(bytes));
        const std::string written = toJson(request);
        if (readAgain("a request", [&] { return jobRequestFromJson(written); }) != request)
            throw std::logic_error("a request is another one after it was written and read");
    });
}

std::string runPipelineCuts(Bytes bytes) {
    return refusalOf([&] { classic::parsePipelineCuts(textOf(bytes)); });
}

/// An accepted archive can be unpacked, or is rejected for its content.
std::string runProjectArchive(Bytes bytes) {
    return refusalOf([&] {
        const std::vector<ArchivedFile> files = archivedFiles(bytes, "given.temper");
        for (const ArchivedFile& file : files) {
            const std::filesystem::path path = ("/project/" + file.name);
            if (path.lexically_normal() != path) throw std::logic_error("it leaves its folder");
        }
    });
}

std::string runRunEvent(Bytes bytes) {
    return refusalOf([&] {
        const std::string written = toJsonLine(runEventFromJsonLine(textOf(bytes)));
        readAgain("an event", [&] { return runEventFromJsonLine(written); });
    });
}

/// The entries as bytes, in the compact form.
std::string packed(std::string_view log) {
    LogReader reader(log);
    LogEncoder encoder(LogForm::Compact);
    std::string result(encoder.start());
    while (const auto entry = reader.next()) result += encoder.encode(*entry);
    return result;
}

std::string runRunLog(Bytes bytes) {
    return refusalOf([&] {
        const std::string written = packed(textOf(bytes));
        if (readAgain("a log", [&] { return packed(written); }) != written)
            throw std::logic_error("a log is another one after it was written and read");
    });
}

}  // namespace

const std::vector<FuzzTarget>& fuzzTargets() {
    static const std::vector<FuzzTarget> targets = {
        {"model", runModel},
        {"ort-model", runOrtModel},
        {"model-text", runModelText},
        {"checkpoint", runCheckpoint},
        {"npy", runNpy},
        {"npz", runNpz},
        {"idx", runIdx},
        {"csv", runCsv},
        {"tsv", runTsv},
        {"json-lines", runJsonLines},
        {"gzip", runGzip},
        {"picture", runPicture},
        {"wav", runWav},
        {"data-spec", runDataSpec},
        {"loss", runLoss},
        {"expression", runExpression},
        {"training-spec", runTrainingSpec},
        {"project", runProject},
        {"project-archive", runProjectArchive},
        {"run-event", runRunEvent},
        {"run-log", runRunLog},
        {"model-journey", runJourney, mutateJourney, crossJourneys},
        {"job-request", runJobRequest},
        {"pipeline-cuts", runPipelineCuts},
    };
    return targets;
}

}  // namespace temper::test
