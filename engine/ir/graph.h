// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/steady_vector.h"
#include "engine/core/tensor.h"
#include "engine/ir/attribute.h"
#include "engine/ir/metadata.h"
#include "engine/ir/name_index.h"
#include "engine/ir/type.h"

namespace temper {

class Graph;
class Node;

/// Restricts the construction of nodes and values to graphs.
class GraphKey {
    friend class Graph;
    GraphKey() = default;
};

/// ONNX's default operator domain and ORT's.
inline constexpr std::string_view kOnnxDomain = "";
inline constexpr std::string_view kLongOnnxDomain = "ai.onnx";  ///< the same as kOnnxDomain
inline constexpr std::string_view kMicrosoftDomain = "com.microsoft";

/// A tensor (or sequence) that flows in a graph: a graph input, an initializer or a node's output.
class Value {
public:
    /// A node's input that reads this value.
    struct Use {
        Node* node = nullptr;
        size_t input = 0;
        bool operator==(const Use&) const = default;
    };

    Value(GraphKey, Graph* graph, uint32_t index, std::string name, ValueType type)
        : graph_(graph), index_(index), name_(std::move(name)), type_(std::move(type)) {}
    Value(const Value&) = delete;
    Value& operator=(const Value&) = delete;

    const std::string& name() const { return checked().name_; }
    /// Its index among all values that the graph has ever had: for tables of values.
    uint32_t index() const { return index_; }
    const ValueType& type() const { return checked().type_; }
    void setType(ValueType type) { type_ = std::move(type); }

    /// The node that computes it; null for graph inputs and initializers.
    Node* producer() const { return checked().producer_; }
    size_t producerOutput() const { return checked().producerOutput_; }
    const std::vector<Use>& uses() const { return checked().uses_; }

    /// An initializer's data; empty() otherwise.
    const Tensor& constant() const { return checked().constant_; }
    bool isInitializer() const { return !constant_.empty(); }
    /// An initializer that was a literal of the exporter (a lifted Constant node), not a named
    /// tensor of the model.
    bool isLiteral() const { return isLiteral_; }
    bool isGraphInput() const { return isGraphInput_; }
    /// In a body of If, Loop or Scan: it stands for the outer graph's value of the same name.
    bool isCaptured() const { return isCaptured_; }
    bool isGraphOutput() const { return isGraphOutput_; }
    /// Gradients treat it as a constant: they do not continue to what it is computed from. A choice
    /// of the user, which clones keep and files do not store.
    bool stopsGradients() const { return stopsGradients_; }
    void setStopsGradients(bool stops) { stopsGradients_ = stops; }
    /// What the file says about it besides its type; clones keep it.
    const Metadata& metadata() const { return metadata_.get(); }
    void setMetadata(Metadata metadata) { metadata_.set(std::move(metadata)); }

private:
    friend class Graph;

#ifdef TEMPER_CHECK_GRAPHS
    const Value& checked() const;
#else
    const Value& checked() const { return *this; }
#endif

    Graph* graph_;  ///< null after it was removed
    uint32_t index_;
    bool isGraphInput_ = false;
    bool isGraphOutput_ = false;
    bool isCaptured_ = false;
    bool isLiteral_ = false;
    bool stopsGradients_ = false;
    Node* producer_ = nullptr;
    size_t producerOutput_ = 0;
    std::vector<Use> uses_;
    std::string name_;
    ValueType type_;
    Tensor constant_;
    SharedMetadata metadata_;
};

/// The opset that determines a node's form if it is not the graph's.
struct ForeignOpset {
    std::string function;  ///< of the model, which imports another opset; empty: none
    int64_t version = 0;   ///< of ONNX's operators; 0: now the graph's
};

/// An operator applied to values. Omitted optional inputs and outputs are null.
class Node {
public:
    Node(GraphKey, Graph* graph, uint32_t index) : graph_(graph), index_(index) {}
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    const std::string& name() const { return name_; }
    /// Its index among all nodes that the graph has ever had: for tables of nodes.
    uint32_t index() const { return index_; }
    const std::string& opType() const { return opType_; }
    const std::string& domain() const { return domain_; }
    /// "Conv" or "com.microsoft.ConvGrad".
    std::string qualifiedOp() const;

    const std::vector<Value*>& inputs() const { return checked().inputs_; }
    const std::vector<Value*>& outputs() const { return checked().outputs_; }
    /// Null if omitted or beyond the end.
    Value* input(size_t i) const { return i < inputs().size() ? inputs_[i] : nullptr; }
    Value* output(size_t i) const { return i < outputs().size() ? outputs_[i] : nullptr; }

    const Attributes& attributes() const { return checked().attributes_; }
    bool hasAttribute(std::string_view name) const;

    /// The attribute, or `fallback` if it is absent.
    /// Throws: Error(InvalidInput) naming node and attribute if it is of another kind.
    template <typename T>
    T attribute(std::string_view name, T fallback) const {
        const auto found = attributes_.find(name);
        if (found == attributes_.end()) return fallback;
        if (const T* value = std::get_if<T>(&found->second)) return *value;
        throwWrongKind(name, found->second);
    }
    /// The attribute, if present.
    template <typename T>
    std::optional<T> attribute(std::string_view name) const {
        if (!hasAttribute(name)) return std::nullopt;
        return attribute<T>(name, T{});
    }
    void setAttribute(const std::string& name, Attribute value);
    void removeAttribute(std::string_view name);

    const std::string& docString() const { return docString_; }
    /// Part of a backward pass, which computes gradients; clones keep it. Files store a doc string
    /// instead: see engine/ir/backward_mark.h.
    bool isBackward() const { return isBackward_; }
    void setBackward(bool isBackward) { isBackward_ = isBackward; }
    /// What the file says about the node's origin; clones keep it.
    const Metadata& metadata() const { return metadata_.get(); }
    void setMetadata(Metadata metadata) { metadata_.set(std::move(metadata)); }

    /// For a node in the form of another opset than the graph's; null otherwise. Only models that
    /// are being read have such nodes: see LoadOptions::unifyOpsets.
    const ForeignOpset* foreignOpset() const { return foreignOpset_.get(); }
    void setForeignOpset(std::shared_ptr<const ForeignOpset> opset) {
        foreignOpset_ = std::move(opset);
    }

    /// "node '/fc1/Gemm' (Gemm)", for messages; with the module and the line of the program that it
    /// was exported from, if the file says so.
    std::string describe() const;

private:
    friend class Graph;
    [[noreturn]] void throwWrongKind(std::string_view name, const Attribute& found) const;

#ifdef TEMPER_CHECK_GRAPHS
    const Node& checked() const;
#else
    const Node& checked() const { return *this; }
#endif

    Graph* graph_;  ///< null after it was removed
    uint32_t index_;
    std::vector<Value*> inputs_;
    std::vector<Value*> outputs_;
    std::string opType_;
    std::string domain_;
    Attributes attributes_;
    std::string name_;
    std::string docString_;
    bool isBackward_ = false;
    SharedMetadata metadata_;
    std::shared_ptr<const ForeignOpset> foreignOpset_;
};

/// The description of a new node. Output names may be empty: the output is then omitted.
struct NodeSpec {
    std::string opType;
    std::vector<Value*> inputs;
    std::vector<std::string> outputs;
    Attributes attributes = {};
    std::string domain = {};
    std::string name = {};
    std::string docString = {};
    bool isBackward = false;
};

/// Model-level fields of ONNX, kept through reading and writing.
struct ModelInfo {
    int64_t irVersion = 8;
    std::map<std::string, int64_t> opsetImports;  ///< domain ("" for ONNX) to version
    std::string producerName;
    std::string producerVersion;
    std::string domain;
    int64_t modelVersion = 0;
    std::string docString;
    std::map<std::string, std::string> metadata;

    /// Version of ONNX's own opset; 0 if it is not imported.
    int64_t onnxOpset() const;
    /// Version of the opset that a node of this domain uses; 1 if it is not imported.
    int64_t opsetOf(std::string_view nodeDomain) const;
    /// The same for a node, including one with Node::foreignOpset().
    int64_t opsetOf(const Node& node) const;
};

/// A directed acyclic graph of nodes; single static assignment: every name is defined once.
///
/// Edges are pointers, kept consistent by Graph's methods: change nodes and values only through
/// them. clone() copies.
///
/// A pointer to a value outlives rewrites: whatever replaces a node makes the same values
/// (replaceNode(), takeOver()). What is removed for good stays as an empty shell until the graph is
/// destroyed, so that a pointer to it never points to something else. Passing a removed node or
/// value to a graph is an Error(Internal); builds with TEMPER_CHECK_GRAPHS (all Debug ones) refuse
/// to read it, too.
class Graph {
public:
    Graph();
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    Graph(Graph&& other) noexcept;
    Graph& operator=(Graph&& other) noexcept;
    ~Graph();

    std::unique_ptr<Graph> clone() const;

    ModelInfo& info() { return info_; }
    const ModelInfo& info() const { return info_; }
    const std::string& name() const { return name_; }
    void setName(std::string name) { name_ = std::move(name); }
    const std::string& docString() const { return docString_; }
    void setDocString(std::string text) { docString_ = std::move(text); }
    /// Of the graph; the model's is in ModelInfo.
    const Metadata& metadata() const { return metadata_.get(); }
    void setMetadata(Metadata metadata) { metadata_.set(std::move(metadata)); }

    /// All add functions throw Error(InvalidInput) if the name is already defined.
    Value* addInput(const std::string& name, ValueType type);
    Value* addInitializer(const std::string& name, Tensor data);
    /// For the body of If, Loop or Scan: a value of the graph around it that it reads by name.
    Value* addCapture(const std::string& name, ValueType type);
    /// An initializer with Value::isLiteral().
    Value* addLiteral(const std::string& name, Tensor data);
    Node* addNode(NodeSpec spec);
    /// Appends a graph output; the same value may not be an output twice.
    void addOutput(Value* value);

    const std::vector<Value*>& inputs() const { return inputs_; }
    const std::vector<Value*>& outputs() const { return outputs_; }
    /// In the order of definition.
    const std::vector<Value*>& initializers() const { return initializers_; }
    /// The outer values that the body reads; not among inputs().
    const std::vector<Value*>& captures() const { return captures_; }
    /// The values of this graph that the bodies of `node` capture. They are not in uses(), but
    /// topologicalOrder() and removeUnused() respect them; do not rename or replace them.
    std::vector<Value*> capturedBy(const Node& node) const;
    std::vector<Node*> nodes() const;
    size_t nodeCount() const { return nodeCount_; }
    std::vector<const Value*> values() const;

    /// Null if there is none.
    Value* find(std::string_view name) const;
    /// Throws: Error(NotFound) naming it.
    Value* at(std::string_view name) const;
    /// `stem`, or `stem_2`, `stem_3` ... if a value has that name.
    std::string uniqueName(const std::string& stem) const;

    /// Makes an initializer a graph input with the same name and type, after the others.
    void initializerToInput(Value* value);
    /// The same for many, each given once, in this order.
    void initializersToInputs(const std::vector<Value*>& values);
    /// Gives a graph input data: it becomes an initializer.
    void inputToInitializer(Value* value, Tensor data);
    /// The same for many, each given once, in this order.
    void inputsToInitializers(std::vector<std::pair<Value*, Tensor>> inputs);
    /// The same for any value: a graph input, a capture, or the output of a node, which the node
    /// then omits. Name and readers stay.
    void makeInitializer(Value* value, Tensor data);
    /// Replaces an initializer's data; dtype and shape may change.
    void setConstant(Value* value, Tensor data);
    void setOutputs(std::vector<Value*> outputs);
    /// Reorders the graph inputs: a permutation of inputs().
    void setInputs(std::vector<Value*> inputs);

    void setInput(Node* node, size_t input, Value* value);
    /// Removes a node's inputs from `count` on, and omitted ones at the end.
    void truncateInputs(Node* node, size_t count);
    /// Gives a node an additional or formerly omitted output.
    Value* addOutputTo(Node* node, size_t output, const std::string& name);
    /// Removes a node's output, which nothing may read.
    void dropOutput(Node* node, size_t output);
    void setOpType(Node* node, std::string opType, std::string domain);
    void renameNode(Node* node, std::string name);
    void renameValue(Value* value, const std::string& name);

    /// Every reader of `from`, and the graph outputs, read `to` instead.
    void replaceUses(Value* from, Value* to);
    /// `value`, the output of a node, becomes what `made` is: the output of another node, or an
    /// initializer. The node that made `value` omits it. `value` keeps its name and its readers,
    /// and gets the readers of `made` and its type if that is known; `made` is removed.
    void takeOver(Value* value, Value* made);
    /// The node's outputs become what `results` are, in order (takeOver()); the node is removed.
    /// Null or missing for outputs that nothing reads.
    void replaceNode(Node* node, const std::vector<Value*>& results);
    /// Removes a node and its outputs, which nothing may read.
    void removeNode(Node* node);
    void removeInput(Value* value);
    void removeInitializer(Value* value);
    /// Removes nodes and initializers that no graph output needs.
    void removeUnused();

    /// Producers before readers; otherwise in the order of definition.
    /// Throws: Error(InvalidInput) naming a node on a cycle.
    std::vector<Node*> topologicalOrder() const;

private:
    class Copier;
    Value* define(const std::string& name, ValueType type);
    /// Defines all of them or, if a name is taken, none.
    void defineOutputs(Node* node, const std::vector<std::string>& names);
    void forget(Value* value);
    void forgetUses(const std::vector<Node*>& dropped);
    void removeUnusedInitializers();
    void retire(Node* node);
    /// Throw: Error(Internal) for elements that were removed or belong to another graph.
    void requireOwn(const Value* value) const;
    void requireOwn(const Node* node) const;
    static void eraseUse(Value* value, Node* node, size_t input);
    void adopt() noexcept;

    ModelInfo info_;
    std::string name_;
    std::string docString_;
    SharedMetadata metadata_;
    SteadyVector<Node> nodes_;    ///< including removed ones; so are
    SteadyVector<Value> values_;  ///< these, and each is at its index
    size_t nodeCount_ = 0;        ///< without removed ones
    NameIndex names_;
    std::vector<Value*> inputs_;
    std::vector<Value*> outputs_;
    std::vector<Value*> initializers_;
    std::vector<Value*> captures_;
};

/// The names of the values, e.g. for comparing orders.
std::vector<std::string> namesOf(const std::vector<Value*>& values);

}  // namespace temper
