// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/dim_product.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "engine/core/joined.h"

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

/// "a+b" in parentheses, from a product with other factors.
bool isParenthesized(const std::string& text) {
    return text.size() > 2 && text.front() == '(' && text.find(')') == text.size() - 1;
}

bool isFactor(const std::string& text) { return isIdentifier(text) || isParenthesized(text); }

std::vector<std::string> splitAtStars(const std::string& text) {
    std::vector<std::string> parts(1);
    int depth = 0;
    for (const char c : text) {
        depth += (c == '(' ? 1 : 0) - (c == ')' ? 1 : 0);
        if (c == '*' && depth == 0) {
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
    // Anything but a plain product, e.g. a sum, is one opaque factor.
    if (!std::all_of(factors.begin(), factors.end(), isFactor)) factors = {symbol};
    for (std::string& factor : factors) {
        if (isParenthesized(factor)) factor = factor.substr(1, factor.size() - 2);
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
    const std::string number = coefficient_ == 1 ? "" : std::to_string(coefficient_) + "*";
    if (number.empty() && symbols_.size() == 1) return Dim::named(symbols_.front());
    const auto text = [](const std::string& symbol) {
        return isIdentifier(symbol) ? symbol : "(" + symbol + ")";
    };
    return Dim::named(number + joinedBy("*", symbols_, text));
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
