// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/runs/run_log.h"
#include "engine/runs/run_record.h"
#include "engine/training/binding/run_data.h"
#include "engine/training/trainer/trainer.h"
#include "python/src/data.h"
#include "python/src/fit_profile.h"
#include "python/src/run_thread.h"
#include "python/src/session.h"

namespace temper::python {

/// What opening data told.
struct DataRemarks {
    std::string summary;
    std::vector<Finding> findings;
};

/// Receives the events of a run.
struct FitObserver {
    nb::object receive;           ///< called with an event's kind and its fields
    std::set<std::string> kinds;  ///< of the events that it is called for, before the next step
    bool ticks = false;  ///< also with the latest step, as kind "tick", about 20 times a second
};

/// Files that a run writes; empty paths for none.
struct FitFiles {
    std::filesystem::path log;      ///< see RunLog
    std::filesystem::path profile;  ///< see FitProfile
};

/// One run of the engine's Trainer over data of Python, and its record. First the data is taken,
/// then it runs, once. Thread: one at a time; during the run, Python's other threads run.
class Fit {
public:
    /// `specification`: its "run" has the settings, in JSON. `followsSchedule`: a learning rate
    /// that was set by hand before the state was saved no longer counts. Throws:
    /// Error(InvalidInput) for settings that make no sense.
    Fit(Session& session, const std::string& specification, bool followsSchedule);

    /// The data that the settings name.
    DataRemarks takeSpecified();
    /// Arrays by the name of their column; no `evaluation` if it is None.
    DataRemarks takeArrays(const nb::dict& training, const nb::object& evaluation);
    /// Batches, see PythonStream.
    DataRemarks takeStream(const nb::object& stream, const nb::object& evaluation);

    /// `settings`: for the log and the report.
    /// Throws: what the observer, the data or a signal raises; Error if the run fails.
    void run(const FitObserver& observer, RunSettings settings, const FitFiles& files);

    const std::vector<RunEvent>& events() const { return events_; }
    /// Of the operators in a step; empty without a profile.
    const std::vector<OperatorCost>& costs() const { return costs_; }
    /// With the labelled values of the settings.
    RunRecord record() const;

private:
    DataRemarks take(const std::function<void(DataRemarks&, const DataListener&)>& open);
    std::shared_ptr<const Dataset> samplesOf(const NamedRows& rows, const Dataset* same) const;
    void check(const OpenedData& data, const DataListener& listener);
    void train(const FitObserver& observer);
    void note(const RunEvent& event, const FitObserver& observer);
    void tick(const FitObserver& observer);
    void requireSuccess();

    Session& session_;
    RunSpec spec_;
    bool followsSchedule_;
    std::vector<std::string> targets_;  ///< inputs of the loss
    TrainerData data_;
    RunControl control_;
    RunThread* thread_ = nullptr;     ///< during a run
    StateLock* stateLock_ = nullptr;  ///< of the run's thread, while it trains
    RunSettings settings_;
    std::unique_ptr<RunLog> log_;
    std::unique_ptr<FitProfile> profile_;
    std::vector<OperatorCost> costs_;
    std::vector<RunEvent> events_;
    std::optional<ErrorCode> failure_;
    std::exception_ptr dataError_;  ///< of Python, that made the run fail
    std::mutex latestMutex_;
    std::optional<RunEvent> latest_;  ///< the latest step, until it is told
};

}  // namespace temper::python
