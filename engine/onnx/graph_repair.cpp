// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/graph_repair.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "engine/core/counted.h"
#include "engine/core/joined.h"
#include "engine/onnx/graph_cycles.h"
#include "engine/onnx/model_file.h"

namespace temper {
namespace {

using Names = std::unordered_set<std::string>;

constexpr size_t kMaxListed = 5;  ///< definitions of a value in a message

/// The names that a graph and those around it define.
struct Scope {
    const Names& names;
    const Scope* outer;

    bool has(const std::string& name) const {
        for (const Scope* scope = this; scope != nullptr; scope = scope->outer)
            if (scope->names.contains(name)) return true;
        return false;
    }
};

template <typename F>
void forEachBody(onnx::NodeProto& node, F&& f) {
    for (auto& attribute : *node.mutable_attribute())
        if (attribute.has_g()) f(*attribute.mutable_g());
}

/// All names of values, also of bodies, for new names to avoid.
void collectNames(onnx::GraphProto& graph, Names& names) {
    for (const auto& tensor : graph.initializer()) names.insert(tensor.name());
    for (const auto& input : graph.input()) names.insert(input.name());
    for (auto& node : *graph.mutable_node()) {
        names.insert(node.input().begin(), node.input().end());
        names.insert(node.output().begin(), node.output().end());
        forEachBody(node, [&](onnx::GraphProto& body) { collectNames(body, names); });
    }
}

Finding error(const char* code, std::string message) {
    return {
        code,
        Severity::Error,
        {},
        {},
        std::move(message),
        "Correct the program that wrote the model, or export it again. The model can be viewed, "
        "but not run, trained or exported.",
        {}};
}

Finding errorAt(const onnx::NodeProto& node, const char* code, std::string message) {
    Finding finding = error(code, std::move(message));
    finding.node = node.name();
    finding.op = node.op_type();
    return finding;
}

/// The repair of one graph, and of the bodies in it.
class GraphRepair {
public:
    /// `taken`: the names of the whole model.
    GraphRepair(onnx::GraphProto& graph, const Scope* outer, Names& taken,
                std::vector<Finding>& findings)
        : graph_(graph), outer_(outer), taken_(taken), findings_(findings) {}

    void run() {
        separateDefinitions();
        const Names names = definedNames();
        defineMissing({names, outer_});
        openCycles();
        const Names all = definedNames();
        const Scope scope{all, outer_};
        for (auto& node : *graph_.mutable_node()) {
            forEachBody(node, [&](onnx::GraphProto& body) {
                GraphRepair(body, &scope, taken_, findings_).run();
            });
        }
    }

private:
    /// A value with several definitions.
    struct Repeated {
        std::vector<std::string> names;  ///< that the definitions get
        /// "node 'relu' (Relu)", "an initializer"; two nodes without names may be the same words.
        std::vector<std::string> definers;
        const onnx::NodeProto* node = nullptr;  ///< the last one that defines it
    };

    std::string uniqueName(const std::string& stem) {
        std::string name = stem;
        for (int number = 2; !taken_.insert(name).second; ++number)
            name = stem + " " + std::to_string(number);
        return name;
    }

    onnx::NodeProto& addNode(const char* operation, const std::string& output) {
        onnx::NodeProto& node = *graph_.add_node();
        node.set_domain(std::string(kFaultDomain));
        node.set_op_type(operation);
        node.add_output(output);
        return node;
    }

    Names initializerNames() const {
        Names names;
        for (const auto& tensor : graph_.initializer()) names.insert(tensor.name());
        return names;
    }

    Names definedNames() const {
        Names names = initializerNames();
        for (const auto& input : graph_.input()) names.insert(input.name());
        for (const auto& node : graph_.node())
            names.insert(node.output().begin(), node.output().end());
        names.erase("");
        return names;
    }

    // ---- M002 ----------------------------------------------------------------------------------

    /// Values that a node and something else define, in the order of their names.
    std::map<std::string, Repeated> repeatedDefinitions() const {
        std::unordered_map<std::string, size_t> counts;
        const Names initializers = initializerNames();
        for (const std::string& name : initializers) ++counts[name];
        for (const auto& input : graph_.input())
            if (!initializers.contains(input.name())) ++counts[input.name()];
        for (const auto& node : graph_.node())
            for (const std::string& output : node.output()) ++counts[output];
        std::map<std::string, Repeated> repeated;
        for (const auto& node : graph_.node()) {
            for (const std::string& output : node.output())
                if (!output.empty() && counts[output] > 1) repeated.try_emplace(output);
        }
        return repeated;
    }

    void separateDefinitions() {
        std::map<std::string, Repeated> repeated = repeatedDefinitions();
        if (repeated.empty()) return;
        const auto rename = [&](std::string& name, const std::string& definer) -> Repeated* {
            const auto found = repeated.find(name);
            if (found == repeated.end()) return nullptr;
            Repeated& value = found->second;
            name = uniqueName(name + " (" + std::to_string(value.names.size() + 1) + ")");
            value.names.push_back(name);
            if (std::ranges::find(value.definers, definer) == value.definers.end())
                value.definers.push_back(definer);
            return &value;
        };
        renameInitializers(rename);
        for (auto& input : *graph_.mutable_input()) rename(*input.mutable_name(), "a graph input");
        for (auto& node : *graph_.mutable_node()) {
            const std::string definer = describeNode(node);
            for (std::string& output : *node.mutable_output())
                if (Repeated* value = rename(output, definer)) value->node = &node;
        }
        for (const auto& [name, value] : repeated) {
            const std::string definers = joined(value.definers, {}, kMaxListed);
            findings_.push_back(errorAt(*value.node, "M002",
                                        "'" + name + "' is defined " +
                                            counted(value.names.size(), "time") + ", by " +
                                            definers + "; expected one definition of each value."));
        }
        for (const auto& [name, value] : repeated) {
            ambiguous_.insert(name);
            onnx::NodeProto& node = addNode("Ambiguous", name);
            for (const std::string& definition : value.names) node.add_input(definition);
        }
    }

    /// An input with an initializer of its name is that initializer.
    template <typename Rename>
    void renameInitializers(const Rename& rename) {
        std::unordered_map<std::string, std::string> renamed;
        for (auto& tensor : *graph_.mutable_initializer()) {
            const std::string before = tensor.name();
            if (rename(*tensor.mutable_name(), "an initializer") != nullptr)
                renamed[before] = tensor.name();
        }
        for (auto& input : *graph_.mutable_input()) {
            const auto found = renamed.find(input.name());
            if (found != renamed.end()) input.set_name(found->second);
        }
    }

    // ---- M001 ----------------------------------------------------------------------------------

    void defineMissing(const Scope& scope) {
        Names missing;
        std::vector<std::string> inOrder;
        const auto isNew = [&](const std::string& name) {
            if (name.empty() || scope.has(name) || !missing.insert(name).second) return false;
            inOrder.push_back(name);
            return true;
        };
        for (const auto& node : graph_.node()) {
            for (const std::string& input : node.input()) {
                if (!isNew(input)) continue;
                findings_.push_back(errorAt(node, "M001",
                                            "Input '" + input + "' of " + describeNode(node) +
                                                " is not defined; expected a graph input, an "
                                                "initializer or the output of a node."));
            }
        }
        for (const auto& output : graph_.output()) {
            if (!isNew(output.name())) continue;
            findings_.push_back(
                error("M001", "Output '" + output.name() + "' of graph '" + graph_.name() +
                                  "' is not defined; expected the output of a node, an "
                                  "initializer or an input."));
        }
        for (const std::string& name : inOrder) addNode("Undefined", name);
    }

    // ---- M003 ----------------------------------------------------------------------------------

    void openCycles() {
        std::map<std::string, std::string> standIns;
        for (const std::vector<int>& cycle : findCycles(graph_)) {
            bool isTold = false;
            for (const CycleEdge& edge : edgesBack(graph_, cycle)) {
                onnx::NodeProto& reader = *graph_.mutable_node(edge.node);
                const std::string name = reader.input(edge.input);
                // The node in the place of M002 may close a cycle that the model does not have.
                if (!ambiguous_.contains(name) && !std::exchange(isTold, true)) {
                    findings_.push_back(errorAt(
                        reader, "M003",
                        "The graph has a cycle: " + describeNode(reader) + " reads '" + name +
                            "', which is computed from its own output; expected an acyclic "
                            "graph."));
                }
                const auto [standIn, isNew] = standIns.try_emplace(name);
                if (isNew) standIn->second = uniqueName(name + " (cycle)");
                reader.set_input(edge.input, standIn->second);
            }
        }
        for (const auto& [name, standIn] : standIns) addNode("Cycle", standIn);
    }

    onnx::GraphProto& graph_;
    const Scope* outer_;
    Names& taken_;
    Names ambiguous_;  ///< made by nodes in the place of M002
    std::vector<Finding>& findings_;
};

}  // namespace

std::vector<Finding> repairGraph(onnx::GraphProto& graph) {
    Names taken;
    collectNames(graph, taken);
    std::vector<Finding> findings;
    GraphRepair(graph, nullptr, taken, findings).run();
    return findings;
}

}  // namespace temper
