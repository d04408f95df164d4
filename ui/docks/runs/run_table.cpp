// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs/run_table.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <span>

#include "engine/runs/run_tags.h"
#include "ui/docks/runs/run_choices.h"
#include "ui/messages/problem.h"
#include "ui/run/run_history.h"
#include "ui/run/run_model.h"

namespace temper::ui {
namespace {

/// A part's mean is the loss without the luck of one batch.
constexpr size_t kPartsOfARun = 8;
constexpr size_t kMinBatches = 4;

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

double valueOf(const MetricSummary& metric, MetricValue value) {
    if (value == MetricValue::Last) return metric.last;
    if (metric.count == 0) return kNothing;
    return value == MetricValue::Best ? bestOf(metric) : metric.minimum;
}

class TableMaker {
    Q_DECLARE_TR_FUNCTIONS(temper::ui::TableMaker)

public:
    TableMaker(RunTable& table, const RunTableChoice& choice) : table_(table), choice_(choice) {}

    void make() {
        addTexts(RunColumn::Kind::Name, "name", tr("Run"),
                 [](const StoredRun& run) { return text(run.name); });
        if (!choice_.documents.empty() && !choice_.ownOnly)
            addTexts(RunColumn::Kind::Document, "document", tr("Project"),
                     [this](const StoredRun& run) {
                         const auto found = choice_.documents.find(run.id);
                         return found == choice_.documents.end() ? tr("this one") : found->second;
                     });
        addTexts(RunColumn::Kind::Status, "status", tr("State"),
                 [](const StoredRun& run) { return statusLabel(run.status); });
        addMetrics();
        addNumbers(RunColumn::Kind::Step, "step", tr("Steps"),
                   [](const StoredRun& run) { return static_cast<double>(run.step); });
        addNumbers(RunColumn::Kind::Duration, "duration", tr("Duration"),
                   [](const StoredRun& run) { return run.seconds; });
        addNumbers(RunColumn::Kind::Started, "started", tr("Started"), [](const StoredRun& run) {
            return run.startedAt > 0 ? run.startedAt : kNothing;
        });
        addSettings();
        addTexts(RunColumn::Kind::Group, "group", tr("Folder"),
                 [](const StoredRun& run) { return text(run.group); });
        addTexts(RunColumn::Kind::Tags, "tags", tr("Tags"),
                 [](const StoredRun& run) { return text(tagText(run.tags)); });
        addTexts(RunColumn::Kind::Notes, "notes", tr("Notes"),
                 [](const StoredRun& run) { return text(run.notes); });
    }

private:
    template <typename F>
    void addTexts(RunColumn::Kind kind, const char* key, const QString& title, F&& value) {
        RunColumn column{kind, QLatin1String(key), title};
        for (size_t row = 0; row < table_.rows.size(); ++row)
            column.texts.push_back(value(table_.run(row)));
        table_.columns.push_back(std::move(column));
    }

    template <typename F>
    void addNumbers(RunColumn::Kind kind, const char* key, const QString& title, F&& value) {
        RunColumn column{kind, QLatin1String(key), title};
        for (size_t row = 0; row < table_.rows.size(); ++row)
            column.numbers.push_back(value(table_.run(row)));
        table_.columns.push_back(std::move(column));
    }

    void addMetrics() {
        std::set<std::string> names;
        for (size_t row = 0; row < table_.rows.size(); ++row)
            for (const MetricSummary& metric : table_.run(row).metrics) names.insert(metric.name);
        for (const std::string& name : names) {
            RunColumn column{RunColumn::Kind::Metric, text(name), metricLabel(name)};
            for (size_t row = 0; row < table_.rows.size(); ++row) {
                const MetricSummary* metric = table_.metric(row, column);
                column.numbers.push_back(metric ? valueOf(*metric, choice_.metricValue) : kNothing);
            }
            table_.columns.push_back(std::move(column));
        }
    }

    void addSettings() {
        RunChoiceReader reader;
        std::vector<RunChoices> choices;
        std::set<QString> keys;
        for (size_t row = 0; row < table_.rows.size(); ++row) {
            choices.push_back(reader.read(table_.run(row)));
            for (const auto& [key, value] : choices.back().chosen) keys.insert(key);
        }
        const size_t first = table_.columns.size();
        for (const QString& key : keys) {
            RunColumn column{RunColumn::Kind::Setting, key, choiceTitles(key).front()};
            for (RunChoices& each : choices)
                column.texts.push_back(each.chosen.contains(key) ? each.chosen[key]
                                                                 : each.usual[key]);
            const auto isOther = [&](const QString& value) { return value != column.texts[0]; };
            if (choice_.differencesOnly &&
                std::none_of(column.texts.begin(), column.texts.end(), isOther))
                continue;
            makeNumbers(column);
            table_.columns.push_back(std::move(column));
        }
        tellApart(first);
    }

    /// Columns from `first` on whose titles others have, too, get longer ones.
    void tellApart(size_t first) {
        for (qsizetype length = 1;; ++length) {
            std::map<QString, int> counts;
            for (const RunColumn& column : table_.columns) ++counts[column.title];
            bool hasChanged = false;
            for (RunColumn& column : std::span(table_.columns).subspan(first)) {
                const QStringList titles = choiceTitles(column.key);
                if (counts[column.title] < 2 || length >= titles.size()) continue;
                column.title = titles[length];
                hasChanged = true;
            }
            if (!hasChanged) return;
        }
    }

    /// Numeric settings sort as numbers.
    static void makeNumbers(RunColumn& column) {
        std::vector<double> numbers;
        for (const QString& value : column.texts) {
            bool isNumber = false;
            const double number = value.toDouble(&isNumber);
            if (!isNumber && !value.isEmpty()) return;
            numbers.push_back(isNumber ? number : kNothing);
        }
        column.numbers = std::move(numbers);
    }

    RunTable& table_;
    const RunTableChoice& choice_;
};

}  // namespace

bool isOfBatches(const MetricSummary& metric) { return metric.name == "loss"; }

double bestOf(const MetricSummary& metric) {
    if (!isOfBatches(metric) || metric.spark.empty()) return metric.best();
    const size_t count = metric.spark.size();
    const size_t part = (count + kPartsOfARun - 1) / kPartsOfARun;
    const size_t width = std::min(count, std::max(kMinBatches, part));
    double best = std::numeric_limits<double>::infinity();
    for (size_t first = 0; first + width <= count; ++first) {
        const auto begin = metric.spark.begin() + static_cast<ptrdiff_t>(first);
        const double sum = std::accumulate(begin, begin + static_cast<ptrdiff_t>(width), 0.0);
        best = std::min(best, sum / static_cast<double>(width));
    }
    return best;
}

const MetricSummary* RunTable::metric(size_t row, const RunColumn& column) const {
    const std::vector<MetricSummary>& metrics = run(row).metrics;
    const std::string name = column.key.toStdString();
    const auto found = std::lower_bound(
        metrics.begin(), metrics.end(), name,
        [](const MetricSummary& metric, const std::string& key) { return metric.name < key; });
    return found != metrics.end() && found->name == name ? &*found : nullptr;
}

std::shared_ptr<const RunTable> makeRunTable(std::shared_ptr<const std::vector<StoredRun>> runs,
                                             const RunTableChoice& choice) {
    auto table = std::make_shared<RunTable>();
    table->source = std::move(runs);
    for (size_t i = 0; i < table->source->size(); ++i) {
        const StoredRun& run = (*table->source)[i];
        const bool isHidden = choice.ownOnly && choice.documents.contains(run.id);
        if (run.isTrashed == choice.showsTrash && !isHidden) table->rows.push_back(i);
    }
    TableMaker(*table, choice).make();
    return table;
}

}  // namespace temper::ui
