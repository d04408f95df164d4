// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/autodiff/gradient.h"
#include "engine/core/error.h"
#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"
#include "engine/provenance/module_names.h"

namespace temper {

/// The role of an initializer in a forward model, inferred from how it is used.
enum class ParameterClass {
    Trainable,           ///< a floating-point tensor that gradients can reach
    BatchNormStatistic,  ///< running mean or variance: updated by training steps, not by gradients
    Constant,            ///< a literal, or a float that no gradient reaches (scales, bounds, ...)
    ShapeData,           ///< integers and booleans: shapes, axes, indices
};

/// "trainable", "batch-norm statistic", "constant", "shape data".
std::string_view parameterClassName(ParameterClass parameterClass);

struct ParameterInfo {
    std::string name;
    DType dtype = DType::Undefined;
    Shape shape;
    ParameterClass parameterClass = ParameterClass::Constant;
    std::string reason;  ///< why it has this class, in a few words
    /// A constant that gradients can reach: it trains if the user names it.
    bool trainsOnRequest = false;
    /// Such a constant that a node uses as a weight; patterns match it, too.
    bool isWeight = false;
    std::string node = {};  ///< name of the first node that reads it, or empty
    std::string op = {};    ///< its operator, or empty
    /// Names in the exported module, if they differ from the tensor's.
    std::vector<std::string> parameters = {};
};

/// The names in the exported module of the parameters whose names there differ from the tensor's.
ModuleNames moduleNamesOf(const std::vector<ParameterInfo>& parameters);

/// Every initializer of the model, in file order.
std::vector<ParameterInfo> classifyParameters(const Graph& graph, const OpCatalog& catalog);

/// Everything that keeps gradients of `outputs` (the values that the loss reads) from reaching
/// `parameters`, each with the parameters that it cuts off, the reason and a remedy:
/// G001 no gradient rule for the operator, G002 the derivative is zero, G003 the parameter does
/// not influence the outputs, G004 this form of the operator has no gradient, G005 the parameter
/// is not a floating-point tensor, G006 the result is an integer or a sequence, or the input takes
/// no gradient.
/// An error means that the parameters can't be trained with these outputs; rules that refuse a form
/// only when they are applied are found by tryGradients(). Types must be inferred first.
std::vector<Finding> analyzeTrainability(const Graph& graph, const OpCatalog& catalog,
                                         const GradientRules& rules,
                                         const std::vector<Value*>& outputs,
                                         const std::vector<Value*>& parameters);

/// An unknown operator (T001) has no gradient rule either (G001): one finding is enough.
void dropRepeatedFindings(std::vector<Finding>& findings);

}  // namespace temper
