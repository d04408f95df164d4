// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/plugins/plugin.h"
#include "engine/runtime/kernel.h"

namespace temper {

/// A plugin's operator: its table, with copies of its strings.
struct PluginOperator {
    TemperOperator table;
    std::string domain;
    std::string name;
    std::string title = "Operator '" + domain + "." + name + "' of a plugin";  ///< for messages
    std::string gradientTitle = "The gradient of " + title;

    explicit PluginOperator(const TemperOperator& op);

    size_t inputs() const { return static_cast<size_t>(table.max_inputs); }
    size_t outputs() const { return static_cast<size_t>(table.outputs); }
    bool readsOutputs() const { return table.gradient_reads_outputs != 0; }
    std::string gradientName() const { return name + "Grad"; }

    /// The types of the first `count` outputs.
    /// Throws: Error(InvalidInput) with the plugin's message.
    std::vector<TemperType> infer(const TemperNode& node, const std::vector<TemperType>& inputs,
                                  size_t count) const;
};

using OperatorPointer = std::shared_ptr<const PluginOperator>;

/// The kernels of the operator and of its gradient (plugin_operator.h).
/// Throws: Error(Unsupported) for half precision if the operator does not take it.
std::unique_ptr<Kernel> forwardKernel(const OperatorPointer& op, const PrepareContext& context);
std::unique_ptr<Kernel> gradientKernel(const OperatorPointer& op, const PrepareContext& context);

}  // namespace temper
