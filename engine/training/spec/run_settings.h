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

/// Refers to the value of a setting.
using SettingValue =
    std::variant<bool*, int*, int64_t*, uint64_t*, double*, Precision*, std::string*,
                 std::vector<std::string>*, std::map<std::string, std::string>*, Selection*>;

/// The name of a setting and its possible values.
struct SettingInfo {
    std::string key;  ///< in JSON: "clip_norm"
    /// "--clip-norm"; empty: none. The flag of a switch that is on by default turns it off:
    /// "--no-divergence-guard".
    std::string flag;
    std::string label;  ///< "Clip gradient norm"
    std::string help;   ///< one sentence, for forms and flags
    double minimum = 0;
    double maximum = std::numeric_limits<double>::infinity();
    bool endIsOpen = false;     ///< the maximum itself is excluded
    std::string unit = {};      ///< "s", or empty
    std::string zero = {};      ///< what 0 means, in a word: "off"; empty: it is a number
    std::string typeName = {};  ///< of the flag's value, if it is not a number: "DIR"
    std::vector<std::string> (*names)() = nullptr;  ///< the values that there are, if named
    std::string topic = {};                         ///< its explanation in the window
    std::string needs = {};       ///< key of a setting without which it has no effect
    std::string replacedBy = {};  ///< key of a setting with which it has no effect
    enum class Place {
        None,  ///< has an editor of its own, or none
        Form,
        More  ///< in the part of the form that is initially closed
    };
    Place place = Place::None;
    bool isAlwaysTold = false;  ///< a page about a run names it even at its default
    enum class Affects {
        Steps,   ///< the loss of a step
        End,     ///< which step is the last of a run that succeeds, and not the steps themselves
        Nothing  ///< neither
    };
    Affects affects = Affects::Steps;
};

/// A setting that a person may choose. JSON, flags, forms, command lines and reports are generated
/// from the table of settings.
template <typename Owner>
struct Setting : SettingInfo {
    std::function<SettingValue(Owner&)> value;
};

/// The settings of any command that computes.
const std::vector<Setting<SessionOptions>>& sessionSettings();
/// The settings of a run, including these.
const std::vector<Setting<RunSpec>>& runSettings();

/// The setting's value in a run, read-only.
SettingValue valueIn(const Setting<RunSpec>& setting, const RunSpec& run);
/// What a value is: "bool", "int", "float", "text", "names", "pairs" or "choice".
std::string kindName(const SettingValue& value);
/// The value as a flag takes it: the shortest number, "fp32", names separated by commas. "on" or
/// "off" for a switch; see selectionText() for a choice.
std::string settingText(const SettingValue& value);
std::string settingText(const Setting<RunSpec>& setting, const RunSpec& run);
bool isDefault(const Setting<RunSpec>& setting, const RunSpec& run);
void setDefault(const Setting<RunSpec>& setting, RunSpec& run);
/// Whether another chosen setting replaces it, as steps replace epochs.
bool isReplaced(const Setting<RunSpec>& setting, const RunSpec& run);
/// Whether a setting that it needs is not chosen.
bool lacksWhatItNeeds(const Setting<RunSpec>& setting, const RunSpec& run);
/// Throws: Error(InvalidInput) naming the first setting whose number is out of range.
void requireInRange(const RunSpec& run);

}  // namespace temper
