// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/core/tensor.h"

namespace temper {

/// The elements of a tensor of strings are views of characters that the owner of the tensor keeps.
/// Kernels move them like numbers of 16 bytes; clone what must outlive its source: Tensor::clone()
/// copies the characters too.
template <>
struct DTypeOf<std::string_view> {
    static constexpr DType value = DType::String;
};

/// A tensor that owns its characters.
Tensor stringTensor(Shape shape, std::span<const std::string_view> texts);
Tensor stringTensor(Shape shape, std::span<const std::string> texts);

}  // namespace temper
