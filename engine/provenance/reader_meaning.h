// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/ir/op_catalog.h"
#include "engine/provenance/evidence.h"

namespace temper {

/// Running statistics are not parameters, even if fresh layers made them one tensor with some.
bool isRunningStatistic(const Value::Use& use, const OpCatalog& catalog);

/// What the nodes that read a tensor mean by it: exporters keep only one of several equal tensors.
/// The operation that a node was made for names its parameters; for other nodes, the module around
/// them and the line of their program decide. Graph, catalog, evidence and tensor have to outlive
/// it.
class ReaderMeaning {
public:
    ReaderMeaning(const Graph& graph, const OpCatalog& catalog, const Evidence& evidence,
                  const Value& tensor);

    /// Whether the tensor is a parameter.
    bool isParameter() const { return !own_.empty(); }

    /// Whether a node was made for an operation on the tensor's own parameter. For rewritten nodes
    /// (a batch norm folded into a convolution), the operation names others.
    bool isMeantBy(const Value::Use& use) const;

    /// A constant that was equal to the parameter when the model was exported.
    bool isConstant(const Value::Use& use) const;

    /// Another parameter than that of the tensor; nothing if it is the same one or unclear.
    std::optional<std::string> other(const Value::Use& use) const;

private:
    using Names = std::vector<std::string>;

    bool fitsOwn(const Value::Use& use) const;
    bool mayHold() const;
    std::optional<std::string> bestOf(const Names& missing, const Value::Use& use) const;
    Names missingOf(const Node& node) const;
    Names missingAround(const Value::Use& use) const;
    std::optional<std::string> ofLine(const Names& missing, const Value::Use& use) const;
    std::optional<std::string> ofModule(const Value::Use& use) const;
    std::optional<std::string> ofNamesakes(const Value::Use& use) const;

    const Graph& graph_;
    const OpCatalog& catalog_;
    const Evidence& evidence_;
    const Value& tensor_;
    Names own_;
    bool isResult_ = false;  ///< computed from its parameter
};

}  // namespace temper
