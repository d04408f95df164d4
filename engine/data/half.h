// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/core/tensor.h"

namespace temper {

/// Float16 and bfloat16 as float32, exactly; other types are unchanged.
Tensor widenToFloat32(const Tensor& tensor);

}  // namespace temper
