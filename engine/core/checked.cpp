// SPDX-License-Identifier: Apache-2.0
#include "engine/core/checked.h"

#include <string>

#include "engine/core/error.h"

namespace temper {
namespace {

[[noreturn]] void throwTooLarge(const char* what, int64_t a, int64_t b) {
    throw Error(ErrorCode::InvalidInput,
                std::string("The ") + what + " of " + std::to_string(a) + " and " +
                    std::to_string(b) + " does not fit into 64 bits.",
                "Check the sizes and attributes in the model.");
}

}  // namespace

int64_t checkedSum(int64_t a, int64_t b) {
    int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) throwTooLarge("sum", a, b);
    return sum;
}

int64_t checkedProduct(int64_t a, int64_t b) {
    int64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) throwTooLarge("product", a, b);
    return product;
}

}  // namespace temper
