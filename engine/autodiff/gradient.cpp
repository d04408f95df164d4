// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/gradient.h"

#include <algorithm>

#include "engine/ir/custom_operator.h"
#include "engine/ir/type_inference.h"

namespace temper {
namespace {

/// ORT's names of the shared one-element constants; see spec section "Naming".
std::string numberName(double value, DType dtype) {
    const std::string type = "Constant_Type" + std::to_string(static_cast<int>(dtype));
    if (value == 0.0) return "Zero" + type;
    if (value == 0.5) return "Half" + type;
    if (value == 1.0) return "One" + type;
    std::string digits = std::to_string(value);
    std::replace(digits.begin(), digits.end(), '-', 'm');
    return "Number_" + digits + "_" + type;
}

bool holds(const Value& value, double number) {
    return value.isInitializer() && value.constant().numElements() == 1 &&
           value.constant().toDouble() == number;
}

Tensor numberTensor(double value, DType dtype) {
    return Tensor::of<double>({1}, {value}).cast(dtype);
}

bool isOfOnnx(const Node& node) {
    return node.domain() == kOnnxDomain || node.domain() == kLongOnnxDomain;
}

}  // namespace

// GradientEmitter

GradientEmitter::GradientEmitter(Graph& graph, const OpCatalog& catalog, std::string prefix,
                                 bool isBackward, std::string docString)
    : graph_(graph),
      catalog_(catalog),
      prefix_(std::move(prefix)),
      isBackward_(isBackward),
      docString_(std::move(docString)) {}

std::vector<Var> GradientEmitter::add(std::string_view domain, std::string_view opType,
                                      const std::vector<Var>& inputs, Attributes attributes,
                                      const std::vector<bool>& wanted) {
    NodeSpec spec;
    spec.opType = opType;
    spec.domain = domain;
    spec.attributes = std::move(attributes);
    spec.docString = docString_;
    spec.isBackward = isBackward_;
    spec.name = prefix_ + "/" + spec.opType + "_" + std::to_string(counter_++);
    for (const Var input : inputs) spec.inputs.push_back(input.value());
    while (!spec.inputs.empty() && spec.inputs.back() == nullptr) spec.inputs.pop_back();
    for (size_t i = 0; i < wanted.size(); ++i) {
        const std::string suffix = i == 0 ? "" : ":" + std::to_string(i);
        spec.outputs.push_back(wanted[i] ? graph_.uniqueName(spec.name + suffix) : "");
    }
    Node* node = graph_.addNode(std::move(spec));
    inferNodeTypes(graph_, *node, catalog_);
    std::vector<Var> outputs;
    for (Value* value : node->outputs())
        outputs.emplace_back(value == nullptr ? Var() : Var(this, value));
    return outputs;
}

Var GradientEmitter::op(std::string_view opType, const std::vector<Var>& inputs,
                        Attributes attributes) {
    return add(kOnnxDomain, opType, inputs, std::move(attributes)).front();
}

Var GradientEmitter::msOp(std::string_view opType, const std::vector<Var>& inputs,
                          Attributes attributes) {
    return add(kMicrosoftDomain, opType, inputs, std::move(attributes)).front();
}

Var GradientEmitter::constant(Tensor data, const std::string& name) {
    return {this, graph_.addInitializer(graph_.uniqueName(prefix_ + "/" + name), std::move(data))};
}

Var GradientEmitter::number(double value, DType dtype) {
    const std::string name = numberName(value, dtype);
    Value* known = graph_.find(name);
    const Tensor wanted = numberTensor(value, dtype);
    if (known != nullptr && holds(*known, wanted.toDouble())) return {this, known};
    return {this, graph_.addInitializer(graph_.uniqueName(name), wanted)};
}

Var GradientEmitter::integers(const std::vector<int64_t>& values) {
    const Shape shape = {static_cast<int64_t>(values.size())};
    return constant(Tensor::of<int64_t>(shape, std::span<const int64_t>(values)), "integers");
}

// GradientRules

void GradientRules::add(std::string_view domain, std::string_view opType, GradientRule rule) {
    TEMPER_ASSERT(rules_.add(domain, opType, std::move(rule)), "an operator has one rule");
}

void GradientRules::addTrainingForm(std::string_view domain, std::string_view opType,
                                    TrainingForm form, bool always) {
    TEMPER_ASSERT(forms_.add(domain, opType, {std::move(form), always}),
                  "an operator has one training form");
}

void GradientRules::addLowered(std::string_view domain, std::string_view opType, Lowering lowering,
                               std::function<bool(const Node&)> applies) {
    const bool isNew = lowered_.add(domain, opType, {std::move(lowering), std::move(applies)});
    TEMPER_ASSERT(isNew, "an operator is lowered in one way");
}

void GradientRules::addNonDifferentiable(std::string_view opType, NonDifferentiable why) {
    why.derivativeIsZero = true;
    nonDifferentiable_.set(kOnnxDomain, opType, std::move(why));
}

void GradientRules::addCheck(std::string_view domain, std::string_view opType, Check check) {
    checks_.set(domain, opType, std::move(check));
}

void GradientRules::addStraightThrough(std::string_view opType) {
    straightThrough_.emplace(opType);
}

bool GradientRules::maySendStraightThrough(const Node& node) const {
    if (!isOfOnnx(node) || !straightThrough_.contains(node.opType())) return false;
    const Value* input = node.input(0);
    const Value* output = node.output(0);
    return input != nullptr && output != nullptr && input->type().dtype == output->type().dtype;
}

bool GradientRules::passesStraightThrough(const Node& node) const {
    if (chosen_.empty() || !maySendStraightThrough(node)) return false;
    return chosen_.contains(node.opType()) || chosen_.contains(node.name()) ||
           chosen_.contains(node.output(0)->name());
}

GradientRules GradientRules::withStraightThrough(const std::vector<std::string>& chosen) const {
    GradientRules rules = *this;
    rules.chosen_.insert(chosen.begin(), chosen.end());
    rules.chosen_.erase("");
    rules.identity_ = [](const GradientContext& context) {
        return Gradients{context.outputGradient(0)};
    };
    return rules;
}

GradientRules GradientRules::withoutTrainingForm(const std::vector<std::string>& values) const {
    GradientRules rules = *this;
    rules.formless_.insert(values.begin(), values.end());
    return rules;
}

std::vector<std::string> GradientRules::straightThroughOperators() const {
    return {straightThrough_.begin(), straightThrough_.end()};
}

GradientRules::Summary GradientRules::summaryOf(const std::string& domain,
                                                const std::string& opType) const {
    Summary summary;
    summary.hasRule = rules_.find(domain, opType) != nullptr;
    summary.hasTrainingForm = forms_.find(domain, opType) != nullptr;
    if (!domain.empty()) return summary;
    summary.maySendStraightThrough = straightThrough_.contains(opType);
    if (const auto* never = nonDifferentiable_.find(domain, opType)) summary.never = *never;
    return summary;
}

const GradientRule* GradientRules::find(const Node& node) const {
    if (passesStraightThrough(node)) return &identity_;
    return rules_.find(node);
}

const GradientRules::FormEntry* GradientRules::trainingForm(const Node& node) const {
    const Value* output = formless_.empty() ? nullptr : node.output(0);
    if (output != nullptr && formless_.contains(output->name())) return nullptr;
    return forms_.find(node);
}

bool GradientRules::isLowered(const Node& node) const {
    const LoweredEntry* entry = lowered_.find(node);
    return entry != nullptr && (!entry->applies || entry->applies(node));
}

const Lowering* GradientRules::loweringOf(const Node& node, const OpCatalog& catalog) const {
    if (!isLowered(node)) return nullptr;
    const LoweredEntry& entry = *lowered_.find(node);
    if (entry.lowering) return &entry.lowering;
    const OpInfo* info = catalog.find(node);
    return info != nullptr && info->lower ? &info->lower : nullptr;
}

std::optional<NonDifferentiable> GradientRules::whyNot(const Node& node) const {
    if (passesStraightThrough(node)) return std::nullopt;
    if (const auto* never = nonDifferentiable_.find(node)) return *never;
    if (const Check* check = checks_.find(node)) {
        if (auto why = (*check)(node)) return why;
    }
    if (find(node) != nullptr || trainingForm(node) != nullptr || isLowered(node)) {
        return std::nullopt;
    }
    return NonDifferentiable{
        "no gradient rule for " + node.qualifiedOp(),
        adviceOnMissing(
            node,
            "Freeze the parameters before it, or export the model with other operators instead.")};
}

}  // namespace temper
