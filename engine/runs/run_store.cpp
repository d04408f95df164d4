// SPDX-License-Identifier: Apache-2.0
#include "engine/runs/run_store.h"

#include <array>
#include <cstdio>
#include <unordered_map>

#include "engine/core/error.h"
#include "engine/runs/database.h"
#include "engine/runs/run_tags.h"

namespace temper {
namespace {

constexpr int64_t kFormatVersion = 1;
constexpr std::array<std::string_view, 6> kStatuses{"running", "finished",    "stopped",
                                                    "failed",  "interrupted", "waiting"};

constexpr auto kSchema = R"(
CREATE TABLE IF NOT EXISTS runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    run_group TEXT NOT NULL,
    folder TEXT NOT NULL,
    spec TEXT NOT NULL,
    status TEXT NOT NULL,
    started_at REAL NOT NULL,
    seconds REAL NOT NULL,
    step INTEGER NOT NULL,
    total_steps INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    parent INTEGER NOT NULL,
    pinned INTEGER NOT NULL,
    trashed INTEGER NOT NULL,
    notes TEXT NOT NULL,
    tags TEXT NOT NULL DEFAULT '');
CREATE TABLE IF NOT EXISTS metrics (
    run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    last REAL, last_step INTEGER NOT NULL,
    minimum REAL, minimum_step INTEGER NOT NULL,
    maximum REAL, maximum_step INTEGER NOT NULL,
    count INTEGER NOT NULL,
    spark BLOB,
    PRIMARY KEY (run, name)) WITHOUT ROWID;
)";

constexpr std::string_view kRunColumns =
    "name, run_group, folder, spec, status, started_at, seconds, step, total_steps, seed, parent, "
    "pinned, trashed, notes, tags";
constexpr int kRunColumnCount = 15;

void bindRun(Statement& statement, const StoredRun& run) {
    statement.bind(1, run.name);
    statement.bind(2, run.group);
    statement.bind(3, run.folder);
    statement.bind(4, run.spec);
    statement.bind(5, statusName(run.status));
    statement.bind(6, run.startedAt);
    statement.bind(7, run.seconds);
    statement.bind(8, run.step);
    statement.bind(9, run.totalSteps);
    statement.bind(10, run.seed);
    statement.bind(11, run.parent);
    statement.bind(12, int64_t{run.isPinned});
    statement.bind(13, int64_t{run.isTrashed});
    statement.bind(14, run.notes);
    statement.bind(15, tagText(run.tags));
}

/// Columns: id, then kRunColumns.
StoredRun readRun(const Statement& row) {
    return {.id = row.integer(0),
            .name = row.text(1),
            .group = row.text(2),
            .folder = row.text(3),
            .spec = row.text(4),
            .status = statusFromName(row.text(5)),
            .startedAt = row.number(6),
            .seconds = row.number(7),
            .step = row.integer(8),
            .totalSteps = row.integer(9),
            .seed = row.integer(10),
            .parent = row.integer(11),
            .isPinned = row.integer(12) != 0,
            .isTrashed = row.integer(13) != 0,
            .notes = row.text(14),
            .tags = parseTags(row.text(15)),
            .metrics = {}};
}

/// Columns: run, name, last, last_step, minimum, minimum_step, maximum, maximum_step, count, spark.
MetricSummary readMetric(const Statement& row) {
    const std::span<const float> spark = row.floats(9);
    return {.name = row.text(1),
            .last = row.number(2),
            .lastStep = row.integer(3),
            .minimum = row.number(4),
            .minimumStep = row.integer(5),
            .maximum = row.number(6),
            .maximumStep = row.integer(7),
            .count = row.integer(8),
            .spark = {spark.begin(), spark.end()}};
}

std::string folderName(int64_t id) {
    char name[32];
    std::snprintf(name, sizeof name, "runs/%04lld", static_cast<long long>(id));
    return name;
}

std::string placeholders(int count) {
    std::string text = "?1";
    for (int i = 2; i <= count; ++i) text += ", ?" + std::to_string(i);
    return text;
}

bool hasTags(const Database& database) {
    Statement columns(database, "SELECT 1 FROM pragma_table_info('runs') WHERE name = 'tags'");
    return columns.next();
}

/// Files of older programs have no tags. Programs that know no tags read and write such a file as
/// before.
void addTags(const Database& database) {
    if (hasTags(database)) return;
    Transaction transaction(database);
    if (!hasTags(database))  // another program was not faster
        database.execute("ALTER TABLE runs ADD COLUMN tags TEXT NOT NULL DEFAULT ''");
    transaction.commit();
}

}  // namespace

std::string_view statusName(RunStatus status) { return kStatuses[static_cast<size_t>(status)]; }

RunStatus statusFromName(std::string_view name) {
    for (size_t i = 0; i < kStatuses.size(); ++i) {
        if (kStatuses[i] == name) return static_cast<RunStatus>(i);
    }
    throw Error(ErrorCode::InvalidInput,
                "The status '" + std::string(name) + "' of a run is unknown.",
                "It was written by a newer Temper.");
}

struct RunStore::Implementation {
    explicit Implementation(const std::filesystem::path& path)
        : database(path, "The history of runs") {
        database.useWriteAheadLog();
        database.execute("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;");
        Statement version(database, "PRAGMA user_version");
        version.next();
        if (version.integer(0) > kFormatVersion) {
            throw Error(ErrorCode::InvalidInput,
                        "The history of runs '" + path.string() + "' has format " +
                            std::to_string(version.integer(0)) + "; this program knows format " +
                            std::to_string(kFormatVersion) + ".",
                        "Use a newer Temper.");
        }
        version.reset();
        database.execute(kSchema);
        addTags(database);
        database.execute(("PRAGMA user_version = " + std::to_string(kFormatVersion)).c_str());
    }

    std::vector<StoredRun> select(const std::string& condition) const {
        Statement rows(database, "SELECT id, " + std::string(kRunColumns) + " FROM runs " +
                                     condition + " ORDER BY id DESC");
        std::vector<StoredRun> runs;
        std::unordered_map<int64_t, size_t> places;
        while (rows.next()) {
            places[rows.integer(0)] = runs.size();
            runs.push_back(readRun(rows));
        }
        Statement metrics(database, "SELECT * FROM metrics WHERE run IN (SELECT id FROM runs " +
                                        condition + ") ORDER BY run, name");
        while (metrics.next()) {
            const auto place = places.find(metrics.integer(0));
            if (place == places.end()) continue;  // of a run that was added meanwhile
            runs[place->second].metrics.push_back(readMetric(metrics));
        }
        return runs;
    }

    void writeMetrics(int64_t id, const std::vector<MetricSummary>& metrics) const {
        Statement forget(database, "DELETE FROM metrics WHERE run = ?1");
        forget.bind(1, id);
        forget.next();
        Statement insert(database, "INSERT INTO metrics VALUES (" + placeholders(10) + ")");
        for (const MetricSummary& metric : metrics) {
            insert.bind(1, id);
            insert.bind(2, metric.name);
            insert.bind(3, metric.last);
            insert.bind(4, metric.lastStep);
            insert.bind(5, metric.minimum);
            insert.bind(6, metric.minimumStep);
            insert.bind(7, metric.maximum);
            insert.bind(8, metric.maximumStep);
            insert.bind(9, metric.count);
            insert.bind(10, metric.spark);
            insert.next();
            insert.reset();
        }
    }

    void requireFound(int64_t id) const {
        if (database.changes() > 0) return;
        throw Error(ErrorCode::NotFound, "Run " + std::to_string(id) + " is not in the history.");
    }

    Database database;
};

RunStore::RunStore(const std::filesystem::path& path)
    : implementation_(std::make_unique<Implementation>(path)) {}

RunStore::~RunStore() = default;

std::vector<StoredRun> RunStore::runs() const { return implementation_->select(""); }

StoredRun RunStore::run(int64_t id) const {
    std::vector<StoredRun> found = implementation_->select("WHERE id = " + std::to_string(id));
    if (found.empty()) {
        throw Error(ErrorCode::NotFound, "Run " + std::to_string(id) + " is not in the history.");
    }
    return std::move(found.front());
}

StoredRun RunStore::add(StoredRun run) {
    Transaction transaction(implementation_->database);
    Statement insert(implementation_->database, "INSERT INTO runs (" + std::string(kRunColumns) +
                                                    ") VALUES (" + placeholders(kRunColumnCount) +
                                                    ")");
    bindRun(insert, run);
    insert.next();
    run.id = implementation_->database.lastId();
    if (run.folder.empty()) run.folder = folderName(run.id);
    if (run.name.empty()) run.name = "Run " + std::to_string(run.id);
    updateFolder(run);
    updateLabels(run);
    implementation_->writeMetrics(run.id, run.metrics);
    transaction.commit();
    return run;
}

void RunStore::updateProgress(const StoredRun& run) {
    Transaction transaction(implementation_->database);
    Statement update(implementation_->database,
                     "UPDATE runs SET (status, started_at, seconds, step, total_steps) = "
                     "(?1, ?2, ?3, ?4, ?5) WHERE id = ?6");
    update.bind(1, statusName(run.status));
    update.bind(2, run.startedAt);
    update.bind(3, run.seconds);
    update.bind(4, run.step);
    update.bind(5, run.totalSteps);
    update.bind(6, run.id);
    update.next();
    implementation_->requireFound(run.id);
    implementation_->writeMetrics(run.id, run.metrics);
    transaction.commit();
}

void RunStore::updateLabels(const StoredRun& run) {
    Statement update(implementation_->database,
                     "UPDATE runs SET (name, run_group, notes, pinned, trashed, tags) = "
                     "(?1, ?2, ?3, ?4, ?5, ?6) WHERE id = ?7");
    update.bind(1, run.name);
    update.bind(2, run.group);
    update.bind(3, run.notes);
    update.bind(4, int64_t{run.isPinned});
    update.bind(5, int64_t{run.isTrashed});
    update.bind(6, tagText(run.tags));
    update.bind(7, run.id);
    update.next();
    implementation_->requireFound(run.id);
}

void RunStore::updateFolder(const StoredRun& run) {
    Statement update(implementation_->database, "UPDATE runs SET folder = ?1 WHERE id = ?2");
    update.bind(1, run.folder);
    update.bind(2, run.id);
    update.next();
    implementation_->requireFound(run.id);
}

void RunStore::copyTo(const std::filesystem::path& path,
                      const std::function<std::string(const StoredRun&)>& specOf) const {
    {
        Statement copy(implementation_->database, "VACUUM INTO ?1");
        copy.bind(1, path.string());
        copy.next();
    }
    RunStore target(path);
    target.implementation_->database.execute("DELETE FROM runs WHERE trashed");
    target.rewriteSpecs(specOf);
}

void RunStore::rewriteSpecs(const std::function<std::string(const StoredRun&)>& specOf) {
    const Database& database = implementation_->database;
    Transaction transaction(database);
    Statement write(database, "UPDATE runs SET spec = ?2 WHERE id = ?1");
    for (const StoredRun& run : runs()) {
        write.bind(1, run.id);
        write.bind(2, specOf(run));
        write.next();
        write.reset();
    }
    transaction.commit();
}

void RunStore::erase(int64_t id) {
    Statement forget(implementation_->database, "DELETE FROM runs WHERE id = ?1");
    forget.bind(1, id);
    forget.next();
}

void RunStore::outlastPowerCuts() {
    implementation_->database.execute("PRAGMA synchronous = FULL");
}

}  // namespace temper
