// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/runs/run_event.h"
#include "python/src/bindings.h"

namespace temper::python {

/// The kind of an event as logs name it: "step", "epoch", "eval", ...
std::string kindOf(const RunEvent& event);

/// The fields of an event as logs name them, with its kind as "event" and its "time".
nb::dict fieldsOf(const RunEvent& event);

}  // namespace temper::python
