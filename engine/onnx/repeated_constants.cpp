// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/repeated_constants.h"
#include "engine/core/counted.h"

#include <string>
#include <unordered_map>
#include <unordered_set>

namespace temper {
namespace {

bool isConstant(const onnx::NodeProto& node) {
    return node.op_type() == "Constant" && (node.domain().empty() || node.domain() == "ai.onnx") &&
           node.output_size() == 1 && node.attribute_size() == 1;
}

/// The content of a definition, without its name.
std::string contentOf(onnx::TensorProto tensor) {
    tensor.clear_name();
    tensor.clear_doc_string();
    return tensor.SerializeAsString();
}

std::string contentOf(const onnx::NodeProto& node) {
    const onnx::AttributeProto& attribute = node.attribute(0);
    return attribute.has_t() ? contentOf(attribute.t()) : attribute.SerializeAsString();
}

Finding warning(const std::string& name, size_t count) {
    Finding found;
    found.code = "W006";
    found.severity = Severity::Warning;
    found.message = "The constant '" + name + "' is defined " + counted(count, "time") +
                    " with different values: the last one counts, as in ONNX Runtime.";
    found.hint = "Give each constant its own name in the program that wrote the model.";
    return found;
}

/// The definitions of one graph, by name.
class Definitions {
public:
    explicit Definitions(onnx::GraphProto& graph) : graph_(graph) {
        for (const auto& tensor : graph.initializer()) note(tensor.name());
        for (const auto& node : graph.node()) {
            if (isConstant(node)) note(node.output(0));
        }
    }

    std::vector<Finding> dropRepeated() {
        if (repeated_.empty()) return {};
        for (const auto& tensor : graph_.initializer()) addContent(tensor.name(), tensor);
        for (const auto& node : graph_.node()) {
            if (isConstant(node)) addContent(node.output(0), node);
        }
        std::vector<Finding> findings;
        for (const std::string& name : differing_) {
            findings.push_back(warning(name, repeated_.at(name).left));
        }
        keepLast(*graph_.mutable_initializer(),
                 [](const onnx::TensorProto& tensor) { return tensor.name(); });
        keepLast(*graph_.mutable_node(), [](const onnx::NodeProto& node) {
            return isConstant(node) ? node.output(0) : std::string();
        });
        return findings;
    }

private:
    struct Repeated {
        size_t left = 0;  ///< definitions that are not dropped yet
        std::unordered_set<std::string> contents;
    };

    void note(const std::string& name) {
        if (!seen_.insert(name).second) repeated_.try_emplace(name);
    }

    template <typename Definition>
    void addContent(const std::string& name, const Definition& definition) {
        const auto found = repeated_.find(name);
        if (found == repeated_.end()) return;
        Repeated& repeated = found->second;
        ++repeated.left;
        const bool isOther = repeated.contents.insert(contentOf(definition)).second;
        if (!isOther || repeated.contents.size() != 2) return;
        differing_.push_back(name);
    }

    /// Keeps the last definition of each repeated name.
    template <typename Field, typename NameOf>
    void keepLast(Field& definitions, const NameOf& nameOf) {
        int kept = 0;
        for (int i = 0; i < definitions.size(); ++i) {
            const auto found = repeated_.find(nameOf(definitions.Get(i)));
            if (found != repeated_.end() && --found->second.left > 0) continue;
            if (kept != i) definitions.SwapElements(kept, i);
            ++kept;
        }
        definitions.DeleteSubrange(kept, definitions.size() - kept);
    }

    onnx::GraphProto& graph_;
    std::unordered_set<std::string> seen_;
    std::unordered_map<std::string, Repeated> repeated_;
    std::vector<std::string> differing_;
};

}  // namespace

std::vector<Finding> dropRepeatedConstants(onnx::GraphProto& graph) {
    std::vector<Finding> findings = Definitions(graph).dropRepeated();
    for (auto& node : *graph.mutable_node()) {
        for (auto& attribute : *node.mutable_attribute()) {
            if (!attribute.has_g()) continue;
            for (Finding& found : dropRepeatedConstants(*attribute.mutable_g())) {
                findings.push_back(std::move(found));
            }
        }
    }
    return findings;
}

}  // namespace temper
