// SPDX-License-Identifier: Apache-2.0
#include "python/src/result_array.h"

#include <utility>

#include "python/src/arrays.h"

namespace temper::python {

nb::object ResultArray::of(const Tensor& result) {
    if (result.numElements() != 1 || result.dtype() == DType::String) return viewOf(result);
    if (kept_.dtype() == result.dtype() && kept_.shape() == result.shape()) {
        kept_.assign(result);
    } else {
        Tensor made = result.clone();
        copy_ = viewOf(made).attr("copy");
        kept_ = std::move(made);
    }
    return copy_();
}

}  // namespace temper::python
