// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace temper {

/// The language of a report. The engine knows only English; callers supply translations.
struct ReportLanguage {
    std::string code = "en";  ///< for HTML's lang: "de"
    char decimalPoint = '.';  ///< in numbers that people read
    /// Translates a text of reportTexts(), keeping its %1, %2. Empty: English.
    std::function<std::string(std::string_view english)> translate = {};
};

/// All texts of a report, for translators; a run's own names, paths and messages stay as they are.
const std::vector<std::string_view>& reportTexts();

/// Writes the parts of a report in a language.
class ReportWords {
public:
    explicit ReportWords(const ReportLanguage& language) : language_(language) {}

    /// A text of reportTexts() with its %1, %2, ... replaced by the values. Throws: Error(Internal)
    /// if it is none of them.
    std::string operator()(std::string_view english,
                           const std::vector<std::string>& values = {}) const;
    /// Translates what may be one of them, as a kind of checkpoint, or a label that forms have with
    /// a large first letter, as those of settings.
    std::string label(const std::string& english) const;
    /// Six digits.
    std::string number(double value) const;
    std::string duration(double seconds) const;
    const ReportLanguage& language() const { return language_; }

private:
    std::string localized(std::string number) const;

    const ReportLanguage& language_;
};

}  // namespace temper
