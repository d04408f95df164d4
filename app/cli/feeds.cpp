// SPDX-License-Identifier: Apache-2.0
#include "app/cli/feeds.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <optional>
#include <set>

#include "engine/core/counted.h"
#include "engine/core/error.h"
#include "engine/core/joined.h"
#include "engine/data/npz_file.h"
#include "engine/training/binding/binding.h"

namespace temper::cli {
namespace {

std::string listInputs(const std::vector<FeedInput>& inputs) {
    if (inputs.empty()) return "none";
    return joined(inputs,
                  [](const FeedInput& input) { return input.name + " " + formatType(input.type); });
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

/// Whether the first dimension counts steps.
bool hasStepsFor(const FeedInput& input, const Shape& shape) {
    return input.type.shape && shape.size() == input.type.shape->size() + 1;
}

/// The sizes of the dimensions that inputs share by name, with the input that determined each.
class SharedSizes {
public:
    void add(const FeedInput& input, const Shape& shape) {
        forNamed(input, [&](const std::string& symbol, size_t axis) {
            sizes_.try_emplace(symbol, Size{shape[axis], input.name});
        });
    }
    /// The input that gives a dimension of this one another size; null if they agree.
    const std::string* objectorTo(const FeedInput& input, const Shape& shape) const {
        const std::string* objector = nullptr;
        forNamed(input, [&](const std::string& symbol, size_t axis) {
            const auto known = sizes_.find(symbol);
            if (objector == nullptr && known != sizes_.end() && known->second.size != shape[axis])
                objector = &known->second.input;
        });
        return objector;
    }
    /// The declared shape with the known sizes.
    SymbolicShape expected(const FeedInput& input) const {
        SymbolicShape shape = *input.type.shape;
        forNamed(input, [&](const std::string& symbol, size_t axis) {
            const auto known = sizes_.find(symbol);
            if (known != sizes_.end()) shape[axis] = Dim::of(known->second.size);
        });
        return shape;
    }

private:
    struct Size {
        int64_t size = 0;
        std::string input;
    };

    static void forNamed(const FeedInput& input,
                         const std::function<void(const std::string&, size_t)>& f) {
        if (!input.type.shape) return;
        for (size_t axis = 0; axis < input.type.shape->size(); ++axis) {
            const Dim& dim = (*input.type.shape)[axis];
            if (dim.isSymbol()) f(dim.symbol, axis);
        }
    }

    std::map<std::string, Size> sizes_;
};

bool fits(const Shape& shape, const ValueType& type) {
    if (!type.shape) return true;
    if (shape.size() != type.shape->size()) return false;
    for (size_t i = 0; i < shape.size(); ++i) {
        const Dim& dim = (*type.shape)[i];
        if (dim.isNumber() && dim.value != shape[i]) return false;
    }
    return true;
}

/// The tensor converted to another type; whole numbers have to keep their values.
std::optional<Tensor> convertedTo(const Tensor& tensor, DType dtype) {
    const bool areBothFloating = isFloating(dtype) && isFloating(tensor.dtype());
    if (!areBothFloating && !takesValuesOf(dtype, tensor.dtype())) return std::nullopt;
    const Tensor converted = tensor.cast(dtype);
    if (isFloating(dtype)) return converted;
    const Tensor back = converted.cast(tensor.dtype());
    const bool same = std::memcmp(back.data(), tensor.data(), tensor.byteSize()) == 0;
    return same ? std::optional(converted) : std::nullopt;
}

/// Whether the array is a tensor of the sequence.
bool isElementOf(const std::string& array, const FeedInput& input) {
    return input.type.isSequence && array.starts_with(input.name + ".");
}

}  // namespace

Feeds Feeds::load(const std::filesystem::path& path) { return {loadFeeds(path), path.string()}; }

void Feeds::requireOnly(const std::vector<FeedInput>& inputs) const {
    const std::vector<std::string> surplus = surplusTo(inputs);
    if (surplus.empty()) return;
    throw Error(ErrorCode::InvalidInput,
                "Array '" + surplus.front() + "' of '" + origin_ + "' matches no input.",
                "Expected inputs: " + listInputs(inputs) + ".");
}

std::vector<std::string> Feeds::surplusTo(const std::vector<FeedInput>& inputs) const {
    std::vector<std::string> surplus;
    for (const auto& [name, array] : arrays_) {
        const bool isRead = std::ranges::any_of(inputs, [&array = name](const FeedInput& input) {
            return array == input.name || isElementOf(array, input);
        });
        if (!isRead) surplus.push_back(name);
    }
    return surplus;
}

std::map<std::string, Shape> Feeds::shapesOf(const std::vector<FeedInput>& inputs) const {
    std::map<std::string, Shape> shapes;
    for (const FeedInput& input : inputs) {
        if (!arrays_.contains(input.name)) continue;
        Shape shape = arrays_.at(input.name).shape();
        if (hasStepsFor(input, shape)) shape.erase(shape.begin());
        shapes.emplace(input.name, std::move(shape));
    }
    return shapes;
}

const Tensor* Feeds::find(const std::string& input) const {
    const auto found = arrays_.find(input);
    return found == arrays_.end() ? nullptr : &found->second;
}

std::vector<Tensor> Feeds::batch(const std::vector<FeedInput>& inputs, int64_t step) const {
    std::vector<Tensor> tensors;
    for (const FeedInput& input : inputs) {
        if (!arrays_.contains(input.name)) {
            throw Error(ErrorCode::InvalidInput,
                        "No array for input '" + input.name + "' in '" + origin_ + "'.",
                        "Expected inputs: " + listInputs(inputs) + ".");
        }
        tensors.push_back(take(input, step));
    }
    requireSameSizes(inputs, tensors);
    return tensors;
}

std::vector<ValueData> Feeds::data(const std::vector<FeedInput>& inputs) const {
    std::vector<FeedInput> plain;
    std::ranges::copy_if(inputs, std::back_inserter(plain),
                         [](const FeedInput& input) { return input.type.isTensor(); });
    const std::vector<Tensor> tensors = batch(plain);
    auto next = tensors.begin();
    std::vector<ValueData> all;
    for (const FeedInput& input : inputs)
        all.push_back(input.type.isTensor() ? ValueData(*next++) : dataOf(input));
    requireElements(inputs, all);
    return all;
}

/// Refuses arrays with the name of a sequence that are none of its tensors.
void Feeds::requireElements(const std::vector<FeedInput>& inputs,
                            const std::vector<ValueData>& all) const {
    std::set<std::string> known;
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i].type.isSequence) {
            known.insert(inputs[i].name);
            continue;
        }
        for (size_t element = 0; element < all[i].tensors.size(); ++element)
            known.insert(elementName(inputs[i].name, element));
    }
    for (const auto& [name, array] : arrays_) {
        if (known.contains(name)) continue;
        const FeedInput* sequence = nullptr;  // of several, the one with the longest name
        for (const FeedInput& input : inputs) {
            const bool isMeant =
                input.type.isSequence && (name == input.name || isElementOf(name, input));
            if (isMeant && (sequence == nullptr || input.name.size() > sequence->name.size()))
                sequence = &input;
        }
        if (sequence == nullptr) continue;
        throw Error(ErrorCode::InvalidInput,
                    "Array '" + name + "' of '" + origin_ + "' is no tensor of the sequence '" +
                        sequence->name + "'.",
                    "Name its tensors '" + elementName(sequence->name, 0) + "', '" +
                        elementName(sequence->name, 1) + "' and so on, without gaps.");
    }
}

ValueData Feeds::dataOf(const FeedInput& input) const {
    if (!input.type.isSequence) {
        const FeedInput content{input.name, {input.type.dtype, input.type.shape}};
        return arrays_.contains(input.name) ? take(content, 0) : ValueData();
    }
    std::vector<Tensor> tensors;
    for (;;) {
        const std::string name = elementName(input.name, tensors.size());
        if (!arrays_.contains(name)) break;
        tensors.push_back(take({name, {input.type.dtype, std::nullopt}}, 0));
    }
    if (tensors.empty() && input.type.isOptional) return {};
    return ValueData::sequence(std::move(tensors));
}

int64_t Feeds::steps(const std::vector<FeedInput>& inputs) const {
    int64_t most = 1;
    for (const FeedInput& input : inputs) {
        const Tensor* array = find(input.name);
        if (array != nullptr && hasStepsFor(input, array->shape()))
            most = std::max(most, array->shape()[0]);
    }
    return most;
}

bool Feeds::isPerStep(const FeedInput& input) const {
    return hasStepsFor(input, arrays_.at(input.name).shape());
}

/// An array that serves every step shows what the sizes are; one with steps may be meant as one
/// batch.
void Feeds::requireSameSizes(const std::vector<FeedInput>& inputs,
                             const std::vector<Tensor>& batches) const {
    SharedSizes sizes;
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (!isPerStep(inputs[i])) sizes.add(inputs[i], batches[i].shape());
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
        const FeedInput& input = inputs[i];
        if (!isPerStep(input)) continue;
        if (const std::string* other = sizes.objectorTo(input, batches[i].shape())) {
            const Tensor& array = arrays_.at(input.name);
            throw Error(
                ErrorCode::InvalidInput,
                "Array '" + input.name + "' of '" + origin_ + "' is " + describe(array) +
                    ", which for the input " + formatType(input.type) + " is " +
                    counted(array.shape()[0], "step") + " of " + formatShape(batches[i].shape()) +
                    "; expected " + formatShape(sizes.expected(input)) + ", as array '" + *other +
                    "' is " + describe(arrays_.at(*other)) + ".",
                isPerStep(*std::ranges::find(inputs, *other, &FeedInput::name))
                    ? "Give both arrays the same number of samples in each step."
                    : "Remove the additional dimension. Only a first one that counts steps is "
                      "possible.");
        }
        sizes.add(input, batches[i].shape());
    }
}

Tensor Feeds::take(const FeedInput& input, int64_t step) const {
    Tensor tensor = arrays_.at(input.name);
    if (hasStepsFor(input, tensor.shape()) && tensor.shape()[0] > 0)
        tensor = slice(tensor, step % tensor.shape()[0]);
    const auto mismatch = [&] {
        return Error(ErrorCode::InvalidInput,
                     "Array '" + input.name + "' of '" + origin_ + "' is " +
                         describe(arrays_.at(input.name)) + "; the input is " +
                         formatType(input.type) + ".",
                     "Give one batch, or one batch per step along an additional first dimension.");
    };
    if (!fits(tensor.shape(), input.type)) throw mismatch();
    if (tensor.dtype() == input.type.dtype) return tensor;
    const std::optional<Tensor> converted = convertedTo(tensor, input.type.dtype);
    if (!converted) throw mismatch();
    return *converted;
}

std::string elementName(const std::string& sequence, size_t element) {
    return sequence + "." + std::to_string(element);
}

std::vector<FeedInput> feedInputsOf(const Graph& graph) {
    std::vector<FeedInput> inputs;
    for (const Value* input : graph.inputs()) inputs.push_back({input->name(), input->type()});
    return inputs;
}

}  // namespace temper::cli
