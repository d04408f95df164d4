// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

/// Whether a letter is one of `letters`.
inline bool contains(const std::string& letters, char letter) {
    return letters.find(letter) != std::string::npos;
}

/// A parsed equation of Einsum: one letter for each dimension. The dimensions of "..." have their
/// own letters.
struct EinsumEquation {
    std::vector<std::string> operands;
    std::string output;

    /// Parses the equation of a node whose inputs have these ranks.
    /// Throws: Error(InvalidInput) naming the term that does not fit.
    /// Source: ONNX, operator Einsum; NumPy, numpy.einsum.
    static EinsumEquation parse(const Node& node, const std::vector<size_t>& ranks);

    /// "ij,jk->ik"
    std::string text() const;
};

}  // namespace temper
