// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <set>

#include "app/cli/random_support.h"
#include "engine/data/npz_file.h"
#include "engine/onnx/model_file.h"
#include "engine/onnx/tensor_file.h"
#include "tests/support/case_log.h"
#include "tests/support/op_check.h"

namespace temper::test {
namespace {

namespace fs = std::filesystem;

std::string compareResults(const Results& found, const Results& expected,
                           const Tolerance& tolerance) {
    for (const auto& [name, tensor] : expected) {
        const auto result = found.find(name);
        if (result == found.end()) return "output '" + name + "' is missing";
        const std::string problem = difference(result->second, tensor, tolerance);
        if (!problem.empty()) return "output '" + name + "': " + problem;
    }
    return {};
}

bool hasOnlyTensors(const Graph& graph) {
    const auto isTensor = [](const Value* value) {
        return value->type().isKnown() && !value->type().isSequence;
    };
    return std::all_of(graph.inputs().begin(), graph.inputs().end(), isTensor) &&
           std::all_of(graph.outputs().begin(), graph.outputs().end(), isTensor);
}

Outcome outcomeOf(const std::string& problem) {
    if (problem.empty()) return {};
    return {Outcome::Kind::Failed, problem};
}

/// The tests store bfloat16 numbers in files of uint16.
Tensor readRecorded(const fs::path& file, const Value& value) {
    const Tensor tensor = readTensorFile(file);
    if (value.type().dtype != DType::BFloat16 || tensor.dtype() != DType::UInt16) return tensor;
    const auto owner = std::make_shared<Tensor>(tensor);
    return Tensor::wrap(DType::BFloat16, owner->shape(), owner, owner->mutableData());
}

std::vector<Tensor> readAll(const fs::path& dataSet, const std::string& stem,
                            const std::vector<Value*>& values) {
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < values.size(); ++i) {
        tensors.push_back(readRecorded(dataSet / (stem + std::to_string(i) + ".pb"), *values[i]));
    }
    return tensors;
}

/// ONNX's own runner ignores the shapes that the model declares for its inputs.
void forgetDeclaredShapes(Graph& graph) {
    for (Value* input : graph.inputs()) input->setType({input->type().dtype, std::nullopt, false});
}

/// ONNX's own runner allows two units in the last of 8 bits for bfloat16: its records round after
/// each operation, and some Casts truncate.
Tolerance toleranceOf(const Tensor& expected, Tolerance tolerance) {
    if (expected.dtype() == DType::BFloat16) tolerance.relative = 0x1p-6;
    return tolerance;
}

std::string compareOutput(const Graph& graph, const std::vector<Tensor>& inputs,
                          const std::vector<Tensor>& found, const std::vector<Tensor>& expected,
                          size_t output, const Tolerance& tolerance) {
    if (!cli::isDrawn(graph, output, inputs)) {
        return difference(found[output], expected[output],
                          toleranceOf(expected[output], tolerance));
    }
    const bool sameType = found[output].dtype() == expected[output].dtype() &&
                          found[output].shape() == expected[output].shape();
    if (!sameType) return difference(found[output], expected[output], tolerance);
    return cli::supportProblem(graph, inputs, found, output) +
           cli::supportProblem(graph, inputs, expected, output);
}

std::string runDataSet(const Graph& graph, const fs::path& dataSet, const Tolerance& tolerance) {
    const std::vector<Tensor> inputs = readAll(dataSet, "input_", graph.inputs());
    const std::vector<Tensor> expected = readAll(dataSet, "output_", graph.outputs());
    Feeds feeds;
    for (size_t i = 0; i < inputs.size(); ++i) feeds.emplace(graph.inputs()[i]->name(), inputs[i]);
    const Results results = runGraph(graph, feeds);
    std::vector<Tensor> found;
    for (const Value* output : graph.outputs()) found.push_back(results.at(output->name()));
    for (size_t i = 0; i < found.size(); ++i) {
        const std::string problem = compareOutput(graph, inputs, found, expected, i, tolerance);
        if (!problem.empty()) return "output '" + graph.outputs()[i]->name() + "': " + problem;
    }
    return {};
}

Outcome runDataSets(const fs::path& folder, const Tolerance& tolerance,
                    const std::function<void(Graph&)>& edit) {
    const std::unique_ptr<Graph> graph = loadModel(folder / "model.onnx");
    if (!hasOnlyTensors(*graph)) {
        return {Outcome::Kind::Unsupported, "inputs or outputs that are not tensors"};
    }
    if (edit) edit(*graph);
    forgetDeclaredShapes(*graph);
    for (int set = 0; fs::exists(folder / ("test_data_set_" + std::to_string(set))); ++set) {
        const std::string problem =
            runDataSet(*graph, folder / ("test_data_set_" + std::to_string(set)), tolerance);
        if (!problem.empty()) return outcomeOf(problem);
    }
    if (!edit) logOnnxCase(*graph, folder.filename().string());
    return {};
}

/// Unsupported is distinguished from wrong: the two are listed separately.
template <typename F>
Outcome guarded(F&& run) {
    try {
        return run();
    } catch (const Error& error) {
        const bool isUnsupported = error.code() == ErrorCode::Unsupported;
        return {isUnsupported ? Outcome::Kind::Unsupported : Outcome::Kind::Failed, error.what()};
    }
}

}  // namespace

Tolerance onnxTolerance(std::string_view test) {
    static constexpr std::array<std::string_view, 4> kFewDigits = {
        "window", "test_gridsample_bicubic", "test_roialign_aligned_false",
        "test_roialign_aligned_true"};
    const bool hasFewDigits = std::ranges::any_of(kFewDigits, [&](std::string_view part) {
        return test.find(part) != std::string_view::npos;
    });
    return hasFewDigits ? Tolerance{1e-3, 1e-7} : Tolerance{1e-4, 1e-6};
}

Outcome runOnnxTest(const fs::path& folder, const Tolerance& tolerance,
                    const std::function<void(Graph&)>& edit) {
    return guarded([&] { return runDataSets(folder, tolerance, edit); });
}

std::vector<std::string> missingOperators(const Graph& graph) {
    std::set<std::string> missing;
    for (const Node* node : graph.nodes()) {
        const OpInfo* info = ops().catalog.find(*node);
        const bool runs = info != nullptr && (info->lower || ops().cpuKernels.knows(*node));
        if (!runs) missing.insert(node->qualifiedOp());
    }
    return {missing.begin(), missing.end()};
}

Outcome runOrtCase(const fs::path& folder, const Tolerance& tolerance) {
    return guarded([&] {
        const std::unique_ptr<Graph> graph = loadModel(folder / "model.onnx");
        Feeds feeds;
        for (auto& [name, tensor] : readNpz(folder / "inputs.npz")) feeds.emplace(name, tensor);
        return outcomeOf(
            compareResults(runGraph(*graph, feeds), readNpz(folder / "outputs.npz"), tolerance));
    });
}

}  // namespace temper::test
