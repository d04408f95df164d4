// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include "app/cli/commands.h"
#include "app/cli/number_checks.h"
#include "app/cli/run_reporter.h"
#include "app/cli/server_options.h"

namespace temper::cli {
namespace {

struct JobsOptions {
    ServerOptions server;
    bool asJson = false;
    std::vector<std::string> projects;
    int64_t run = 0;
    int64_t job = 0;
    double value = 0;
    std::string name;
    std::string out;
};
using Options = std::shared_ptr<JobsOptions>;

std::string progressOf(const JobStatus& job) {
    if (job.totalSteps == 0) return "";
    return std::to_string(job.step) + " of " + std::to_string(job.totalSteps);
}

void list(const JobsOptions& options, CliContext& context) {
    const std::vector<JobStatus> jobs = JobClient(options.server.address()).jobs();
    if (options.asJson) {
        context.out << toJson(jobs) << '\n';
        return;
    }
    if (jobs.empty()) {
        context.out << "The queue is empty. Add a job with 'temper jobs add PROJECT'.\n";
        return;
    }
    std::vector<std::vector<std::string>> rows{{"job", "state", "steps", "run", "project"}};
    for (const JobStatus& job : jobs) {
        rows.push_back({std::to_string(job.job.id), std::string(stateName(stateOf(job))),
                        progressOf(job), job.name, job.job.project.string()});
    }
    printTable(context.out, rows, {0, 2});
    for (const JobStatus& job : jobs) {
        if (job.job.problem.empty()) continue;
        printProblem(context.err, "job " + std::to_string(job.job.id), job.job.problem,
                     job.job.hint);
    }
}

void add(const JobsOptions& options, CliContext& context) {
    JobClient client(options.server.address());
    // A server elsewhere has paths of its own.
    const bool isHere = options.server.address().isHere;
    for (const std::string& project : options.projects) {
        const std::filesystem::path path =
            isHere ? std::filesystem::absolute(project) : std::filesystem::path(project);
        const JobStatus job = client.add({path, options.run});
        if (options.asJson) {
            context.out << toJson(job) << '\n';
        } else {
            context.out << "job " << job.job.id << ": " << job.name << " of "
                        << job.job.project.string() << '\n';
        }
    }
}

/// Whether nothing more will come.
bool isAtEnd(const JobStatus& job) { return job.job.isOver && job.status != RunStatus::Running; }

/// Like a run in this terminal. A run that goes back to a checkpoint, because its process was
/// killed, begins anew with its first event.
void follow(const JobsOptions& options, CliContext& context) {
    constexpr std::chrono::milliseconds kPatience{1000};
    JobClient client(options.server.address());
    LogFollower follower;
    auto reporter = std::make_unique<RunReporter>(context, RunSettings{}, "");
    while (true) {
        const bool isLast = isAtEnd(client.job(options.job));
        const LogFollower::News news =
            client.follow(options.job, follower, isLast ? std::chrono::milliseconds(0) : kPatience);
        if (news.startsOver) reporter = std::make_unique<RunReporter>(context, RunSettings{}, "");
        for (const RunEvent& event : news.events) {
            if (options.asJson) {
                context.out << toJsonLine(event) << '\n';
            } else {
                (*reporter)(event);
            }
        }
        context.out.flush();
        if (isLast && news.events.empty()) break;
    }
    const Job job = client.job(options.job).job;
    if (!job.problem.empty()) throw Error(ErrorCode::State, job.problem, job.hint);
    if (!options.asJson) reporter->requireSuccess();
}

CLI::App* addForJob(CLI::App& jobs, const Options& options, const std::string& name,
                    const std::string& help) {
    auto* command = jobs.add_subcommand(name, help);
    command->add_option("JOB", options->job, "Number of the job")->required();
    command->fallthrough();
    return command;
}

void addRequest(CLI::App& jobs, const Options& options, const std::string& name,
                JobRequest::Kind kind, const std::string& help) {
    auto* command = addForJob(jobs, options, name, help);
    const bool isRate = kind == JobRequest::Kind::Rate;
    if (isRate)
        command->add_option("RATE", options->value, "Learning rate")->required()->check(positive());
    const bool isCheckpoint = kind == JobRequest::Kind::Checkpoint;
    if (isCheckpoint)
        command->add_option("NAME", options->name, "File name, such as try.ckpt")->required();
    command->callback([options, kind] {
        JobClient(options->server.address())
            .request(options->job, {kind, options->value, options->name});
    });
}

void addRequests(CLI::App& jobs, const Options& options) {
    using Kind = JobRequest::Kind;
    addRequest(jobs, options, "pause", Kind::Pause, "Pause a job after its current step");
    addRequest(jobs, options, "resume", Kind::Resume, "Resume a paused job");
    addRequest(jobs, options, "step", Kind::Step, "Do one step of a job, then pause it");
    addRequest(jobs, options, "stop", Kind::Stop, "Save a job and end it");
    addRequest(jobs, options, "rate", Kind::Rate, "Set the learning rate of a job");
    addRequest(jobs, options, "schedule", Kind::Schedule,
               "Let the learning rate of a job follow its schedule again");
    addRequest(jobs, options, "checkpoint", Kind::Checkpoint,
               "Write a checkpoint into the folder of a job's run");
}

void addFetch(CLI::App& jobs, const Options& options) {
    auto* command = addForJob(jobs, options, "fetch", "Copy a checkpoint of a job from the server");
    command->add_option("NAME", options->name, "Checkpoint, such as best.ckpt")->required();
    command->add_option("--out", options->out, "The file to write")->type_name("FILE")->required();
    command->callback([options] {
        JobClient(options->server.address())
            .fetchCheckpoint(options->job, options->name, options->out);
    });
}

}  // namespace

void addJobsCommand(CLI::App& app, CliContext& context) {
    auto* jobs = app.add_subcommand("jobs", "List and control the jobs of a server");
    jobs->require_subcommand(0, 1);
    const auto options = std::make_shared<JobsOptions>();
    options->server.addTo(*jobs);
    jobs->add_flag("--json", options->asJson, "Print one JSON document");
    jobs->callback([options, jobs, &context] {
        if (jobs->get_subcommands().empty()) list(*options, context);
    });

    auto* adding = jobs->add_subcommand("add", "Put runs of projects at the end of the queue");
    adding->add_option("PROJECT", options->projects, "Folder of a project")->required();
    adding->add_option("--run", options->run,
                       "A run in the project's history that has not finished or failed");
    adding->fallthrough();
    adding->callback([options, &context] { add(*options, context); });

    addForJob(*jobs, options, "follow", "Print what a job does, until it ends")
        ->callback([options, &context] { follow(*options, context); });
    addRequests(*jobs, options);
    addFetch(*jobs, options);
    addForJob(*jobs, options, "first", "Move a job to the head of the queue")->callback([options] {
        JobClient(options->server.address()).moveFirst(options->job);
    });
    addForJob(*jobs, options, "remove", "Take a job out of the queue; its run stays")
        ->callback([options] { JobClient(options->server.address()).remove(options->job); });
}

}  // namespace temper::cli
