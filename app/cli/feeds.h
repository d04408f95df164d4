// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/core/value_data.h"
#include "engine/ir/graph.h"
#include "engine/ir/type.h"

namespace temper::cli {

/// An input that has to be fed.
struct FeedInput {
    std::string name;
    ValueType type;
};

/// Batches for the inputs of a model, from `--feeds`: an .npz whose arrays are named after the
/// inputs, or a folder of `<input>.npy`.
///
/// An array with one dimension more than its input has a leading step dimension: step i takes slice
/// i, and after the last one it starts over. Other arrays serve every step.
class Feeds {
public:
    /// Throws: Error naming the file.
    static Feeds load(const std::filesystem::path& path);
    Feeds(std::map<std::string, Tensor> arrays, std::string origin)
        : arrays_(std::move(arrays)), origin_(std::move(origin)) {}

    /// Throws: Error(InvalidInput) for arrays that are not named after any input, listing the
    /// inputs.
    void requireOnly(const std::vector<FeedInput>& inputs) const;

    /// The names of arrays that are not named after any input.
    std::vector<std::string> surplusTo(const std::vector<FeedInput>& inputs) const;

    /// The most steps that an array has; 1 if none has a step dimension.
    int64_t steps(const std::vector<FeedInput>& inputs) const;

    /// The shape of one batch for each input that has an array.
    std::map<std::string, Shape> shapesOf(const std::vector<FeedInput>& inputs) const;

    /// The array of an input, with all steps; null if it has none.
    const Tensor* find(const std::string& input) const;

    /// Adds an array for an input that has none. Shapes: one batch.
    void add(const std::string& input, Tensor batch) { arrays_.emplace(input, std::move(batch)); }

    /// One tensor for each input, in their order. Numbers are converted to the input's type as for
    /// training: to floating-point numbers from any others, and between whole numbers if no value
    /// changes.
    /// Throws: Error(InvalidInput) for missing arrays, for types and shapes that do not fit, and
    /// for steps whose batches are not those of the other arrays: [16, 1] for [N] where N is 16.
    std::vector<Tensor> batch(const std::vector<FeedInput>& inputs, int64_t step = 0) const;

    /// The same for inputs some of which are sequences or optionals: arrays named elementName() are
    /// the tensors of a sequence; an optional without an array has no content.
    std::vector<ValueData> data(const std::vector<FeedInput>& inputs) const;

private:
    ValueData dataOf(const FeedInput& input) const;
    void requireElements(const std::vector<FeedInput>& inputs,
                         const std::vector<ValueData>& all) const;
    Tensor take(const FeedInput& input, int64_t step) const;
    bool isPerStep(const FeedInput& input) const;
    void requireSameSizes(const std::vector<FeedInput>& inputs,
                          const std::vector<Tensor>& batches) const;

    std::map<std::string, Tensor> arrays_;
    std::string origin_;
};

/// The name of the array with a tensor of a sequence: "boxes.0".
std::string elementName(const std::string& sequence, size_t element);

/// The graph's inputs, without initializers.
std::vector<FeedInput> feedInputsOf(const Graph& graph);

}  // namespace temper::cli
