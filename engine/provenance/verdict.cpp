// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/verdict.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "engine/provenance/constant_use.h"
#include "engine/provenance/reasons.h"
#include "engine/provenance/tensor_contents.h"
#include "engine/provenance/tensor_names.h"
#include "engine/provenance/weight_slots.h"

namespace temper {
namespace {

/// Judges by the exporter's metadata of the tensor, or its name in the signature.
std::optional<Verdict> bySignature(const Value& value, const Evidence& evidence) {
    const std::vector<std::string>& parameters = evidence.parametersIn(value);
    const bool isItself = parameters.size() == 1 && parameters.front() == value.name();
    if (isItself) return Verdict{TensorRole::Parameter, reasons::kParameter, parameters};
    const std::optional<InputKind> kind = inputKindOf(value);
    if (kind == InputKind::Buffer || evidence.isBuffer(value.name())) {
        return Verdict{TensorRole::Buffer, reasons::kBuffer};
    }
    if (kind) return Verdict{TensorRole::Constant, reasons::kConstant};
    if (evidence.parameters().empty() || foldedFrom(value).empty()) return std::nullopt;
    if (parameters.empty()) return Verdict{TensorRole::Constant, reasons::kConstant};
    return Verdict{TensorRole::Parameter, reasons::kMade, parameters};
}

/// Operands that belong to the formula of the operation, not to its arguments.
bool isOfFormula(const Graph& graph, const Value& value, const Evidence& evidence,
                 const OpCatalog& catalog) {
    const bool isNumber =
        value.constant().numElements() <= 1 && weightReader(value, catalog) == nullptr;
    return isNumber || !likelyConstant(graph, value, evidence, catalog).empty();
}

/// The operations of its readers name their parameters: one that no tensor holds may be this.
std::optional<Verdict> byOperation(const Graph& graph, const Value& value, const Evidence& evidence,
                                   const OpCatalog& catalog) {
    if (evidence.parameters().empty()) return std::nullopt;
    bool isKnown = false;
    std::vector<std::string> missing;
    for (const Value::Use& use : evidence.readers(value)) {
        isKnown = isKnown || !operationOf(*use.node).target.empty();
        for (std::string& name : evidence.parametersOf(*use.node)) {
            if (!evidence.isInFile(name)) missing.push_back(std::move(name));
        }
    }
    if (!isKnown) return std::nullopt;
    if (missing.empty() || isOfFormula(graph, value, evidence, catalog)) {
        return Verdict{TensorRole::Constant, reasons::kConstant};
    }
    return Verdict{TensorRole::Parameter, reasons::kMade};
}

Verdict constant(std::string_view reason) { return {TensorRole::Constant, std::string(reason)}; }

Verdict byNameAndUse(const Graph& graph, const Value& value, const Evidence& evidence,
                     const OpCatalog& catalog) {
    if (const auto why = certainConstant(value, evidence, catalog); !why.empty()) {
        return constant(why);
    }
    if (isNamedAsParameter(value.name())) return {};
    if (const auto why = likelyConstant(graph, value, evidence, catalog); !why.empty()) {
        return constant(why);
    }
    return {};
}

}  // namespace

Verdict judge(const Graph& graph, const Value& initializer, const Evidence& evidence,
              const OpCatalog& catalog) {
    if (isPositionEncoding(initializer.constant())) return constant(reasons::kEncoding);
    if (auto verdict = bySignature(initializer, evidence)) return std::move(*verdict);
    if (auto verdict = byOperation(graph, initializer, evidence, catalog))
        return std::move(*verdict);
    return byNameAndUse(graph, initializer, evidence, catalog);
}

}  // namespace temper
