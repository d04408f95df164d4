// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

/// How a tensor is derived from another without computing: its axes in another order, its numbers
/// in another shape, or some of them repeated.
struct TensorRelation {
    std::vector<int64_t> axes = {};  ///< as Transpose's `perm`; empty: unchanged
    Shape shape = {};                ///< afterwards
};

/// How `copy` is derived from `base`; nothing if its numbers differ.
std::optional<TensorRelation> relationOf(const Tensor& base, const Tensor& copy);

/// Equal for tensors that have a relation, and cheap: type, number of elements, the first and the
/// last one, which stay where they are in any order of the axes. Shapes: at least one element.
std::string relationKey(const Tensor& tensor);

/// A tensor that repeats the numbers of a smaller one.
struct Repetition {
    Tensor base;
    /// Index in `base` for each index of the last two dimensions; empty: it is expanded.
    std::vector<int64_t> places = {};
    bool isFirst = false;  ///< the indices are along the first axis of `base`, not the last
};

/// Along leading dimensions, like a class token for each sample: they have one element in the base.
/// The last dimension is not one of them.
std::optional<Repetition> findExpansion(const Tensor& tensor);

/// The table [(2w - 1)^2, heads] that relative positions in a window of w by w positions select
/// from, in its order; with a class token before them it has three more rows.
/// Shapes: `tensor` is [..., w * w, w * w] with `heads` elements before.
std::optional<Repetition> findRelativePositions(const Tensor& tensor);

/// In the last two dimensions, in any arrangement: `base` has each of their columns once, in the
/// order of first occurrence. Shapes: `tensor` is [..., N, M], `base` [..., number of columns].
std::optional<Repetition> findRepeatedColumns(const Tensor& tensor);

/// Replaces an initializer by the result of nodes on `base`, under its name.
void replaceByRelation(Graph& graph, Value* copy, Value* base, const TensorRelation& relation);
/// The base becomes an initializer. If it gets the name of the copy, the copy's ends in
/// "_by_place".
void replaceByRepetition(Graph& graph, Value* copy, const Repetition& repetition,
                         const std::string& nameOfBase);

}  // namespace temper
