// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/core/tensor.h"
#include "python/src/bindings.h"

namespace temper::python {

/// The data of an object with the buffer protocol, such as a NumPy array: shared, and the tensor
/// keeps the object alive. Nothing if it has no such protocol, another order than C's, or elements
/// that the protocol has no letter for. It takes less time than DLPack.
std::optional<Tensor> tensorOfBuffer(nb::handle object);

}  // namespace temper::python
