// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/trainability.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "engine/autodiff/parameter_flow.h"
#include "engine/autodiff/reachability.h"
#include "engine/core/joined.h"
#include "engine/ir/blocks.h"
#include "engine/ir/captures.h"

namespace temper {
namespace {

/// Parameters by their position in the list.
using Positions = std::vector<size_t>;

std::string listed(const std::vector<std::string>& names) {
    constexpr size_t kShown = 3;
    return joined(names, std::identity(), kShown);
}

std::string countOf(const std::vector<std::string>& names) {
    return std::to_string(names.size()) + (names.size() == 1 ? " parameter" : " parameters");
}

std::string quoted(const Value* value) { return "'" + value->name() + "'"; }

/// "or let the loss read 'scores', ...": the value before the node, if there is one.
std::string readBefore(const Node& node) {
    const Value* input = node.input(0);
    if (input == nullptr || input->producer() == nullptr) return ".";
    return ", or let the loss read " + quoted(input) + ", the value before this node.";
}

std::string resultOf(const Node& node) {
    const Value* output = node.output(0);
    if (output == nullptr) return "not a floating-point tensor";
    const std::string type = formatType(output->type());
    if (output->type().isOptional) return "an optional";
    return output->type().isSequence ? "a sequence" : "of type " + type;
}

/// Collects the findings of one analysis.
class Analysis {
public:
    Analysis(const Graph& graph, const OpCatalog& catalog, const GradientRules& rules,
             const std::vector<Value*>& outputs, const std::vector<Value*>& parameters)
        : graph_(graph),
          catalog_(catalog),
          rules_(rules),
          outputs_(outputs),
          parameters_(floatingOnes(parameters)),
          influencing_(influencing(graph, outputs)),
          flow_(graph, catalog, parameters_) {
        for (const Value* output : outputs) connected_.merge(reachingTo(graph, catalog, output));
        collectOpenPaths();
        collectAfterCutOff();
    }

    std::vector<Finding> run() {
        for (const Node* node : graph_.topologicalOrder()) {
            const auto& outputs = node->outputs();
            if (any(outputs, influencing_)) examine(*node);
        }
        for (const Value* parameter : parameters_) {
            if (!influencing_.contains(parameter)) reportUnreachable(*parameter);
        }
        return std::move(findings_);
    }

private:
    static bool any(const std::vector<Value*>& values, const ValueSet& set) {
        return std::any_of(values.begin(), values.end(),
                           [&](const Value* value) { return set.contains(value); });
    }

    std::vector<Value*> floatingOnes(const std::vector<Value*>& parameters) {
        std::vector<Value*> result;
        for (Value* parameter : parameters) {
            if (isFloating(parameter->type().dtype)) {
                result.push_back(parameter);
                continue;
            }
            Finding finding = about(*parameter);
            finding.code = "G005";
            finding.message = "Parameter " + quoted(parameter) + " is " +
                              formatType(parameter->type()) +
                              "; only floating-point tensors can be trained.";
            finding.hint = "Freeze it.";
            findings_.push_back(std::move(finding));
        }
        return result;
    }

    /// What the outputs depend on through nodes that pass gradients.
    void collectOpenPaths() {
        std::vector<const Value*> pending(outputs_.begin(), outputs_.end());
        for (const Value* output : outputs_) open_.insert(output);
        while (!pending.empty()) {
            const Node* node = pending.back()->producer();
            pending.pop_back();
            if (node == nullptr || rules_.whyNot(*node)) continue;
            for (const Value* value : differentiableReads(graph_, catalog_, *node)) {
                if (open_.insert(value)) pending.push_back(value);
            }
        }
    }

    /// Few models have any: only then is it worth finding which parameters flow into a value.
    void collectAfterCutOff() {
        std::vector<Value*> cutOff;
        for (size_t i = 0; i < parameters_.size(); ++i) {
            if (isCutOff(i)) cutOff.push_back(parameters_[i]);
        }
        afterCutOff_ = reachedFrom(graph_, catalog_, cutOff);
    }

    bool isCutOff(size_t parameter) const { return !open_.contains(parameters_[parameter]); }
    /// The outputs depend on it, but not along differentiable edges only.
    bool isDisconnected(size_t parameter) const {
        return !connected_.contains(parameters_[parameter]);
    }

    void examine(const Node& node) {
        if (endsAtIntegers(node)) return reportIntegers(node);
        const auto why = flow_.isAnyInto(node) ? rules_.whyNot(node) : std::nullopt;
        if (why) return reportRefusal(node, *why, flow_.into(node));
        reportDeadInputs(node);
    }

    /// Whether all results that the outputs depend on are integers, booleans or sequences; if the
    /// user stopped gradients, there is nothing to report.
    bool endsAtIntegers(const Node& node) const {
        return std::none_of(node.outputs().begin(), node.outputs().end(), [&](const Value* value) {
            return influencing_.contains(value) &&
                   (carriesGradient(*value) || value->stopsGradients());
        });
    }

    void reportIntegers(const Node& node) {
        if (hidesNumbers(node)) return reportSequence(node);
        if (!any(node.inputs(), afterCutOff_)) return;
        Positions affected = intoAnyInput(node);
        std::erase_if(affected, [&](size_t i) { return !isCutOff(i) || !endsHere(node, i); });
        if (affected.empty()) return;
        Finding finding = stopping(node, affected, "its result is " + resultOf(node));
        finding.code = "G006";
        finding.hint = "Freeze the parameters before it" + readBefore(node);
        findings_.push_back(std::move(finding));
    }

    /// Whether it makes a sequence or an optional of tensors that reach the outputs. The derivative
    /// with respect to these is not zero, as for integers: it is missing.
    bool hidesNumbers(const Node& node) const {
        return std::ranges::any_of(node.outputs(), [this](const Value* value) {
            return value != nullptr && !value->type().isTensor() &&
                   isFloating(value->type().dtype) && isReadAsNumbers(*value);
        });
    }

    bool isReadAsNumbers(const Value& sequence) const {
        return std::ranges::any_of(sequence.uses(), [this](const Value::Use& use) {
            return std::ranges::any_of(use.node->outputs(), [this](const Value* value) {
                if (value == nullptr || !influencing_.contains(value)) return false;
                if (!value->type().isTensor()) return isReadAsNumbers(*value);
                return carriesGradient(*value) && connected_.contains(value);
            });
        });
    }

    void reportSequence(const Node& node) {
        const Positions affected = intoAnyInput(node);
        if (affected.empty()) return;
        Finding finding = stopping(node, affected, "its result is " + resultOf(node));
        finding.code = "G006";
        finding.hint = "Freeze the parameters before it" + readBefore(node);
        findings_.push_back(std::move(finding));
    }

    Positions intoAnyInput(const Node& node) const {
        Positions all;
        for (const Value* input : node.inputs()) {
            const Positions some = flow_.into(input);
            all.insert(all.end(), some.begin(), some.end());
        }
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        return all;
    }

    /// An integer result matters to a parameter that nothing else connects, or if the loss itself
    /// reads it.
    bool endsHere(const Node& node, size_t parameter) const {
        return isDisconnected(parameter) ||
               any(node.outputs(), ValueSet(outputs_.begin(), outputs_.end()));
    }

    void reportRefusal(const Node& node, const NonDifferentiable& why, const Positions& before) {
        const bool onPath = any(node.outputs(), connected_);
        const bool arrives = any(node.outputs(), open_);
        Positions cutOff = before;
        std::erase_if(cutOff,
                      [&](size_t i) { return !isCutOff(i) || (!onPath && !isDisconnected(i)); });
        if (cutOff.empty() && !arrives) return;
        // A derivative of zero is correct for parameters that another path reaches; a missing one
        // spoils the gradients of all.
        const bool isWarning = why.derivativeIsZero && cutOff.empty();
        const bool concernsAll = isWarning || (arrives && !why.derivativeIsZero);
        Finding finding = stopping(node, concernsAll ? before : cutOff, why.reason);
        const bool hasRule = rules_.find(node) != nullptr || rules_.trainingForm(node) != nullptr;
        finding.code = why.derivativeIsZero ? "G002" : hasRule ? "G004" : "G001";
        finding.severity = isWarning ? Severity::Warning : Severity::Error;
        finding.hint = why.remedy;
        if (rules_.maySendStraightThrough(node)) finding.hint += straightThroughHint(node);
        findings_.push_back(std::move(finding));
    }

    static std::string straightThroughHint(const Node& node) {
        const std::string name = node.name().empty() ? "" : ", or only '" + node.name() + "'";
        return " Or pass the gradient straight through " + node.opType() + name +
               " (--straight-through " + node.opType() + ").";
    }

    /// Inputs that take no gradient.
    void reportDeadInputs(const Node& node) {
        if (afterCutOff_.empty()) return;
        for (size_t i = 0; i < node.inputs().size(); ++i) {
            if (isDifferentiableEdge(catalog_, node, i)) continue;
            reportDeadInput(node, node.input(i),
                            "its input " + std::to_string(i) + " takes no gradient");
        }
    }

    void reportDeadInput(const Node& node, const Value* value, const std::string& reason) {
        if (!afterCutOff_.contains(value)) return;
        Positions affected = flow_.into(value);
        std::erase_if(affected, [&](size_t i) { return !isDisconnected(i); });
        if (affected.empty()) return;
        Finding finding = stopping(node, affected, reason);
        finding.code = "G006";
        finding.hint =
            "Freeze the parameters before it, or export the model so that they reach "
            "the output another way.";
        findings_.push_back(std::move(finding));
    }

    Finding stopping(const Node& node, const Positions& affected, const std::string& reason) {
        Finding finding;
        finding.node = node.name();
        finding.op = node.qualifiedOp();
        for (const size_t i : affected) finding.parameters.push_back(parameters_[i]->name());
        finding.block = blockOf(node);
        const std::string part = finding.block.empty() ? "" : ", part of " + finding.block + ",";
        finding.message = node.describe() + part + " stops gradients to " +
                          countOf(finding.parameters) + " (" + listed(finding.parameters) +
                          "): " + reason + ".";
        finding.message[0] = static_cast<char>(std::toupper(finding.message[0]));
        return finding;
    }

    /// "the GELU '/act'"; empty if the node belongs to no block. Blocks are searched only if there
    /// is something to report.
    std::string blockOf(const Node& node) {
        if (!blocks_) {
            blocks_ = recognizeBlocks(graph_, catalog_);
            blockByNode_ = blocksByNode(*blocks_);
        }
        const auto found = blockByNode_.find(&node);
        return found == blockByNode_.end() ? std::string() : found->second->describe();
    }

    /// A finding about a parameter, with the first node that reads it.
    Finding about(const Value& parameter) {
        Finding finding;
        finding.parameters = {parameter.name()};
        const Node* reader = readerOf(parameter);
        if (reader == nullptr) return finding;
        finding.node = reader->name();
        finding.op = reader->qualifiedOp();
        return finding;
    }

    /// The first node that reads it, itself or in a body; null if there is none.
    const Node* readerOf(const Value& value) {
        if (!value.uses().empty()) return value.uses().front().node;
        if (!capturing_) capturing_ = capturingNodes(graph_);
        const auto found = capturing_->find(&value);
        return found == capturing_->end() ? nullptr : found->second;
    }

    void reportUnreachable(const Value& parameter) {
        Finding finding = about(parameter);
        finding.code = "G003";
        finding.message = "Parameter " + quoted(&parameter) +
                          " does not influence the outputs that the loss reads";
        const Node* reader = readerOf(parameter);
        finding.message += reader == nullptr ? ": nothing reads it."
                                             : ": it goes into " + reader->describe() +
                                                   ", which does not lead to the loss.";
        finding.hint = "Freeze it, or let the loss read an output that depends on it.";
        findings_.push_back(std::move(finding));
    }

    const Graph& graph_;
    const OpCatalog& catalog_;
    const GradientRules& rules_;
    const std::vector<Value*>& outputs_;
    std::vector<Finding> findings_;
    std::vector<Value*> parameters_;
    ValueSet influencing_;
    ValueSet connected_;    ///< along differentiable edges
    ValueSet open_;         ///< along these, and no node stops the gradient
    ValueSet afterCutOff_;  ///< parameters that are not in open_, and what they flow into
    ParameterFlow flow_;
    std::optional<CapturingNodes> capturing_;  ///< searched if a value has no other reader
    std::optional<std::vector<Block>> blocks_;
    std::unordered_map<const Node*, const Block*> blockByNode_;
};

}  // namespace

std::vector<Finding> analyzeTrainability(const Graph& graph, const OpCatalog& catalog,
                                         const GradientRules& rules,
                                         const std::vector<Value*>& outputs,
                                         const std::vector<Value*>& parameters) {
    return Analysis(graph, catalog, rules, outputs, parameters).run();
}

void dropRepeatedFindings(std::vector<Finding>& findings) {
    std::set<std::pair<std::string, std::string>> reported;
    for (const Finding& f : findings) {
        if (f.code == "G001" && !f.node.empty()) reported.emplace(f.node, f.op);
    }
    std::erase_if(findings, [&](const Finding& f) {
        return f.code == "T001" && reported.contains({f.node, f.op});
    });
}

}  // namespace temper
