// SPDX-License-Identifier: Apache-2.0
// Throws an exception while it is loaded, which no plugin may.
#include <temper/plugin.h>

#include <stdexcept>

namespace {

int load(const TemperHost*, TemperRegistry*, TemperError*) {
    throw std::runtime_error("out of luck");
}

}  // namespace

extern "C" const TemperPlugin temper_plugin = {TEMPER_PLUGIN_ABI, "throws", "1", "", load};
