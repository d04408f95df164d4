// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace temper {

/// The processor's name as the kernel reports it; empty if it does not.
std::string processorName();

}  // namespace temper
