// SPDX-License-Identifier: Apache-2.0
// Provides a loss whose operator does not exist.
#include <temper/plugin.h>

namespace {

int load(const TemperHost* host, TemperRegistry* registry, TemperError* error) {
    TemperLoss loss{};
    loss.size = sizeof loss;
    loss.key = "homeless";
    loss.domain = "com.test";
    loss.op_type = "Nowhere";
    return host->add_loss(registry, &loss, error);
}

}  // namespace

extern "C" const TemperPlugin temper_plugin = {TEMPER_PLUGIN_ABI, "homeless", "1", "", load};
