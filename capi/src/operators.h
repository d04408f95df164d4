// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/ops/op_set.h"

namespace temper::capi {

/// The operators; one set for all objects of the library, which only read it.
std::shared_ptr<const OpSet> sharedOps();

}  // namespace temper::capi
