// SPDX-License-Identifier: Apache-2.0
// Made for a version of the interface that does not exist yet.
#include <temper/plugin.h>

extern "C" const TemperPlugin temper_plugin = {TEMPER_PLUGIN_ABI + 1, "future", "1", "", nullptr};
