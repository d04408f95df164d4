// SPDX-License-Identifier: Apache-2.0
// Tensors of strings.
#include <algorithm>

#include "capi/src/arguments.h"
#include "capi/src/ort/status.h"
#include "engine/core/string_tensor.h"

namespace temper::capi::ort {
namespace {

/// Throws: Error(InvalidInput) for null and for other tensors.
Tensor& textsOf(OrtValue* value) {
    Tensor& tensor = required(value, "value").tensor;
    if (tensor.dtype() == DType::String) return tensor;
    throw Error(ErrorCode::InvalidInput, "The tensor is " + std::string(dtypeName(tensor.dtype())) +
                                             "; expected one of strings.");
}

std::span<const std::string_view> textsOf(const OrtValue* value) {
    return textsOf(const_cast<OrtValue*>(value)).values<std::string_view>();
}

std::string_view textAt(const OrtValue* value, size_t index) {
    const auto texts = textsOf(value);
    if (index >= texts.size()) throwIndex("string", static_cast<int64_t>(index), texts.size());
    return texts[index];
}

/// Throws: Error(InvalidInput) unless the buffer holds so many bytes.
void requireRoom(size_t room, size_t needed) {
    if (room >= needed) return;
    throw Error(ErrorCode::InvalidInput, "The buffer has " + std::to_string(room) +
                                             " bytes; expected " + std::to_string(needed) + ".");
}

size_t lengthOf(std::span<const std::string_view> texts) {
    size_t length = 0;
    for (const std::string_view text : texts) length += text.size();
    return length;
}

OrtStatus* fill(OrtValue* value, const char* const* texts, size_t count) {
    return guarded([&] {
        Tensor& tensor = textsOf(value);
        if (count != static_cast<size_t>(tensor.numElements())) {
            throw Error(ErrorCode::InvalidInput, "The number of strings is " +
                                                     std::to_string(count) + "; expected " +
                                                     std::to_string(tensor.numElements()) + ".");
        }
        const auto given = namesOf(texts, static_cast<int64_t>(count), "s");
        tensor = stringTensor(tensor.shape(), std::span<const std::string>(given));
    });
}

OrtStatus* fillElement(OrtValue* value, const char* text, size_t index) {
    return guarded([&] {
        static_cast<void>(textAt(value, index));  // which throws
        Tensor& tensor = textsOf(value);
        const auto texts = tensor.values<std::string_view>();
        std::vector<std::string> changed(texts.begin(), texts.end());
        changed[index] = requiredText(text, "s");
        tensor = stringTensor(tensor.shape(), std::span<const std::string>(changed));
    });
}

OrtStatus* dataLength(const OrtValue* value, size_t* length) {
    return guarded([&] { set(length, lengthOf(textsOf(value)), "len"); });
}

OrtStatus* content(const OrtValue* value, void* buffer, size_t room, size_t* offsets,
                   size_t offsetCount) {
    return guarded([&] {
        const auto texts = textsOf(value);
        requireRoom(room, lengthOf(texts));
        if (offsetCount != texts.size()) {
            throw Error(ErrorCode::InvalidInput, "The number of offsets is " +
                                                     std::to_string(offsetCount) + "; expected " +
                                                     std::to_string(texts.size()) + ".");
        }
        if (texts.empty()) return;
        required(static_cast<char*>(buffer), "s");
        required(offsets, "offsets");
        size_t offset = 0;
        for (size_t i = 0; i < texts.size(); ++i) {
            offsets[i] = offset;
            std::copy(texts[i].begin(), texts[i].end(), static_cast<char*>(buffer) + offset);
            offset += texts[i].size();
        }
    });
}

OrtStatus* elementLength(const OrtValue* value, size_t index, size_t* length) {
    return guarded([&] { set(length, textAt(value, index).size(), "out"); });
}

OrtStatus* element(const OrtValue* value, size_t room, size_t index, void* buffer) {
    return guarded([&] {
        const std::string_view text = textAt(value, index);
        requireRoom(room, text.size());
        if (!text.empty())
            std::copy(text.begin(), text.end(), &required(static_cast<char*>(buffer), "s"));
    });
}

}  // namespace

void addTextFunctions(OrtApi& api) {
    api.FillStringTensor = fill;
    api.FillStringTensorElement = fillElement;
    api.GetStringTensorDataLength = dataLength;
    api.GetStringTensorContent = content;
    api.GetStringTensorElementLength = elementLength;
    api.GetStringTensorElement = element;
}

}  // namespace temper::capi::ort
