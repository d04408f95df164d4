// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/autodiff/trainability.h"
#include "engine/ir/graph.h"
#include "python/src/bindings.h"

namespace temper::python {

/// An input or output.
struct ValueDescription {
    std::string name;
    ValueType type;
};

/// A parameter of a forward model.
struct ParameterDescription {
    ParameterInfo info;
    bool trains = false;  ///< by default, if nothing else is chosen
};

std::vector<ValueDescription> describe(const std::vector<Value*>& values);

}  // namespace temper::python
