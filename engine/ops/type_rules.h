// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/ir/op_catalog.h"

namespace temper {

// Pieces of type inference that the operator families share. All of them skip inputs whose type is
// not known yet.

/// Accepts an element type, or does not.
using DTypeTest = bool (*)(DType);

bool isNumeric(DType dtype);  ///< integers and floating-point numbers
bool isSignedNumeric(DType dtype);
bool isBool(DType dtype);
bool isIndex(DType dtype);  ///< int32, int64

/// Throws: Error(InvalidInput) naming the node, the input and both types.
void requireDType(const InferenceContext& context, size_t input, DTypeTest accepts,
                  std::string_view expected);
void requireFloating(const InferenceContext& context, size_t input);
/// The element type whose number an attribute holds; `fallback` if it is absent.
/// Throws: Error(InvalidInput) naming the node and the attribute if the number is no element type,
/// or that of strings.
DType dtypeAttribute(const InferenceContext& context, const char* name, DType fallback);
/// Throws: Error(InvalidInput) if the element types of these two inputs are known and differ.
void requireSameDType(const InferenceContext& context, size_t a, size_t b);
/// Throws: Error(InvalidInput) if the rank is known and differs.
void requireRank(const InferenceContext& context, size_t input, int64_t rank);
void requireRankAtLeast(const InferenceContext& context, size_t input, int64_t rank);

/// The element type of a product's results: that of its first input, or what kWideResult says.
DType productDType(const InferenceContext& context);

/// Output 0 has the type of input `input`.
void sameAsInput(InferenceContext& context, size_t input = 0, size_t output = 0);
/// The same as a TypeInference, for a floating-point operator.
TypeInference floatingSameAs(size_t input = 0);

/// Shape of all inputs broadcast together; nullopt if a rank is unknown.
/// Throws: Error(InvalidInput) naming the node if they cannot be broadcast.
std::optional<SymbolicShape> broadcastInputs(const InferenceContext& context);
std::optional<SymbolicShape> broadcastInputs(const InferenceContext& context,
                                             std::initializer_list<size_t> inputs);

/// The axis of a tensor of this rank as [0, rank).
/// Throws: Error(InvalidInput) naming the node if it is out of range.
int64_t requireAxis(const InferenceContext& context, int64_t axis, int64_t rank);
/// The axes, each as [0, rank), in ascending order.
/// Throws: Error(InvalidInput) naming the node if one is out of range or repeated.
std::vector<int64_t> requireAxes(const InferenceContext& context, const std::vector<int64_t>& axes,
                                 int64_t rank);

/// Of two dimensions that must be equal, the one about which more is known.
/// Throws: Error(InvalidInput) saying `what` if they are different numbers.
Dim mergeDims(const InferenceContext& context, const Dim& a, const Dim& b, std::string_view what);

/// Unknown dimensions, `rank` of them.
SymbolicShape unknownDims(size_t rank);
/// The number of elements of a vector input, if it is known.
std::optional<size_t> lengthOf(const InferenceContext& context, size_t input);
/// The shape that a shape tensor describes: exact or symbolic dims if its content is known, unknown
/// ones if only its length is.
std::optional<SymbolicShape> shapeFromInput(const InferenceContext& context, size_t input);
/// Passes the integers of an input on to an output, for operators that do not reorder them.
void passContent(InferenceContext& context, size_t input, size_t output);

}  // namespace temper
