// SPDX-License-Identifier: Apache-2.0
#include "capi/src/arrays.h"

#include <algorithm>
#include <array>
#include <utility>

#include "capi/src/arguments.h"
#include "engine/core/counted.h"
#include "engine/core/joined.h"
#include "engine/core/string_tensor.h"

namespace temper::capi {
namespace {

constexpr std::array kTakenTypes = {DType::Float32, DType::UInt8,   DType::Int8,    DType::UInt16,
                                    DType::Int16,   DType::Int32,   DType::Int64,   DType::String,
                                    DType::Bool,    DType::Float16, DType::Float64, DType::UInt32,
                                    DType::UInt64,  DType::BFloat16};

DType dtypeFrom(int32_t number, const std::string& name) {
    const auto dtype = static_cast<DType>(number);
    if (isTaken(dtype)) return dtype;
    throw Error(ErrorCode::InvalidInput,
                "The array for " + name + " has the element type " + std::to_string(number) +
                    ", which is not one of TEMPER_DTYPE_...",
                "Convert it to a type such as TEMPER_DTYPE_FLOAT32.");
}

Shape shapeFrom(const TemperArray& array, const std::string& name) {
    if (array.rank < 0 || (array.rank > 0 && array.shape == nullptr)) {
        throw Error(ErrorCode::InvalidInput,
                    "The array for " + name + " has the rank " + std::to_string(array.rank) +
                        (array.rank < 0 ? "; expected 0 or more." : " and no shape."));
    }
    return Shape(array.shape, array.shape + array.rank);
}

/// Throws: Error(InvalidInput) unless the data is that of the shape.
void requireSize(const TemperArray& array, DType dtype, const Shape& shape,
                 const std::string& name) {
    const int64_t count = numElements(shape);
    const auto size =
        static_cast<int64_t>(dtype == DType::String ? sizeof(char*) : dtypeSize(dtype));
    const bool fits = array.byte_size % size == 0 && array.byte_size / size == count;
    if (!fits) {
        throw Error(ErrorCode::InvalidInput,
                    "The array for " + name + " has " + std::to_string(array.byte_size) +
                        " bytes; expected " + counted(static_cast<size_t>(count), "element") +
                        " of " + std::to_string(size) + " for " + std::string(dtypeName(dtype)) +
                        formatShape(shape) + ".");
    }
    if (array.data == nullptr && count > 0)
        throw Error(ErrorCode::InvalidInput, "The array for " + name + " has no data.");
}

Tensor textsFrom(const TemperArray& array, Shape shape, const std::string& name) {
    const auto* const* texts = static_cast<const char* const*>(array.data);
    const std::string what = "a text of " + name;
    const std::vector<std::string> values = namesOf(texts, numElements(shape), what.c_str());
    return stringTensor(std::move(shape), std::span<const std::string>(values));
}

}  // namespace

bool isTaken(DType dtype) { return std::ranges::find(kTakenTypes, dtype) != kTakenTypes.end(); }

Tensor tensorFrom(const TemperArray& array, const std::string& name) {
    const DType dtype = dtypeFrom(array.dtype, name);
    Shape shape = shapeFrom(array, name);
    requireSize(array, dtype, shape, name);
    if (dtype == DType::String) return textsFrom(array, std::move(shape), name);
    if (numElements(shape) == 0) return Tensor(dtype, std::move(shape));
    return Tensor::wrap(dtype, std::move(shape), nullptr, array.data);
}

std::vector<Tensor> tensorsFrom(const TemperArray* arrays, int64_t count,
                                const std::vector<std::string>& names) {
    if (count != static_cast<int64_t>(names.size())) {
        throw Error(ErrorCode::InvalidInput,
                    "The model takes " + counted(names.size(), "input") + " (" + joined(names) +
                        "); found " + std::to_string(count) + ".",
                    "Pass one array for each.");
    }
    if (count > 0) required(arrays, "inputs");
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < names.size(); ++i)
        tensors.push_back(tensorFrom(arrays[i], "input '" + names[i] + "'"));
    return tensors;
}

void requireOutputs(const TemperArray* arrays, int64_t count, size_t outputs) {
    if (count == 0) return;
    if (count != static_cast<int64_t>(outputs)) {
        throw Error(ErrorCode::InvalidInput, "The number of outputs is " + std::to_string(count) +
                                                 "; expected " + std::to_string(outputs) +
                                                 ", or 0 for none.");
    }
    required(arrays, "outputs");
}

TemperArray viewOf(const Tensor& tensor) {
    return {tensor.address(), static_cast<int64_t>(tensor.byteSize()), tensor.shape().data(),
            tensor.rank(),    static_cast<int32_t>(tensor.dtype()),    0};
}

TemperArray HeldTensors::viewOf(const Held& held) {
    TemperArray view = capi::viewOf(held.tensor);
    if (held.tensor.dtype() != DType::String) return view;
    const TemperNames texts = held.texts.view();
    view.data = const_cast<char**>(reinterpret_cast<const char* const*>(texts.names));
    view.byte_size = texts.count * static_cast<int64_t>(sizeof(char*));
    return view;
}

void HeldTensors::hold(std::span<const Tensor> tensors, TemperArray* arrays, int64_t count) {
    requireOutputs(arrays, count, tensors.size());
    std::list<Held> held;
    for (const Tensor& tensor : tensors) {
        std::vector<std::string> texts;
        if (tensor.dtype() == DType::String) {
            for (const std::string_view text : tensor.values<std::string_view>())
                texts.emplace_back(text);
        }
        held.push_back({tensor, NameList(std::move(texts))});
    }
    held_ = std::move(held);
    if (count == 0) return;
    for (const Held& each : held_) *arrays++ = viewOf(each);
}

}  // namespace temper::capi
