// SPDX-License-Identifier: Apache-2.0
#include "app/cli/completion_scripts.h"
#include "app/cli/completion_text.h"
#include "engine/core/joined.h"

namespace temper::cli {
namespace {

constexpr const char* kBashFunctions = R"bash(
_temper() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} path= deeper values
    if [[ $word == '=' ]]; then
        word=
    elif [[ $previous == '=' ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if ((COMP_CWORD > 1)); then path=${COMP_WORDS[1]}; fi
    if ((COMP_CWORD > 2)); then
        deeper="$path ${COMP_WORDS[2]}"
        if [[ -n $(_temper_words "$deeper") ]]; then path=$deeper; fi
    fi
    values=$(_temper_values "$path" "$previous")
    if [[ -z $values && $word != -* ]]; then values=$(_temper_values "$path" ''); fi
    case $values in
    '<file>') compopt -o default ;;
    '<folder>') compopt -o dirnames ;;
    '<value>') ;;
    *) mapfile -t COMPREPLY < <(compgen -W "${values:-$(_temper_words "$path")}" -- "$word") ;;
    esac
}
complete -F _temper temper
)bash";

std::string bashValue(const CompletionValue& value) {
    switch (value.kind) {
        case CompletionValue::Kind::File: return "<file>";
        case CompletionValue::Kind::Folder: return "<folder>";
        case CompletionValue::Kind::Words: return joinedBy(" ", value.words);
        case CompletionValue::Kind::Anything: break;
    }
    return "<value>";
}

std::string bashCase(const std::string& pattern, const std::string& words) {
    return "    " + shellQuoted(pattern) + ") echo " + shellQuoted(words) + " ;;\n";
}

std::string bashValuesOf(const CompletionCommand& command) {
    std::string text;
    for (const CompletionOption& option : command.options) {
        if (!option.takesValue) continue;
        for (const std::string& name : option.names) {
            text += bashCase(command.path + " " + name, bashValue(option.value));
        }
    }
    if (!command.positionals.empty()) {
        text += bashCase(command.path + " ", bashValue(command.positionals.front().value));
    }
    return text;
}

std::string bashWordsOf(const CompletionCommand& command) {
    std::vector<std::string> words = command.subcommands;
    for (const CompletionOption& option : command.options) {
        words.insert(words.end(), option.names.begin(), option.names.end());
    }
    return bashCase(command.path, joinedBy(" ", words));
}

}  // namespace

std::string bashCompletion(const std::vector<CompletionCommand>& commands) {
    std::string words, values;
    for (const CompletionCommand& command : commands) {
        words += bashWordsOf(command);
        values += bashValuesOf(command);
    }
    return "# bash completion for temper; made by 'temper completion bash'.\n\n"
           "# What may follow a command.\n"
           "_temper_words() {\n    case $1 in\n" +
           words +
           "    esac\n}\n\n# What an option takes, or '' in its place: what the command itself "
           "takes.\n"
           "_temper_values() {\n    case \"$1 $2\" in\n" +
           values + "    esac\n}\n" + kBashFunctions;
}

}  // namespace temper::cli
