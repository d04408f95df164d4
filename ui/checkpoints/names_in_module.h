// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <memory>
#include <string>

#include "engine/ort/checkpoint_file.h"
#include "engine/provenance/module_names.h"

namespace temper::ui {

struct LoadedModel;

/// The names that a checkpoint's tensors have in the module, by the model that is open; none if the
/// checkpoint is another model's: if a tensor that it trains is missing or has another shape.
ModuleNames namesInModule(const CheckpointFile& checkpoint, const LoadedModel* model);

/// "rnn.weight_ih_l0 (val_43)"; the tensor's name alone if it has no other.
QString nameInModule(const ModuleNames& names, const std::string& tensor);

}  // namespace temper::ui
