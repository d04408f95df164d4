// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <span>
#include <string>
#include <vector>

#include "capi/include/temper/temper.h"
#include "capi/src/names.h"
#include "engine/core/tensor.h"

namespace temper::capi {

/// Whether arrays of programs may have this element type.
bool isTaken(DType dtype);

/// The array as a tensor over its data; texts are copied. `name` is for messages: "input 'x'".
/// Throws: Error(InvalidInput) for an unknown element type, a negative dimension, missing data, and
/// a size that is not that of the shape.
Tensor tensorFrom(const TemperArray& array, const std::string& name);

/// One tensor for each name. Throws: Error(InvalidInput) for another number.
std::vector<Tensor> tensorsFrom(const TemperArray* arrays, int64_t count,
                                const std::vector<std::string>& names);

/// Tensors that C sees as arrays until it holds others.
class HeldTensors {
public:
    /// Writes an array for each tensor to `arrays`, unless the program wants none (`count` 0).
    /// Throws: Error(InvalidInput) for another count, or if `arrays` is null.
    void hold(std::span<const Tensor> tensors, TemperArray* arrays, int64_t count);

private:
    struct Held {
        Tensor tensor;
        NameList texts;  ///< of a tensor of strings
    };
    static TemperArray viewOf(const Held& held);

    std::list<Held> held_;
};

/// Throws: Error(InvalidInput) unless a program that wants outputs has room for so many.
void requireOutputs(const TemperArray* arrays, int64_t count, size_t outputs);

/// The tensor's memory and shape, which have to outlive the array; not for strings.
TemperArray viewOf(const Tensor& tensor);

}  // namespace temper::capi
