// SPDX-License-Identifier: Apache-2.0
#include "capi/src/arguments.h"

#include <cstdlib>
#include <new>

namespace temper::capi {

void throwNull(const char* name) {
    throw Error(ErrorCode::InvalidInput, "'" + std::string(name) + "' is null; expected a value.");
}

void throwStructSize(const char* name, uint64_t found, uint64_t expected) {
    throw Error(ErrorCode::InvalidInput,
                "The struct_size of '" + std::string(name) + "' is " + std::to_string(found) +
                    "; expected at least " + std::to_string(expected) + ".",
                "Set it to sizeof the struct before the call.");
}

void requireZero(std::span<const std::byte> end, const char* name) {
    if (std::ranges::all_of(end, [](std::byte byte) { return byte == std::byte{0}; })) return;
    throw Error(ErrorCode::Unsupported,
                "'" + std::string(name) + "' sets options that this version of Temper lacks.",
                "Use the version that the program was made for, or a newer one.");
}

void throwIndex(const char* what, int64_t index, size_t count) {
    throw Error(ErrorCode::InvalidInput, "The index of the " + std::string(what) + " is " +
                                             std::to_string(index) + "; expected one in [0, " +
                                             std::to_string(count) + ").");
}

std::filesystem::path requiredPath(const char* path, const char* name) {
    const std::string text = requiredText(path, name);
    if (text.empty()) {
        throw Error(ErrorCode::InvalidInput,
                    "'" + std::string(name) + "' is empty; expected a path.");
    }
    return text;
}

std::span<const std::byte> bytesOf(const void* bytes, int64_t size, const char* name) {
    if (size < 0) {
        throw Error(ErrorCode::InvalidInput, "The size of '" + std::string(name) + "' is " +
                                                 std::to_string(size) + "; expected 0 or more.");
    }
    if (bytes == nullptr && size > 0) throwNull(name);
    return {static_cast<const std::byte*>(bytes), static_cast<size_t>(size)};
}

std::vector<std::string> namesOf(const char* const* names, int64_t count, const char* what) {
    if (count < 0) {
        throw Error(ErrorCode::InvalidInput, "The number of '" + std::string(what) + "' is " +
                                                 std::to_string(count) + "; expected 0 or more.");
    }
    if (names == nullptr && count > 0) throwNull(what);
    std::vector<std::string> result;
    for (int64_t i = 0; i < count; ++i) result.push_back(requiredText(names[i], what));
    return result;
}

TrainingSpec specificationOf(const char* json) {
    const std::string text = optionalText(json);
    return trainingSpecFromJson(text.empty() ? "{}" : text);
}

char* copyForProgram(std::string_view text) {
    char* copy = static_cast<char*>(std::malloc(text.size() + 1));
    if (copy == nullptr) throw std::bad_alloc();
    std::copy(text.begin(), text.end(), copy);
    copy[text.size()] = 0;
    return copy;
}

}  // namespace temper::capi
