// SPDX-License-Identifier: Apache-2.0
#include "python/src/fit.h"

#include <algorithm>
#include <utility>

#include "engine/core/interruption.h"
#include "engine/core/output_check.h"
#include "engine/training/binding/target_input.h"
#include "engine/training/evaluation/metrics.h"
#include "engine/training/loss/loss_info.h"
#include "engine/training/optimizers/lr_schedule.h"
#include "engine/training/projects/lesson.h"
#include "engine/training/projects/project_run.h"
#include "engine/training/session/run_properties.h"
#include "engine/training/spec/run_settings.h"
#include "engine/training/spec/training_spec.h"
#include "python/src/run_events.h"

namespace temper::python {
namespace {

/// Names of the arguments, for messages.
constexpr const char* kTraining = "data";
constexpr const char* kEvaluation = "eval_data";

/// Throws: Error(InvalidInput | Io): what would fail at the first step fails at once.
void requireSensible(const RunSpec& spec) {
    requireInRange(spec);
    requireValid(spec.schedule, scheduleChoices());
    for (const std::string& key : spec.metrics) requireKnownMetric(key);
    requireKnownMetric(spec.bestMetric);
    requireWritableFolder(spec.saveFolder);
}

std::optional<NamedRows> optionalRows(const nb::object& arrays) {
    if (arrays.is_none()) return std::nullopt;
    return rowsFrom(nb::cast<nb::dict>(arrays));
}

}  // namespace

Fit::Fit(Session& session, const std::string& specification, bool followsSchedule)
    : session_(session),
      spec_(trainingSpecFromJson(specification).run),
      followsSchedule_(followsSchedule),
      targets_(describeLoss(graphWithLoss(session.engine())).targets) {
    requireSensible(spec_);
}

// ---- data --------------------------------------------------------------------------------------

DataRemarks Fit::take(const std::function<void(DataRemarks&, const DataListener&)>& open) {
    session_.requireHome();
    DataRemarks remarks;
    const TrainingClaim claim(session_.state());
    RunThread thread({}, {});
    const DataListener listener{
        .progress = [&thread](int64_t, int64_t) { return !thread.hasFailed(); },
        .summary = [&remarks](const std::string& summary) { remarks.summary = summary; },
        .findings =
            [&remarks](const std::vector<Finding>& findings) {
                remarks.findings.insert(remarks.findings.end(), findings.begin(), findings.end());
            }};
    thread.run([&] {
        const InterruptionScope interruption([&] { return thread.hasFailed(); });
        open(remarks, listener);
    });
    return remarks;
}

DataRemarks Fit::takeSpecified() {
    return take([this](DataRemarks&, const DataListener& listener) {
        TrainingSession& session = session_.engine();
        const bool continues = session.state().optimizerState().step > 0;
        OpenedData opened =
            openDataFor(session, spec_.data, spec_.evalData, lessonFiles(), listener,
                        continues ? keptClasses(session.state()) : std::vector<std::string>());
        const std::string& evalSpec = spec_.evalData.empty() ? spec_.data : spec_.evalData;
        spec_.binding = bindRunColumns(session, opened, nameOfData(spec_.data),
                                       nameOfData(evalSpec), spec_.binding, listener);
        if (continues)
            opened = normalizedAsKept(session, std::move(opened), spec_.binding, listener);
        data_ = {opened.training, opened.evaluation, spec_.binding};
    });
}

DataRemarks Fit::takeArrays(const nb::dict& training, const nb::object& evaluation) {
    const NamedRows rows = rowsFrom(training);
    const std::optional<NamedRows> evalRows = optionalRows(evaluation);
    return take([&](DataRemarks& remarks, const DataListener& listener) {
        OpenedData opened;
        opened.training = opened.rawTraining = samplesOf(rows, nullptr);
        if (evalRows)
            opened.evaluation = opened.rawEvaluation = samplesOf(*evalRows, opened.training.get());
        remarks.summary = describeData(opened);
        checkDataFor(opened, kTraining, kEvaluation, listener);
        check(opened, listener);
    });
}

DataRemarks Fit::takeStream(const nb::object& stream, const nb::object& evaluation) {
    const std::optional<NamedRows> evalRows = optionalRows(evaluation);
    const auto batches = std::make_shared<PythonStream>(
        stream, targets_, session_.state(), [this] { stateLock_->passOn(); },
        [this](std::exception_ptr error) { dataError_ = std::move(error); });
    OpenedData opened;
    opened.training = opened.rawTraining = batches->peek();
    if (!opened.training) {
        throw Error(ErrorCode::InvalidInput, "The data has no batches.",
                    "Pass at least one batch.");
    }
    return take([&](DataRemarks&, const DataListener& listener) {
        if (evalRows) {
            opened.evaluation = samplesOf(*evalRows, nullptr);
            OpenedData alone;
            alone.training = alone.rawTraining = opened.evaluation;
            checkDataFor(alone, kEvaluation, {}, listener);
        }
        check(opened, listener);
        data_.stream = batches;
    });
}

std::shared_ptr<const Dataset> Fit::samplesOf(const NamedRows& rows, const Dataset* same) const {
    std::vector<std::string> targets = targets_;
    std::erase_if(targets, [&](const std::string& target) {
        return std::ranges::none_of(rows, [&](const auto& row) { return row.first == target; });
    });
    return datasetOfArrays(rows, targets, targetFormOf(session_.engine()), same);
}

void Fit::check(const OpenedData& data, const DataListener& listener) {
    spec_.binding =
        bindRunColumns(session_.engine(), data, kTraining, kEvaluation, spec_.binding, listener);
    data_ = {data.training, data.evaluation, spec_.binding};
}

// ---- the run -----------------------------------------------------------------------------------

void Fit::run(const FitObserver& observer, RunSettings settings, const FitFiles& files) {
    if (!data_.training || !events_.empty())
        throw Error(ErrorCode::State, "A run needs data, and runs once.");
    session_.requireHome();
    settings_ = std::move(settings);
    for (const auto& [label, value] : describeRun(spec_))
        if (!value.empty()) settings_.choices.emplace_back(label, value);
    const TrainingClaim claim(session_.state());
    if (!files.profile.empty()) profile_ = std::make_unique<FitProfile>(files.profile);
    if (!files.log.empty()) {
        log_ = std::make_unique<RunLog>(files.log);
        log_->write(settings_);
    }
    RunThread thread([this] { control_.stop(); },
                     observer.ticks ? std::function<void()>([&] { tick(observer); }) : nullptr);
    thread_ = &thread;
    thread.run([&] { train(observer); });
    requireSuccess();
}

void Fit::train(const FitObserver& observer) {
    StateLock lock(session_.state());
    stateLock_ = &lock;
    {
        Trainer trainer(session_.engine(), data_, spec_, control_,
                        [&](const RunEvent& event) { note(event, observer); });
        if (followsSchedule_) control_.followSchedule();
        if (profile_) profile_->watch(trainer);
        trainer.run();
        failure_ = trainer.failure();
    }
    data_ = {};  // the memory, and the stream's object
    log_.reset();
    session_.engine().lazyResetGrad();  // the gradients may be those of half a step
    if (profile_) costs_ = std::exchange(profile_, nullptr)->finish(session_.engine());
}

void Fit::note(const RunEvent& event, const FitObserver& observer) {
    events_.push_back(event);
    if (log_) log_->write(event);
    if (observer.ticks && std::holds_alternative<StepEvent>(event.fact)) {
        const std::lock_guard lock(latestMutex_);
        latest_ = event;
    }
    const std::string kind = kindOf(event);
    if (observer.kinds.contains(kind)) {
        stateLock_->without(
            [&] { thread_->ask([&] { observer.receive(kind, fieldsOf(event)); }); });
    }
    stateLock_->passOn();
}

void Fit::tick(const FitObserver& observer) {
    std::optional<RunEvent> step;
    {
        const std::lock_guard lock(latestMutex_);
        step = std::exchange(latest_, std::nullopt);
    }
    if (step) observer.receive("tick", fieldsOf(*step));
}

void Fit::requireSuccess() {
    if (!failure_ || events_.empty()) return;
    // it may refer to the run: nothing must keep both alive
    if (const std::exception_ptr error = std::exchange(dataError_, nullptr))
        std::rethrow_exception(error);
    const auto* end = std::get_if<EndEvent>(&events_.back().fact);
    if (end == nullptr) return;
    const std::string code = end->code.empty() ? "" : end->code + ": ";
    const std::string where = end->node.empty() ? "" : " (" + end->node + ")";
    throw Error(*failure_,
                "The training failed at step " + std::to_string(end->step) + ": " + code +
                    end->message + where,
                end->hint);
}

RunRecord Fit::record() const {
    RunRecord record;
    record.settings = settings_;
    for (const RunEvent& event : events_) record.add(event);
    return record;
}

}  // namespace temper::python
