// SPDX-License-Identifier: Apache-2.0
#include "engine/plugins/plugin_operator.h"

#include <memory>
#include <utility>
#include <vector>

#include "engine/core/counted.h"
#include "engine/ir/custom_operator.h"
#include "engine/plugins/plugin_handles.h"
#include "engine/plugins/plugin_kernel.h"
#include "engine/plugins/plugin_types.h"

namespace temper {
namespace {

/// Plugins need not check whether a model has the required inputs and outputs.
void requireArity(const PluginOperator& op, const InferenceContext& context) {
    const size_t inputs = context.inputCount();
    const size_t outputs = context.node().outputs().size();
    const auto least = static_cast<size_t>(op.table.min_inputs);
    if (inputs < least || inputs > op.inputs()) {
        context.fail("It has " + counted(inputs, "input") + "; expected " + std::to_string(least) +
                     " to " + std::to_string(op.inputs()) + ".");
    }
    if (outputs < 1 || outputs > op.outputs()) {
        context.fail("It has " + counted(outputs, "output") + "; expected 1 to " +
                     std::to_string(op.outputs()) + ".");
    }
    for (size_t i = 0; i < least; ++i) {
        if (!context.hasInput(i)) context.fail("Its input " + std::to_string(i) + " is missing.");
    }
}

TypeInference inferenceOf(const OperatorPointer& op) {
    return [op](InferenceContext& context) {
        requireArity(*op, context);
        PluginTypes types;
        std::vector<TemperType> in;
        for (size_t i = 0; i < context.inputCount(); ++i)
            in.push_back(types.toPlugin(context.inputType(i)));
        const TemperNode node{context.node().attributes()};
        const std::vector<TemperType> out = op->infer(node, in, context.node().outputs().size());
        for (size_t i = 0; i < out.size(); ++i) {
            ValueType type = types.fromPlugin(out[i]);
            if (type.isKnown()) context.setOutput(i, std::move(type));
        }
    };
}

/// A gradient has the type of its input.
TypeInference gradientInferenceOf(const OperatorPointer& op) {
    return [op](InferenceContext& context) {
        for (size_t i = 0; i < op->inputs(); ++i) {
            const size_t input = op->outputs() + i;
            if (input >= context.inputCount() || !context.hasInput(input)) continue;
            if (context.inputType(input).isKnown()) context.setOutput(i, context.inputType(input));
        }
    };
}

GradientRule gradientOf(const OperatorPointer& op) {
    return [op](const GradientContext& context) {
        std::vector<Var> inputs;
        for (size_t i = 0; i < op->outputs(); ++i) inputs.push_back(context.outputGradient(i));
        for (size_t i = 0; i < op->inputs(); ++i) {
            const bool isThere = i < context.inputCount() && context.hasInput(i);
            inputs.push_back(isThere ? context.input(i) : Var());
        }
        for (size_t i = 0; op->readsOutputs() && i < context.outputCount(); ++i)
            inputs.push_back(context.node().output(i) ? context.output(i) : Var());
        while (!inputs.empty() && !inputs.back()) inputs.pop_back();
        std::vector<bool> wanted;
        for (size_t i = 0; i < context.inputCount(); ++i) wanted.push_back(context.needs(i));
        return context.emitter().add(op->domain, op->gradientName(), inputs,
                                     context.node().attributes(), wanted);
    };
}

[[noreturn]] void refuse(const TemperOperator& op, const std::string& what) {
    throw Error(ErrorCode::InvalidInput,
                "Its operator '" + textOf(op.domain) + "." + textOf(op.name) + "' " + what);
}

}  // namespace

void requireValid(const TemperOperator& op) {
    const auto isPort = [](int32_t count) { return count >= 0 && count <= TEMPER_MAX_PORTS; };
    if (textOf(op.name).empty()) refuse(op, "has no name.");
    if (!isCustomDomain(textOf(op.domain)))
        refuse(op, "is in a reserved domain; choose one such as \"com.example\".");
    if (op.infer == nullptr || op.run == nullptr) refuse(op, "has no infer or run function.");
    if (!isPort(op.max_inputs) || op.min_inputs < 0 || op.min_inputs > op.max_inputs)
        refuse(op, "takes an impossible number of inputs.");
    if (!isPort(op.outputs) || op.outputs == 0) refuse(op, "has an impossible number of outputs.");
}

void addPluginOperator(OpSet& ops, const TemperOperator& table) {
    const auto op = std::make_shared<const PluginOperator>(table);
    OpInfo info{op->domain, op->name, inferenceOf(op), static_cast<size_t>(table.min_inputs),
                op->inputs()};
    for (size_t i = 0; i < op->inputs(); ++i) {
        if ((table.inputs_without_gradient >> i & 1U) != 0) info.nonDifferentiableInputs.insert(i);
    }
    ops.catalog.add(std::move(info));
    ops.cpuKernels.add(op->domain, op->name,
                       [op](const auto& context) { return forwardKernel(op, context); });
    if (table.run_gradient == nullptr) return;

    const std::string gradient = op->gradientName();
    ops.catalog.add(
        {op->domain, gradient, gradientInferenceOf(op), 0, 2 * op->outputs() + op->inputs()});
    ops.cpuKernels.add(op->domain, gradient,
                       [op](const auto& context) { return gradientKernel(op, context); });
    ops.gradients.add(op->domain, op->name, gradientOf(op));
}

}  // namespace temper
