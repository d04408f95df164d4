// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "engine/core/tensor.h"

namespace temper {

struct NamedTensor {
    std::string name;
    Tensor data;
};

using PropertyValue = std::variant<int64_t, float, std::string>;

/// The state that an optimizer keeps for one parameter.
struct ParameterState {
    std::string parameter;
    std::vector<NamedTensor> moments;  ///< "momentum0", "momentum1" for AdamW
};

/// Parameters that an optimizer treats alike; ONNX Runtime has only one group, "group0".
struct OptimizerGroupState {
    std::string name;
    int64_t step = 0;  ///< completed optimizer steps
    float initialLearningRate = 0.0F;
    std::vector<ParameterState> parameters;
};

/// The content of a training checkpoint file of ONNX Runtime, format version 2 ("ODTC").
///
/// A nominal checkpoint has names and element types only: each parameter is then a scalar that
/// holds zero. The current learning rate is not part of the format.
struct CheckpointFile {
    std::vector<NamedTensor> trainable;
    std::vector<NamedTensor> frozen;
    bool isNominal = false;
    bool hasExternalData = false;  ///< parameters are in "<checkpoint>.data", and will be again
    std::vector<OptimizerGroupState> optimizerGroups;
    std::map<std::string, PropertyValue> properties;
};

struct WriteOptions {
    /// If the parameters have at least this many bytes in total (counted in whole MiB, at least
    /// one), they go to the side file. So do parameters of a checkpoint that would not fit into
    /// FlatBuffers' 2 GiB.
    int64_t externalDataThreshold = int64_t{1800} * 1024 * 1024;
    /// Smaller tensors stay in the checkpoint. ONNX Runtime's generator uses 64, its runtime 0.
    int64_t smallestExternalTensor = 64;
    /// Parameters, groups, states and moments in the order of their names, as ONNX Runtime writes
    /// the state of a session; otherwise in the given order.
    bool sortByName = false;
};

/// The side file that holds the parameters of a large checkpoint.
std::filesystem::path externalDataPath(const std::filesystem::path& checkpoint);

/// The element types that ONNX Runtime can load from a checkpoint: float32, float64, bool, and the
/// integers of 8 to 64 bits.
bool checkpointHolds(DType dtype);

/// Reads a checkpoint and, if it has one, its side file. Its parameters stay in the side file,
/// which is mapped; writes to them do not reach it.
/// Throws: Error(NotFound | Io | InvalidInput | Unsupported) naming the file and what is wrong.
CheckpointFile readCheckpoint(const std::filesystem::path& path);

/// Reads a checkpoint without a side file from memory; `nameForErrors` replaces its path.
/// Throws: Error(InvalidInput | Unsupported), also if the checkpoint needs a side file.
CheckpointFile parseCheckpoint(std::span<const std::byte> bytes, const std::string& nameForErrors);

/// Writes a checkpoint under a temporary name, then replaces `path` by it; the same for the side
/// file, which goes first.
/// Throws: Error(InvalidInput) for a name given twice, Error(Unsupported) for an element type that
/// a checkpoint can't hold, Error(Io). The file at `path` is then as it was.
void writeCheckpoint(const CheckpointFile& checkpoint, const std::filesystem::path& path,
                     const WriteOptions& options = {});

/// The bytes of a checkpoint without a side file; of the options only the order counts.
/// Throws: as writeCheckpoint(), and Error(Unsupported) if it is larger than 2 GiB.
std::string serializeCheckpoint(const CheckpointFile& checkpoint, const WriteOptions& options = {});

/// Checks that names are unique: parameters (trainable and frozen together), groups, parameters of
/// a group, moments of a parameter. Throws: Error(InvalidInput) naming the first repeated name.
void requireUniqueNames(const CheckpointFile& checkpoint);

}  // namespace temper
