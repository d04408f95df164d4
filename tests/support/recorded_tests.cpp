// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "engine/data/npz_file.h"
#include "engine/onnx/model_file.h"
#include "engine/onnx/tensor_file.h"
#include "tests/support/op_check.h"

namespace temper::test {
namespace {

namespace fs = std::filesystem;

Feeds readInputs(const fs::path& dataSet, const Graph& graph) {
    Feeds feeds;
    for (size_t i = 0; i < graph.inputs().size(); ++i) {
        const fs::path file = dataSet / ("input_" + std::to_string(i) + ".pb");
        feeds.emplace(graph.inputs()[i]->name(), readTensorFile(file));
    }
    return feeds;
}

/// Small vectors and scalars become initializers: shapes, axes, indices of slices.
Feeds makeSmallInputsConstant(Graph& graph, Feeds feeds) {
    for (Value* input : std::vector<Value*>(graph.inputs())) {
        const auto feed = feeds.find(input->name());
        if (feed == feeds.end() || feed->second.tensors.front().rank() > 1) continue;
        graph.inputToInitializer(input, feed->second.tensors.front());
        feeds.erase(feed);
    }
    return feeds;
}

/// Runs as the test says; where a shape depends on an input, again with small inputs constant.
Results runRecorded(const Graph& graph, const Feeds& feeds) {
    try {
        return runGraph(graph, feeds);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::Unsupported) throw;
    }
    const std::unique_ptr<Graph> copy = graph.clone();
    return runGraph(*copy, makeSmallInputsConstant(*copy, feeds));
}

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

Outcome runDataSets(const fs::path& folder, const Tolerance& tolerance) {
    const std::unique_ptr<Graph> graph = loadModel(folder / "model.onnx");
    if (!hasOnlyTensors(*graph)) {
        return {Outcome::Kind::Unsupported, "inputs or outputs that are not tensors"};
    }
    for (int set = 0; fs::exists(folder / ("test_data_set_" + std::to_string(set))); ++set) {
        const fs::path dataSet = folder / ("test_data_set_" + std::to_string(set));
        const Results found = runRecorded(*graph, readInputs(dataSet, *graph));
        Results expected;
        for (size_t i = 0; i < graph->outputs().size(); ++i) {
            expected[graph->outputs()[i]->name()] =
                readTensorFile(dataSet / ("output_" + std::to_string(i) + ".pb"));
        }
        const std::string problem = compareResults(found, expected, tolerance);
        if (!problem.empty()) return outcomeOf(problem);
    }
    return {};
}

/// Unsupported stays apart from wrong: the two are listed separately.
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

Outcome runOnnxTest(const fs::path& folder, const Tolerance& tolerance) {
    return guarded([&] { return runDataSets(folder, tolerance); });
}

std::vector<std::string> missingOperators(const Graph& graph) {
    std::set<std::string> missing;
    for (const Node* node : graph.nodes()) {
        const bool isKnown = ops().catalog.find(*node) != nullptr;
        if (!isKnown || ops().cpuKernels.find(*node) == nullptr)
            missing.insert(node->qualifiedOp());
    }
    return {missing.begin(), missing.end()};
}

Outcome runOrtCase(const fs::path& folder, const Tolerance& tolerance) {
    return guarded([&] {
        const std::unique_ptr<Graph> graph = loadModel(folder / "model.onnx");
        Feeds feeds;
        for (auto& [name, tensor] : readNpz(folder / "inputs.npz")) feeds.emplace(name, tensor);
        return outcomeOf(
            compareResults(runRecorded(*graph, feeds), readNpz(folder / "outputs.npz"), tolerance));
    });
}

}  // namespace temper::test
