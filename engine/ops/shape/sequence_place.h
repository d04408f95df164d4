// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace temper {

/// The place of a sequence that a position means: counted from the end if it is negative. `places`
/// is how many there are: as many as tensors, and for an insertion one more.
/// Throws: Error(InvalidInput) if the position is outside, or not one number.
size_t placeInSequence(const std::vector<int64_t>& position, size_t length, size_t places);

/// The lengths of the parts that SplitToSequence makes of `dim` elements; `split` are the integers
/// of its second input, `isList` if these are the lengths.
/// Throws: Error(InvalidInput) if they do not add up to `dim`.
/// Source: ONNX, docs/Operators.md, SplitToSequence.
std::vector<int64_t> partLengths(int64_t dim, const std::vector<int64_t>& split, bool isList);

}  // namespace temper
