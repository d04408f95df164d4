// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <type_traits>

#include "engine/ops/bitwise/bitwise.h"
#include "engine/ops/map_cpu.h"

namespace temper {
namespace {

/// Calls f with the C++ type of an integer.
template <typename F>
std::unique_ptr<Kernel> visitInteger(const PrepareContext& context, F&& f) {
    const DType dtype = context.input(0).dtype;
    return visitNumeric(context, dtype, [&]<typename T>() -> std::unique_ptr<Kernel> {
        if constexpr (std::is_integral_v<T>) {
            return f.template operator()<T>();
        } else {
            failDType(context, dtype, "an integer");
        }
    });
}

template <typename F>
KernelFactory integerPair(F f) {
    return [f](const PrepareContext& context) {
        context.requireDType(1, context.input(0).dtype);
        return visitInteger(context,
                            [&]<typename T>() { return binaryKernel<T, T, T>(context, f); });
    };
}

/// Bits that are shifted out are lost; a shift by the width or more, or by a negative count, leaves
/// only the sign. Shifts to the right fill with the sign.
template <typename T>
T shifted(T x, T bits, bool isLeft) {
    using Unsigned = std::make_unsigned_t<T>;
    constexpr auto kWidth = static_cast<Unsigned>(8 * sizeof(T));
    const bool isWithin = static_cast<Unsigned>(bits) < kWidth;  // negative counts become large
    if (isLeft) return isWithin ? static_cast<T>(static_cast<Unsigned>(x) << bits) : T{0};
    if (isWithin) return static_cast<T>(x >> bits);
    return std::is_signed_v<T> && x < 0 ? static_cast<T>(-1) : T{0};
}

std::unique_ptr<Kernel> prepareShift(const PrepareContext& context) {
    const bool isLeft = context.node().attribute<std::string>("direction", "") == "LEFT";
    return integerPair([isLeft](auto x, auto bits) { return shifted(x, bits, isLeft); })(context);
}

std::unique_ptr<Kernel> prepareNot(const PrepareContext& context) {
    return visitInteger(context, [&]<typename T>() {
        return unaryKernel<T>(context, [](T x) { return static_cast<T>(~x); });
    });
}

}  // namespace

void addBitwiseKernels(KernelRegistry& kernels) {
    kernels.add("", "BitShift", prepareShift);
    kernels.add("", "BitwiseAnd", integerPair(std::bit_and<>()));
    kernels.add("", "BitwiseOr", integerPair(std::bit_or<>()));
    kernels.add("", "BitwiseXor", integerPair(std::bit_xor<>()));
    kernels.add("", "BitwiseNot", prepareNot);
}

}  // namespace temper
