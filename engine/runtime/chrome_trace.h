// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/runtime/profile.h"

namespace temper {

/// The profile's timeline as JSON for chrome://tracing and Perfetto: a complete event for each
/// kernel call, named after its node, inside the spans. Events are in order of time, in
/// microseconds since the first one.
/// Source: "Trace Event Format", section "JSON Object Format".
std::string chromeTrace(const Profile& profile);

}  // namespace temper
