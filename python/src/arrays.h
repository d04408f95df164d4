// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/core/tensor.h"
#include "python/src/bindings.h"

namespace temper::python {

/// The data of an array (NumPy, or anything with `__dlpack__` or the buffer protocol, in the memory
/// of the processor). It is shared if it is contiguous in C order and in the byte order of this
/// machine, otherwise copied; the tensor keeps the array alive. Arrays of texts (str, bytes,
/// object) are copied. `name` is for messages: "input 'x'". Throws: ArgumentTypeError for anything
/// else.
Tensor tensorFrom(nb::handle array, const std::string& name);

/// One tensor for each name of an input. Throws: Error(InvalidInput) for another number of arrays;
/// or as tensorFrom().
std::vector<Tensor> tensorsFrom(const std::vector<nb::object>& arrays,
                                const std::vector<std::string>& names);

/// A NumPy array over the tensor's memory, which it keeps alive; for texts, a copy of type object.
/// Throws: Error(Unsupported) for an element type that NumPy does not have.
nb::object viewOf(const Tensor& tensor);
/// Arrays for several.
nb::list viewsOf(const std::vector<Tensor>& tensors);

}  // namespace temper::python
