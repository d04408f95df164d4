// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "engine/core/random.h"
#include "engine/onnx/graph_text.h"
#include "engine/runtime/graph_runner.h"
#include "tests/support/op_check.h"

namespace temper::test {
namespace {

ValueType typeOf(const std::string& name, const Tensor& tensor, bool symbolic) {
    SymbolicShape shape = symbolicShape(tensor.shape());
    for (size_t i = 0; symbolic && i < shape.size(); ++i) {
        shape[i] = Dim::named(name + "_" + std::to_string(i));
    }
    return {tensor.dtype(), std::move(shape), false};
}

/// The nodes with the feeds as inputs whose types are set later.
std::string textOf(const OpCase& opCase) {
    std::string inputs;
    for (const auto& feed : opCase.feeds) {
        inputs += (inputs.empty() ? "float[] " : ", float[] ") + feed.first;
    }
    const bool isPreview = opCase.nodes.find("ai.onnx.preview.") != std::string::npos;
    return "<ir_version: 8, opset_import: [\"\" : " + std::to_string(opCase.opset) +
           ", \"com.microsoft\" : 1" + (isPreview ? ", \"ai.onnx.preview\" : 1" : "") +
           "]> opCase (" + inputs + ") => () {" + opCase.nodes + "}";
}

}  // namespace

const OpSet& ops() {
    static const OpSet kOps = standardOps();
    return kOps;
}

std::map<std::string, ValueData> runOnFeeds(const Graph& graph, const Feeds& feeds,
                                            const RunOptions& options) {
    ThreadPool pool(options.threads);
    GraphRunner runner(graph.clone(), ops().catalog, ops().cpuKernels, std::make_shared<Arena>(),
                       pool, {.isAttentionAlwaysInBlocks = true});
    for (const auto& [name, feed] : feeds) {
        if (graph.find(name) == nullptr || !graph.find(name)->isGraphInput()) continue;
        std::vector<Tensor> tensors = feed.tensors;
        for (Tensor& tensor : tensors) {
            if (!options.inPlace) tensor = tensor.clone();
        }
        runner.bindFixed(name, std::move(tensors));
    }
    const std::vector<ValueData> nothing(runner.fedInputs().size());
    const auto outputs = runner.runOn(nothing, options.seed);
    std::map<std::string, ValueData> results;
    for (size_t i = 0; i < graph.outputs().size(); ++i)
        results[graph.outputs()[i]->name()] = outputs[i].clone();
    return results;
}

Results runGraph(const Graph& graph, const Feeds& feeds, const RunOptions& options) {
    Results results;
    for (const auto& [name, data] : runOnFeeds(graph, feeds, options))
        results[name] = data.isTensor() ? data.tensor() : Tensor();
    return results;
}

Results runText(std::string_view text, const Feeds& feeds, const RunOptions& options) {
    return runGraph(*parseText(text), feeds, options);
}

std::unique_ptr<Graph> graphOf(const OpCase& opCase, bool symbolic) {
    std::unique_ptr<Graph> graph = parseText(textOf(opCase));
    for (const auto& [name, feed] : opCase.feeds) {
        Value* input = graph->at(name);
        const Tensor& tensor = feed.tensors.front();
        const bool isConstant = std::find(opCase.constants.begin(), opCase.constants.end(), name) !=
                                opCase.constants.end();
        if (isConstant) {
            graph->inputToInitializer(input, tensor);
        } else {
            input->setType(typeOf(name, tensor, symbolic));
        }
    }
    for (const Node* node : graph->nodes()) {
        for (Value* output : node->outputs()) {
            if (output != nullptr && output->uses().empty()) graph->addOutput(output);
        }
    }
    return graph;
}

Results runOp(const OpCase& opCase, const RunOptions& options) {
    Feeds fed = opCase.feeds;
    for (const std::string& name : opCase.constants) fed.erase(name);
    return runGraph(*graphOf(opCase), fed, options);
}

std::string difference(const Tensor& found, const Tensor& expected, const Tolerance& tolerance) {
    if (found.dtype() != expected.dtype() || found.shape() != expected.shape()) {
        return "found " + std::string(dtypeName(found.dtype())) + formatShape(found.shape()) +
               ", expected " + std::string(dtypeName(expected.dtype())) +
               formatShape(expected.shape());
    }
    const bool isExact = !isFloating(expected.dtype());
    const Tensor a = found.cast(DType::Float64);
    const Tensor b = expected.cast(DType::Float64);
    for (int64_t i = 0; i < a.numElements(); ++i) {
        const double x = a.values<double>()[i];
        const double y = b.values<double>()[i];
        if (x == y || (std::isnan(x) && std::isnan(y))) continue;
        const double allowed = tolerance.absolute + tolerance.relative * std::abs(y);
        if (isExact || !(std::abs(x - y) <= allowed)) {
            return "element " + std::to_string(i) + " of " + formatShape(found.shape()) + " is " +
                   std::to_string(x) + ", expected " + std::to_string(y);
        }
    }
    return {};
}

std::string checkOutput(const OpCase& opCase, const std::string& output, const Tensor& expected,
                        const Tolerance& tolerance) {
    try {
        return difference(runOp(opCase).at(output), expected, tolerance);
    } catch (const Error& error) {
        return error.what();
    }
}

Tensor randomTensor(const Shape& shape, uint64_t seed, float low, float high) {
    Tensor tensor(DType::Float32, shape);
    Random random(seed);
    for (float& value : tensor.mutableValues<float>()) {
        value = low + (high - low) * random.uniform();
    }
    return tensor;
}

Tensor distinctTensor(const Shape& shape, uint64_t seed) {
    Tensor tensor(DType::Float32, shape);
    const auto values = tensor.mutableValues<float>();
    const std::vector<int64_t> order = Random(seed).permutation(tensor.numElements());
    for (size_t i = 0; i < order.size(); ++i) {
        const double rank = static_cast<double>(order[i]) - static_cast<double>(order.size() / 2);
        values[i] = static_cast<float>(0.1 * rank + 0.05);
    }
    return tensor;
}

Tensor integerTensor(std::initializer_list<int64_t> values) {
    return Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values);
}

}  // namespace temper::test
