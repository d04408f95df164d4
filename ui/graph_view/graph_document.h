// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <set>
#include <span>
#include <vector>

#include "engine/ir/graph_outline.h"
#include "engine/ir/op_catalog.h"

namespace temper::ui {

/// A value that a node reads, and its producer.
struct NodeRead {
    const Value* value = nullptr;
    int producer = -1;  ///< node, by its index in the outline; -1 for inputs of the graph
    bool operator==(const NodeRead&) const = default;
};

/// An initializer, or floating-point numbers that the exporter wrote into the model as a Constant
/// node: some exporters write all weights this way. A single number there is a factor or a bound.
bool mayBeParameter(const Value& value);

/// A graph prepared for drawing in any state of folding: outline, flow, shape computations,
/// parameters. Thread: any, as it is constant.
class GraphDocument {
public:
    /// Types must be inferred. `blocks` may be empty.
    GraphDocument(std::shared_ptr<const Graph> graph, const OpCatalog& catalog,
                  const std::vector<Block>& blocks);

    const Graph& graph() const { return *graph_; }
    const GraphOutline& outline() const { return outline_; }
    int nodeCount() const { return static_cast<int>(outline_.nodes().size()); }
    const Node& node(int index) const { return *outline_.nodes()[static_cast<size_t>(index)]; }

    OperatorFamily family(int node) const { return families_[at(node)]; }
    /// Without initializers, each value once; includes the captures of bodies.
    const std::vector<NodeRead>& reads(int node) const { return reads_[at(node)]; }
    /// Nodes that read an output of this one, each once.
    const std::vector<int>& readers(int node) const { return readers_[at(node)]; }
    bool isShapeNode(int node) const { return isShapeNode_[at(node)]; }
    int shapeNodeCount() const { return shapeNodeCount_; }
    /// The shape nodes that a node depends on through shape nodes only.
    std::set<int> shapeNodesBefore(int node) const;

    /// The nodes of a group and those below it.
    std::span<const int> nodesIn(int group) const;
    bool isInside(int node, int group) const;
    /// Possible parameters read by the node, or by those of the group; each once.
    const std::vector<const Value*>& parametersOf(int node) const { return parameters_[at(node)]; }
    std::vector<const Value*> parametersIn(int group) const;

    /// The first node with this name; -1 if there is none.
    int nodeNamed(const std::string& name) const;

private:
    static size_t at(int index) { return static_cast<size_t>(index); }
    void collectReads(int node);
    void collectParameters(int node);
    void number(int group);

    std::shared_ptr<const Graph> graph_;
    GraphOutline outline_;
    std::vector<OperatorFamily> families_;
    std::vector<std::vector<NodeRead>> reads_;
    std::vector<std::vector<int>> readers_;
    std::vector<std::vector<const Value*>> parameters_;
    std::vector<bool> isShapeNode_;
    int shapeNodeCount_ = 0;
    std::vector<int> order_;   ///< nodes, those of a group next to each other
    std::vector<int> place_;   ///< by node: its index in order_
    std::vector<int> begins_;  ///< by group: its part of order_
    std::vector<int> ends_;
    std::unordered_map<std::string, int> names_;
};

/// Which parts of a document are shown, and how.
struct GraphFold {
    std::set<int> open;       ///< groups whose contents are shown
    std::set<int> revealed;   ///< shape nodes that are shown
    bool shapeNodes = false;  ///< all of them
    bool attributes = false;
    bool weights = false;
    bool names = false;
    bool horizontal = false;  ///< from left to right
    bool operator==(const GraphFold&) const = default;
};

/// The initial fold of a document: opens groups from the outside as long as the graph stays clear;
/// blocks and repeats stay closed.
GraphFold firstFold(const GraphDocument& document);

/// Opens the groups around a node and, if it is a shape node, shows it.
void reveal(const GraphDocument& document, int node, GraphFold& fold);

}  // namespace temper::ui
