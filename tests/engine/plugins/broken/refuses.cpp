// SPDX-License-Identifier: Apache-2.0
// Reports that it can't be loaded here.
#include <temper/plugin.h>

namespace {

int load(const TemperHost* host, TemperRegistry*, TemperError* error) {
    return host->fail(error, "The device 'x1' is not there.", "Switch it on.");
}

}  // namespace

extern "C" const TemperPlugin temper_plugin = {TEMPER_PLUGIN_ABI, "refuses", "1", "", load};
