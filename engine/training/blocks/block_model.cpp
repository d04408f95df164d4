// SPDX-License-Identifier: Apache-2.0
#include "engine/training/blocks/block_model.h"

#include <algorithm>
#include <cctype>

#include "engine/core/error.h"
#include "engine/core/joined.h"
#include "engine/ir/type_inference.h"

namespace temper {
namespace {

/// Version of a domain that a model does not import yet: LabelEncoder's current form came with
/// version 2 of ONNX's operators for machine learning; other domains have a version 1.
int64_t versionOf(const std::string& domain) { return domain == "ai.onnx.ml" ? 3 : 1; }

std::string lowerCase(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

}  // namespace

Value* BlockModel::value(std::string_view name) const {
    if (Value* found = graph_.find(name)) return found;
    throw Error(ErrorCode::NotFound, "The model has no value '" + std::string(name) + "'.",
                "Its outputs are: " + joined(graph_.outputs(), &Value::name) + ".");
}

std::vector<Value*> BlockModel::values(const std::vector<std::string>& names) const {
    std::vector<Value*> values;
    for (const std::string& name : names) values.push_back(value(name));
    return values;
}

Value* BlockModel::op(const std::string& opType, std::vector<Value*> inputs, Attributes attributes,
                      const std::string& domain) {
    NodeSpec spec;
    spec.opType = opType;
    spec.inputs = std::move(inputs);
    spec.outputs = {names_.next(lowerCase(opType) + "_output")};
    spec.attributes = std::move(attributes);
    spec.domain = domain;
    spec.name = names_.next(opType);
    return add(std::move(spec))->output(0);
}

Node* BlockModel::add(NodeSpec spec) {
    if (!spec.domain.empty()) {
        graph_.info().opsetImports.emplace(spec.domain, versionOf(spec.domain));
    }
    Node* node = graph_.addNode(std::move(spec));
    inferNodeTypes(graph_, *node, catalog_);
    return node;
}

Value* BlockModel::initializer(const std::string& token, Tensor data) {
    return graph_.addInitializer(names_.next(token), std::move(data));
}

Value* BlockModel::target(const std::string& name, const ValueType& type) {
    Value* found = graph_.find(name);
    return found != nullptr ? found : graph_.addInput(name, type);
}

bool isSingleNumber(const ValueType& type) {
    return type.isTensor() && type.dtype == DType::Float32 && type.isStatic() &&
           numElements(*concreteShape(*type.shape)) == 1;
}

std::unique_ptr<Graph> emptyModel(int64_t opset) {
    auto graph = std::make_unique<Graph>();
    graph->setName("graph");
    graph->info().opsetImports = {{std::string(kOnnxDomain), opset},
                                  {std::string(kMicrosoftDomain), 1}};
    return graph;
}

}  // namespace temper
