// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/dim_product.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace temper {
namespace {

bool isIdentifier(const std::string& text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '.';
    });
}

bool isDecimal(const std::string& text) {
    return !text.empty() && text.size() < 19 &&
           std::all_of(text.begin(), text.end(),
                       [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::vector<std::string> splitAtStars(const std::string& text) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == '*') {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

}  // namespace

void DimProduct::multiply(const Dim& dim) {
    if (dim.isUnknown()) {
        isKnown_ = false;
    } else if (dim.isNumber()) {
        if (__builtin_mul_overflow(coefficient_, dim.value, &coefficient_)) isKnown_ = false;
    } else {
        multiplySymbol(dim.symbol);
    }
}

void DimProduct::multiplySymbol(const std::string& symbol) {
    std::vector<std::string> factors = splitAtStars(symbol);
    // Anything but a plain product (a sum, parentheses) is one opaque factor.
    if (!std::all_of(factors.begin(), factors.end(), isIdentifier)) factors = {symbol};
    for (std::string& factor : factors) {
        if (isDecimal(factor)) {
            multiply(Dim::of(std::stoll(factor)));
        } else {
            symbols_.insert(std::upper_bound(symbols_.begin(), symbols_.end(), factor), factor);
        }
    }
}

Dim DimProduct::toDim() const {
    if (!isKnown_) return Dim::unknown();
    if (isNumber()) return Dim::of(coefficient_);
    std::string text = coefficient_ == 1 ? "" : std::to_string(coefficient_) + "*";
    for (size_t i = 0; i < symbols_.size(); ++i) text += (i == 0 ? "" : "*") + symbols_[i];
    return Dim::named(text);
}

std::optional<DimProduct> DimProduct::dividedBy(const DimProduct& divisor) const {
    if (!isKnown_ || !divisor.isKnown_ || divisor.coefficient_ == 0) return std::nullopt;
    if (coefficient_ % divisor.coefficient_ != 0) return std::nullopt;
    if (!std::includes(symbols_.begin(), symbols_.end(), divisor.symbols_.begin(),
                       divisor.symbols_.end())) {
        return std::nullopt;
    }
    DimProduct result;
    result.coefficient_ = coefficient_ / divisor.coefficient_;
    std::set_difference(symbols_.begin(), symbols_.end(), divisor.symbols_.begin(),
                        divisor.symbols_.end(), std::back_inserter(result.symbols_));
    return result;
}

}  // namespace temper
