// SPDX-License-Identifier: Apache-2.0
#include "engine/ort/fbs_tensor.h"

#include <algorithm>

#include "engine/core/counted.h"
#include "engine/core/string_tensor.h"

namespace temper {
namespace {

size_t byteSize(DType dtype, const Shape& shape) {
    const int64_t count = numElements(shape);
    int64_t bytes = 0;
    if (__builtin_mul_overflow(count, static_cast<int64_t>(dtypeSize(dtype)), &bytes)) {
        throwDamaged("The shape " + formatShape(shape) + " is larger than 2^63 bytes.");
    }
    return static_cast<size_t>(bytes);
}

void take(size_t& left, size_t bytes) {
    if (bytes > left) throwDamaged("The tensor shares its data with another one.");
    left -= bytes;
}

Tensor copy(DType dtype, const Shape& shape, FbsBytes source) {
    Tensor tensor(dtype, shape);
    if (!source.empty()) std::memcpy(tensor.mutableData(), source.data(), source.size());
    if (dtype == DType::Bool) {
        // Reading a C++ bool that is neither 0 nor 1 is undefined behaviour.
        for (std::byte& value : std::span(tensor.mutableData(), source.size())) {
            value = value == std::byte{0} ? std::byte{0} : std::byte{1};
        }
    }
    return tensor;
}

}  // namespace

void throwDamaged(const std::string& message) {
    throw Error(ErrorCode::InvalidInput, message,
                "The file is damaged or was not written by ONNX Runtime or Temper; use another "
                "copy or generate it again.");
}

NamedTensor FbsTensorReader::read(const fbs::Tensor& tensor, bool nominal) {
    std::string name = required(tensor.name(), "A tensor has no name.").str();
    return withContext("tensor '" + name + "'", [&] {
        return NamedTensor{name, readData(tensor, nominal)};
    });
}

Tensor FbsTensorReader::readData(const fbs::Tensor& tensor, bool nominal) {
    const Shape shape = numbersOf(&required(tensor.dims(), "The tensor has no dimensions."));
    const DType dtype = readDType(tensor);
    const auto* raw = tensor.raw_data();
    if (nominal && raw != nullptr && raw->size() == 0 && shape.empty()) return {dtype, shape};
    if (dtype == DType::String) return readTexts(tensor, shape);
    if (raw == nullptr) return readExternal(tensor, dtype, shape);
    return copy(dtype, shape, inlineBytes(*raw, byteSize(dtype, shape), shape));
}

Tensor FbsTensorReader::readExternal(const fbs::Tensor& tensor, DType dtype, const Shape& shape) {
    const FbsBytes source = externalBytes(tensor, byteSize(dtype, shape));
    const bool isAligned =
        reinterpret_cast<uintptr_t>(source.data()) % std::max<size_t>(dtypeSize(dtype), 1) == 0;
    if (!isAligned || dtype == DType::Bool || source.empty()) return copy(dtype, shape, source);
    // Mapped files are private copies: writing is safe.
    return Tensor::wrap(dtype, shape, external_->owner, const_cast<std::byte*>(source.data()));
}

Tensor FbsTensorReader::readTexts(const fbs::Tensor& tensor, const Shape& shape) {
    const auto& strings = required(tensor.string_data(), "The string tensor has no strings.");
    if (static_cast<int64_t>(strings.size()) != numElements(shape)) {
        throwDamaged("The tensor has " + counted(strings.size(), "string") + "; shape " +
                     formatShape(shape) + " needs " + std::to_string(numElements(shape)) + ".");
    }
    std::vector<std::string_view> texts;
    for (const flatbuffers::String* text : strings) {
        texts.push_back(required(text, "A string of the tensor is missing.").string_view());
        take(inlineLeft_, texts.back().size());
    }
    return stringTensor(shape, std::span<const std::string_view>(texts));
}

DType FbsTensorReader::readDType(const fbs::Tensor& tensor) const {
    const auto dtype = static_cast<DType>(tensor.data_type());
    if (types_.holds(dtype)) return dtype;
    throw Error(ErrorCode::Unsupported,
                "The tensor has element type " + std::to_string(static_cast<int>(dtype)) + " (" +
                    std::string(dtypeName(dtype)) + "); expected " + types_.expected + ".",
                types_.hint);
}

FbsBytes FbsTensorReader::inlineBytes(const flatbuffers::Vector<uint8_t>& raw, size_t needed,
                                      const Shape& shape) {
    if (raw.size() != needed) {
        throwDamaged("The tensor has " + counted(raw.size(), "byte") + " of data; shape " +
                     formatShape(shape) + " needs " + std::to_string(needed) + ".");
    }
    take(inlineLeft_, needed);
    return {reinterpret_cast<const std::byte*>(raw.Data()), needed};
}

FbsBytes FbsTensorReader::externalBytes(const fbs::Tensor& tensor, size_t needed) {
    const int64_t offset = tensor.external_data_offset();
    if (offset < 0) throwDamaged("The tensor has neither raw data nor an external offset.");
    if (!external_) {
        throwDamaged(
            "The tensor has external data, but the checkpoint declares no external data file.");
    }
    const auto start = static_cast<size_t>(offset);
    if (start > external_->bytes.size() || needed > external_->bytes.size() - start) {
        throwDamaged("The tensor has " + counted(needed, "byte") + " at offset " +
                     std::to_string(offset) + " of the external data file, which is only " +
                     counted(external_->bytes.size(), "byte") + " long.");
    }
    take(externalLeft_, needed);
    return external_->bytes.subspan(start, needed);
}

}  // namespace temper
