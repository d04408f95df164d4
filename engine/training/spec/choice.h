// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

namespace temper {

/// A number that a user may set; forms and command-line flags are generated from it.
struct HyperParameter {
    std::string key;    ///< "weight_decay"
    std::string label;  ///< "Weight decay"
    std::string unit;   ///< or empty
    double defaultValue = 0;
    double minimum = 0;
    double maximum = 0;
    std::string help;  ///< one sentence
    enum class Kind {
        Number,
        Switch,  ///< a number that is 0 or 1
        List     ///< numbers of the range, separated by commas in text; empty by default
    };
    Kind kind = Kind::Number;
    std::string zero = {};  ///< what 0 means, in a word: "off"; empty: it is a number
};

/// "number", "switch" or "list".
std::string kindName(HyperParameter::Kind kind);

/// A loss or optimizer that can be chosen by name.
struct Choice {
    std::string key;    ///< "cross-entropy"
    std::string label;  ///< "Cross entropy"
    std::string help;   ///< one sentence: what it is for
    std::vector<HyperParameter> hyperParameters;
    /// Of a loss: what it computes for each element, of the prediction x and the target t.
    std::string formula = {};
};

/// A choice and the hyperparameters that differ from its defaults.
struct Selection {
    std::string key;
    std::map<std::string, double> values;
    std::map<std::string, std::vector<double>> lists = {};

    /// The set value, or the choice's default.
    /// Throws: Error(InvalidInput) naming a key that the choice does not have.
    double value(const std::vector<Choice>& choices, const std::string& hyperParameter) const;
    /// The same for a list.
    std::vector<double> list(const std::vector<Choice>& choices,
                             const std::string& hyperParameter) const;
    bool isOn(const std::vector<Choice>& choices, const std::string& hyperParameter) const {
        return value(choices, hyperParameter) != 0;
    }
    bool operator==(const Selection&) const = default;
};

/// The choice with the hyperparameters that are set: "multi-step (gamma=0.5, milestones=10,20)".
std::string selectionText(const Selection& selection);

/// Throws: Error(InvalidInput) for an unknown choice or hyperparameter, and for a number out of
/// range.
void requireValid(const Selection& selection, const std::vector<Choice>& choices);

}  // namespace temper
