// SPDX-License-Identifier: Apache-2.0
#include "engine/training/spec/run_settings.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "engine/core/closest_word.h"
#include "python/src/bindings.h"

namespace temper::python {
namespace {

/// A row of the table of settings.
struct SettingRow {
    std::string key;
    std::string flag;  ///< without dashes in front, and with "_" for "-"
    std::string label;
    std::string help;
    std::string kind;
    std::string usual;  ///< its default, as a flag takes it
};

/// The name of an argument for a flag: "eval_every". A flag that turns something off has none.
std::string argumentOf(const std::string& flag) {
    if (flag.empty() || flag.starts_with("--no-")) return {};
    std::string name = flag.substr(2);
    std::ranges::replace(name, '-', '_');
    return name;
}

/// As kindName(), but the name of a folder is a "path".
std::string kindOf(const SettingInfo& setting, const SettingValue& value) {
    return setting.typeName == "DIR" ? "path" : kindName(value);
}

/// Those that are keyword arguments of fit(); it takes data in other forms, too.
std::vector<SettingRow> tableOfSettings() {
    RunSpec usual;
    std::vector<SettingRow> rows;
    for (const Setting<RunSpec>& setting : runSettings()) {
        if (setting.typeName == "DATA") continue;
        const SettingValue value = setting.value(usual);
        rows.push_back({setting.key, argumentOf(setting.flag), setting.label, setting.help,
                        kindOf(setting, value), settingText(value)});
    }
    return rows;
}

}  // namespace

void bindRunSettings(nb::module_& module) {
    nb::class_<SettingRow>(module, "RunSetting", "A setting of a run.")
        .def_ro("key", &SettingRow::key)
        .def_ro("flag", &SettingRow::flag)
        .def_ro("label", &SettingRow::label)
        .def_ro("help", &SettingRow::help)
        .def_ro("kind", &SettingRow::kind)
        .def_ro("default", &SettingRow::usual);
    module.def("run_settings", &tableOfSettings);
    module.def("session_settings", [] {
        std::vector<std::string> keys;
        for (const auto& setting : sessionSettings()) keys.push_back(setting.key);
        return keys;
    });
    module.def(
        "did_you_mean",
        [](const std::string& word, const std::vector<std::string>& known) {
            return didYouMean(word, known);
        },
        nb::arg("word"), nb::arg("known"));
}

}  // namespace temper::python
