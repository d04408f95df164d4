// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/runtime/profile.h"

namespace temper {

/// The profile's timeline as JSON that chrome://tracing and Perfetto open: a complete event for
/// each kernel call, named after its node, inside of the spans. They are in order of time, in
/// microseconds since the first one.
/// Source: "Trace Event Format", section "JSON Object Format".
std::string chromeTrace(const Profile& profile);

}  // namespace temper
