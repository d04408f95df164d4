// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/core/tensor.h"
#include "python/src/bindings.h"

namespace temper::python {

/// Makes the NumPy arrays of one result of a step. An array of one element, such as a loss, is
/// copied from one that is kept: this takes less time than wrapping memory.
/// Thread: the caller has to avoid calls at the same time.
class ResultArray {
public:
    /// A new array, the caller's own. Throws: as viewOf().
    nb::object of(const Tensor& result);

private:
    Tensor kept_;      ///< the memory of the kept array
    nb::object copy_;  ///< its method
};

}  // namespace temper::python
