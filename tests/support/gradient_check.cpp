// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "engine/autodiff/gradient_graph.h"
#include "engine/ir/type_inference.h"
#include "engine/runtime/control_folding.h"
#include "engine/runtime/graph_runner.h"
#include "tests/support/case_log.h"
#include "tests/support/op_check.h"

namespace temper::test {
namespace {

const std::string kLoss = "checked_loss";

Tensor asDType(const Tensor& tensor, DType dtype) {
    return isFloating(tensor.dtype()) ? tensor.cast(dtype) : tensor;
}

/// Converts feeds and initializers, and attributes that are or name float32.
OpCase inDType(OpCase opCase, DType dtype) {
    for (auto& [name, feed] : opCase.feeds) {
        for (Tensor& tensor : feed.tensors) tensor = asDType(tensor, dtype);
    }
    return opCase;
}

void convertAttributes(Graph& graph, DType dtype) {
    for (Node* node : graph.nodes()) {
        const Attributes attributes = node->attributes();
        for (const auto& [name, attribute] : attributes) {
            if (const auto* tensor = std::get_if<Tensor>(&attribute)) {
                node->setAttribute(name, asDType(*tensor, dtype));
            }
            const bool namesType =
                (name == "to" || name == "dtype") &&
                node->attribute<int64_t>(name, 0) == static_cast<int64_t>(DType::Float32);
            if (namesType) node->setAttribute(name, static_cast<int64_t>(dtype));
        }
    }
    for (Value* value : std::vector<Value*>(graph.initializers())) {
        graph.setConstant(value, asDType(value->constant(), dtype));
    }
}

/// loss = sum over the outputs of sum(output * weight)
void addLoss(Graph& graph, const Results& outputs, DType dtype) {
    std::vector<Value*> terms;
    uint64_t seed = 7;
    for (Value* output : std::vector<Value*>(graph.outputs())) {
        const Tensor& found = outputs.at(output->name());
        if (!isFloating(found.dtype())) continue;
        const std::string prefix = "checked_" + output->name();
        Value* weight = graph.addInitializer(
            prefix + "_weight", randomTensor(found.shape(), ++seed, 0.5F, 1.5F).cast(dtype));
        Value* weighted =
            graph.addNode({"Mul", {output, weight}, {prefix + "_weighted"}})->output(0);
        terms.push_back(
            graph.addNode({"ReduceSum", {weighted}, {prefix + "_sum"}, {{"keepdims", int64_t{0}}}})
                ->output(0));
    }
    graph.setOutputs({graph.addNode({"Sum", terms, {kLoss}})->output(0)});
}

/// A graph compiled once and run on changing feeds.
class Runner {
public:
    Runner(const Graph& graph, Feeds feeds, int threads)
        : pool_(threads), feeds_(std::move(feeds)) {
        runner_ = std::make_unique<GraphRunner>(graph.clone(), ops().catalog, ops().cpuKernels,
                                                std::make_shared<Arena>(), pool_,
                                                PlanOptions{.isAttentionAlwaysInBlocks = true});
    }

    Feeds& feeds() { return feeds_; }

    std::vector<Tensor> run() {
        std::vector<Tensor> bound;  // operators may write to their inputs
        for (const std::string& name : runner_->fedInputs()) {
            bound.push_back(feeds_.at(name).tensors.front().clone());
        }
        std::vector<Tensor> results;
        for (const Tensor& output : runner_->run(bound, 1)) results.push_back(output.clone());
        return results;
    }

private:
    ThreadPool pool_;
    Feeds feeds_;
    std::unique_ptr<GraphRunner> runner_;
};

void setElement(Tensor& tensor, int64_t i, double value) {
    if (tensor.dtype() == DType::Float64) {
        tensor.mutableValues<double>()[i] = value;
    } else {
        tensor.mutableValues<float>()[i] = static_cast<float>(value);
    }
}

/// (loss(x + step) - loss(x - step)) / 2 step, for each element of an input.
Tensor numericGradient(Runner& forward, const std::string& input, double step) {
    const Tensor start = forward.feeds().at(input).tensors.front().clone();
    const Tensor wide = start.cast(DType::Float64);
    Tensor result(DType::Float64, start.shape());
    const auto lossAt = [&](int64_t i, double value) {
        Tensor moved = start.clone();
        setElement(moved, i, value);
        forward.feeds().at(input) = Feed(moved);
        return forward.run().front().toDouble();
    };
    for (int64_t i = 0; i < start.numElements(); ++i) {
        const double x = wide.values<double>()[i];
        result.mutableValues<double>()[i] =
            (lossAt(i, x + step) - lossAt(i, x - step)) / (2 * step);
    }
    forward.feeds().at(input) = Feed(start);
    return result;
}

std::string inferAll(Graph& graph) {
    for (const Finding& finding : inferTypes(graph, ops().catalog)) {
        if (finding.severity == Severity::Error) return finding.message;
    }
    return {};
}

std::vector<std::string> inputsToCheck(const OpCase& opCase, const GradientOptions& options) {
    if (!options.inputs.empty()) return options.inputs;
    std::vector<std::string> names;
    for (const auto& [name, feed] : opCase.feeds) {
        const bool isConstant = std::find(opCase.constants.begin(), opCase.constants.end(), name) !=
                                opCase.constants.end();
        if (!isConstant && isFloating(feed.tensors.front().dtype())) names.push_back(name);
    }
    return names;
}

std::string compareThreads(const Graph& graph, const Feeds& feeds,
                           const std::vector<Tensor>& single) {
    const std::vector<Tensor> several = Runner(graph, feeds, 3).run();
    for (size_t i = 0; i < single.size(); ++i) {
        if (std::memcmp(single[i].data(), several[i].data(), single[i].byteSize()) != 0) {
            return "gradient " + std::to_string(i) + " depends on the number of threads";
        }
    }
    return {};
}

std::string compareWithDifferences(const OpCase& opCase, const GradientOptions& options,
                                   bool symbolic) {
    Feeds fed = opCase.feeds;
    for (const std::string& name : opCase.constants) fed.erase(name);
    std::unique_ptr<Graph> graph = graphOf(opCase, symbolic);
    convertAttributes(*graph, options.dtype);
    addLoss(*graph, runGraph(*graph, fed), options.dtype);
    if (const std::string problem = inferAll(*graph); !problem.empty()) return problem;
    std::unique_ptr<Graph> forwardGraph;
    if (options.foldsSequences) {
        forwardGraph = graph->clone();
        graph = withFoldedControlFlow(*graph, ops().catalog, ops().cpuKernels);
    }

    const std::vector<std::string> names = inputsToCheck(opCase, options);
    std::vector<Value*> parameters;
    for (const std::string& name : names) parameters.push_back(graph->at(name));
    Value* loss = graph->at(kLoss);
    const std::unique_ptr<Graph> given = graph->clone();
    applyTrainingForms(*graph, ops().catalog, ops().gradients, loss, parameters);
    if (!forwardGraph) forwardGraph = graph->clone();
    graph->setOutputs(buildGradients(*graph, ops().catalog, ops().gradients, loss, parameters));
    graph->removeUnused();

    const std::vector<Tensor> gradients = Runner(*graph, fed, 1).run();
    Runner forward(*forwardGraph, fed, 1);
    for (size_t i = 0; i < names.size(); ++i) {
        const std::string problem =
            difference(gradients[i].cast(DType::Float64),
                       numericGradient(forward, names[i], options.step), options.tolerance);
        if (!problem.empty()) return "gradient of '" + names[i] + "': " + problem;
    }
    std::string problem = compareThreads(*graph, fed, gradients);
    if (problem.empty() && !symbolic) logGradientCase(*given, *graph);
    return problem;
}

}  // namespace

TrainingResults trainingResults(const OpCase& opCase, const std::vector<std::string>& inputs,
                                bool foldsSequences) {
    OpCase weighted = opCase;
    weighted.nodes += " weighted = Mul(y, w) loss = ReduceSum<keepdims = 0>(weighted)";
    std::unique_ptr<Graph> graph = graphOf(weighted);
    inferTypes(*graph, ops().catalog);
    if (foldsSequences) {
        graph = withFoldedControlFlow(*graph, ops().catalog, ops().cpuKernels);
    }
    std::vector<Value*> parameters;
    for (const std::string& name : inputs) parameters.push_back(graph->at(name));
    Value* loss = graph->at("loss");
    applyTrainingForms(*graph, ops().catalog, ops().gradients, loss, parameters);
    std::vector<Value*> outputs =
        buildGradients(*graph, ops().catalog, ops().gradients, loss, parameters);
    const std::vector<std::string> made = namesOf(outputs);
    outputs.push_back(graph->at("y"));
    graph->setOutputs(outputs);
    graph->removeUnused();
    const Results found = runGraph(*graph, weighted.feeds);
    TrainingResults results{found.at("y"), {}};
    for (size_t i = 0; i < inputs.size(); ++i)
        results.gradients.emplace(inputs[i], found.at(made[i]));
    return results;
}

std::string checkGradient(const OpCase& opCase, const GradientOptions& options) {
    const OpCase converted = inDType(opCase, options.dtype);
    for (const bool symbolic : {false, true}) {
        if (symbolic && !options.alsoSymbolic) continue;
        try {
            const std::string problem = compareWithDifferences(converted, options, symbolic);
            if (!problem.empty()) return (symbolic ? "symbolic shapes: " : "") + problem;
        } catch (const Error& error) {
            return (symbolic ? "symbolic shapes: " : "") + std::string(error.what());
        }
    }
    return {};
}

}  // namespace temper::test
