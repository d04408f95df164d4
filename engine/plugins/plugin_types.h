// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/ir/type.h"
#include "engine/plugins/plugin.h"
#include "engine/runtime/kernel.h"

namespace temper {

/// Converts types between Temper and a plugin's function, for one call: symbols of dimensions
/// become numbers.
class PluginTypes {
public:
    /// What a plugin's type can't express (strings, sequences, a rank above TEMPER_MAX_RANK) is
    /// unknown.
    TemperType toPlugin(const ValueType& type);
    /// Throws: Error(InvalidInput) for an invalid type.
    ValueType fromPlugin(const TemperType& type) const;

private:
    std::map<std::string, int64_t> numbers_;
    std::vector<std::string> symbols_;
};

/// Throws: Error(Unsupported) for a rank above TEMPER_MAX_RANK, strings and complex numbers.
TemperType pluginType(DType dtype, const Shape& shape);

/// Throws: Error(InvalidInput) if something is unknown, or not a type.
TensorType concreteType(const TemperType& type);

}  // namespace temper
