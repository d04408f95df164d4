// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "capi/include/temper/temper.h"
#include "engine/core/error.h"
#include "engine/training/spec/training_spec.h"

namespace temper::capi {

/// Throws: Error(InvalidInput) "'model' is null.".
[[noreturn]] void throwNull(const char* name);
/// Throws: Error(InvalidInput) naming the struct and both sizes.
[[noreturn]] void throwStructSize(const char* name, uint64_t found, uint64_t expected);
/// Throws: Error(InvalidInput) with the valid range.
[[noreturn]] void throwIndex(const char* what, int64_t index, size_t count);

/// What the pointer refers to. Throws: Error(InvalidInput) if it is null.
template <typename T>
T& required(T* pointer, const char* name) {
    if (pointer == nullptr) throwNull(name);
    return *pointer;
}

/// A text. Throws: Error(InvalidInput) if it is null.
inline std::string requiredText(const char* text, const char* name) {
    return &required(text, name);
}
/// A path, in UTF-8. Throws: Error(InvalidInput) if it is null or empty.
std::filesystem::path requiredPath(const char* path, const char* name);
/// "" for null.
inline std::string optionalText(const char* text) { return text == nullptr ? "" : text; }

/// Throws: Error(InvalidInput) for null with a size, and for negative sizes.
std::span<const std::byte> bytesOf(const void* bytes, int64_t size, const char* name);

/// Throws: Error(InvalidInput) for a null list with a count, a null name in it, a negative count.
std::vector<std::string> namesOf(const char* const* names, int64_t count, const char* what);

/// The specification in JSON; null and "" are {}. Throws: as trainingSpecFromJson().
TrainingSpec specificationOf(const char* json);

template <typename T>
const T& elementAt(const std::vector<T>& elements, int64_t index, const char* what) {
    if (index < 0 || index >= static_cast<int64_t>(elements.size()))
        throwIndex(what, index, elements.size());
    return elements[static_cast<size_t>(index)];
}

/// Sets an output. Throws: Error(InvalidInput) if it is null.
template <typename T>
void set(T* output, const std::type_identity_t<T>& value, const char* name) {
    required(output, name) = value;
}

/// Sets as much of a struct as the program knows. The struct has not grown yet: a smaller one is
/// none of this library's. Throws: Error(InvalidInput).
template <typename T>
void fill(T* output, T value, const char* name) {
    const uint64_t known = required(output, name).struct_size;
    if (known < sizeof(T)) throwStructSize(name, known, sizeof(T));
    value.struct_size = known;
    std::memcpy(output, &value, sizeof(T));
}

/// Throws: Error(Unsupported) if the end of a struct that only a newer library knows is not 0.
void requireZero(std::span<const std::byte> end, const char* name);

/// Options as far as the program knows them; the others are 0, as all are for null.
/// Throws: Error(InvalidInput | Unsupported).
template <typename T>
T optionsOf(const T* options, const char* name) {
    T known = {};
    if (options == nullptr) return known;
    const uint64_t size = options->struct_size;
    if (size < sizeof(T)) throwStructSize(name, size, sizeof(T));
    std::memcpy(&known, options, sizeof(T));
    requireZero({reinterpret_cast<const std::byte*>(options + 1), size - sizeof(T)}, name);
    return known;
}

/// A copy made with malloc, for temper_memory_release(). It ends with 0, which is not counted.
char* copyForProgram(std::string_view text);

}  // namespace temper::capi
