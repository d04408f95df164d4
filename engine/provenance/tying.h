// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/provenance/sharing.h"
#include "engine/provenance/tensor_relation.h"

namespace temper {

/// How it is known that tensors are copies of one parameter.
enum class TieReason {
    Exporter,  ///< from its metadata
    Choice,    ///< of the user: SharingChoices::tie
    Numbers,   ///< and use, without metadata
};

/// A parameter, and the tensors that are now computed from it.
struct TiedTensor {
    std::string tensor;
    std::vector<std::string> copies;  ///< empty: itself, a table of relative positions by place
    TieReason reason = TieReason::Exporter;
};

/// Exporters write a parameter several times if nodes need it in several forms: an embedding and
/// its transpose for the head, a class token for each sample, a table of relative positions by
/// position. One of these tensors stays, and nodes make the others from it (Transpose, Reshape,
/// Expand, Gather), so that their gradients add up. The exporter's metadata and the user's choices
/// decide which tensors are one parameter. Without metadata, an operand of a product with all
/// numbers of a table that rows are looked up in is a copy of it, and what findSpreadTables() finds
/// is a copy of a smaller table.
std::vector<TiedTensor> tieCopies(Graph& model, const OpCatalog& catalog,
                                  const SharingChoices& choices);

/// How a tensor that the exporter made repeats the numbers of its parameter; nothing if it does
/// not.
std::optional<Repetition> repetitionOf(const Value& tensor, const std::string& parameter);

/// Initializers of some size that are equal, or transposes of each other, and that the exporter's
/// metadata does not explain: without metadata they may be copies of one parameter.
std::vector<TiedTensor> findEqualTensors(const Graph& model);

/// A table of relative positions by position, as its numbers suggest.
struct SpreadTable {
    std::string tensor;
    int64_t places = 0;   ///< in the window
    int64_t numbers = 0;  ///< of the table, for each head
};

/// Those that the exporter's metadata does not explain.
std::vector<SpreadTable> findSpreadTables(const Graph& model);

}  // namespace temper
