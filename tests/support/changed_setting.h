// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "engine/training/spec/run_settings.h"

namespace temper::test {

/// Gives each kind of value another one, within the range of its setting.
struct SettingChange {
    const SettingInfo& setting;

    void operator()(bool* value) const { *value = !*value; }
    void operator()(uint64_t* value) const { *value = std::numeric_limits<uint64_t>::max(); }
    template <typename Integer>
    requires std::is_integral_v<Integer>
    void operator()(Integer* value) const {
        *value += static_cast<double>(*value) < setting.maximum ? 1 : -1;
    }
    void operator()(double* value) const {
        *value = std::isfinite(setting.maximum) ? setting.maximum / 2 : *value + 0.1;
    }
    void operator()(Precision* value) const { *value = Precision::BFloat16; }
    void operator()(std::string* value) const { *value = "a text?x=1&y=50%"; }
    void operator()(std::vector<std::string>* value) const { *value = {"one", "two"}; }
    void operator()(std::map<std::string, std::string>* value) const {
        *value = {{"x", "the pixels"}};
    }
    void operator()(Selection* value) const {
        *value = {"multi-step", {{"gamma", 0.5}}, {{"milestones", {3, 5}}}};
    }
};

/// Gives a setting a value other than its default.
inline void change(const Setting<RunSpec>& setting, RunSpec& run) {
    std::visit(SettingChange{setting}, setting.value(run));
}

}  // namespace temper::test
