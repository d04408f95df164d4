// SPDX-License-Identifier: Apache-2.0
#include "engine/plugins/plugin_types.h"

#include <utility>

#include "engine/core/error.h"

namespace temper {
namespace {

constexpr int64_t kFirstSymbol = TEMPER_UNKNOWN_DIM - 1;

[[noreturn]] void refuse(const std::string& what) {
    throw Error(ErrorCode::InvalidInput, "The plugin returned a type with " + what + ".",
                "This is a bug in the plugin; report it to its author.");
}

bool isForPlugins(DType dtype) {
    return dtype != DType::String && dtype != DType::Complex64 && dtype != DType::Complex128;
}

DType dtypeOf(const TemperType& type) {
    const auto dtype = static_cast<DType>(type.dtype);
    const bool isKnown = type.dtype >= 0 && type.dtype <= static_cast<int32_t>(DType::BFloat16);
    if (!isKnown || !isForPlugins(dtype)) refuse("the element type " + std::to_string(type.dtype));
    return dtype;
}

void requireRank(const TemperType& type) {
    if (type.rank < -1 || type.rank > TEMPER_MAX_RANK)
        refuse("the rank " + std::to_string(type.rank));
}

}  // namespace

TemperType PluginTypes::toPlugin(const ValueType& type) {
    TemperType result{static_cast<int32_t>(type.dtype), -1, {}};
    if (!type.isTensor() || !isForPlugins(type.dtype)) return {0, -1, {}};
    if (!type.shape || type.shape->size() > TEMPER_MAX_RANK) return result;
    result.rank = static_cast<int32_t>(type.shape->size());
    for (size_t i = 0; i < type.shape->size(); ++i) {
        const Dim& dim = (*type.shape)[i];
        int64_t number = dim.value;
        if (dim.isUnknown()) {
            number = TEMPER_UNKNOWN_DIM;
        } else if (dim.isSymbol()) {
            const auto next = kFirstSymbol - static_cast<int64_t>(symbols_.size());
            const auto [found, isNew] = numbers_.emplace(dim.symbol, next);
            if (isNew) symbols_.push_back(dim.symbol);
            number = found->second;
        }
        result.dims[i] = number;
    }
    return result;
}

ValueType PluginTypes::fromPlugin(const TemperType& type) const {
    ValueType result;
    result.dtype = dtypeOf(type);
    requireRank(type);
    if (type.rank < 0) return result;
    result.shape.emplace();
    for (int32_t i = 0; i < type.rank; ++i) {
        const int64_t number = type.dims[i];
        if (number >= 0) {
            result.shape->push_back(Dim::of(number));
        } else if (number == TEMPER_UNKNOWN_DIM) {
            result.shape->push_back(Dim::unknown());
        } else if (const auto at = static_cast<uint64_t>(kFirstSymbol - number);
                   at < symbols_.size()) {
            result.shape->push_back(Dim::named(symbols_[at]));
        } else {
            refuse("the dimension " + std::to_string(number));
        }
    }
    return result;
}

TemperType pluginType(DType dtype, const Shape& shape) {
    if (!isForPlugins(dtype)) {
        throw Error(ErrorCode::Unsupported, "A tensor of " + std::string(dtypeName(dtype)) +
                                                " can't be passed to a plugin.");
    }
    if (shape.size() > TEMPER_MAX_RANK) {
        throw Error(ErrorCode::Unsupported,
                    "A tensor of rank " + std::to_string(shape.size()) +
                        " can't be passed to a plugin; plugins take at most " +
                        std::to_string(TEMPER_MAX_RANK) + ".");
    }
    TemperType result{static_cast<int32_t>(dtype), static_cast<int32_t>(shape.size()), {}};
    for (size_t i = 0; i < shape.size(); ++i) result.dims[i] = shape[i];
    return result;
}

TensorType concreteType(const TemperType& type) {
    requireRank(type);
    TensorType result{dtypeOf(type), {}};
    if (result.dtype == DType::Undefined || type.rank < 0)
        refuse("an unknown element type or rank");
    for (int32_t i = 0; i < type.rank; ++i) {
        if (type.dims[i] < 0) refuse("the dimension " + std::to_string(type.dims[i]));
        result.shape.push_back(type.dims[i]);
    }
    return result;
}

}  // namespace temper
