// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <memory>
#include <string>

#include "engine/ort/checkpoint_file.h"
#include "engine/provenance/module_names.h"

namespace temper::ui {

struct LoadedModel;

/// The names of a checkpoint's tensors in the module, from the open model; none if the checkpoint
/// belongs to another model: if a tensor that it trains is missing or has another shape.
ModuleNames namesInModule(const CheckpointFile& checkpoint, const LoadedModel* model);

/// "rnn.weight_ih_l0 (val_43)"; only the tensor's name if it has no other.
QString nameInModule(const ModuleNames& names, const std::string& tensor);

}  // namespace temper::ui
