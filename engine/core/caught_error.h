// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/core/error.h"

namespace temper {

/// Within a handler: what was thrown, in words for the user. Lets through what is no
/// std::exception.
Error caughtError();

}  // namespace temper
