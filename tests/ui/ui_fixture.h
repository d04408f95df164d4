// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "ui/document/loaded_model.h"

namespace temper::ui {

/// x -> Gemm(fc1) -> Relu -> Gemm(fc2) -> y, with a literal and a batch-norm between.
std::shared_ptr<const LoadedModel> smallModel();

}  // namespace temper::ui
