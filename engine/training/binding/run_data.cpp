// SPDX-License-Identifier: Apache-2.0
#include "engine/training/binding/run_data.h"

#include <chrono>
#include <utility>

#include "engine/data/data_health.h"
#include "engine/training/binding/binding.h"
#include "engine/training/binding/image_input.h"
#include "engine/training/binding/target_input.h"
#include "engine/training/session/input_normalization.h"

namespace temper {
namespace {

/// Time limit for comparing samples with each other: nobody minds waiting that long.
constexpr std::chrono::seconds kComparingTime{2};

/// What bytes go through by default. Numbers that are not bytes are shares already.
const Normalization kBytesAsShares{{0}, {255}};

std::vector<Finding> only(Severity severity, const std::vector<Finding>& findings) {
    std::vector<Finding> chosen;
    for (const Finding& finding : findings)
        if (finding.severity == severity) chosen.push_back(finding);
    return chosen;
}

void tell(const DataListener& listener, const std::vector<Finding>& findings) {
    if (listener.findings && !findings.empty()) listener.findings(findings);
}

/// Tells the warnings. Throws: Error with the first finding that is an error.
void settle(const std::vector<Finding>& findings, const std::string& what,
            const DataListener& listener) {
    const std::vector<Finding> errors = only(Severity::Error, findings);
    if (!errors.empty()) {
        Error error(ErrorCode::InvalidInput, errors.front().message, errors.front().hint);
        error.addContext(what);
        throw error;
    }
    tell(listener, only(Severity::Warning, findings));
}

/// A single unreadable sample would end the run when its turn comes.
void settleReadable(const Dataset& data, const std::string& name, const DataListener& listener) {
    const std::vector<Finding> findings = checkReadable(data, listener.progress);
    if (listener.looked) listener.looked();
    settle(findings, name, listener);
}

}  // namespace

std::string nameOfData(const std::string& spec) { return "data '" + pathIn(spec) + "'"; }

OpenedData openDataFor(const TrainingSession& session, const std::string& spec,
                       const std::string& evalSpec, const FileResolver& resolver,
                       const DataListener& listener, std::vector<std::string> classes) {
    TargetForm target = targetFormOf(session);
    target.names = std::move(classes);
    OpenedData data =
        openData(spec, evalSpec, resolver, imageFormOf(session), target, listener.progress);
    if (listener.looked) listener.looked();
    if (listener.summary) listener.summary(describeData(data));
    settle(data.findings, nameOfData(spec), listener);
    checkDataFor(data, nameOfData(spec), nameOfData(evalSpec.empty() ? spec : evalSpec), listener);
    return data;
}

OpenedData normalizedAsKept(TrainingSession& session, OpenedData data,
                            const std::map<std::string, std::string>& binding,
                            const DataListener& listener) {
    if (choosesNormalization(data.spec)) return data;
    std::map<std::string, Normalization> changed;
    std::vector<Finding> findings;
    for (const auto& [input, kept] : keptNormalizations(session.state())) {
        const auto column = binding.find(input);
        if (column == binding.end()) continue;
        const auto own = data.normalization.find(column->second);
        const bool isNormalized = own != data.normalization.end();
        if (isNormalized ? own->second == kept.by : kept.by == kBytesAsShares) continue;
        changed[column->second] = kept.by;
        findings.push_back({"D124",
                            Severity::Info,
                            {},
                            {},
                            "Column '" + column->second +
                                "' is normalized as in the run that the checkpoint comes from: " +
                                describeNormalization(kept.by) + ".",
                            "To choose otherwise, add normalize=none, or mean= and std=.",
                            {}});
    }
    if (changed.empty()) return data;
    tell(listener, findings);
    return normalizedBy(std::move(data), std::move(changed));
}

void checkDataFor(const OpenedData& data, const std::string& name, const std::string& evalName,
                  const DataListener& listener) {
    if (!dropsInvalid(data.spec)) {
        settleReadable(*data.training, name, listener);
        if (data.evaluation != nullptr) settleReadable(*data.evaluation, evalName, listener);
    }
    const auto deadline = std::chrono::steady_clock::now() + kComparingTime;
    settle(checkOpenedData(data, [&] { return std::chrono::steady_clock::now() > deadline; }), name,
           listener);
    if (data.evaluation != nullptr) settle(checkData(*data.evaluation), evalName, listener);
}

std::map<std::string, std::string> bindColumns(const TrainingSession& session, const Dataset& data,
                                               const std::string& name,
                                               const std::map<std::string, std::string>& given,
                                               const DataListener& listener) {
    BindingProposal proposal = proposeBinding(session, data, given);
    settle(proposal.findings, name, listener);
    tell(listener, only(Severity::Info, proposal.findings));
    return std::move(proposal.binding);
}

std::map<std::string, std::string> bindRunColumns(const TrainingSession& session,
                                                  const OpenedData& data, const std::string& name,
                                                  const std::string& evalName,
                                                  const std::map<std::string, std::string>& given,
                                                  const DataListener& listener) {
    std::map<std::string, std::string> binding =
        bindColumns(session, *data.training, name, given, listener);
    if (data.evaluation != nullptr) {
        settle(proposeBinding(session, *data.evaluation, binding).findings, evalName, listener);
    }
    return binding;
}

}  // namespace temper
