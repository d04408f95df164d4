// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/training/spec/training_spec.h"

namespace temper::cli {

/// A choice by name (`--optimizer adamw`) and a flag for each hyperparameter of all choices
/// (`--weight-decay 0.01`), made from their descriptions.
class ChoiceOptions {
public:
    /// `flag` is "--optimizer"; `choices` have to live as long as the program.
    ChoiceOptions(std::string flag, const std::vector<Choice>& choices)
        : flag_(std::move(flag)), choices_(choices), key_(choices.front().key) {}

    /// Adds the flags; this object has to outlive the parsing.
    void addTo(CLI::App& command, const std::string& help);

    /// Whether the choice or a hyperparameter was given.
    bool isGiven() const;

    /// Throws: Error(InvalidInput) for a hyperparameter that the choice does not have or a value
    /// out of range. The choice's name is not checked.
    Selection selection() const;

private:
    void addHyperParameter(CLI::App& command, const HyperParameter& parameter);
    void check(const Choice& choice) const;
    void check(const Choice& choice, const std::string& key, double value) const;

    std::string flag_;
    const std::vector<Choice>& choices_;
    std::string key_;
    CLI::Option* keyOption_ = nullptr;
    std::map<std::string, std::optional<double>> values_;  ///< by hyperparameter, if given
    std::map<std::string, std::vector<double>> lists_;     ///< the same; empty if not given
};

/// "--weight-decay" for "weight_decay".
std::string flagOf(const std::string& key);

}  // namespace temper::cli
