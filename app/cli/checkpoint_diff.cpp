// SPDX-License-Identifier: Apache-2.0
#include "app/cli/checkpoint_diff.h"

#include <ostream>

#include "app/cli/inspection.h"

namespace temper::cli {
namespace {

Json toJson(const ParameterDiff& diff) {
    if (!diff.mismatch.empty()) return {{"name", diff.name}, {"mismatch", diff.mismatch}};
    return {{"name", diff.name},
            {"first_norm", diff.firstNorm},
            {"second_norm", diff.secondNorm},
            {"change_norm", diff.changeNorm},
            {"max_change", diff.maxChange},
            {"relative", diff.relative},
            {"cosine", diff.cosine},
            {"histogram", diff.histogram}};
}

}  // namespace

Json toJson(const CheckpointDiff& diff, const ModuleNames& names) {
    Json parameters = Json::array();
    for (const ParameterDiff& parameter : diff.parameters) {
        parameters.push_back(toJson(parameter));
        const std::vector<std::string> others = moduleNamesOf(names, parameter.name);
        if (!others.empty()) parameters.back()["module_names"] = others;
    }
    return {{"parameters", std::move(parameters)},
            {"only_in_first", diff.onlyInFirst},
            {"only_in_second", diff.onlyInSecond}};
}

void print(std::ostream& stream, const CheckpointDiff& diff, const ModuleNames& names) {
    std::vector<std::vector<std::string>> rows{{"parameter", "first norm", "second norm",
                                                "change norm", "max change", "relative", "cosine"}};
    for (const ParameterDiff& parameter : diff.parameters) {
        const std::string name = nameText(parameter.name, moduleNamesOf(names, parameter.name));
        if (!parameter.mismatch.empty()) {
            rows.push_back({name, parameter.mismatch});
            continue;
        }
        rows.push_back({name, formatNumber(parameter.firstNorm), formatNumber(parameter.secondNorm),
                        formatNumber(parameter.changeNorm), formatNumber(parameter.maxChange),
                        formatNumber(parameter.relative), formatNumber(parameter.cosine)});
    }
    printTable(stream, rows, {1, 2, 3, 4, 5, 6});
    if (!diff.onlyInFirst.empty()) {
        stream << "only in the first: " << quotedList(diff.onlyInFirst) << '\n';
    }
    if (!diff.onlyInSecond.empty()) {
        stream << "only in the second: " << quotedList(diff.onlyInSecond) << '\n';
    }
}

}  // namespace temper::cli
