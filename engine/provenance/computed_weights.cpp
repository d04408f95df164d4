// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/computed_weights.h"

#include <algorithm>
#include <iterator>

#include "engine/core/counted.h"
#include "engine/core/joined.h"
#include "engine/core/shell_command.h"
#include "engine/provenance/exporter_metadata.h"
#include "engine/provenance/tensor_names.h"

namespace temper {
namespace {

bool isPackedByRecurrence(const Value& tensor, const OpCatalog& catalog) {
    return std::ranges::any_of(tensor.uses(), [&catalog](const Value::Use& use) {
        const OperatorFacts& facts = catalog.facts(*use.node);
        return facts.family == OperatorFamily::Recurrent && facts.weightInputs.contains(use.input);
    });
}

bool isPathOfParameter(const std::string& name) {
    return name.find('.') != std::string::npos && isNamedAsParameter(name);
}

/// PyTorch's convolutions take weights as they are: one named after a reshape was computed and then
/// brought into its shape, as standardised weights are.
bool isReshapedKernel(const Value& tensor) {
    return isNamedAsReshaped(tensor.name()) && !tensor.uses().empty() &&
           std::ranges::all_of(tensor.uses(), [](const Value::Use& use) {
               return use.node->domain().empty() && use.node->opType() == "Conv" && use.input == 1;
           });
}

/// The exporter names what it computed "val_12". A linear layer's transposed weight is a matrix;
/// stacks of matrices are results.
bool isStackOfMatrices(const Value& tensor) {
    return isNamedAsResult(tensor.name()) && tensor.constant().rank() > 2 &&
           std::ranges::any_of(tensor.uses(), [](const Value::Use& use) {
               return use.node->domain().empty() && use.node->opType() == "MatMul";
           });
}

Finding remarkOnMetadata() {
    return {"S003",
            Severity::Info,
            "",
            "",
            "The metadata of PyTorch's exporter is missing, which names the parameters that it "
            "computed away, merged or copied. Names and numbers of the tensors decide what trains.",
            "Tools that simplify models remove them. Train the exporter's own file, and simplify "
            "the exported result.",
            {}};
}

Finding remarkOn(const std::vector<std::string>& names) {
    const bool isOne = names.size() == 1;
    return {"S003",
            Severity::Info,
            "",
            "",
            counted(names.size(), "tensor") + (isOne ? " has the name" : " have the names") +
                " of operations: " + joinedQuoted(names) +
                ". The exporter, or a later tool, computed " + (isOne ? "it" : "them") +
                " from parameters of the module, which the model no longer has, or from constants.",
            std::string(isOne ? "It trains and starts" : "They train and start") +
                " with the values that the module computes, but training may change them "
                "differently. "
                "To keep the parameters, export without optimization (torch.onnx.export(..., "
                "optimize=False)) and train that file, before other tools fold its constants. To "
                "keep a tensor as it is: --freeze " +
                shellCommand({names.front()}) + ".",
            names};
}

}  // namespace

bool isComputed(const Value& tensor, const Evidence& evidence, const OpCatalog& catalog) {
    const std::vector<std::string> sources = foldedFrom(tensor);
    if (sources.empty() || isPackedByRecurrence(tensor, catalog)) return false;
    const std::vector<std::string>& parameters = evidence.parametersIn(tensor);
    if (parameters.empty()) return false;
    return parameters.size() > 1 || isNamedAsComputed(tensor.name()) ||
           std::ranges::any_of(sources, isNamedAsComputed) ||
           std::ranges::any_of(sources, [&](const std::string& name) {
               return evidence.isBuffer(name) && name.find("ind") == std::string::npos;
           });
}

std::vector<Finding> findComputedWeights(const Graph& model,
                                         const std::vector<std::string>& trainable) {
    const bool isOfModule =
        std::ranges::any_of(model.initializers(), isPathOfParameter, &Value::name);
    if (!isOfModule || !readSignature(model).empty()) return {};
    std::vector<Finding> findings;
    std::vector<std::string> names;
    std::ranges::copy_if(trainable, std::back_inserter(names), [&model](const std::string& name) {
        const Value& tensor = *model.at(name);
        return isNamedAsComputed(name) || isNamedAsSlice(name) || isReshapedKernel(tensor) ||
               isStackOfMatrices(tensor);
    });
    if (!names.empty()) findings.push_back(remarkOn(names));
    if (std::ranges::any_of(model.initializers(), isNamedAsResult, &Value::name))
        findings.push_back(remarkOnMetadata());
    return findings;
}

}  // namespace temper
