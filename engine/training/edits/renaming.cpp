// SPDX-License-Identifier: Apache-2.0
#include "engine/training/edits/renaming.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/joined.h"
#include "engine/ir/captures.h"
#include "engine/training/loss/loss_formula.h"
#include "engine/training/loss/loss_function.h"

namespace temper {
namespace {

using Body = std::shared_ptr<const Graph>;

/// The bodies of a node, by attribute.
std::vector<std::pair<std::string, Body>> bodiesOf(const Node& node) {
    std::vector<std::pair<std::string, Body>> bodies;
    for (const auto& [name, attribute] : node.attributes()) {
        const auto* body = std::get_if<Body>(&attribute);
        if (body != nullptr && *body != nullptr) bodies.emplace_back(name, *body);
    }
    return bodies;
}

bool captures(const Graph& body, const std::string& name) {
    return std::ranges::any_of(body.captures(),
                               [&](const Value* value) { return value->name() == name; });
}

/// In a graph and in all bodies that capture the value.
void renameEverywhere(Graph& graph, const std::string& from, const std::string& to) {
    for (Node* node : graph.nodes()) {
        for (const auto& [attribute, body] : bodiesOf(*node)) {
            if (!captures(*body, from)) continue;
            std::shared_ptr<Graph> copy = body->clone();
            renameEverywhere(*copy, from, to);
            node->setAttribute(attribute, Body(std::move(copy)));
        }
    }
    graph.renameValue(graph.at(from), to);
}

std::string listOfPorts(const Graph& model) {
    std::vector<Value*> ports = model.inputs();
    ports.insert(ports.end(), model.outputs().begin(), model.outputs().end());
    return joined(ports, &Value::name);
}

void requirePort(const Graph& model, const std::string& name) {
    const Value* value = model.find(name);
    if (value != nullptr && (value->isGraphInput() || value->isGraphOutput())) return;
    throw Error(ErrorCode::NotFound,
                "'" + name + "' can't be renamed: the model has no input or output of this name.",
                "Its inputs and outputs are: " + listOfPorts(model) + ".");
}

void requireFree(const Graph& model, const Renames& renames) {
    std::set<std::string> taken = allNames(model);
    for (const auto& [from, to] : renames) taken.erase(from);
    for (const auto& [from, to] : renames) {
        if (to.empty()) {
            throw Error(ErrorCode::InvalidInput, "The new name of '" + from + "' is empty.",
                        "Enter a name.");
        }
        if (taken.insert(to).second) continue;
        throw Error(
            ErrorCode::InvalidInput,
            "'" + from + "' can't be renamed to '" + to + "': the model already uses this name.",
            "Choose a name that is not used in the model.");
    }
}

const std::string& newNameOf(const Renames& renames, const std::string& name) {
    const auto found = renames.find(name);
    return found == renames.end() ? name : found->second;
}

void follow(std::vector<std::string>& names, const Renames& renames) {
    for (std::string& name : names) name = newNameOf(renames, name);
}

bool isFormulaWord(const std::string& name) {
    const auto isPart = [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '.';
    };
    return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
           name[0] != '.' && std::ranges::all_of(name, isPart);
}

std::string inFormula(const std::string& name) {
    if (isFormulaWord(name)) return name;
    const char quote = name.find('"') == std::string::npos ? '"' : '\'';
    return quote + name + quote;
}

/// From the end of the text, so that earlier ranges stay valid.
void renameIn(std::string& text, const LossTerm& term, const Renames& renames) {
    for (auto part = term.parts.rbegin(); part != term.parts.rend(); ++part) {
        renameIn(text, *part, renames);
    }
    if (term.kind != LossTerm::Kind::Name || !renames.contains(term.name)) return;
    text.replace(term.range.begin, term.range.end - term.range.begin,
                 inFormula(renames.at(term.name)));
}

/// A loss that is a formula contains names of values.
void followInLoss(std::string& loss, const Renames& renames) {
    if (loss == "none" || findLossFunction(loss) != nullptr) return;
    try {
        const LossFormula formula = parseLoss(loss);
        renameIn(loss, formula.root, renames);
    } catch (const Error&) {
        return;  // errors of the formula are reported where it is used
    }
}

}  // namespace

void requireRenamable(const Graph& model, const Renames& renames) {
    for (const auto& [from, to] : renames) requirePort(model, from);
    if (!renames.empty()) requireFree(model, renames);
}

void renameInputsAndOutputs(Graph& model, const Renames& renames) {
    requireRenamable(model, renames);
    Renames second;
    for (const auto& [from, to] : renames) {
        const std::string between = model.uniqueName("renamed " + from);
        renameEverywhere(model, from, between);
        second.emplace(between, to);
    }
    for (const auto& [between, to] : second) renameEverywhere(model, between, to);
}

void followRenames(ArtifactSpec& spec, const Renames& renames) {
    for (auto* names : {&spec.lossInputs, &spec.extraOutputs, &spec.straightThrough,
                        &spec.stopGradient, &spec.frozenStatistics}) {
        follow(*names, renames);
    }
    followInLoss(spec.loss.key, renames);
}

void followRenames(TrainingSpec& spec, const Renames& renames) {
    followRenames(spec.artifacts, renames);
    std::map<std::string, std::string> binding;
    for (auto& [input, column] : spec.run.binding) {
        binding.emplace(newNameOf(renames, input), std::move(column));
    }
    spec.run.binding = std::move(binding);
}

TrainingSpec withRenamed(TrainingSpec spec, const std::string& current, const std::string& next) {
    const std::string original = originalName(spec.rename, current);
    spec.rename.erase(original);
    if (next != original) spec.rename.emplace(original, next);
    followRenames(spec, {{current, next}});
    return spec;
}

std::vector<std::string> renamed(std::vector<std::string> names, const Renames& renames) {
    follow(names, renames);
    return names;
}

std::string originalName(const Renames& renames, const std::string& current) {
    for (const auto& [from, to] : renames) {
        if (to == current) return from;
    }
    return current;
}

}  // namespace temper
