// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "engine/runtime/kernel.h"

namespace temper {

// A kernel is compiled for each element type that it is made for; these choose one by a tensor's.

[[noreturn]] inline void failDType(const PrepareContext& context, DType dtype,
                                   const std::string& expected) {
    context.fail(ErrorCode::Unsupported,
                 context.node().opType() + " has no CPU kernel for the element type " +
                     std::string(dtypeName(dtype)) + "; expected " + expected + ".",
                 "Convert the model to float32.");
}

/// Calls `f.template operator()<T>()` with the one of the types whose element type is `dtype`:
/// `visitTypes<float, int64_t>(context, dtype, "float32 or int64", [&]<typename T>() { ... })`.
/// Throws: Error(Unsupported) for other types, which says that `expected` was expected.
template <typename First, typename... Rest, typename F>
decltype(auto) visitTypes(const PrepareContext& context, DType dtype, const char* expected, F&& f) {
    if constexpr (sizeof...(Rest) > 0) {
        if (dtype != kDTypeOf<First>)
            return visitTypes<Rest...>(context, dtype, expected, std::forward<F>(f));
    } else if (dtype != kDTypeOf<First>) {
        failDType(context, dtype, expected);
    }
    return f.template operator()<First>();
}

/// Whether loops over the type have vectorized forms.
template <typename T>
constexpr bool isFloat = std::is_same_v<T, float>;

/// As visitTypes(), with float or double.
template <typename F>
decltype(auto) visitFloating(const PrepareContext& context, DType dtype, F&& f) {
    return visitTypes<float, double>(context, dtype, "float32 or float64", std::forward<F>(f));
}

/// As visitTypes(), with the two types of indices.
template <typename F>
decltype(auto) visitIndex(const PrepareContext& context, DType dtype, F&& f) {
    return visitTypes<int32_t, int64_t>(context, dtype, "int32 or int64", std::forward<F>(f));
}

/// As visitTypes(), with any number that is neither bool nor in half precision or less.
template <typename F>
decltype(auto) visitNumeric(const PrepareContext& context, DType dtype, F&& f) {
    return visitTypes<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                      uint64_t>(context, dtype, "a number of 8 to 64 bits", std::forward<F>(f));
}

}  // namespace temper
