// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/ir/graph_table.h"
#include "engine/ir/op_catalog.h"
#include "engine/runtime/execution_plan.h"
#include "engine/runtime/kernel.h"

namespace temper {

/// What a plan under construction knows about a value.
struct PlanValue {
    bool isSequence = false;
    bool isOptional = false;
    bool isAbsent = false;             ///< an optional without content
    std::vector<TensorType> elements;  ///< one, or those of a sequence
    Tensor constant;                   ///< data known before the run; else empty()
    std::vector<uint32_t> buffers;     ///< one per element, once there are some

    bool isTensor() const { return !isSequence && !isOptional; }
};

using PlanValues = ValueTable<PlanValue>;

/// Throws: Error(InvalidInput) if the type of a tensor input, or of the tensor in an optional one,
/// is not what the model declares.
void checkAgainstDeclaration(const Value& input, const TensorType& given);

/// The number of a node's random stream: it follows from its name, and is therefore the same in
/// every plan of a graph.
uint64_t randomStreamOf(const Node& node);

/// The graph's inputs, then, if it is a body, its captures: the inputs of a plan.
std::vector<const Value*> fedValues(const Graph& graph);

/// What a node reads: its inputs (null if omitted), then what its bodies capture.
std::vector<const Value*> inputsOf(const Graph& graph, const Node& node);

/// Types of the graph's inputs, captures and initializers.
/// Throws: Error(InvalidInput) naming an input that is missing or contradicts its declaration.
void addSources(const Graph& graph, const InputTypes& inputTypes, PlanValues& values);

/// Infers concrete output types of nodes in topological order, and outputs that are already known
/// because they are integers that follow from shapes.
class ConcreteInference {
public:
    ConcreteInference(const Graph& graph, const OpCatalog& catalog, PlanValues& values)
        : graph_(graph), catalog_(catalog), values_(values) {}

    /// Adds the outputs of `node` to the values.
    /// Throws: Error(InvalidInput), Error(Unsupported) naming the node.
    void infer(const Node& node);

    int64_t opsetOf(const Node& node) const;

private:
    class Context;

    /// Names of the inputs whose data is unknown.
    std::vector<std::string> unknownInputs(const Node& node, bool withFloats) const;
    /// Throws: UnknownData naming those of these inputs whose data is unknown, Error(InvalidInput)
    /// naming one that is known and holds no integers.
    void requireData(const Node& node, const std::vector<size_t>& missed,
                     const std::string& message) const;
    /// The type that the model declares for an output which inference leaves open.
    /// Throws: UnknownData if integers that may decide it are unknown, or nothing is declared;
    /// Error(InvalidInput) if the declaration contradicts what was inferred.
    ValueType declaredType(const Node& node, const Value& output, const ValueType& inferred) const;

    const Graph& graph_;
    const OpCatalog& catalog_;
    PlanValues& values_;
    ValueTable<InferenceContext::Content> contents_;
};

}  // namespace temper
