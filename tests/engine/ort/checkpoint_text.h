// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/core/shape.h"
#include "engine/ort/checkpoint_file.h"

namespace temper::test {

inline std::string describe(const NamedTensor& tensor) {
    return tensor.name + " " + std::string(dtypeName(tensor.data.dtype())) + " " +
           formatShape(tensor.data.shape());
}

inline std::string_view dataOf(const NamedTensor& tensor) {
    return {reinterpret_cast<const char*>(tensor.data.data()), tensor.data.byteSize()};
}

inline std::string describe(const PropertyValue& value) {
    if (const auto* number = std::get_if<int64_t>(&value)) return "int " + std::to_string(*number);
    if (const auto* real = std::get_if<float>(&value)) return "float " + std::to_string(*real);
    return "string " + std::get<std::string>(value);
}

/// Everything but the elements, one item a line.
inline std::string describe(const CheckpointFile& file) {
    std::string text;
    if (file.isNominal) text += "nominal\n";
    if (file.hasExternalData) text += "external\n";
    for (const NamedTensor& tensor : file.trainable) text += "trainable " + describe(tensor) + "\n";
    for (const NamedTensor& tensor : file.frozen) text += "frozen " + describe(tensor) + "\n";
    for (const OptimizerGroupState& group : file.optimizerGroups) {
        text += "group " + group.name + " step " + std::to_string(group.step) + " rate " +
                std::to_string(group.initialLearningRate) + "\n";
        for (const ParameterState& state : group.parameters) {
            for (const NamedTensor& moment : state.moments) {
                text += "  " + state.parameter + " " + describe(moment) + "\n";
            }
        }
    }
    for (const auto& [name, value] : file.properties) {
        text += "property " + name + " " + describe(value) + "\n";
    }
    return text;
}

/// The elements of all tensors, bit by bit, one after the other.
inline std::string elements(const CheckpointFile& file) {
    std::string bytes;
    for (const NamedTensor& tensor : file.trainable) bytes += dataOf(tensor);
    for (const NamedTensor& tensor : file.frozen) bytes += dataOf(tensor);
    for (const OptimizerGroupState& group : file.optimizerGroups) {
        for (const ParameterState& state : group.parameters) {
            for (const NamedTensor& moment : state.moments) bytes += dataOf(moment);
        }
    }
    return bytes;
}

inline std::span<const std::byte> asBytes(std::string_view text) {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

/// Names, types, optimizer state and properties of every kind, small.
inline CheckpointFile richCheckpoint() {
    CheckpointFile file;
    file.trainable = {{"conv.weight", Tensor::of<float>({2, 3}, {1, -2, 3.5F, 0, 1e-30F, 6})},
                      {"b/\u00e4\u00df \U0001F642", Tensor::of<double>({1}, {0.1})}};
    file.frozen = {{"steps", Tensor::scalar<int64_t>(INT64_MIN)},
                   {"flags", Tensor::of<bool>({3}, {true, false, true})},
                   {"bytes", Tensor::of<uint8_t>({2, 1, 2}, {0, 1, 254, 255})},
                   {"nothing", Tensor(DType::Int32, {0, 4})}};
    const Tensor first = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
    const Tensor second = Tensor::of<float>({2, 3}, {.1F, .2F, .3F, .4F, .5F, .6F});
    file.optimizerGroups = {
        {"group0", 41, 0.25F, {{"conv.weight", {{"momentum0", first}, {"momentum1", second}}}}}};
    file.properties = {{"epoch", int64_t{-7}},
                       {"best loss", 0.0625F},
                       {"note", std::string("a\nb \u4e2d")},
                       {"empty", std::string()}};
    return file;
}

}  // namespace temper::test
