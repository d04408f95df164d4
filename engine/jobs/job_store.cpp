// SPDX-License-Identifier: Apache-2.0
#include "engine/jobs/job_store.h"

#include "engine/core/error.h"

namespace temper {
namespace {

constexpr auto kSchema = R"(
CREATE TABLE IF NOT EXISTS jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    place INTEGER NOT NULL,
    project TEXT NOT NULL,
    run INTEGER NOT NULL,
    over INTEGER NOT NULL DEFAULT 0,
    stop TEXT NOT NULL DEFAULT '',
    problem TEXT NOT NULL DEFAULT '',
    hint TEXT NOT NULL DEFAULT '',
    UNIQUE (project, run));
)";

constexpr std::string_view kSelect = "SELECT id, project, run, over, stop, problem, hint FROM jobs";

Job jobOf(const Statement& row) {
    return {.id = row.integer(0),
            .project = row.text(1),
            .run = row.integer(2),
            .isOver = row.integer(3) != 0,
            .stop = row.text(4),
            .problem = row.text(5),
            .hint = row.text(6)};
}

}  // namespace

JobStore::JobStore(const std::filesystem::path& path) : database_(path, "The queue of jobs") {
    database_.useWriteAheadLog();
    database_.execute(kSchema);
}

std::vector<Job> JobStore::jobs() const {
    std::vector<Job> jobs;
    Statement statement(database_, std::string(kSelect) + " ORDER BY place");
    while (statement.next()) jobs.push_back(jobOf(statement));
    return jobs;
}

Job JobStore::job(int64_t id) const {
    Statement statement(database_, std::string(kSelect) + " WHERE id = ?");
    statement.bind(1, id);
    if (statement.next()) return jobOf(statement);
    throw Error(ErrorCode::NotFound, "Job " + std::to_string(id) + " does not exist.",
                "List the jobs with `temper jobs`.");
}

Job JobStore::add(const std::filesystem::path& project, int64_t run) {
    Transaction transaction(database_);
    for (const Job& other : jobs()) {
        if (other.project != project || other.run != run) continue;
        if (!other.isOver) {
            throw Error(ErrorCode::State,
                        "Run " + std::to_string(run) + " of '" + project.string() +
                            "' is in the queue already, as job " + std::to_string(other.id) + ".",
                        "Wait until it has ended, or stop it.");
        }
        remove(other.id);
    }
    Statement insert(database_,
                     "INSERT INTO jobs (place, project, run) "
                     "SELECT coalesce(max(place), 0) + 1, ?, ? FROM jobs");
    insert.bind(1, project.string());
    insert.bind(2, run);
    insert.next();
    const int64_t id = database_.lastId();
    transaction.commit();
    return job(id);
}

void JobStore::requestStop(int64_t id, const std::string& stop) {
    Statement statement(database_, "UPDATE jobs SET stop = ? WHERE id = ?");
    statement.bind(1, stop);
    statement.bind(2, id);
    statement.next();
    requireChange(id);
}

void JobStore::end(int64_t id, const std::string& problem, const std::string& hint) {
    Statement statement(database_, "UPDATE jobs SET over = 1, problem = ?, hint = ? WHERE id = ?");
    statement.bind(1, problem);
    statement.bind(2, hint);
    statement.bind(3, id);
    statement.next();
    requireChange(id);
}

void JobStore::moveFirst(int64_t id) {
    Statement statement(database_,
                        "UPDATE jobs SET place = (SELECT min(place) - 1 FROM jobs) WHERE id = ?");
    statement.bind(1, id);
    statement.next();
    requireChange(id);
}

void JobStore::remove(int64_t id) {
    Statement statement(database_, "DELETE FROM jobs WHERE id = ?");
    statement.bind(1, id);
    statement.next();
    requireChange(id);
}

/// Fails with NotFound if the last statement changed nothing.
void JobStore::requireChange(int64_t id) const {
    if (database_.changes() == 0) job(id);
}

}  // namespace temper
