// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/sharing.h"

#include <algorithm>
#include <set>

#include "engine/core/counted.h"
#include "engine/core/joined.h"
#include "engine/core/name_pattern.h"
#include "engine/core/shell_command.h"
#include "engine/provenance/dropped_biases.h"
#include "engine/provenance/evidence.h"
#include "engine/provenance/parting.h"
#include "engine/provenance/repeated_layers.h"
#include "engine/provenance/restored_formulas.h"
#include "engine/provenance/tensor_contents.h"
#include "engine/provenance/tying.h"

namespace temper {
namespace {

Finding remark(const char* code, std::string message, std::string hint,
               std::vector<std::string> tensors) {
    return {code, Severity::Info, "", "", std::move(message), std::move(hint), std::move(tensors)};
}

Finding remarkOn(const PartedTensor& parted) {
    std::vector<std::string> all{parted.tensor};
    all.insert(all.end(), parted.made.begin(), parted.made.end());
    return remark("S002",
                  "'" + parted.tensor + "' held " + counted(all.size(), "tensor") +
                      " that were equal on export. Each trains separately: " + joinedQuoted(all) +
                      ".",
                  "To keep them merged: --keep-merged " + shellCommand({parted.tensor}) + ".", all);
}

Finding remarkOn(const std::vector<RepeatedLayer>& layers) {
    std::vector<std::string> made;
    for (const RepeatedLayer& layer : layers)
        made.insert(made.end(), layer.made.begin(), layer.made.end());
    const bool isOne = layers.size() == 1;
    return remark(
        "S002",
        joinedQuoted(layers, &RepeatedLayer::name) + (isOne ? " was" : " were") +
            " equal to another part of the module when the model was exported, and "
            "computed together with it. " +
            (isOne ? "It has its own node and tensors" : "They have their own nodes and tensors") +
            " again, which train: " + joinedQuoted(made) + ".",
        "", made);
}

Finding remarkOn(const std::vector<RestoredFormula>& formulas) {
    const bool isOne = formulas.size() == 1;
    const auto origin = [](const RestoredFormula& each) {
        const std::string name = each.source == each.parameter
                                     ? std::string()
                                     : " (here '" + each.source + "', in the result's layout)";
        return "'" + each.tensor + "' from '" + each.parameter + "'" + name;
    };
    std::vector<std::string> parameters;
    for (const RestoredFormula& each : formulas) parameters.push_back(each.parameter);
    return remark("S002",
                  "The exporter had computed " + joined(formulas, origin) + ". " +
                      (isOne ? "The parameter is restored and trains"
                             : "The parameters are restored and train") +
                      ", and the model computes the " + (isOne ? "tensor" : "tensors") + " again.",
                  std::string("To train the ") + (isOne ? "tensor" : "tensors") +
                      " instead: --keep-merged " + shellCommand(parameters) + ".",
                  parameters);
}

std::string whatWasTied(const TiedTensor& tied) {
    if (tied.copies.empty()) {
        return "'" + tied.tensor +
               "' contains the values of a relative position table, each at every pair of "
               "positions with that distance: the table trains, and the model computes the copies "
               "from it.";
    }
    const bool isOne = tied.copies.size() == 1;
    const std::string what = tied.reason == TieReason::Numbers
                                 ? (isOne ? " has" : " have") + std::string(" the numbers")
                             : isOne ? " is a copy"
                                     : " are copies";
    return joinedQuoted(tied.copies) + what + " of the parameter '" + tied.tensor +
           "': they train as one, and the model computes " + (isOne ? "the copy" : "the copies") +
           " from it.";
}

Finding remarkOn(const TiedTensor& tied) {
    return remark(
        "S001", whatWasTied(tied),
        tied.reason == TieReason::Choice
            ? "To train copies separately, omit --tie " + shellCommand({tied.tensor}) + "."
            : "To train copies separately: --untie " + shellCommand({tied.tensor}) + ".",
        {tied.tensor});
}

/// Reports that the exporter's result stays, as the user chose: nothing else would say so.
void remarkOnChoices(const SharingChoices& choices, std::vector<Finding>& remarks) {
    for (const std::string& name : choices.untie) {
        remarks.push_back(remark("S001", "Copies of '" + name + "' train separately, as requested.",
                                 "To train them as one, omit --untie " + shellCommand({name}) + ".",
                                 {name}));
    }
    for (const std::string& name : choices.keepMerged) {
        remarks.push_back(remark(
            "S002",
            "'" + name +
                "' stays as exported, as requested: parameters that the exporter merged, computed "
                "with or omitted are not restored.",
            "To restore the parameters, omit --keep-merged " + shellCommand({name}) + ".", {name}));
    }
}

/// Throws for a choice that matches no tensor.
void requireMatches(const Graph& model, const std::vector<std::string>& patterns,
                    const std::string& what, const std::vector<std::string>& dropped = {}) {
    if (patterns.empty()) return;
    const Evidence evidence(model);
    for (const std::string& pattern : patterns) {
        const auto isMeant = [&](const Value* value) {
            return matchesAny({pattern}, value->name()) ||
                   std::ranges::any_of(evidence.parametersIn(*value), [&](const std::string& name) {
                       return matchesAny({pattern}, name);
                   });
        };
        if (std::ranges::any_of(model.initializers(), isMeant)) continue;
        const auto isDropped = [&](const std::string& name) { return matchesAny({pattern}, name); };
        if (std::ranges::any_of(dropped, isDropped)) continue;
        throw Error(
            ErrorCode::NotFound,
            "'" + pattern + "' in the list of tensors " + what +
                " matches no tensor of the model; expected the name of a tensor or parameter.",
            "'temper inspect' lists them.");
    }
}

Finding remarkOnEqual(const TiedTensor& equal) {
    std::vector<std::string> all{equal.tensor};
    all.insert(all.end(), equal.copies.begin(), equal.copies.end());
    std::string arguments;
    for (const std::string& name : all) arguments += " " + name;
    return remark("S004",
                  joinedQuoted(all) +
                      " have the same values: they may be one parameter of the exported module. "
                      "They train separately.",
                  "To train them as one: --tie" + arguments + ".", all);
}

Finding remarkOnTable(const SpreadTable& table) {
    return remark("S004",
                  "'" + table.tensor + "' contains the values of a relative position table (" +
                      std::to_string(table.numbers) + " for the " + counted(table.places, "place") +
                      " of a window), each at every pair of positions with that distance: it may "
                      "be such a parameter of the exported module. Its copies train separately.",
                  "To train the table: --tie " + shellCommand({table.tensor}) + ".",
                  {table.tensor});
}

/// Ones or zeros that are a weight or bias of several layers.
bool mayBeMerged(const Value& value, const Evidence& evidence) {
    const Tensor& data = value.constant();
    if (!isFloating(data.dtype()) || data.rank() != 1 || data.numElements() < 2) return false;
    if (evidence.explains(value) || value.isLiteral()) return false;
    const auto isWeight = [](const Value::Use& use) {
        const std::string& op = use.node->opType();
        return op.ends_with("Normalization") || op == "Conv" || op == "Gemm" || op == "Add";
    };
    return std::ranges::count_if(value.uses(), isWeight) > 1 &&
           (isFilledWith(data, 0) || isFilledWith(data, 1));
}

}  // namespace

std::vector<Finding> findUnclearSharing(const Graph& model) {
    std::vector<Finding> findings;
    for (const TiedTensor& equal : findEqualTensors(model)) {
        findings.push_back(remarkOnEqual(equal));
    }
    for (const SpreadTable& table : findSpreadTables(model)) {
        findings.push_back(remarkOnTable(table));
    }
    const Evidence evidence(model);
    for (const Value* value : model.initializers()) {
        if (!mayBeMerged(*value, evidence)) continue;
        findings.push_back(remark(
            "S004",
            "'" + value->name() + "' is read by " + counted(value->uses().size(), "node") +
                " and holds one number: it may be several parameters that were equal on export. It "
                "trains as one.",
            "To give each node its own tensor: --part " + shellCommand({value->name()}) + ".",
            {value->name()}));
    }
    return findings;
}

std::vector<Finding> restoreSharing(Graph& model, const OpCatalog& catalog,
                                    const SharingChoices& choices) {
    requireMatches(model, choices.tie, "to tie");
    requireMatches(model, choices.untie, "to untie");
    requireMatches(model, choices.part, "to part");
    requireMatches(model, choices.keepMerged, "to keep merged",
                   namesOfDroppedBiases(model, catalog));
    partStatistics(model, catalog);
    std::vector<Finding> remarks;
    if (const auto biases = restoreBiases(model, catalog, choices); !biases.empty()) {
        remarks.push_back(
            remark("S002",
                   "The exporter omitted " + counted(biases.size(), "bias", "biases") +
                       " of zeros: " + joinedQuoted(biases) + ". They are restored and train.",
                   "To train without them: --keep-merged " + shellCommand(biases) + ".", biases));
    }
    for (const PartedTensor& parted : partMergedTensors(model, catalog, choices)) {
        remarks.push_back(remarkOn(parted));
    }
    if (const auto layers = restoreRepeatedLayers(model, catalog, choices); !layers.empty())
        remarks.push_back(remarkOn(layers));
    if (const auto formulas = restoreFormulas(model, choices); !formulas.empty())
        remarks.push_back(remarkOn(formulas));
    for (const TiedTensor& tied : tieCopies(model, catalog, choices))
        remarks.push_back(remarkOn(tied));
    remarkOnChoices(choices, remarks);
    return remarks;
}

}  // namespace temper
