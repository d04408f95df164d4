// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "engine/ir/graph.h"
#include "engine/onnx/model_file.h"
#include "engine/onnx/proto.h"

namespace temper {

/// Key in the metadata: see LoadOptions::noteExternalData.
inline constexpr const char* kExternalDataNote = "temper.external_data";

/// The graph of a parsed model, whose content moves out of `model`.
/// Throws: Error(InvalidInput) naming what is wrong in the model; Error(Unsupported).
std::unique_ptr<Graph> readModel(onnx::ModelProto& model, const std::filesystem::path& folder,
                                 const LoadOptions& options);

}  // namespace temper
