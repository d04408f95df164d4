// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tensor_generated.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/ort/checkpoint_file.h"

namespace temper {

using FbsBytes = std::span<const std::byte>;
template <typename T>
using FbsVector = flatbuffers::Vector<flatbuffers::Offset<T>>;

/// Throws: Error(InvalidInput), always: the file is not as ONNX Runtime writes it.
[[noreturn]] void throwDamaged(const std::string& message);

/// The field of a table. Throws: as throwDamaged() if it is absent.
template <typename T>
const T& required(const T* field, const char* message) {
    if (field == nullptr) throwDamaged(message);
    return *field;
}

/// Returns f(); adds the context to its errors.
template <typename F>
auto withContext(const std::string& context, F&& f) {
    try {
        return f();
    } catch (Error& error) {
        error.addContext(context);
        throw;
    }
}

/// Calls f(bytes) with bytes aligned as FlatBuffers requires: these, or a copy.
template <typename F>
auto withAlignedBytes(FbsBytes bytes, F&& f) {
    if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(int64_t) == 0) return f(bytes);
    const std::shared_ptr<std::byte> aligned = allocateAligned(bytes.size());
    std::memcpy(aligned.get(), bytes.data(), bytes.size());
    return f(FbsBytes{aligned.get(), bytes.size()});
}

/// The numbers of a vector, whose alignment the verifier does not check.
template <typename T>
std::vector<T> numbersOf(const flatbuffers::Vector<T>* vector) {
    std::vector<T> numbers(vector == nullptr ? 0 : vector->size());
    if (!numbers.empty()) std::memcpy(numbers.data(), vector->Data(), numbers.size() * sizeof(T));
    return numbers;
}

/// The element types that a kind of file can hold, and the words for them.
struct FbsElementTypes {
    bool (*holds)(DType);
    const char* expected;
    const char* hint;
};

/// A side file in memory, and its owner.
struct FbsSideFile {
    FbsBytes bytes;
    std::shared_ptr<const void> owner;
};

/// Copies the bytes of tensors out of a file. Aligned ones in its side file stay there: large ones
/// take no memory until they are read.
///
/// No byte of either is used twice: FlatBuffers lets many tables share one vector, which would let
/// a small file fill the memory.
class FbsTensorReader {
public:
    FbsTensorReader(FbsElementTypes types, FbsBytes file, std::optional<FbsSideFile> external)
        : types_(types),
          external_(std::move(external)),
          inlineLeft_(file.size()),
          externalLeft_(external_ ? external_->bytes.size() : 0) {}

    /// A nominal tensor may have no data.
    NamedTensor read(const fbs::Tensor& tensor, bool nominal = false);
    /// The same for a tensor whose name is irrelevant.
    Tensor readData(const fbs::Tensor& tensor, bool nominal = false);

private:
    DType readDType(const fbs::Tensor& tensor) const;
    Tensor readTexts(const fbs::Tensor& tensor, const Shape& shape);
    FbsBytes inlineBytes(const flatbuffers::Vector<uint8_t>& raw, size_t needed,
                         const Shape& shape);
    FbsBytes externalBytes(const fbs::Tensor& tensor, size_t needed);
    Tensor readExternal(const fbs::Tensor& tensor, DType dtype, const Shape& shape);

    FbsElementTypes types_;
    std::optional<FbsSideFile> external_;
    size_t inlineLeft_;
    size_t externalLeft_;
};

}  // namespace temper
