// SPDX-License-Identifier: Apache-2.0
// Crashes as soon as the library is opened.
#include <temper/plugin.h>

#include <csignal>

namespace {

const int kCrash = std::raise(SIGSEGV);

int load(const TemperHost*, TemperRegistry*, TemperError*) { return kCrash; }

}  // namespace

extern "C" const TemperPlugin temper_plugin = {TEMPER_PLUGIN_ABI, "crashes", "1", "", load};
