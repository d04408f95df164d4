// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/ui_fixture.h"

#include "engine/ir/type_inference.h"

namespace temper::ui {

std::shared_ptr<const LoadedModel> smallModel() {
    const OpSet ops = standardOps();
    auto graph = std::make_unique<Graph>();
    graph->setName("small");
    graph->info().opsetImports[""] = 15;
    Value* x = graph->addInput(
        "x", {DType::Float32, SymbolicShape{Dim::named("batch"), Dim::of(4)}, false});
    const auto weight = [&](const char* name, Shape shape) {
        return graph->addInitializer(name, Tensor(DType::Float32, std::move(shape)));
    };
    graph->addNode({.opType = "Gemm",
                    .inputs = {x, weight("fc1.weight", {4, 3}), weight("fc1.bias", {3})},
                    .outputs = {"h"},
                    .name = "/fc1/Gemm"});
    graph->addNode({.opType = "BatchNormalization",
                    .inputs = {graph->at("h"), weight("bn.weight", {3}), weight("bn.bias", {3}),
                               weight("bn.running_mean", {3}), weight("bn.running_var", {3})},
                    .outputs = {"n"},
                    .name = "/bn/BatchNormalization"});
    graph->addNode(
        {.opType = "Relu", .inputs = {graph->at("n")}, .outputs = {"r"}, .name = "/Relu"});
    graph->addNode(
        {.opType = "Gemm",
         .inputs = {graph->at("r"), weight("fc2.weight", {3, 2}), weight("fc2.bias", {2})},
         .outputs = {"y"},
         .name = "/fc2/Gemm"});
    graph->addOutput(graph->at("y"));
    auto model = std::make_shared<LoadedModel>();
    model->title = "small";
    model->typeFindings = inferTypes(*graph, ops.catalog);
    model->parameters = classifyParameters(*graph, ops.catalog);
    model->graph = std::move(graph);
    return model;
}

}  // namespace temper::ui
