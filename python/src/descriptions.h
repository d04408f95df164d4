// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/ir/graph.h"
#include "engine/training/artifacts/model_findings.h"
#include "python/src/bindings.h"

namespace temper::python {

/// An input or output.
struct ValueDescription {
    std::string name;
    ValueType type;
};

std::vector<ValueDescription> describe(const std::vector<Value*>& values);

}  // namespace temper::python
