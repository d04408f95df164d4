// SPDX-License-Identifier: Apache-2.0
#include "engine/plugins/plugin_kernel.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/plugins/plugin_handles.h"
#include "engine/plugins/plugin_types.h"
#include "engine/runtime/kernels/widened_kernel.h"

namespace temper {
namespace {

using Tensors = std::array<TemperTensor, TEMPER_MAX_PORTS>;
using Types = std::vector<TemperType>;

/// Without data; an omitted input has no type.
TemperTensor inputTensor(const PrepareContext& context, size_t i) {
    if (!context.hasInput(i)) return {nullptr, {0, -1, {}}};
    if (context.inputs()[i].isSequence)
        context.fail(ErrorCode::Unsupported, "Operators of plugins take no sequences.");
    return {nullptr, pluginType(context.input(i).dtype, context.input(i).shape)};
}

Types typesOf(const Tensors& tensors, size_t count) {
    Types types;
    for (size_t i = 0; i < count; ++i) types.push_back(tensors[i].type);
    return types;
}

/// What both kernels share: the operator and the node's attributes.
class OperatorKernel : public Kernel {
protected:
    OperatorKernel(OperatorPointer op, const PrepareContext& context)
        : op_(std::move(op)), node_{context.node().attributes()} {
        if (op_->table.takes_half_precision == 0 && usesHalfPrecision(context))
            context.fail(ErrorCode::Unsupported, "Its plugin has no kernel for half precision.");
    }

    /// The types from infer() have to be those that the plan expects.
    static void requireType(const PrepareContext& context, const TemperType& given,
                            const TensorType& expected, size_t output) {
        if (concreteType(given) == expected) return;
        context.fail(ErrorCode::InvalidInput,
                     "Its plugin reported another type for output " + std::to_string(output) +
                         " than before.",
                     "This is a bug in the plugin; report it to its author.");
    }

    const PluginOperator& op() const { return *op_; }
    const TemperNode& node() const { return node_; }

private:
    OperatorPointer op_;
    TemperNode node_;
};

class ForwardKernel final : public OperatorKernel {
public:
    ForwardKernel(OperatorPointer pointer, const PrepareContext& context)
        : OperatorKernel(std::move(pointer), context),
          inputCount_(context.inputCount()),
          outputCount_(context.outputCount()) {
        for (size_t i = 0; i < inputCount_; ++i) inputs_[i] = inputTensor(context, i);
        const Types given = op().infer(node(), typesOf(inputs_, inputCount_), outputCount_);
        for (size_t i = 0; i < outputCount_; ++i) {
            if (!context.hasOutput(i)) continue;
            requireType(context, given[i], context.output(i), i);
            outputs_[i].type = given[i];
        }
    }

    void run(const RunContext& context) const override {
        Tensors inputs = inputs_;
        Tensors outputs = outputs_;
        for (size_t i = 0; i < inputCount_; ++i) {
            if (inputs[i].type.dtype != 0)
                inputs[i].data = const_cast<std::byte*>(context.in<std::byte>(i));
        }
        for (size_t i = 0; i < outputCount_; ++i) {
            if (outputs[i].type.dtype != 0) outputs[i].data = context.out<std::byte>(i);
        }
        TemperThreads threads{context.pool()};
        callPlugin(op().title, [&](TemperError* error) {
            return op().table.run(&node(), inputs.data(), static_cast<int32_t>(inputCount_),
                                  outputs.data(), static_cast<int32_t>(outputCount_), &threads,
                                  error);
        });
    }

private:
    size_t inputCount_;
    size_t outputCount_;
    Tensors inputs_{};
    Tensors outputs_{};
};

class GradientKernel final : public OperatorKernel {
public:
    GradientKernel(OperatorPointer pointer, const PrepareContext& context)
        : OperatorKernel(std::move(pointer), context) {
        for (size_t i = 0; i < op().inputs(); ++i) {
            inputs_[i] = inputTensor(context, op().outputs() + i);
            if (inputs_[i].type.dtype != 0) inputCount_ = i + 1;
            wanted_[i] = context.hasOutput(i);
        }
        requireComplete(context);
        const Types types = op().infer(node(), typesOf(inputs_, inputCount_), op().outputs());
        for (size_t i = 0; i < op().outputs(); ++i) {
            outputs_[i].type = types[i];
            hasGradient_[i] = context.hasInput(i);
            if (hasGradient_[i]) requireType(context, types[i], context.input(i), i);
            hasOutput_[i] = op().readsOutputs() && context.hasInput(outputPosition(i));
        }
    }

    void run(const RunContext& context) const override {
        Tensors inputs = inputs_;
        Tensors outputs = outputs_;
        Tensors outputGradients = outputs_;
        Tensors inputGradients = inputs_;
        const auto address = [&](size_t i) {
            return const_cast<std::byte*>(context.in<std::byte>(i));
        };
        for (size_t i = 0; i < inputCount_; ++i) {
            if (inputs[i].type.dtype != 0) inputs[i].data = address(op().outputs() + i);
            if (wanted_[i]) inputGradients[i].data = context.out<std::byte>(i);
        }
        for (size_t i = 0; i < op().outputs(); ++i) {
            if (hasGradient_[i]) outputGradients[i].data = address(i);
            if (hasOutput_[i]) outputs[i].data = address(outputPosition(i));
        }
        TemperThreads threads{context.pool()};
        callPlugin(op().gradientTitle, [&](TemperError* error) {
            return op().table.run_gradient(
                &node(), inputs.data(), static_cast<int32_t>(inputCount_), outputs.data(),
                outputGradients.data(), op().table.outputs, inputGradients.data(), &threads, error);
        });
    }

private:
    using Flags = std::array<bool, TEMPER_MAX_PORTS>;

    /// Nodes from a gradient rule are complete; those of a model may be anything.
    void requireComplete(const PrepareContext& context) const {
        bool hasGradient = false;
        bool isWanted = false;
        bool isComplete = true;
        for (size_t i = 0; i < op().outputs(); ++i)
            hasGradient = hasGradient || context.hasInput(i);
        for (size_t i = 0; i < op().inputs(); ++i) {
            const bool isThere = inputs_[i].type.dtype != 0;
            const bool isNeeded = i < static_cast<size_t>(op().table.min_inputs);
            isComplete = isComplete && (isThere || (!isNeeded && !wanted_[i]));
            isWanted = isWanted || wanted_[i];
        }
        if (!hasGradient || !isWanted || !isComplete) {
            context.fail(ErrorCode::InvalidInput,
                         "It lacks a gradient or an input of the forward operator.",
                         "Generate the training model again.");
        }
    }

    size_t outputPosition(size_t i) const { return op().outputs() + op().inputs() + i; }

    size_t inputCount_ = 0;
    Tensors inputs_{};
    Tensors outputs_{};
    Flags wanted_{};
    Flags hasGradient_{};
    Flags hasOutput_{};
};

}  // namespace

PluginOperator::PluginOperator(const TemperOperator& op)
    : table(op), domain(textOf(op.domain)), name(textOf(op.name)) {}

std::vector<TemperType> PluginOperator::infer(const TemperNode& node,
                                              const std::vector<TemperType>& inputs,
                                              size_t count) const {
    Types outputs(count, TemperType{0, -1, {}});
    callPlugin(title, [&](TemperError* error) {
        return table.infer(&node, inputs.data(), static_cast<int32_t>(inputs.size()),
                           outputs.data(), static_cast<int32_t>(count), error);
    });
    return outputs;
}

std::unique_ptr<Kernel> forwardKernel(const OperatorPointer& op, const PrepareContext& context) {
    return std::make_unique<ForwardKernel>(op, context);
}

std::unique_ptr<Kernel> gradientKernel(const OperatorPointer& op, const PrepareContext& context) {
    return std::make_unique<GradientKernel>(op, context);
}

}  // namespace temper
