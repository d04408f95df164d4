// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <map>
#include <memory>
#include <vector>

#include "engine/runs/run_store.h"

namespace temper::ui {

/// Which value of a metric stands for the run.
enum class MetricValue { Best, Last, Minimum };

/// What a table of runs shows.
struct RunTableChoice {
    MetricValue metricValue = MetricValue::Best;
    bool differencesOnly = true;  ///< of the settings only those that are not alike in all runs
    bool showsTrash = false;
    /// Names of the untitled documents of runs that are not of the project; not empty: a column.
    std::map<int64_t, QString> documents = {};
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
        Notes,
        Metric,
        Setting
    };

    Kind kind;
    QString key;  ///< stable: for the settings of the window
    QString title;
    std::vector<double> numbers = {};  ///< empty: the texts count for sorting
    std::vector<QString> texts = {};   ///< as shown; empty: made from the numbers
};

/// Runs as columns, made in one go so that sorting and painting only look things up. Never changed.
struct RunTable {
    std::shared_ptr<const std::vector<StoredRun>> source;
    std::vector<size_t> rows;  ///< of the source
    std::vector<RunColumn> columns;

    const StoredRun& run(size_t row) const { return (*source)[rows[row]]; }
    /// The metric of a column of metrics; null where the run does not have it.
    const MetricSummary* metric(size_t row, const RunColumn& column) const;
};

/// Thread: any.
std::shared_ptr<const RunTable> makeRunTable(std::shared_ptr<const std::vector<StoredRun>> runs,
                                             const RunTableChoice& choice);

}  // namespace temper::ui
