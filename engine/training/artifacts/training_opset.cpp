// SPDX-License-Identifier: Apache-2.0
#include "engine/training/artifacts/training_opset.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/training/opset/opset_conversion.h"

namespace temper {
namespace {

/// Metadata: the newer operators as a graph in ONNX's text format, with their opset in its header.
constexpr const char* kNoteKey = "temper.newer_operators";

/// The first output that a node has; null if it has none.
const Value* firstOutput(const Node& node) {
    const auto found =
        std::ranges::find_if(node.outputs(), [](const Value* value) { return value != nullptr; });
    return found == node.outputs().end() ? nullptr : *found;
}

bool isRewritten(const Node& node, const Graph& fitted) {
    const Value* before = firstOutput(node);
    const Value* after = before == nullptr ? nullptr : fitted.find(before->name());
    return after != nullptr &&
           (after->producer() == nullptr || after->producer()->opType() != node.opType());
}

/// A graph of copies of these nodes, each with the names of its values.
std::string textOf(const std::vector<const Node*>& nodes, const ModelInfo& info) {
    Graph note;
    note.setName("newer");
    note.info().irVersion = info.irVersion;
    note.info().opsetImports = info.opsetImports;
    const auto valueOf = [&note](const Value* value) -> Value* {
        if (value == nullptr) return nullptr;
        Value* known = note.find(value->name());
        return known != nullptr ? known : note.addInput(value->name(), value->type());
    };
    for (const Node* node : nodes) {
        std::vector<Value*> inputs;
        for (const Value* input : node->inputs()) inputs.push_back(valueOf(input));
        std::vector<std::string> outputs;
        for (const Value* output : node->outputs())
            outputs.push_back(output == nullptr ? std::string() : output->name());
        note.addNode({node->opType(), std::move(inputs), std::move(outputs), node->attributes(),
                      node->domain()});
        note.addOutput(note.at(firstOutput(*node)->name()));
    }
    return toText(note, {.valueTypes = false});
}

/// Replaces the producers of its outputs by the node.
void putBack(Graph& model, const Node& node) {
    std::vector<Value*> inputs;
    for (const Value* input : node.inputs()) {
        inputs.push_back(input == nullptr ? nullptr : model.find(input->name()));
        if (input != nullptr && inputs.back() == nullptr) return;
    }
    std::vector<Value*> stay;
    std::vector<std::string> names;
    for (const Value* output : node.outputs()) {
        Value* old = output == nullptr ? nullptr : model.find(output->name());
        stay.push_back(old);
        names.push_back(old == nullptr ? std::string() : model.uniqueName(old->name() + "/newer"));
    }
    const auto first = std::ranges::find_if(stay, [](const Value* value) { return value; });
    if (first == stay.end() || (*first)->producer() == nullptr) return;
    const Node& lowered = *(*first)->producer();
    Node* made =
        model.addNode({node.opType(), std::move(inputs), std::move(names), node.attributes(),
                       node.domain(), lowered.name(), lowered.docString(), lowered.isBackward()});
    made->setMetadata(lowered.metadata());
    for (size_t i = 0; i < stay.size(); ++i)
        if (stay[i] != nullptr) model.takeOver(stay[i], made->output(i));
}

}  // namespace

std::optional<Finding> fitTrainingOpset(Graph& model, const OpCatalog& catalog) {
    const int64_t opset = model.info().onnxOpset();
    if (opset <= kNewestTrainingOpset) return std::nullopt;
    std::unique_ptr<Graph> fitted = model.clone();
    try {
        convertOpset(*fitted, catalog, kNewestTrainingOpset);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::Unsupported) throw;
        return Finding{"A023",
                       Severity::Info,
                       "",
                       "",
                       "Temper trains the artifacts, but ONNX Runtime can't load them: it trains "
                       "opsets up to " +
                           std::to_string(kNewestTrainingOpset) + ", and the model has opset " +
                           std::to_string(opset) + ". " + error.what(),
                       "To train in ONNX Runtime too, export the model with opset " +
                           std::to_string(kNewestTrainingOpset) + " or older.",
                       {}};
    }
    std::vector<const Node*> newer;
    for (const Node* node : model.topologicalOrder())
        if (isRewritten(*node, *fitted)) newer.push_back(node);
    fitted->info().metadata[kNoteKey] = textOf(newer, model.info());
    model = std::move(*fitted);
    return std::nullopt;
}

void restoreOpset(Graph& model, const OpCatalog& catalog) {
    const auto noted = model.info().metadata.find(kNoteKey);
    if (noted == model.info().metadata.end()) return;
    const std::unique_ptr<Graph> note = parseText(noted->second);
    model.info().metadata.erase(noted);
    convertOpset(model, catalog, note->info().onnxOpset());
    model.info().irVersion = note->info().irVersion;
    for (const Node* node : note->topologicalOrder()) putBack(model, *node);
    model.removeUnused();
    inferTypes(model, catalog);
}

}  // namespace temper
