// SPDX-License-Identifier: Apache-2.0
#include "app/cli/completion_model.h"

#include <algorithm>
#include <map>
#include <regex>

#include "engine/runtime/passes/plan_pass.h"
#include "engine/training/evaluation/metrics.h"
#include "engine/training/projects/lesson.h"

namespace temper::cli {
namespace {

using Kind = CompletionValue::Kind;
using Words = std::vector<std::string>;

Words splitAt(const std::string& text, const std::regex& separator) {
    return {std::sregex_token_iterator(text.begin(), text.end(), separator, -1), {}};
}

Words lessonNames() {
    Words names;
    for (const Lesson& lesson : bundledLessons()) names.push_back(lesson.name);
    return names;
}

Words metricNames() {
    Words names;
    for (const MetricInfo& metric : metricInfos()) names.push_back(metric.key);
    return names;
}

/// The values implied by the name of a value type or positional argument.
CompletionValue valueCalled(const std::string& name) {
    static const std::map<std::string, Kind> kPaths{
        {"FILE", Kind::File},  {"DATA", Kind::File},   {"MODEL", Kind::File}, {"RUN", Kind::File},
        {"FIRST", Kind::File}, {"SECOND", Kind::File}, {"DIR", Kind::Folder}};
    if (const auto path = kPaths.find(name); path != kPaths.end()) return {path->second};
    if (name == "LESSON") return {Kind::Words, lessonNames()};
    if (name == "METRIC") return {Kind::Words, metricNames()};
    if (name == "PASS") return {Kind::Words, planPassNames()};
    return {};
}

/// "a|b|c" in the help or as the type, or "{a,b,c}" in a check.
CompletionValue valueInText(const CLI::Option& option) {
    static const std::regex kBars(R"(([\w-]+(\|[\w-]+)+))"), kBraces(R"(\{([^}]*)\})");
    std::smatch match;
    const std::string& help = option.get_description();
    const std::string type = option.get_type_name();
    if (std::regex_search(help, match, kBars) || std::regex_search(type, match, kBars)) {
        return {Kind::Words, splitAt(match[1], std::regex("\\|"))};
    }
    if (std::regex_search(type, match, kBraces)) {
        return {Kind::Words, splitAt(match[1], std::regex(","))};
    }
    return {};
}

CompletionValue valueOf(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    const CompletionValue called = valueCalled(type.substr(0, type.find(':')));
    return called.kind == Kind::Anything ? valueInText(option) : called;
}

CompletionOption optionOf(const CLI::Option& option) {
    CompletionOption result{.names = {},
                            .help = option.get_description(),
                            .takesValue = option.get_items_expected_max() > 0,
                            .repeats = option.get_expected_max() > 1,
                            .value = valueOf(option)};
    for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
    return result;
}

/// A folder of artifacts may also be a model, so files are offered, too.
CompletionPositional positionalOf(const CLI::Option& option) {
    const std::string name = option.get_name(true);
    CompletionPositional result{name, option.get_expected_max() > 1, valueCalled(name)};
    if (result.value.kind == Kind::Folder) result.value.kind = Kind::File;
    return result;
}

CompletionCommand commandOf(const CLI::App& app, const std::string& path) {
    CompletionCommand command{.path = path, .help = app.get_description()};
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_positional()) {
            command.positionals.push_back(positionalOf(*option));
        } else {
            command.options.push_back(optionOf(*option));
        }
    }
    return command;
}

void collect(const CLI::App& app, const std::string& path, std::vector<CompletionCommand>& all) {
    const auto isShown = [](const CLI::App* sub) { return !sub->get_group().empty(); };
    const std::vector<const CLI::App*> subcommands = app.get_subcommands(isShown);
    all.push_back(commandOf(app, path));
    for (const CLI::App* sub : subcommands) all.back().subcommands.push_back(sub->get_name());
    for (const CLI::App* sub : subcommands) {
        collect(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name(), all);
    }
}

}  // namespace

std::vector<CompletionCommand> completionCommands(const CLI::App& app) {
    std::vector<CompletionCommand> all;
    collect(app, "", all);
    return all;
}

}  // namespace temper::cli
