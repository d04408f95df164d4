// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/loaded_data.h"

#include <QLocale>
#include <QStringList>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "engine/data/augmentation.h"
#include "engine/data/data_health.h"
#include "engine/data/sound_sample.h"
#include "engine/training/projects/lesson.h"
#include "ui/document/data_text.h"
#include "ui/document/loaded_model.h"
#include "ui/messages/problem.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

constexpr int64_t kShownSamples = 32;
constexpr int64_t kLookedThrough = 8;  ///< times as many samples are searched for readable ones
constexpr qsizetype kShownNames = 10;
/// Maximum time for comparing samples with each other, short enough to wait for.
constexpr std::chrono::seconds kComparingTime{1};

std::vector<Tensor> readFirstBatch(const Dataset& data) {
    std::vector<int64_t> samples = readableSamples(data, kShownSamples);
    if (samples.empty()) samples.push_back(0);  // reading it reports why it can't be read
    std::vector<Tensor> batch;
    for (size_t column = 0; column < data.columns().size(); ++column)
        batch.push_back(data.batch(column, samples));
    return batch;
}

/// A plain style if a sample can't be read: findUnreadable() reports which.
SampleStyle styleOf(const OpenedData& data, size_t column) {
    try {
        if (holdsPictures(data.training->columns()[column]))
            return {false, strokeStyleOf(data, column)};
        return {looksLikeSound(data, column), {}};
    } catch (const Error&) {
        return {};
    }
}

/// Empty if a picture can't be read: findUnreadable() reports which.
std::vector<Finding> healthOf(const OpenedData& data) {
    const auto deadline = std::chrono::steady_clock::now() + kComparingTime;
    try {
        return checkOpenedData(data,
                               [deadline] { return std::chrono::steady_clock::now() > deadline; });
    } catch (const Error&) {
        if (data.spec.kind != "images") throw;
        return {};
    }
}

/// Whether the source itself separates training and evaluation samples.
bool hasEvaluation(const DataSpec& spec) {
    if (spec.kind == "idx" || spec.options.contains("test")) return true;
    const std::filesystem::path folder = spec.path;
    return spec.kind == "images" && (std::filesystem::is_directory(folder / "train") ||
                                     std::filesystem::is_directory(folder / "training"));
}

QString listed(const std::vector<std::string>& names) {
    QStringList texts;
    for (const std::string& name : names) texts << text(name);
    if (texts.size() > kShownNames) texts = texts.mid(0, kShownNames) << QStringLiteral("…");
    return texts.join(QStringLiteral(", "));
}

/// Numbers mapped to class indices are shown with these.
QString classNames(const Column& column) {
    if (!column.hasRenumberedClasses()) return listed(column.classes);
    std::vector<std::string> names;
    for (size_t i = 0; i < column.classes.size(); ++i)
        names.push_back(tr("%1 as %2").arg(text(column.classes[i])).arg(i).toStdString());
    return listed(names);
}

QString listed(const std::vector<double>& numbers) {
    QStringList texts;
    for (const double number : numbers) texts << QLocale().toString(number, 'g', 4);
    if (texts.size() > kShownNames) texts = texts.mid(0, kShownNames) << QStringLiteral("…");
    return texts.join(QStringLiteral("; "));
}

/// Samples of another source take the place of those that `split` holds out.
QString evaluationText(const OpenedData& data, const std::string& evalSpec) {
    if (data.evaluation == nullptr) return tr("no validation samples");
    const auto count = static_cast<int>(data.evaluation->size());
    const QString origin = dataText(data.evaluationOrigin);
    const std::optional<double> share = data.spec.number("split");
    if (!share) return tr("%Ln validation samples (%1)", nullptr, count).arg(origin);
    const auto percent = std::lround(100 * (1 - *share));
    if (!evalSpec.empty() || data.spec.options.contains("test"))
        return tr("%Ln validation samples (%1; the %2 % held out are not used)", nullptr, count)
            .arg(origin, QString::number(percent));
    return tr("%Ln validation samples (%1 % of all, drawn with seed %2)", nullptr, count)
        .arg(percent)
        .arg(data.spec.integer("seed", 0).value_or(0));
}

QString columnText(const Column& column, const OpenedData& data) {
    QStringList parts = {tr("%1: %2 %3")
                             .arg(text(column.name), text(dtypeName(column.dtype)),
                                  text(formatShape(column.shape)))};
    if (column.isTarget) parts << tr("target");
    if (!column.classes.empty())
        parts << tr("%n classes (%1)", nullptr, static_cast<int>(column.classes.size()))
                     .arg(classNames(column));
    if (!column.elements.empty()) parts << listed(column.elements);
    const auto by = data.normalization.find(column.name);
    if (by != data.normalization.end())
        parts << tr("normalized: mean %1, deviation %2")
                     .arg(listed(by->second.mean), listed(by->second.deviation));
    return parts.join(QStringLiteral(", "));
}

/// One line per fact, as describeData() gives them for the terminal.
QString descriptionOf(const OpenedData& data, const std::string& evalSpec) {
    QStringList lines = {dataText(formatDataSpec(data.spec))};
    lines << tr("%Ln training samples", nullptr, static_cast<int>(data.training->size())) +
                 QStringLiteral(", ") + evaluationText(data, evalSpec);
    for (const Column& column : data.training->columns()) lines << columnText(column, data);
    return lines.join(QStringLiteral("\n  "));
}

/// The options that determine which samples are set apart.
std::map<std::string, std::string> splitOf(const std::string& source) {
    std::map<std::string, std::string> split;
    try {
        for (const auto& [key, value] : parseDataSpec(source, lessonFiles()).options)
            if (key == "split" || key == "seed" || key == "stratify") split.emplace(key, value);
    } catch (const Error&) {  // it could not be read either
        return {};
    }
    return split;
}

/// Without the kind and the options.
std::string pathOf(const std::string& source) {
    try {
        return parseDataSpec(source, lessonFiles()).path;
    } catch (const Error&) {  // reported when it is read
        return source.substr(0, source.find('?'));
    }
}

}  // namespace

bool holdsPictures(const Column& column) {
    return (isPicture(column) && std::min(column.shape.end()[-1], column.shape.end()[-2]) >= 4) ||
           (column.isImage && column.shape.size() == 3);
}

std::vector<int64_t> readableSamples(const Dataset& data, int64_t count) {
    std::vector<int64_t> samples;
    const int64_t end = std::min(kLookedThrough * count, data.size());
    for (int64_t i = 0; i < end && std::ssize(samples) < count; ++i)
        if (data.problem(i, true).empty()) samples.push_back(i);
    return samples;
}

std::shared_ptr<const LoadedData> loadData(const std::string& spec, const std::string& evalSpec,
                                           const ImageForm& form, const TargetForm& target) {
    auto data = std::make_shared<LoadedData>();
    data->opened = openData(spec, evalSpec, lessonFiles(), form, target);
    data->findings = data->opened.findings;
    const std::vector<Finding> health = healthOf(data->opened);
    data->findings.insert(data->findings.end(), health.begin(), health.end());
    data->firstBatch = readFirstBatch(*data->opened.training);
    for (size_t column = 0; column < data->firstBatch.size(); ++column)
        data->styles.push_back(styleOf(data->opened, column));
    data->description = descriptionOf(data->opened, evalSpec);
    return data;
}

bool isBetterReadFor(const TargetForm& target, const LoadedData& data) {
    return std::ranges::any_of(data.training()->columns(), [&target](const Column& column) {
        if (column.asClasses.empty() || column.asNumbers.empty()) return false;
        if (target.kind == TargetForm::Kind::Numbers) return !column.classes.empty();
        return target.kind == TargetForm::Kind::Classes &&
               (column.classes.empty() || column.hasRenumberedClasses());
    });
}

std::vector<Finding> findUnreadable(const LoadedData& data, const std::stop_token& stop) {
    if (dropsInvalid(data.opened.spec)) return {};
    const LookProgress progress = [&stop](int64_t, int64_t) { return !stop.stop_requested(); };
    std::vector<Finding> findings = checkReadable(*data.training(), progress);
    if (data.evaluation()) {
        for (Finding& finding : checkReadable(*data.evaluation(), progress))
            findings.push_back(std::move(finding));
    }
    return stop.stop_requested() ? std::vector<Finding>{} : findings;
}

std::string proposeDataSpec(const std::string& path, const std::string& before,
                            bool isEvaluatedElsewhere) {
    DataSpec spec = parseDataSpec(path, lessonFiles());
    if (hasEvaluation(spec)) return formatDataSpec(spec);
    for (const auto& [key, value] : splitOf(before)) spec.options.emplace(key, value);
    if (!isEvaluatedElsewhere) spec.options.emplace("split", "0.8");
    return formatDataSpec(spec);
}

std::string evaluationBeside(const std::string& training, const RunSpec& run) {
    const bool stays = pathOf(training) == pathOf(run.data) || !lessonOf(pathOf(run.evalData));
    return stays ? run.evalData : std::string();
}

std::string typedDataSpec(const std::string& typed, const std::string& before,
                          bool isEvaluatedElsewhere) {
    if (typed.empty() || typed == before) return typed;
    try {
        const DataSpec spec = parseDataSpec(typed, lessonFiles());
        // The same path without its options: they were removed.
        const bool isSamePath =
            !before.empty() && spec.path == parseDataSpec(before, lessonFiles()).path;
        if (isSamePath || spec.options.contains("split")) return typed;
        return proposeDataSpec(typed, before, isEvaluatedElsewhere);
    } catch (const Error&) {  // reported when it is read
        return typed;
    }
}

}  // namespace temper::ui
