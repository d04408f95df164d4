// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/provenance/exporter_metadata.h"

namespace temper {

/// What the exporter left in a model about the origin of its tensors, read once. The graph has to
/// outlive it, and must not change.
class Evidence {
public:
    explicit Evidence(const Graph& graph);

    /// Names in the module, in the order of the signature; empty if the model has no signature.
    const std::vector<std::string>& parameters() const { return parameters_; }
    bool isParameter(const std::string& name) const { return positions_.contains(name); }
    bool isBuffer(const std::string& name) const { return buffers_.contains(name); }

    /// The nodes that read a value, including those in bodies of If, Loop and Scan.
    const std::vector<Value::Use>& readers(const Value& value) const;

    /// The parameters that an initializer (in training models: an input) is, or was computed from;
    /// in the order of the signature.
    const std::vector<std::string>& parametersIn(const Value& value) const;
    /// Whether the exporter wrote what a tensor is: a parameter, a buffer or a constant.
    bool explains(const Value& value) const;
    /// Whether some tensor is the parameter, or was computed from it.
    bool isInFile(const std::string& parameter) const { return found_.contains(parameter); }
    /// Those that no tensor holds and no operation names: what read them was computed or merged.
    std::vector<std::string> vanishedParameters() const;

    /// The parameters among the arguments of the operation that a node was made for.
    std::vector<std::string> parametersOf(const Node& node) const;

private:
    void readNames(const Graph& graph);
    void addReaders(const Graph& graph);
    void addNamed(const Node& node);
    void addBodies(const Graph& outermost, const Node& node);
    void addHeld(const Value& value);
    std::vector<std::string> namedBy(const Value& value) const;

    std::vector<std::string> parameters_;
    std::map<std::string, size_t> positions_;  ///< index in parameters_
    std::set<std::string> buffers_;
    std::unordered_map<std::string, std::string> byAlias_;
    std::unordered_map<const Value*, std::vector<Value::Use>> readers_;
    std::unordered_map<const Value*, std::vector<std::string>> held_;
    std::set<std::string> found_;
    std::set<std::string> named_;  ///< parameters among the arguments of operations
};

}  // namespace temper
