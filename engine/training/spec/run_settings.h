// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "engine/training/spec/run_spec.h"

namespace temper {

/// Where the value of a setting is.
using SettingValue =
    std::variant<bool*, int*, int64_t*, uint64_t*, double*, Precision*, std::string*,
                 std::vector<std::string>*, std::map<std::string, std::string>*, Selection*>;

/// What a setting is called and what it may be.
struct SettingInfo {
    std::string key;  ///< in JSON: "clip_norm"
    /// "--clip-norm"; empty: there is none. The flag of a switch that is on by default turns it
    /// off: "--no-divergence-guard".
    std::string flag;
    std::string label;  ///< "Clip gradient norm"
    std::string help;   ///< one sentence, for forms and flags
    double minimum = 0;
    double maximum = std::numeric_limits<double>::infinity();
    bool endIsOpen = false;       ///< the maximum itself is too much
    std::string unit = {};        ///< "s", or empty
    std::string typeName = {};    ///< of the flag's value, if it is no number: "DIR"
    std::string topic = {};       ///< what explains it in the window
    std::string needs = {};       ///< key of another setting, without which it has no effect
    std::string replacedBy = {};  ///< key of another setting, with which it has no effect
    enum class Place {
        None,  ///< has an editor of its own, or none
        Form,
        More  ///< in the part of the form that is closed at first
    };
    Place place = Place::None;
    bool isAlwaysTold = false;  ///< a page about a run names it though it has its default
    bool decidesSteps = true;   ///< false: the steps are the same, whatever it is
};

/// A setting that a person may choose. JSON, flags, forms, command lines and reports are made from
/// the table of them.
template <typename Owner>
struct Setting : SettingInfo {
    std::function<SettingValue(Owner&)> value;
};

/// Those of any command that computes.
const std::vector<Setting<SessionOptions>>& sessionSettings();
/// Those of a run, with these.
const std::vector<Setting<RunSpec>>& runSettings();

/// The setting's value in a run, to be read only.
SettingValue valueIn(const Setting<RunSpec>& setting, const RunSpec& run);
/// The value as a flag takes it: the shortest number, "fp32", names with commas between them, a
/// choice's name; "on" or "off" for a switch.
std::string settingText(const SettingValue& value);
std::string settingText(const Setting<RunSpec>& setting, const RunSpec& run);
bool isDefault(const Setting<RunSpec>& setting, const RunSpec& run);
void setDefault(const Setting<RunSpec>& setting, RunSpec& run);
/// Another setting is chosen that counts in its place, as steps do in that of epochs.
bool isReplaced(const Setting<RunSpec>& setting, const RunSpec& run);
/// One that it needs is not chosen.
bool lacksWhatItNeeds(const Setting<RunSpec>& setting, const RunSpec& run);
/// Throws: Error(InvalidInput) naming the first setting whose number is out of its range.
void requireInRange(const RunSpec& run);

}  // namespace temper
