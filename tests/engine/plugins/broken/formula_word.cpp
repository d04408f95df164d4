// SPDX-License-Identifier: Apache-2.0
// Provides a loss whose name is a function of formulas.
#include <temper/plugin.h>

namespace {

int load(const TemperHost* host, TemperRegistry* registry, TemperError* error) {
    TemperLoss loss{};
    loss.size = sizeof loss;
    loss.key = "sigmoid";
    loss.domain = "";
    loss.op_type = "Relu";
    return host->add_loss(registry, &loss, error);
}

}  // namespace

extern "C" const TemperPlugin temper_plugin = {TEMPER_PLUGIN_ABI, "formula_word", "1", "", load};
