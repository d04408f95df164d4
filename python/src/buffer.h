// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/core/tensor.h"
#include "python/src/bindings.h"

namespace temper::python {

/// The data of an object with the buffer protocol, such as a NumPy array: it is shared, and the
/// tensor keeps the object alive. Nothing if the object has no such protocol, its elements are not
/// contiguous in C order, or their type or byte order is none of the engine's. It takes less time
/// than DLPack.
std::optional<Tensor> tensorOfBuffer(nb::handle object);

}  // namespace temper::python
