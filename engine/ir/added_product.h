// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

// Name of an operator in plans: the pass sum-products writes it, engine/ops/matmul has its types
// and its kernel. It does not occur in files.
namespace temper::added_product {

inline constexpr std::string_view kDomain = "temper";

/// y = AddedProduct(a, b, c), with the attributes of com.microsoft.FusedMatMul:
/// y = c + alpha op(a) op(b); c has the shape of y.
inline constexpr std::string_view kName = "AddedProduct";
inline constexpr size_t kAdded = 2;  ///< the input c

}  // namespace temper::added_product
