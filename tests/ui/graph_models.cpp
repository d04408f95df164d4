// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/graph_models.h"

#include "engine/core/random.h"

namespace temper::ui {
namespace {

class EncoderMaker {
public:
    explicit EncoderMaker(int blocks) : graph_(std::make_shared<Graph>()) {
        graph_->info().opsetImports[""] = 15;
        Value* x = graph_->addInput(
            "x", {DType::Float32, SymbolicShape{Dim::named("batch"), Dim::of(8)}, false});
        for (int block = 0; block < blocks; ++block)
            x = encode(x, "/encoder/layer." + std::to_string(block));
        graph_->addOutput(add("Softmax", {x}, "/head/Softmax"));
    }
    std::shared_ptr<const Graph> graph() const { return graph_; }

private:
    Value* encode(Value* x, const std::string& scope) {
        Value* query = dense(x, scope + "/attention/query");
        Value* key = dense(x, scope + "/attention/key");
        Value* value = dense(x, scope + "/attention/value");
        Value* size = add("Shape", {x}, scope + "/attention/Shape");
        size = add("Gather", {size, number(0)}, scope + "/attention/Gather");
        size = add("Unsqueeze", {size, number(0)}, scope + "/attention/Unsqueeze");
        Value* split = add("Reshape", {query, size}, scope + "/attention/Reshape");
        Value* scores = add("MatMul", {split, key}, scope + "/attention/MatMul_scores");
        scores = add("Softmax", {scores}, scope + "/attention/Softmax");
        Value* mixed = add("MatMul", {scores, value}, scope + "/attention/MatMul_mix");
        mixed = dense(mixed, scope + "/attention/output");
        x = add("Add", {x, mixed}, scope + "/Add");
        x = add("LayerNormalization", {x, weight(scope + "/norm1.scale", {8})},
                scope + "/norm1/LayerNormalization");
        Value* hidden = dense(x, scope + "/mlp/fc1");
        hidden = add("Relu", {hidden}, scope + "/mlp/act/Relu");
        hidden = add("Mul", {hidden, number(2)}, scope + "/mlp/act/Mul");
        hidden = dense(hidden, scope + "/mlp/fc2");
        x = add("Add", {x, hidden}, scope + "/Add_1");
        return add("LayerNormalization", {x, weight(scope + "/norm2.scale", {8})},
                   scope + "/norm2/LayerNormalization");
    }

    Value* dense(Value* x, const std::string& scope) {
        x = add("MatMul", {x, weight(scope + ".weight", {8, 8})}, scope + "/MatMul");
        return add("Add", {x, weight(scope + ".bias", {8})}, scope + "/Add");
    }

    Value* weight(const std::string& name, Shape shape) {
        return graph_->addInitializer(name, Tensor(DType::Float32, std::move(shape)));
    }
    Value* number(int64_t value) {
        return graph_->addLiteral("literal" + std::to_string(literals_++),
                                  Tensor::of<int64_t>({1}, {value}));
    }
    Value* add(const std::string& op, std::vector<Value*> inputs, const std::string& name) {
        graph_->addNode({.opType = op,
                         .inputs = std::move(inputs),
                         .outputs = {name + "_output"},
                         .name = name});
        return graph_->at(name + "_output");
    }

    std::shared_ptr<Graph> graph_;
    int literals_ = 0;
};

}  // namespace

std::shared_ptr<const Graph> encoderModel(int blocks) { return EncoderMaker(blocks).graph(); }

std::shared_ptr<const Graph> tangledModel(int nodes, uint64_t seed) {
    static const char* ops[] = {"Conv", "Relu", "Add", "Mul", "MaxPool", "Concat", "Sigmoid"};
    Random random(seed);
    auto graph = std::make_shared<Graph>();
    graph->info().opsetImports[""] = 15;
    std::vector<Value*> values{
        graph->addInput("x", {DType::Float32, SymbolicShape{Dim::of(8)}, false})};
    for (int n = 0; n < nodes; ++n) {
        const auto last = static_cast<int64_t>(values.size()) - 1;
        std::vector<Value*> inputs{
            values[static_cast<size_t>(last - random.below(std::min<int64_t>(last + 1, 3)))]};
        if (random.below(6) == 0)
            inputs.push_back(
                values[static_cast<size_t>(std::max<int64_t>(0, last - random.below(200)))]);
        const std::string name = "n" + std::to_string(n);
        graph->addNode({.opType = ops[random.below(7)],
                        .inputs = inputs,
                        .outputs = {name + "_out"},
                        .name = name});
        values.push_back(graph->at(name + "_out"));
    }
    graph->addOutput(values.back());
    return graph;
}

std::shared_ptr<const Graph> wideModel(int layers, int width, uint64_t seed) {
    Random random(seed);
    auto graph = std::make_shared<Graph>();
    graph->info().opsetImports[""] = 15;
    std::vector<Value*> before{
        graph->addInput("x", {DType::Float32, SymbolicShape{Dim::of(8)}, false})};
    for (int layer = 0; layer < layers; ++layer) {
        std::vector<Value*> values;
        for (int n = 0; n < width; ++n) {
            const auto size = static_cast<int64_t>(before.size());
            std::vector<Value*> inputs{before[static_cast<size_t>(n % size)]};
            if (random.below(3) == 0)
                inputs.push_back(before[static_cast<size_t>((n + random.below(8)) % size)]);
            const std::string name = "n" + std::to_string(layer) + "_" + std::to_string(n);
            graph->addNode({.opType = inputs.size() > 1 ? "Add" : "Conv",
                            .inputs = inputs,
                            .outputs = {name + "_out"},
                            .name = name});
            values.push_back(graph->at(name + "_out"));
        }
        before = std::move(values);
    }
    for (Value* value : before) graph->addOutput(value);
    return graph;
}

}  // namespace temper::ui
