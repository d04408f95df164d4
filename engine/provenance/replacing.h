// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

/// An initializer for a shape or indices.
Value* addWholeNumbers(Graph& graph, const std::string& stem, const std::vector<int64_t>& numbers,
                       Shape shape);

/// Nodes after a value; the last one gets the name and the readers of the initializer.
class Replacing {
public:
    Replacing(Graph& graph, Value* replaced);

    Value* add(const std::string& op, std::vector<Value*> inputs, Attributes attributes = {});
    Value* reshape(Value* value, const Shape& shape);
    void finish(Value* made);

private:
    Graph& graph_;
    Value* replaced_;
    std::string name_;
};

}  // namespace temper
