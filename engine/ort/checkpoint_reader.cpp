// SPDX-License-Identifier: Apache-2.0
#include <checkpoint_generated.h>

#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "engine/core/counted.h"
#include "engine/core/file.h"
#include "engine/core/file_group.h"
#include "engine/ort/checkpoint_file.h"
#include "engine/ort/fbs_tensor.h"
#include "engine/ort/foreign_file.h"

namespace temper {
namespace {

using Bytes = FbsBytes;

constexpr int32_t kOldestVersion = 1;
constexpr int32_t kNewestVersion = 2;
/// The schema nests six deep: checkpoint, group, state, tensor and their vectors.
constexpr flatbuffers::uoffset_t kMaxDepth = 16;
constexpr flatbuffers::uoffset_t kMaxTables = 1'000'000;
/// The root's offset, the identifier and the smallest table.
constexpr size_t kSmallestFile = 12;
/// FlatBuffers' offsets are 31 bits.
constexpr size_t kLargestFile = std::numeric_limits<int32_t>::max();

constexpr FbsElementTypes kElementTypes = {
    checkpointHolds, "float32, float64, bool or an integer type",
    "ONNX Runtime can't load this checkpoint either; store the tensor as float32."};

std::vector<NamedTensor> readTensors(const FbsVector<fbs::Tensor>& tensors, FbsTensorReader& reader,
                                     bool nominal) {
    std::vector<NamedTensor> result;
    result.reserve(tensors.size());
    for (const fbs::Tensor* tensor : tensors) result.push_back(reader.read(*tensor, nominal));
    return result;
}

void readModule(const fbs::ModuleState& module, FbsTensorReader& reader, CheckpointFile& result) {
    const auto& trainable =
        required(module.requires_grad_params(), "The list of trainable parameters is missing.");
    const auto& frozen =
        required(module.frozen_params(), "The list of frozen parameters is missing.");
    result.isNominal = module.is_nominal_state();
    result.hasExternalData = module.has_external_data();
    result.trainable = readTensors(trainable, reader, result.isNominal);
    result.frozen = readTensors(frozen, reader, result.isNominal);
}

ParameterState readParameterState(const fbs::ParameterOptimizerState& state,
                                  FbsTensorReader& reader) {
    ParameterState result;
    result.parameter =
        required(state.param_name(), "An optimizer state has no parameter name.").str();
    return withContext("optimizer state of '" + result.parameter + "'", [&] {
        const auto& moments = required(state.momentums(), "The list of moments is missing.");
        result.moments = readTensors(moments, reader, false);
        return result;
    });
}

OptimizerGroupState readGroup(const fbs::OptimizerGroup& group, FbsTensorReader& reader) {
    OptimizerGroupState result;
    result.name = required(group.group_name(), "An optimizer group has no name.").str();
    return withContext("optimizer group '" + result.name + "'", [&] {
        result.step = group.step();
        result.initialLearningRate = group.initial_learning_rate();
        const auto& states = required(group.optimizer_states(), "The list of states is missing.");
        for (const auto* state : states) {
            result.parameters.push_back(readParameterState(*state, reader));
        }
        return result;
    });
}

void addProperty(CheckpointFile& result, const flatbuffers::String* name, PropertyValue value) {
    std::string key = required(name, "A property has no name.").str();
    if (result.properties.contains(key)) {
        throwDamaged("Property '" + key + "' appears more than once in the checkpoint.");
    }
    result.properties.emplace(std::move(key), std::move(value));
}

void readProperties(const fbs::PropertyBag& bag, CheckpointFile& result) {
    if (bag.ints() != nullptr) {
        for (const auto* property : *bag.ints()) {
            addProperty(result, property->name(), property->value());
        }
    }
    if (bag.floats() != nullptr) {
        for (const auto* property : *bag.floats()) {
            addProperty(result, property->name(), property->value());
        }
    }
    if (bag.strings() != nullptr) {
        for (const auto* property : *bag.strings()) {
            const auto& value = required(property->value(), "A text property has no value.");
            addProperty(result, property->name(), value.str());
        }
    }
}

/// The root table; everything it refers to is then known to be within the bytes.
const fbs::Checkpoint& verifiedRoot(Bytes bytes) {
    const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
    if (bytes.size() < kSmallestFile || !fbs::CheckpointBufferHasIdentifier(data)) {
        throwNotACheckpoint(bytes);
    }
    if (bytes.size() >= kLargestFile) {
        throwDamaged("The file has " + counted(bytes.size(), "byte") +
                     "; a checkpoint has less than 2 GiB.");
    }
    flatbuffers::Verifier verifier(data, bytes.size(), kMaxDepth, kMaxTables);
    if (!fbs::VerifyCheckpointBuffer(verifier)) {
        throwDamaged("The file starts like a checkpoint but is truncated or damaged.");
    }
    const fbs::Checkpoint& root = *fbs::GetCheckpoint(data);
    if (root.version() < kOldestVersion || root.version() > kNewestVersion) {
        throw Error(ErrorCode::Unsupported,
                    "The checkpoint has format version " + std::to_string(root.version()) +
                        "; expected 1 or 2.",
                    "It was written by another release of ONNX Runtime; use a newer Temper.");
    }
    return root;
}

bool needsExternalData(const fbs::Checkpoint& root) {
    return root.module_state() != nullptr && root.module_state()->has_external_data();
}

CheckpointFile readRoot(const fbs::Checkpoint& root, FbsTensorReader reader) {
    CheckpointFile result;
    if (root.module_state() != nullptr) readModule(*root.module_state(), reader, result);
    if (root.optimizer_groups() != nullptr) {
        for (const auto* group : *root.optimizer_groups()) {
            result.optimizerGroups.push_back(readGroup(*group, reader));
        }
    }
    if (root.property_bag() != nullptr) readProperties(*root.property_bag(), result);
    requireUniqueNames(result);
    return result;
}

std::shared_ptr<const MappedFile> openExternalData(const std::filesystem::path& checkpoint) {
    const std::filesystem::path path = externalDataPath(checkpoint);
    if (!std::filesystem::exists(path)) {
        throw Error(ErrorCode::NotFound,
                    "The external data file '" + path.string() + "' does not exist.",
                    "The checkpoint keeps its parameters there; copy both files together.");
    }
    return MappedFile::open(path);
}

CheckpointFile readMapped(Bytes bytes, const std::filesystem::path& path) {
    const fbs::Checkpoint& root = verifiedRoot(bytes);
    if (!needsExternalData(root)) return readRoot(root, {kElementTypes, bytes, std::nullopt});
    const std::shared_ptr<const MappedFile> external = openExternalData(path);
    return readRoot(root, {kElementTypes, bytes, FbsSideFile{external->bytes(), external}});
}

CheckpointFile parseAligned(Bytes bytes) {
    const fbs::Checkpoint& root = verifiedRoot(bytes);
    if (needsExternalData(root)) {
        throw Error(ErrorCode::InvalidInput,
                    "The checkpoint has external data, but only its own bytes were passed.",
                    "Load it from its file, with the external data file in the same folder.");
    }
    return readRoot(root, {kElementTypes, bytes, std::nullopt});
}

}  // namespace

CheckpointFile readCheckpoint(const std::filesystem::path& path) {
    return withContext("checkpoint '" + path.string() + "'", [&] {
        finishFileGroup(path.parent_path());
        std::error_code absent;
        if (std::filesystem::is_directory(path, absent)) throwNotACheckpoint(path);
        return readMapped(MappedFile::open(path)->bytes(), path);
    });
}

CheckpointFile parseCheckpoint(std::span<const std::byte> bytes, const std::string& nameForErrors) {
    return withContext("checkpoint '" + nameForErrors + "'",
                       [&] { return withAlignedBytes(bytes, parseAligned); });
}

}  // namespace temper
