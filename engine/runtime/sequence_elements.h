// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// The part of a tensor that SplitToSequence makes an element.
struct SequencePiece {
    int64_t axis = 0;
    int64_t begin = 0;
    int64_t end = 0;  ///< may be beyond the tensor's end
    bool isSqueezed = false;
};

/// A tensor of a sequence: a value of the graph, or a piece of one.
struct SequenceElement {
    Value* tensor = nullptr;
    std::optional<SequencePiece> piece = {};

    /// The known part of its shape.
    std::optional<SymbolicShape> shape() const;
};

/// What is known about the sequences of a graph whose types are inferred.
/// Source: ONNX, docs/Operators.md, SequenceInsert, SequenceErase, SplitToSequence.
class KnownSequences {
public:
    KnownSequences(const Graph& graph, const OpCatalog& catalog)
        : graph_(graph), catalog_(catalog) {}

    /// The tensors of a sequence; nothing if they are not known individually.
    std::optional<std::vector<SequenceElement>> elementsOf(const Value* sequence) const;

    /// One tensor, counted from the end if `place` is negative; known for some sequences of unknown
    /// length.
    std::optional<SequenceElement> elementAt(const Value* sequence, int64_t place) const;

    /// The node that makes the sequence, or the optional that holds it, before copies.
    static Node* sourceOf(const Value* value);

    /// If every element is one slice of a tensor: the node that makes the sequence. Else null.
    const Node* slicesOf(const Value* sequence) const;

    /// An integer that follows from constants and static shapes.
    std::optional<int64_t> number(const Value* value) const;

private:
    using Elements = std::vector<SequenceElement>;

    std::optional<Elements> change(Elements elements, const Node& node) const;
    std::optional<Elements> partsOf(const Node& split) const;
    std::optional<SequenceElement> partOf(const Node& split, int64_t place) const;

    const Graph& graph_;
    const OpCatalog& catalog_;
};

}  // namespace temper
