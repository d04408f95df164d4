// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/core/half.h"
#include "engine/core/small_types.h"
#include "engine/core/string_tensor.h"
#include "engine/ops/elementwise/elementwise.h"
#include "engine/ops/map_cpu.h"
#include "engine/runtime/cpu/bfloat16_conversion.h"

namespace temper {
namespace {

// Half-precision numbers as distinct types, so that they convert through float.

struct Half {
    uint16_t bits;
    explicit Half(float number) : bits(halfFromFloat(number)) {}
    explicit operator float() const { return floatFromHalf(bits); }
};

struct BrainFloat : BFloat16 {
    explicit BrainFloat(float number) : BFloat16{bfloat16FromFloat(number)} {}
    explicit operator float() const { return floatFromBFloat16(bits); }
};

template <typename T>
constexpr bool isHalf = std::is_same_v<T, Half> || std::is_same_v<T, BrainFloat>;

/// A number beyond the integers' range, for which C++ leaves a static_cast undefined, becomes what
/// x86 makes of it: the smallest integer of 32 or 64 bits, cut to the type. ONNX Runtime does the
/// same for signed types and those of 8 and 16 bits; for the others it is inconsistent.
template <typename To, typename From>
To integerOf(From x) {
    using Wide =
        std::conditional_t<(sizeof(To) < 4 || std::is_same_v<To, int32_t>), int32_t, int64_t>;
    constexpr auto kEnd = static_cast<From>(uint64_t{1} << std::numeric_limits<Wide>::digits);
    if constexpr (std::is_same_v<To, uint64_t>) {
        if (x >= kEnd && x < 2 * kEnd) return static_cast<To>(x);
    }
    const bool isInside = x > -kEnd - 1 && x < kEnd;
    return static_cast<To>(isInside ? static_cast<Wide>(x) : std::numeric_limits<Wide>::min());
}

template <typename To, typename From>
To converted(From x) {
    if constexpr (std::is_same_v<To, From>) {
        return x;
    } else if constexpr (isHalf<From>) {
        return converted<To>(static_cast<float>(x));
    } else if constexpr (isHalf<To>) {
        return To(static_cast<float>(x));
    } else if constexpr (std::is_same_v<To, bool>) {
        return x != From{0};
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        return integerOf<To>(x);
    } else {
        return static_cast<To>(x);
    }
}

template <typename To, typename From>
void convertAll(const From* x, To* y, int64_t count) {
    if constexpr (std::is_same_v<From, float> && std::is_same_v<To, BrainFloat>) {
        simd::toBFloat16(x, y, count);
    } else if constexpr (std::is_same_v<From, BrainFloat> && std::is_same_v<To, float>) {
        simd::fromBFloat16(x, y, count);
    } else {
        for (int64_t i = 0; i < count; ++i) y[i] = converted<To>(x[i]);
    }
}

template <typename F>
decltype(auto) visitCastType(const PrepareContext& context, DType dtype, F&& f) {
    if (dtype == DType::Float16) return f.template operator()<Half>();
    if (dtype == DType::BFloat16) return f.template operator()<BrainFloat>();
    if (dtype == DType::Bool) return f.template operator()<bool>();
    return visitNumeric(context, dtype, std::forward<F>(f));
}

/// A cast to the same type is a copy, or nothing at all if memory is shared.
std::unique_ptr<Kernel> prepareCopy(const PrepareContext& context) {
    const size_t bytes = context.output(0).byteSize();
    return makeKernel(
        [=](const RunContext& run) {
            const auto* from = run.in<std::byte>(0);
            auto* to = run.out<std::byte>(0);
            if (from != to && bytes > 0) std::memcpy(to, from, bytes);
        },
        {.mayShare = {{0, 0}}});
}

/// "NaN", "INF", "+inf", "-Infinity" in any case.
std::optional<float> namedNumber(std::string_view text) {
    std::string name(text);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (name == "nan") return std::numeric_limits<float>::quiet_NaN();
    const bool isNegative = name.starts_with('-');
    if (isNegative || name.starts_with('+')) name.erase(0, 1);
    if (name != "inf" && name != "infinity") return std::nullopt;
    const float infinity = std::numeric_limits<float>::infinity();
    return isNegative ? -infinity : infinity;
}

/// Throws: Error(InvalidInput) naming a text that is no number of this type.
template <typename T>
T parsedNumber(std::string_view text) {
    if constexpr (std::is_floating_point_v<T>) {
        if (const auto named = namedNumber(text)) return static_cast<T>(*named);
    }
    const bool hasPlus = text.size() > 1 && text[0] == '+' && text[1] != '-';
    const std::string_view digits = text.substr(hasPlus ? 1 : 0);
    T number{};
    const char* const end = digits.data() + digits.size();
    const auto [stop, failure] = std::from_chars(digits.data(), end, number);
    if (failure == std::errc() && stop == end && !digits.empty()) return number;
    throw Error(ErrorCode::InvalidInput, "The text '" + std::string(text) +
                                             "' is not a number of type " +
                                             std::string(dtypeName(kDTypeOf<T>)) + ".");
}

template <typename To>
std::unique_ptr<Kernel> parsingKernel(const PrepareContext& context) {
    const int64_t count = context.output(0).numElements();
    return makeKernel([count](const RunContext& run) {
        const auto* texts = run.in<std::string_view>(0);
        To* numbers = run.out<To>(0);
        for (int64_t i = 0; i < count; ++i) {
            if constexpr (isHalf<To>) {
                numbers[i] = To(parsedNumber<float>(texts[i]));
            } else if constexpr (std::is_same_v<To, bool>) {
                numbers[i] = parsedNumber<int64_t>(texts[i]) != 0;
            } else {
                numbers[i] = parsedNumber<To>(texts[i]);
            }
        }
    });
}

SmallRounding smallRounding(const PrepareContext& context) {
    SmallRounding rounding{.saturates = context.node().attribute<int64_t>("saturate", 1) != 0};
    const auto mode = context.node().attribute<std::string>("round_mode", "up");
    if (mode == "down") rounding.mode = SmallRounding::Mode::Down;
    if (mode == "nearest") rounding.mode = SmallRounding::Mode::Nearest;
    if (mode == "up" || mode == "down" || mode == "nearest") return rounding;
    context.fail(ErrorCode::InvalidInput,
                 "Attribute 'round_mode' is '" + mode + "'; expected 'up', 'down' or 'nearest'.");
}

/// The value of each code of a small type, as a `To`.
template <typename To>
std::vector<To> convertedCodes(DType from) {
    std::vector<To> numbers;
    for (const float number : numbersByCode(from)) {
        numbers.push_back(isSmallInteger(from) ? converted<To>(static_cast<int64_t>(number))
                                               : converted<To>(number));
    }
    return numbers;
}

template <typename To>
std::unique_ptr<Kernel> fromSmallKernel(const PrepareContext& context) {
    const int64_t count = context.output(0).numElements();
    return makeKernel(
        [count, numbers = convertedCodes<To>(context.input(0).dtype)](const RunContext& run) {
            const auto* codes = run.in<uint8_t>(0);
            To* y = run.out<To>(0);
            for (int64_t i = 0; i < count; ++i) y[i] = numbers[codes[i]];
        });
}

template <typename From>
uint8_t smallCode(DType to, From x, const SmallRounding& rounding) {
    if (isSmallFloat(to)) return codeFromFloat(to, converted<float>(x), rounding);
    if constexpr (std::is_integral_v<From>) return codeFromInteger(to, static_cast<int64_t>(x));
    return codeFromReal(to, converted<double>(x));
}

template <typename From>
std::unique_ptr<Kernel> toSmallKernel(const PrepareContext& context) {
    return makeKernel([count = context.output(0).numElements(), to = context.output(0).dtype,
                       rounding = smallRounding(context)](const RunContext& run) {
        const From* x = run.in<From>(0);
        auto* codes = run.out<uint8_t>(0);
        for (int64_t i = 0; i < count; ++i) codes[i] = smallCode(to, x[i], rounding);
    });
}

/// Converts between two small types with a table.
std::unique_ptr<Kernel> betweenSmallKernel(const PrepareContext& context) {
    const DType from = context.input(0).dtype, to = context.output(0).dtype;
    std::vector<uint8_t> codes;
    for (const float number : numbersByCode(from)) {
        codes.push_back(smallCode(to, number, smallRounding(context)));
    }
    return makeKernel([count = context.output(0).numElements(), codes](const RunContext& run) {
        const auto* x = run.in<uint8_t>(0);
        auto* y = run.out<uint8_t>(0);
        for (int64_t i = 0; i < count; ++i) y[i] = codes[x[i]];
    });
}

std::unique_ptr<Kernel> prepareSmallCast(const PrepareContext& context) {
    const DType from = context.input(0).dtype, to = context.output(0).dtype;
    if (isSmall(from) && isSmall(to)) return betweenSmallKernel(context);
    if (isSmall(from)) {
        return visitCastType(context, to,
                             [&]<typename To>() { return fromSmallKernel<To>(context); });
    }
    return visitCastType(context, from,
                         [&]<typename From>() { return toSmallKernel<From>(context); });
}

/// CastLike reads the type of its second input only.
std::unique_ptr<Kernel> prepareCast(const PrepareContext& context) {
    const DType from = context.input(0).dtype;
    const DType to = context.output(0).dtype;
    if (from == to) return prepareCopy(context);
    if (from != DType::String && (isSmall(from) || isSmall(to))) return prepareSmallCast(context);
    if (from == DType::String) {
        return visitCastType(context, to,
                             [&]<typename To>() { return parsingKernel<To>(context); });
    }
    return visitCastType(context, from, [&]<typename From>() {
        return visitCastType(context, to, [&]<typename To>() -> std::unique_ptr<Kernel> {
            return makeElementwise(
                elementwiseForm(context, 1, kMapGrain),
                [](const void* const* inputs, void* output, int64_t count) {
                    // A boolean is a byte, 0 or 1: bytes make for wider loops.
                    using Stored = std::conditional_t<std::is_same_v<From, bool>, uint8_t, From>;
                    convertAll(static_cast<const Stored*>(inputs[0]), static_cast<To*>(output),
                               count);
                },
                {});
        });
    });
}

}  // namespace

void registerCastKernels(KernelRegistry& kernels) {
    kernels.add("", "Cast", prepareCast);
    kernels.add("", "CastLike", prepareCast);
    kernels.add("", "BitCast", prepareCopy);
}

}  // namespace temper
