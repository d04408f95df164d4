// SPDX-License-Identifier: Apache-2.0
#include "engine/training/opset/opset_edit.h"

#include <span>

#include "engine/core/error.h"
#include "engine/ir/graph_set.h"

namespace temper {

bool OpsetEdit::isRead(size_t output) const {
    const Value* value = node_->output(output);
    if (value == nullptr) return false;
    if (!value->uses().empty() || value->isGraphOutput()) return true;
    for (const Node* node : graph_.nodes()) {
        for (const Value* captured : graph_.capturedBy(*node)) {
            if (captured == value) return true;
        }
    }
    return false;
}

DType OpsetEdit::dtype(size_t input) const {
    return has(input) ? node_->input(input)->type().dtype : DType::Undefined;
}

int64_t OpsetEdit::rank(size_t input) const {
    const auto& shape = node_->input(input)->type().shape;
    if (!shape) refuse("the rank of '" + node_->input(input)->name() + "' is unknown");
    return static_cast<int64_t>(shape->size());
}

std::optional<int64_t> OpsetEdit::size(size_t input, int64_t axis) const {
    const Dim& dim =
        (*node_->input(input)->type().shape)[static_cast<size_t>(fromFront(axis, input))];
    return dim.isNumber() ? std::optional(dim.value) : std::nullopt;
}

int64_t OpsetEdit::fromFront(int64_t axis, size_t input) const {
    return normalizeAxis(axis, rank(input), "An axis of " + node_->describe());
}

const Tensor* OpsetEdit::constant(size_t input) const {
    return has(input) ? findConstant_(*node_->input(input)) : nullptr;
}

std::vector<int64_t> OpsetEdit::integers(size_t input, const char* what) const {
    const Tensor* data = constant(input);
    if (data == nullptr) refuse(std::string("its ") + what + " are computed by the model");
    const Tensor wide = data->cast(DType::Int64);
    const auto values = wide.values<int64_t>();
    return {values.begin(), values.end()};
}

int64_t OpsetEdit::integer(size_t input, const char* what) const {
    const std::vector<int64_t> numbers = integers(input, what);
    if (numbers.size() != 1) refuse(std::string("its ") + what + " is not one number");
    return numbers.front();
}

std::vector<float> OpsetEdit::floats(size_t input, const char* what) const {
    const Tensor* data = constant(input);
    if (data == nullptr) refuse(std::string("its ") + what + " are computed by the model");
    const Tensor single = data->cast(DType::Float32);
    const auto values = single.values<float>();
    return {values.begin(), values.end()};
}

void OpsetEdit::setConstant(size_t input, const char* stem, Tensor data) const {
    const std::string name = graph_.uniqueName(node_->output(0)->name() + "_" + stem);
    graph_.setInput(node_, input, graph_.addLiteral(name, std::move(data)));
}

void OpsetEdit::setIntegers(size_t input, const char* stem,
                            const std::vector<int64_t>& values) const {
    const Shape shape = {static_cast<int64_t>(values.size())};
    setConstant(input, stem, Tensor::of<int64_t>(shape, std::span<const int64_t>(values)));
}

void OpsetEdit::setNumber(size_t input, const char* stem, double value) const {
    const DType wanted = dtype(0) == DType::Undefined ? DType::Float32 : dtype(0);
    setConstant(input, stem, Tensor::scalar(value).cast(wanted));
}

void OpsetEdit::moveInput(size_t from, size_t to) const {
    graph_.setInput(node_, to, node_->input(from));
    graph_.setInput(node_, from, nullptr);
}

/// New nodes get the metadata of the node that they replace.
static void describe(std::vector<Value*> made, ValueSet known, const Metadata& metadata) {
    while (!made.empty()) {
        const Value* value = made.back();
        made.pop_back();
        if (!known.insert(value) || value->producer() == nullptr) continue;
        Node* node = value->producer();
        node->setMetadata(metadata);
        made.insert(made.end(), node->inputs().begin(), node->inputs().end());
    }
}

void OpsetEdit::replaceBy(const LoweringRule& rule) const {
    const ValueSet inputs(node_->inputs().begin(), node_->inputs().end());
    const std::vector<Value*> outputs = node_->outputs();
    const Metadata metadata = node_->metadata();
    replaceByNodes(graph_, node_, catalog_, rule);
    if (!metadata.empty()) describe(outputs, inputs, metadata);
}

void OpsetEdit::replaceByInput() const {
    replaceBy([](const LoweringContext& context) {
        return std::vector<Var>{identity(context.input(0))};
    });
}

std::vector<Node*> OpsetEdit::replaceByLowering() const {
    const OpInfo* info = catalog_.find(*node_);
    if (info == nullptr || !info->lower)
        refuse("operator " + node_->opType() + " did not exist yet");
    const auto& nodes = graph_.nodes();
    std::set<const Node*> others(nodes.begin(), nodes.end());
    others.erase(node_);  // a new node may get its address
    info->lower(graph_, node_, catalog_);
    std::vector<Node*> made;
    for (Node* node : graph_.nodes()) {
        if (!others.contains(node)) made.push_back(node);
    }
    return made;
}

void OpsetEdit::refuse(const std::string& why) const {
    const std::string first = std::to_string(step_.version);
    const ForeignOpset* foreign = node_->foreignOpset();
    const bool isOfFunction = foreign != nullptr && !foreign->function.empty();
    std::string message =
        node_->describe() + (isOfFunction ? " of function '" + foreign->function + "'" : "") +
        " can't be written in opset " + std::to_string(step_.wanted) + ": " + why + ".";
    if (foreign != nullptr) {
        throw Error(ErrorCode::Unsupported, message,
                    "Export the model with all functions in one opset, or without functions.");
    }
    if (step_.isUp) throw Error(ErrorCode::Unsupported, message, "Export it in an older opset.");
    throw Error(
        ErrorCode::Unsupported, message,
        "Opset " + first + " is the first that has it: export in opset " + first + " or newer.");
}

std::string OpsetEdit::withoutAttribute(std::string_view name) {
    return "its attribute '" + std::string(name) + "' has no older form";
}

Var scalarOf(const LoweringContext& context, double value, DType dtype) {
    return context.emitter().constant(Tensor::scalar(value).cast(dtype), "number");
}

}  // namespace temper
