// SPDX-License-Identifier: Apache-2.0
#include "app/cli/data_options.h"

#include <chrono>
#include <iomanip>
#include <ostream>
#include <set>
#include <sstream>

#include "app/cli/progress_bar.h"
#include "engine/data/data_health.h"
#include "engine/training/binding/image_input.h"
#include "engine/training/binding/target_input.h"
#include "engine/training/projects/lesson.h"

namespace temper::cli {
namespace {

/// Time limit for comparing samples with each other: nobody minds waiting that long.
constexpr std::chrono::seconds kComparingTime{2};

/// Prints noteworthy findings. Throws: Error with the first finding that is an error.
void settle(const std::vector<Finding>& findings, const std::string& what, CliContext& context) {
    std::vector<Finding> noteworthy;
    for (const Finding& finding : findings) {
        if (finding.severity == Severity::Error) {
            Error error(ErrorCode::InvalidInput, finding.message, finding.hint);
            error.addContext(what);
            throw error;
        }
        if (finding.severity == Severity::Warning) noteworthy.push_back(finding);
    }
    printFindings(context.err, noteworthy);
}

/// A single unreadable sample would end the run when its turn comes.
void settleReadable(const Dataset& data, const std::string& spec, const LookProgress& progress,
                    ProgressBar& bar, CliContext& context) {
    const std::vector<Finding> findings = checkReadable(data, progress);
    bar.clear();
    settle(findings, "data '" + spec + "'", context);
}

std::map<std::string, std::string> bindTo(const TrainingSession& session, const Dataset& data,
                                          const std::string& spec,
                                          const std::map<std::string, std::string>& given,
                                          CliContext& context) {
    BindingProposal proposal = proposeBinding(session, data, given);
    settle(proposal.findings, "data '" + spec + "'", context);
    std::erase_if(proposal.findings, [](const Finding& f) { return f.severity != Severity::Info; });
    printFindings(context.err, proposal.findings);
    return std::move(proposal.binding);
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
                       const TrainingSession& session, CliContext& context) {
    ProgressBar bar(context.terminal, context.errIsTerminal);
    const LookProgress progress = [&bar](int64_t done, int64_t total) {
        if (done == 0) {
            bar.begin(total, 0);
        } else {
            bar.update(done, "checking the samples");
        }
        return true;
    };
    OpenedData data = openData(spec, evalSpec, lessonFiles(), imageFormOf(session),
                               targetFormOf(session), progress);
    bar.clear();
    context.err << describeData(data);
    settle(data.findings, "data '" + spec + "'", context);
    if (!dropsInvalid(data.spec)) {
        settleReadable(*data.training, spec, progress, bar, context);
        if (data.evaluation != nullptr) {
            settleReadable(*data.evaluation, evalSpec.empty() ? spec : evalSpec, progress, bar,
                           context);
        }
    }
    const auto deadline = std::chrono::steady_clock::now() + kComparingTime;
    settle(checkOpenedData(data, [&] { return std::chrono::steady_clock::now() > deadline; }),
           "data '" + spec + "'", context);
    if (data.evaluation != nullptr) {
        const std::string& name = evalSpec.empty() ? spec : evalSpec;
        settle(checkData(*data.evaluation), "data '" + name + "'", context);
    }
    return data;
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
    return bindTo(session, data, spec, parseBinding(given), context);
}

void bindRun(const TrainingSession& session, const OpenedData& data, RunSpec& spec,
             CliContext& context) {
    spec.binding = bindTo(session, *data.training, spec.data, spec.binding, context);
    if (data.evaluation == nullptr) return;
    const std::string& name = spec.evalData.empty() ? spec.data : spec.evalData;
    settle(proposeBinding(session, *data.evaluation, spec.binding).findings, "data '" + name + "'",
           context);
}

}  // namespace temper::cli
