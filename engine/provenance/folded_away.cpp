// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/folded_away.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "engine/core/counted.h"
#include "engine/core/joined.h"
#include "engine/core/shell_command.h"
#include "engine/provenance/computed_weights.h"
#include "engine/provenance/evidence.h"
#include "engine/provenance/folded_norms.h"
#include "engine/provenance/tensor_names.h"

namespace temper {
namespace {

using Names = std::vector<std::string>;

/// The path of a batch norm for which the exporter left no node; it has running statistics.
std::optional<std::string> normOf(const std::string& parameter, const Evidence& evidence) {
    const size_t dot = parameter.rfind('.');
    if (dot == std::string::npos) return std::nullopt;
    const std::string module = parameter.substr(0, dot);
    return evidence.isBuffer(module + ".running_mean") ? std::optional(module) : std::nullopt;
}

Finding remark(std::string message, std::string hint, Names tensors) {
    return {"S003",          Severity::Info,    "", "", std::move(message),
            std::move(hint), std::move(tensors)};
}

/// How to train merged norms; those that layers are known to compute can be restored.
std::string wayToKeepNorms(const Graph& model, const OpCatalog& catalog) {
    const std::vector<FoldedNorm> norms = findFoldedNorms(model, catalog);
    std::string hint = "The merged weights train, but without the batch statistics of training. ";
    if (!norms.empty()) {
        hint +=
            "To restore them with new statistics from the training samples: --restore-norm '*', or "
            "names such as " +
            shellCommand({norms.front().path}) + ". ";
    }
    return hint +
           "To keep them, export without optimization: torch.onnx.export(..., optimize=False).";
}

Finding remarkOnNorms(const Graph& model, const OpCatalog& catalog, const Names& norms,
                      const Names& parameters) {
    return remark("The exporter merged " + counted(norms.size(), "batch normalization") +
                      " into the preceding layers: " + joinedQuoted(parameters) +
                      " are no longer parameters of this model.",
                  wayToKeepNorms(model, catalog), {});
}

/// Parameters by the tensor that was made from them.
using Results = std::map<std::string, Names>;

std::string placesOf(const Results& made) {
    return joinedBy("; ", made, [](const auto& each) {
        return joinedQuoted(each.second) + " went into '" + each.first + "'";
    });
}

Names tensorsOf(const Results& made) {
    Names tensors;
    for (const auto& [tensor, parameters] : made) tensors.push_back(tensor);
    return tensors;
}

/// Rows of a table, as the model always looks up the same: position embeddings.
Finding remarkOnRows(const Results& rows) {
    return remark("The exporter kept only those rows of tables that the model looks up: " +
                      placesOf(rows) + ".",
                  "These tensors train as the tables do. For whole tables, export without "
                  "optimization: torch.onnx.export(..., optimize=False).",
                  tensorsOf(rows));
}

Finding remarkOnComputed(const Results& made) {
    return remark(
        "The exporter computed tensors from parameters of the module, which the model no longer "
        "has: " +
            placesOf(made) + ".",
        "These tensors train instead. They start with the same values, but training changes them "
        "differently. To keep the parameters, export without optimization: torch.onnx.export(..., "
        "optimize=False).",
        tensorsOf(made));
}

Finding remarkOnAbsent(const Names& absent) {
    const bool isOne = absent.size() == 1;
    return remark("The model does not have " + counted(absent.size(), "parameter") +
                      " of the module: " + joinedQuoted(absent) + ".",
                  std::string(isOne ? "It is another name" : "They are other names") +
                      " for a parameter that the model has, or no output depends on " +
                      (isOne ? "it" : "them") + ", or " + (isOne ? "it was" : "they were") +
                      " zeros, which the exporter omits, or equal to another, so that the exporter "
                      "computes one layer for both. To train " +
                      (isOne ? "it" : "them") + ", export an output that depends on " +
                      (isOne ? "it" : "them") +
                      ", without optimization: torch.onnx.export(..., optimize=False).",
                  {});
}

/// The parameters that tensors were computed from, by tensor; not those that another tensor holds.
Results computedOf(const Graph& model, const OpCatalog& catalog, const Evidence& evidence) {
    Results made;
    std::set<std::string> kept;
    for (const Value* tensor : model.initializers()) {
        const Names& names = evidence.parametersIn(*tensor);
        if (isComputed(*tensor, evidence, catalog)) {
            made[tensor->name()] = names;
        } else {
            kept.insert(names.begin(), names.end());
        }
    }
    for (auto& [tensor, names] : made) {
        std::erase_if(names, [&kept, &own = tensor](const std::string& name) {
            return kept.contains(name) || name == own;  // a restored one has its name
        });
    }
    std::erase_if(made, [](const auto& each) { return each.second.empty(); });
    return made;
}

/// Moves those out that hold rows of a table.
Results takeRows(Results& made) {
    Results rows;
    for (auto at = made.begin(); at != made.end();) {
        const bool areRows = operationIn(at->first) == "embedding" && at->second.size() == 1;
        if (areRows) rows.insert(*at);
        at = areRows ? made.erase(at) : std::next(at);
    }
    return rows;
}

/// Parameters that are in no tensor: those of norms, and others.
struct LostParameters {
    Names norms;    ///< paths
    Names ofNorms;  ///< their parameters
    Names unused;
};

LostParameters lostOf(const Graph& model, const OpCatalog& catalog, const Evidence& evidence) {
    LostParameters lost;
    std::set<std::string> merged;
    for (FoldedNorm& norm : findFoldedNorms(model, catalog)) merged.insert(std::move(norm.path));
    for (const std::string& name : evidence.parameters()) {
        if (evidence.isInFile(name)) continue;
        auto norm = normOf(name, evidence);
        if (norm && !merged.contains(*norm)) norm.reset();
        if (norm && std::ranges::count(lost.norms, *norm) == 0) lost.norms.push_back(*norm);
        (norm ? lost.ofNorms : lost.unused).push_back(name);
    }
    return lost;
}

}  // namespace

std::vector<Finding> findFoldedAway(const Graph& model, const OpCatalog& catalog) {
    const Evidence evidence(model);
    const LostParameters lost = lostOf(model, catalog, evidence);
    Results made = computedOf(model, catalog, evidence);
    const Results rows = takeRows(made);
    std::vector<Finding> findings;
    if (!lost.norms.empty())
        findings.push_back(remarkOnNorms(model, catalog, lost.norms, lost.ofNorms));
    if (!rows.empty()) findings.push_back(remarkOnRows(rows));
    if (!made.empty()) findings.push_back(remarkOnComputed(made));
    if (!lost.unused.empty()) findings.push_back(remarkOnAbsent(lost.unused));
    return findings;
}

}  // namespace temper
