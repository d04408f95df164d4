// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "engine/ort/checkpoint_file.h"

namespace temper {

/// Whether the path is a checkpoint as written by ONNX Runtime up to 1.14: a folder of protobuf
/// sequences (`paramtrain_tensors.pbseq`, ...).
bool isCheckpointFolder(const std::filesystem::path& path);

/// Reads such a folder: trainable and frozen parameters, moments and counters of the optimizer's
/// groups, properties. Missing files count as empty.
/// Source: ONNX Runtime 1.14: a count, then TensorProto messages, each after its length.
/// Throws: Error(InvalidInput | Unsupported) naming the file and what is wrong in it.
CheckpointFile readCheckpointFolder(const std::filesystem::path& folder);

/// A checkpoint in either layout: readCheckpointFolder() or readCheckpoint().
CheckpointFile loadCheckpoint(const std::filesystem::path& path);

}  // namespace temper
