// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/op_check.h"

namespace temper::test {

// The operators, versions, shapes, attributes and data of ONNX Runtime's own gradient tests
// (orttraining/test/gradient/gradient_ops_test.cc of version 1.23), its disabled and GPU-only
// cases included. Convolution, pooling, Pad, Resize and the recurrent operators have their own
// tables in the tests of their families.

/// A case, checked with all of its inputs and with each of them left out.
struct ReferenceRow {
    std::string name;
    OpCase opCase;
};

using ReferenceRows = std::vector<ReferenceRow>;

ReferenceRows elementwiseRows();
ReferenceRows productRows();
ReferenceRows reductionRows();
ReferenceRows normalizationRows();
ReferenceRows lossRows();
ReferenceRows movementRows();
ReferenceRows indexingRows();

/// Normal, mean 0, standard deviation 5, as the reference draws its data.
Tensor normalTensor(const Shape& shape, uint64_t seed = 1);
/// The same, shifted by `gap` away from 0.
Tensor awayFromZero(const Shape& shape, uint64_t seed = 1, float gap = 0.2F);

/// "op<attributes>(inputs)" with a list of attributes that may be empty.
inline std::string call(const std::string& op, const std::string& attributes,
                        const std::string& inputs) {
    return "y = " + op + (attributes.empty() ? "" : "<" + attributes + ">") + "(" + inputs + ")";
}

/// "[2, 3]" for names and attributes.
inline std::string listOf(const std::vector<int64_t>& numbers) { return formatShape(numbers); }

}  // namespace temper::test
