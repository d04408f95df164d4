// SPDX-License-Identifier: Apache-2.0
#include "app/cli/data_options.h"

#include <iomanip>
#include <ostream>
#include <set>
#include <sstream>

#include "app/cli/progress_bar.h"
#include "engine/training/binding/run_data.h"
#include "engine/training/projects/lesson.h"

namespace temper::cli {
namespace {

DataListener listenerOf(CliContext& context) {
    return {.findings = [&context](const std::vector<Finding>& findings) {
        printFindings(context.err, findings);
    }};
}

}  // namespace

std::string dataHelp() {
    std::ostringstream text;
    text << "Data is kind:path?key=value&...; the kind may be omitted if the path shows it.\n";
    std::set<std::string> described;
    for (const DataKind& kind : dataKinds()) {
        text << "  " << kind.key << ": " << kind.label << '\n';
        for (const DataOption& option : kind.options) {
            if (!described.insert(option.key + option.help).second) continue;
            text << "      " << std::left << std::setw(12) << option.key << option.help << '\n';
        }
    }
    return text.str();
}

OpenedData openDataFor(const std::string& spec, const std::string& evalSpec,
                       const TrainingSession& session, CliContext& context,
                       const std::vector<std::string>& classes) {
    ProgressBar bar(context.terminal, context.errIsTerminal);
    DataListener listener = listenerOf(context);
    listener.progress = [&bar](int64_t done, int64_t total) {
        if (done == 0) {
            bar.begin(total, 0);
        } else {
            bar.update(done, "checking the samples");
        }
        return true;
    };
    listener.looked = [&bar] { bar.clear(); };
    listener.summary = [&context](const std::string& summary) { context.err << summary; };
    return temper::openDataFor(session, spec, evalSpec, lessonFiles(), listener, classes);
}

OpenedData normalizedAsKept(TrainingSession& session, OpenedData data,
                            const std::map<std::string, std::string>& binding,
                            CliContext& context) {
    return temper::normalizedAsKept(session, std::move(data), binding, listenerOf(context));
}

std::map<std::string, std::string> parseBinding(const std::vector<std::string>& texts) {
    std::map<std::string, std::string> binding;
    for (const std::string& pair : texts) {
        const size_t equals = pair.rfind('=');
        if (equals == std::string::npos || equals == 0) {
            throw Error(ErrorCode::InvalidInput, "--bind '" + pair + "' is not INPUT=COLUMN.",
                        "Example: --bind labels=species");
        }
        binding[pair.substr(0, equals)] = pair.substr(equals + 1);
    }
    return binding;
}

std::map<std::string, std::string> bindData(const TrainingSession& session, const Dataset& data,
                                            const std::string& spec,
                                            const std::vector<std::string>& given,
                                            CliContext& context) {
    return bindColumns(session, data, nameOfData(spec), parseBinding(given), listenerOf(context));
}

void bindRun(const TrainingSession& session, const OpenedData& data, RunSpec& spec,
             CliContext& context) {
    const std::string& evalSpec = spec.evalData.empty() ? spec.data : spec.evalData;
    spec.binding = bindRunColumns(session, data, nameOfData(spec.data), nameOfData(evalSpec),
                                  spec.binding, listenerOf(context));
}

}  // namespace temper::cli
