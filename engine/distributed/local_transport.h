// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "engine/distributed/transport.h"

namespace temper {

/// Ranks that are threads of this process; element r is that of rank r. Destroying one without
/// close() is what a killed process looks like to the others: it just falls silent.
std::vector<std::unique_ptr<Transport>> makeLocalTransports(int ranks);

}  // namespace temper
