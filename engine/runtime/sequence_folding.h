// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// Replaces operators on sequences and optionals by operators on tensors, if it is known which
/// tensors these hold: an element of a sequence is that tensor or a slice of what was split, an
/// element at a position that the data decide is taken from the stack of all elements, which have
/// one shape; ConcatFromSequence is a Concat; a SequenceMap is a copy of its body for each tensor;
/// lengths and whether an optional holds something are constants. The numbers are the same to the
/// bit; the outputs keep their names. Types have to be inferred; those of new values are not.
/// Returns: whether anything was replaced.
/// Source: ONNX, docs/Operators.md, the operators of sequences and optionals.
bool foldSequences(Graph& graph, const OpCatalog& catalog);

/// Why foldSequences() leaves this reader of a sequence unchanged ("it is not known which tensors
/// the sequence holds"); absent if it replaces it, and for other nodes.
std::optional<std::string> whyNotFolded(const Graph& graph, const Node& reader,
                                        const OpCatalog& catalog);

/// Replaces one reader of a sequence. Returns: whether that was possible.
bool foldSequenceReader(Graph& graph, Node* reader, const OpCatalog& catalog);

/// Whether the operator reads or makes sequences or optionals.
bool isOfSequences(const Node& node);

}  // namespace temper
