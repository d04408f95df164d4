// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <map>
#include <memory>
#include <vector>

#include "engine/runs/run_store.h"

namespace temper::ui {

/// Which value of a metric represents the run.
enum class MetricValue { Best, Last, Minimum };

/// Whether each value is that of one batch, as of the training loss; others are evaluations.
bool isOfBatches(const MetricSummary& metric);

/// The best evaluation of a run; of values of single batches, the lowest mean of an eighth of the
/// run, at least of four values: one lucky batch says nothing.
double bestOf(const MetricSummary& metric);

/// The contents of a table of runs.
struct RunTableChoice {
    MetricValue metricValue = MetricValue::Best;
    bool differencesOnly = true;  ///< only settings that differ between the runs
    bool showsTrash = false;
    /// Names of the projects and untitled documents of runs outside the project; if shown, they get
    /// a column.
    std::map<int64_t, QString> documents = {};
    bool ownOnly = false;  ///< without the runs outside the project
};

/// A column of a table of runs: numbers or texts, one for each run.
struct RunColumn {
    enum class Kind {
        Name,
        Document,
        Group,
        Status,
        Started,
        Duration,
        Step,
        Tags,
        Notes,
        Metric,
        Setting
    };

    Kind kind;
    QString key;  ///< stable: used in the settings of the window
    QString title;
    std::vector<double> numbers = {};  ///< empty: sorted by the texts
    std::vector<QString> texts = {};   ///< as shown; empty: made from the numbers
};

/// Runs as columns, built at once so that sorting and painting only look values up. Immutable.
struct RunTable {
    std::shared_ptr<const std::vector<StoredRun>> source;
    std::vector<size_t> rows;  ///< of the source
    std::vector<RunColumn> columns;

    const StoredRun& run(size_t row) const { return (*source)[rows[row]]; }
    /// The metric of a metric column; null if the run does not have it.
    const MetricSummary* metric(size_t row, const RunColumn& column) const;
};

/// Thread: any.
std::shared_ptr<const RunTable> makeRunTable(std::shared_ptr<const std::vector<StoredRun>> runs,
                                             const RunTableChoice& choice);

}  // namespace temper::ui
