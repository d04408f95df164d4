// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/ir/type.h"

namespace temper {

/// A product of dimensions, some of them symbols: "2*batch*seq". Its spelling does not depend on
/// the order of the factors, so that equal products have equal symbols.
class DimProduct {
public:
    DimProduct() = default;
    explicit DimProduct(std::span<const Dim> dims) {
        for (const Dim& dim : dims) multiply(dim);
    }

    void multiply(const Dim& dim);

    /// Every factor is a number or a symbol.
    bool isKnown() const { return isKnown_; }
    bool isNumber() const { return isKnown_ && (symbols_.empty() || coefficient_ == 0); }
    /// The product of the factors that are numbers.
    int64_t coefficient() const { return coefficient_; }

    /// The product as one dimension.
    Dim toDim() const;

    /// This product without the factors of `divisor`; absent if that is not a product of known
    /// factors (an unknown one, a remainder, a division by 0).
    std::optional<DimProduct> dividedBy(const DimProduct& divisor) const;

private:
    void multiplySymbol(const std::string& symbol);

    bool isKnown_ = true;
    int64_t coefficient_ = 1;
    std::vector<std::string> symbols_;  // sorted
};

}  // namespace temper
