// SPDX-License-Identifier: Apache-2.0
#include "engine/jobs/job_status.h"

#include <array>
#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "engine/jobs/job_json.h"
#include "engine/jobs/job_log.h"
#include "engine/runs/run_journal.h"
#include "engine/training/projects/project_file.h"

namespace temper {
namespace {

using Json = nlohmann::ordered_json;

Json jsonOf(const JobStatus& status) {
    return {{"id", status.job.id},
            {"project", status.job.project.string()},
            {"run", status.job.run},
            {"name", status.name},
            {"status", statusName(status.status)},
            {"paused", status.isPaused},
            {"over", status.job.isOver},
            {"step", status.step},
            {"total_steps", status.totalSteps},
            {"seconds", status.seconds},
            {"problem", status.job.problem},
            {"hint", status.job.hint}};
}

JobStatus statusOf(const nlohmann::json& json) {
    JobStatus status;
    status.job.id = json.at("id").get<int64_t>();
    status.job.project = json.at("project").get<std::string>();
    status.job.run = json.at("run").get<int64_t>();
    status.job.isOver = json.at("over").get<bool>();
    status.job.problem = json.at("problem").get<std::string>();
    status.job.hint = json.at("hint").get<std::string>();
    status.name = json.at("name").get<std::string>();
    status.status = statusFromName(json.at("status").get<std::string>());
    status.isPaused = json.at("paused").get<bool>();
    status.step = json.at("step").get<int64_t>();
    status.totalSteps = json.at("total_steps").get<int64_t>();
    status.seconds = json.at("seconds").get<double>();
    return status;
}

}  // namespace

JobState stateOf(const JobStatus& status) {
    if (status.job.isOver && !status.job.problem.empty()) return JobState::GivenUp;
    switch (status.status) {
        case RunStatus::Running: return status.isPaused ? JobState::Paused : JobState::Running;
        case RunStatus::Finished: return JobState::Finished;
        case RunStatus::Failed: return JobState::Failed;
        case RunStatus::Waiting:
        case RunStatus::Stopped:
        case RunStatus::Interrupted: break;
    }
    return status.job.isOver ? JobState::Stopped : JobState::Waiting;
}

std::string_view stateName(JobState state) {
    constexpr std::array<std::string_view, 7> kNames{"waiting", "running", "paused",  "finished",
                                                     "stopped", "failed",  "given up"};
    return kNames.at(static_cast<size_t>(state));
}

StoredRun runOf(const Job& job) {
    if (!isProjectFolder(job.project)) {
        throw Error(ErrorCode::NotFound,
                    "The project '" + job.project.string() + "' of job " + std::to_string(job.id) +
                        " is gone.",
                    "Put it back, or remove the job.");
    }
    return RunStore(runStorePath(job.project)).run(job.run);
}

JobStatus statusOf(const Job& job) {
    StoredRun run = runOf(job);
    if (run.status == RunStatus::Running) {
        RunStore store(runStorePath(job.project));
        markIfInterrupted(store, job.project, run);
        run = store.run(job.run);
    }
    JobStatus status{job, run.name, run.status, false, run.step, run.totalSteps, run.seconds};
    if (run.status == RunStatus::Running)
        status.isPaused = isPausedNow(runLogPath(runFolderOf(job.project, run)));
    return status;
}

std::string toJson(const JobStatus& status) { return jsonText(jsonOf(status)); }

std::string toJson(const std::vector<JobStatus>& statuses) {
    Json list = Json::array();
    for (const JobStatus& status : statuses) list.push_back(jsonOf(status));
    return jsonText(list);
}

JobStatus jobStatusFromJson(std::string_view json) {
    return fromJson(json, [](const nlohmann::json& status) { return statusOf(status); });
}

std::vector<JobStatus> jobStatusesFromJson(std::string_view json) {
    return fromJson(json, [](const nlohmann::json& list) {
        std::vector<JobStatus> statuses;
        for (const nlohmann::json& status : list) statuses.push_back(statusOf(status));
        return statuses;
    });
}

}  // namespace temper
