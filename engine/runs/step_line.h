// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "engine/runs/run_event.h"

namespace temper {

/// Parses a line as toJsonLine() writes it for a step: the result of runEventFromJsonLine(), ten
/// times as fast, because nearly all lines of a long run are steps. Nothing for any other line.
std::optional<RunEvent> stepFromPlainLine(std::string_view line);

}  // namespace temper
