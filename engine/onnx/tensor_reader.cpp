// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/tensor_reader.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/core/counted.h"
#include "engine/core/error.h"
#include "engine/core/small_types.h"
#include "engine/core/string_tensor.h"

namespace temper {
namespace {

/// Smaller tensors are copied: they are not worth a separate owner.
constexpr size_t kMinSharedBytes = 1024;

size_t alignmentOf(DType dtype) { return std::clamp<size_t>(dtypeSize(dtype), 1, 8); }

bool isAligned(const std::byte* data, DType dtype) {
    return reinterpret_cast<uintptr_t>(data) % alignmentOf(dtype) == 0;
}

/// C++ has two booleans, a file up to 256.
bool hasOddBooleans(DType dtype, const std::byte* data, size_t count) {
    return dtype == DType::Bool &&
           std::any_of(data, data + count, [](std::byte b) { return b > std::byte{1}; });
}

Tensor copyBytes(DType dtype, Shape shape, const std::byte* data) {
    Tensor tensor(dtype, std::move(shape));
    if (tensor.byteSize() == 0) return tensor;
    std::memcpy(tensor.mutableData(), data, tensor.byteSize());
    if (dtype != DType::Bool) return tensor;
    std::byte* const begin = tensor.mutableData();
    std::transform(begin, begin + tensor.byteSize(), begin,
                   [](std::byte b) { return b == std::byte{0} ? b : std::byte{1}; });
    return tensor;
}

/// Bytes of the elements in a file.
size_t checkedByteSize(DType dtype, const Shape& shape, const std::string& what) {
    int64_t bytes = 0;
    const auto negative = [](int64_t dim) { return dim < 0; };
    bool fits = std::none_of(shape.begin(), shape.end(), negative);
    if (fits && std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
    bytes = static_cast<int64_t>(dtypeSize(dtype));
    for (const int64_t dim : shape) fits = fits && !__builtin_mul_overflow(bytes, dim, &bytes);
    if (fits && isSmall(dtype)) return storedBytes(dtype, static_cast<size_t>(bytes));
    if (fits) return static_cast<size_t>(bytes);
    throw Error(ErrorCode::InvalidInput,
                what + " has the shape " + formatShape(shape) +
                    "; expected sizes of at least 0 that fit into memory.");
}

[[noreturn]] void throwCount(const std::string& what, const Shape& shape, DType dtype,
                             const std::string& found, size_t expected, const char* unit) {
    throw Error(ErrorCode::InvalidInput,
                what + " of " + std::string(dtypeName(dtype)) + formatShape(shape) + " has " +
                    found + "; expected " + counted(expected, unit) + ".",
                "The file is damaged or was written by a faulty exporter.");
}

Tensor readRaw(onnx::TensorProto& proto, DType dtype, Shape shape, size_t byteSize,
               const std::string& what) {
    if (proto.raw_data().size() != byteSize) {
        throwCount(what, shape, dtype, counted(proto.raw_data().size(), "byte") + " of data",
                   byteSize, "byte");
    }
    // The string moves out of the message into the tensor's ownership: no second copy.
    const auto bytes = std::make_shared<const std::string>(std::move(*proto.mutable_raw_data()));
    const auto* data = reinterpret_cast<const std::byte*>(bytes->data());
    if (isSmall(dtype)) return unpacked(dtype, std::move(shape), {data, byteSize});
    if (byteSize < kMinSharedBytes) return copyBytes(dtype, std::move(shape), data);
    return shareBytes(dtype, std::move(shape), bytes, data);
}

Tensor readTexts(const onnx::TensorProto& proto, Shape shape, const std::string& what) {
    const std::vector<std::string> texts(proto.string_data().begin(), proto.string_data().end());
    const auto expected = static_cast<size_t>(numElements(shape));
    if (texts.size() != expected) {
        throwCount(what, shape, DType::String, counted(texts.size(), "string"), expected, "string");
    }
    return stringTensor(std::move(shape), std::span<const std::string>(texts));
}

/// `T` is the stored element type; a complex number is two elements.
template <typename T, typename Field>
Tensor readField(const Field& field, DType dtype, Shape shape, size_t byteSize,
                 const std::string& what) {
    const size_t expected = byteSize / sizeof(T);
    const auto found = static_cast<size_t>(field.size());
    if (found != expected) {
        throwCount(what, shape, dtype, counted(found, "number"), expected, "number");
    }
    Tensor tensor(dtype, std::move(shape));
    std::transform(field.begin(), field.end(), reinterpret_cast<T*>(tensor.mutableData()),
                   [](auto value) { return static_cast<T>(value); });
    return tensor;
}

/// Each number holds a byte of packed elements, or one element of six bits.
Tensor readSmall(const onnx::TensorProto& proto, DType dtype, Shape shape, size_t bytes,
                 const std::string& what) {
    const bool isPacked = storedBits(dtype) != 6;
    const size_t expected = isPacked ? bytes : static_cast<size_t>(numElements(shape));
    const auto& field = proto.int32_data();
    const auto found = static_cast<size_t>(field.size());
    if (found != expected) {
        throwCount(what, shape, dtype, counted(found, "number"), expected, "number");
    }
    std::vector<std::byte> data(found);
    std::transform(field.begin(), field.end(), data.begin(),
                   [](int32_t number) { return static_cast<std::byte>(number & 0xFF); });
    return isPacked ? unpacked(dtype, std::move(shape), data)
                    : copyBytes(dtype, std::move(shape), data.data());
}

Tensor readTyped(const onnx::TensorProto& proto, DType dtype, Shape shape, size_t bytes,
                 const std::string& what) {
    const auto read = [&]<typename T>(const auto& field) {
        return readField<T>(field, dtype, std::move(shape), bytes, what);
    };
    if (isSmall(dtype)) return readSmall(proto, dtype, std::move(shape), bytes, what);
    switch (dtype) {
        case DType::Float32:
        case DType::Complex64: return read.template operator()<float>(proto.float_data());
        case DType::Float64:
        case DType::Complex128: return read.template operator()<double>(proto.double_data());
        case DType::Int64: return read.template operator()<int64_t>(proto.int64_data());
        case DType::UInt64: return read.template operator()<uint64_t>(proto.uint64_data());
        case DType::UInt32: return read.template operator()<uint32_t>(proto.uint64_data());
        case DType::Int32: return read.template operator()<int32_t>(proto.int32_data());
        case DType::Int16: return read.template operator()<int16_t>(proto.int32_data());
        case DType::UInt16:
        case DType::Float16:
        case DType::BFloat16: return read.template operator()<uint16_t>(proto.int32_data());
        case DType::Int8: return read.template operator()<int8_t>(proto.int32_data());
        case DType::UInt8: return read.template operator()<uint8_t>(proto.int32_data());
        case DType::Bool: return read.template operator()<bool>(proto.int32_data());
        case DType::String: return readTexts(proto, std::move(shape), what);
        default: break;
    }
    throw Error(ErrorCode::Unsupported, what + " has no element type.",
                "The file is damaged or was written by a faulty exporter.");
}

}  // namespace

Tensor shareBytes(DType dtype, Shape shape, std::shared_ptr<const void> owner,
                  const std::byte* data) {
    const auto count = static_cast<size_t>(numElements(shape));
    if (isSmall(dtype)) {
        return unpacked(dtype, std::move(shape), {data, storedBytes(dtype, count)});
    }
    if (!isAligned(data, dtype) || hasOddBooleans(dtype, data, count)) {
        return copyBytes(dtype, std::move(shape), data);
    }
    // Mapped files are private copies and strings are owned here: writing is safe.
    return Tensor::wrap(dtype, std::move(shape), std::move(owner), const_cast<std::byte*>(data));
}

Tensor readTensor(onnx::TensorProto& proto, ExternalData& externalData, const std::string& what) {
    const DType dtype = readDType(proto.data_type(), what);
    Shape shape(proto.dims().begin(), proto.dims().end());
    const size_t bytes = checkedByteSize(dtype, shape, what);
    if (proto.has_segment()) {
        throw Error(ErrorCode::Unsupported, what + " is stored in segments.",
                    "Save the model again with a current version of ONNX.");
    }
    if (dtype == DType::String) return readTyped(proto, dtype, std::move(shape), bytes, what);
    if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
        return externalData.read(proto, dtype, std::move(shape), bytes, what);
    }
    if (!proto.raw_data().empty()) return readRaw(proto, dtype, std::move(shape), bytes, what);
    return readTyped(proto, dtype, std::move(shape), bytes, what);
}

}  // namespace temper
