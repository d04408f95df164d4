// SPDX-License-Identifier: Apache-2.0
#include "app/cli/feeds.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "engine/core/error.h"
#include "engine/data/npz_file.h"

namespace temper::cli {
namespace {

std::string listInputs(const std::vector<FeedInput>& inputs) {
    std::string text;
    for (const FeedInput& input : inputs) {
        text += (text.empty() ? "" : ", ") + input.name + " " + formatType(input.type);
    }
    return text.empty() ? "none" : text;
}

std::string describe(const Tensor& tensor) {
    return std::string(dtypeName(tensor.dtype())) + formatShape(tensor.shape());
}

/// Row `index` of the outermost dimension, sharing the data.
Tensor slice(const Tensor& tensor, int64_t index) {
    const Shape shape(tensor.shape().begin() + 1, tensor.shape().end());
    const size_t bytes = tensor.byteSize() / static_cast<size_t>(tensor.shape()[0]);
    const auto owner = std::make_shared<Tensor>(tensor);
    std::byte* data = owner->mutableData() + static_cast<size_t>(index) * bytes;
    return Tensor::wrap(tensor.dtype(), shape, owner, data);
}

bool fits(const Shape& shape, const ValueType& type) {
    if (!type.shape) return true;
    if (shape.size() != type.shape->size()) return false;
    for (size_t i = 0; i < shape.size(); ++i) {
        const Dim& dim = (*type.shape)[i];
        if (dim.isNumber() && dim.value != shape[i]) return false;
    }
    return true;
}

/// The tensor in another type, where its values are the same there.
std::optional<Tensor> convertedExactly(const Tensor& tensor, DType dtype) {
    const auto isNumeric = [](DType type) {
        return isInteger(type) || type == DType::Float32 || type == DType::Float64;
    };
    if (!isNumeric(tensor.dtype()) || !isNumeric(dtype)) return std::nullopt;
    if (isInteger(dtype) != isInteger(tensor.dtype())) return std::nullopt;
    const Tensor converted = tensor.cast(dtype);
    const Tensor back = converted.cast(tensor.dtype());
    const bool same = std::memcmp(back.data(), tensor.data(), tensor.byteSize()) == 0;
    return same ? std::optional(converted) : std::nullopt;
}

}  // namespace

Feeds Feeds::load(const std::filesystem::path& path) { return {loadFeeds(path), path.string()}; }

void Feeds::requireOnly(const std::vector<FeedInput>& inputs) const {
    for (const auto& [name, array] : arrays_) {
        if (std::ranges::find(inputs, name, &FeedInput::name) != inputs.end()) continue;
        throw Error(ErrorCode::InvalidInput,
                    "Array '" + name + "' of '" + origin_ + "' is not named after an input.",
                    "Expected inputs: " + listInputs(inputs) + ".");
    }
}

std::vector<Tensor> Feeds::batch(const std::vector<FeedInput>& inputs, int64_t step) const {
    std::vector<Tensor> tensors;
    for (const FeedInput& input : inputs) {
        if (!arrays_.contains(input.name)) {
            throw Error(ErrorCode::InvalidInput,
                        "There is no array for input '" + input.name + "' in '" + origin_ + "'.",
                        "Expected inputs: " + listInputs(inputs) + ".");
        }
        tensors.push_back(take(input, step));
    }
    return tensors;
}

Tensor Feeds::take(const FeedInput& input, int64_t step) const {
    Tensor tensor = arrays_.at(input.name);
    const bool hasSteps = input.type.shape && tensor.rank() == input.type.rank() + 1;
    if (hasSteps && tensor.shape()[0] > 0) tensor = slice(tensor, step % tensor.shape()[0]);
    const auto mismatch = [&] {
        return Error(ErrorCode::InvalidInput,
                     "Array '" + input.name + "' of '" + origin_ + "' is " +
                         describe(arrays_.at(input.name)) + "; the input is " +
                         formatType(input.type) + ".",
                     "Give one batch, or one batch a step along an additional first dimension.");
    };
    if (!fits(tensor.shape(), input.type)) throw mismatch();
    if (tensor.dtype() == input.type.dtype) return tensor;
    const std::optional<Tensor> converted = convertedExactly(tensor, input.type.dtype);
    if (!converted) throw mismatch();
    return *converted;
}

std::vector<FeedInput> feedInputsOf(const Graph& graph) {
    std::vector<FeedInput> inputs;
    for (const Value* input : graph.inputs()) inputs.push_back({input->name(), input->type()});
    return inputs;
}

}  // namespace temper::cli
