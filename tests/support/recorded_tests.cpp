// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <set>

#include "app/cli/random_support.h"
#include "app/cli/value_compare.h"
#include "engine/data/npz_file.h"
#include "engine/onnx/model_file.h"
#include "engine/onnx/tensor_file.h"
#include "engine/runtime/specialization.h"
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

Outcome outcomeOf(const std::string& problem) {
    if (problem.empty()) return {};
    return {Outcome::Kind::Failed, problem};
}

/// The tests store bfloat16 numbers in files of uint16.
ValueData readRecorded(const fs::path& file, const Value& value) {
    ValueData data = readValueFile(file, value.type());
    for (Tensor& tensor : data.tensors) {
        if (value.type().dtype != DType::BFloat16 || tensor.dtype() != DType::UInt16) continue;
        const auto owner = std::make_shared<Tensor>(tensor);
        tensor = Tensor::wrap(DType::BFloat16, owner->shape(), owner, owner->mutableData());
    }
    return data;
}

using Recorded = std::vector<ValueData>;

Recorded readAll(const fs::path& dataSet, const std::string& stem,
                 const std::vector<Value*>& values) {
    Recorded all;
    for (size_t i = 0; i < values.size(); ++i)
        all.push_back(readRecorded(dataSet / (stem + std::to_string(i) + ".pb"), *values[i]));
    return all;
}

/// Empty ones in place of sequences: they are not drawn.
std::vector<Tensor> tensorsOf(const Recorded& all) {
    std::vector<Tensor> tensors;
    for (const ValueData& data : all) tensors.push_back(data.isTensor() ? data.tensor() : Tensor());
    return tensors;
}

/// ONNX's own runner ignores the shapes that the model declares for its inputs.
void forgetDeclaredShapes(Graph& graph) {
    for (Value* input : graph.inputs()) input->setType(input->type().withoutShape());
}

/// ONNX's own runner allows two units in the last of 8 bits for bfloat16: its records round after
/// each operation, and some Casts truncate.
Tolerance toleranceOf(const Tensor& expected, Tolerance tolerance) {
    if (expected.dtype() == DType::BFloat16) tolerance.relative = 0x1p-6;
    return tolerance;
}

std::string compareOutput(const Graph& graph, const std::vector<Tensor>& inputs,
                          const Recorded& found, const Recorded& expected, size_t output,
                          const Tolerance& tolerance) {
    if (!cli::isDrawn(graph, output, inputs)) {
        return cli::differenceOf(found[output], expected[output],
                                 [&](const Tensor& a, const Tensor& b) {
                                     return difference(a, b, toleranceOf(b, tolerance));
                                 });
    }
    const Tensor& drawn = found[output].tensor();
    const Tensor& recorded = expected[output].tensor();
    const bool sameType = drawn.dtype() == recorded.dtype() && drawn.shape() == recorded.shape();
    if (!sameType) return difference(drawn, recorded, tolerance);
    return cli::supportProblem(graph, inputs, tensorsOf(found), output) +
           cli::supportProblem(graph, inputs, tensorsOf(expected), output);
}

std::string runDataSet(const Graph& graph, const fs::path& dataSet, const Tolerance& tolerance) {
    const Recorded data = readAll(dataSet, "input_", graph.inputs());
    const Recorded expected = readAll(dataSet, "output_", graph.outputs());
    const std::vector<Tensor> inputs = tensorsOf(data);
    Feeds feeds;
    for (size_t i = 0; i < data.size(); ++i) {
        if (!data[i].isNothing()) feeds.emplace(graph.inputs()[i]->name(), Feed(data[i].tensors));
    }
    const auto results = runOnFeeds(graph, feeds);
    Recorded found;
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
        if (!canRun(*node, ops().catalog, ops().cpuKernels)) missing.insert(node->qualifiedOp());
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
