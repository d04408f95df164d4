// SPDX-License-Identifier: Apache-2.0
#include "python/src/step_outputs.h"

#include <cstring>
#include <utility>

#include "python/src/arrays.h"
#include "python/src/buffer.h"

namespace temper::python {
namespace {

constexpr size_t kMadeAtOnce = 16;

bool isNumber(const Tensor& result) {
    return result.numElements() == 1 && result.dtype() != DType::String;
}

}  // namespace

StepOutputs::StepOutputs(nb::object type, const std::vector<std::string>& names)
    : type_(std::move(type)) {
    for (const std::string& name : names) names_.emplace_back(name.data(), name.size());
}

nb::object StepOutputs::of(const std::vector<Tensor>& results) {
    if (made_.empty()) makeAhead(results);
    const Mapping mapping = std::move(made_.back());
    made_.pop_back();
    for (size_t i = 0; i < names_.size(); ++i) {
        const auto& [data, dtype, rank] = mapping.numbers[i];
        const bool fits = data != nullptr && results[i].numElements() == 1 &&
                          dtype == results[i].dtype() && rank == results[i].rank();
        if (fits) {
            std::memcpy(data, results[i].data(), results[i].byteSize());
        } else {
            mapping.object[names_[i]] = viewOf(results[i]);
        }
    }
    return mapping.object;
}

void StepOutputs::makeAhead(const std::vector<Tensor>& results) {
    std::vector<Mapping> made(kMadeAtOnce);
    for (auto& [mapping, numbers] : made) {
        mapping = type_();
        for (size_t i = 0; i < names_.size(); ++i) {
            nb::object array = nb::none();  // keeps the place in the order
            void* data = nullptr;
            if (isNumber(results[i])) {
                array = viewOf(results[i]).attr("copy")();
                data = tensorOfBuffer(array).value().mutableData();
            }
            mapping[names_[i]] = array;
            numbers.push_back({data, results[i].dtype(), results[i].rank()});
        }
    }
    made_ = std::move(made);  // another thread of Python may have come here, too
}

}  // namespace temper::python
