// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/core/tensor.h"
#include "python/src/bindings.h"

namespace temper::python {

/// Makes what steps return: the results by name. A mapping and its arrays of one element, such as
/// a loss, are made ahead, several at once: the code of Python and NumPy that makes them is no
/// longer in the processor's caches after a step, and reading it from memory takes longer than
/// running it.
/// Thread: the caller has to avoid calls at the same time.
class StepOutputs {
public:
    /// `type` makes an empty mapping. The names are those of the results, in their order.
    StepOutputs(nb::object type, const std::vector<std::string>& names);

    /// A new mapping with new arrays, the caller's own. Throws: as viewOf().
    nb::object of(const std::vector<Tensor>& results);

private:
    /// An array of one element.
    struct Number {
        void* data;  ///< null if the array is made when it is needed
        DType dtype;
        int64_t rank;
    };
    struct Mapping {
        nb::object object;
        std::vector<Number> numbers;  ///< in the order of the names
    };

    void makeAhead(const std::vector<Tensor>& results);

    nb::object type_;
    std::vector<nb::str> names_;
    std::vector<Mapping> made_;  ///< used from the end
};

}  // namespace temper::python
