// SPDX-License-Identifier: Apache-2.0
// Ends the program instead of loading.
#include <temper/plugin.h>
#include <unistd.h>

namespace {

int load(const TemperHost*, TemperRegistry*, TemperError*) { _exit(3); }

}  // namespace

extern "C" const TemperPlugin temper_plugin = {TEMPER_PLUGIN_ABI, "exits", "1", "", load};
