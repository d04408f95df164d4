// SPDX-License-Identifier: Apache-2.0
#include "engine/core/string_tensor.h"

#include <algorithm>
#include <vector>

namespace temper {
namespace {

struct OwnedTexts {
    std::vector<std::string> characters;
    std::vector<std::string_view> elements;
};

template <typename Text>
Tensor makeStringTensor(Shape shape, std::span<const Text> texts) {
    TEMPER_ASSERT(numElements(shape) == static_cast<int64_t>(texts.size()),
                  "the texts fill the shape");
    auto owned = std::make_shared<OwnedTexts>();
    owned->characters.assign(texts.begin(), texts.end());
    owned->elements.assign(owned->characters.begin(), owned->characters.end());
    std::string_view* data = owned->elements.data();
    return Tensor::wrap(DType::String, std::move(shape), std::move(owned), data);
}

}  // namespace

Tensor stringTensor(Shape shape, std::span<const std::string_view> texts) {
    return makeStringTensor(std::move(shape), texts);
}

Tensor stringTensor(Shape shape, std::span<const std::string> texts) {
    return makeStringTensor(std::move(shape), texts);
}

}  // namespace temper
