// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonArray>
#include <QJsonObject>

#include "engine/core/tensor.h"

namespace temper::test {

/// The float32 tensor of a golden file's entry {"shape": [...], "values": [...]}.
inline Tensor goldenTensor(const QJsonObject& entry) {
    Shape shape;
    for (const auto size : entry["shape"].toArray()) shape.push_back(size.toInteger());
    std::vector<float> values;
    for (const auto value : entry["values"].toArray())
        values.push_back(static_cast<float>(value.toDouble()));
    return Tensor::of<float>(shape, std::span<const float>(values));
}

}  // namespace temper::test
